// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/explain_product.hpp>

#include "matrices.hpp"
#include "weft/explain.hpp"

using doctest::Contains;
using weft::explain;
using weft::Explanation;

namespace {
doctest::String shown(const Explanation& e) { return to_string(e).c_str(); }
}  // namespace

TEST_CASE_TEMPLATE("a product is one kernel with its operations", D, TEST_DEVICES) {
  const auto a = weft::zeros({64, 32}, D{});
  const auto b = weft::zeros({32, 16}, D{});
  const Explanation e = explain(matmul(a, b));
  CHECK(e.kernel_count() == 1);
  CHECK(e.opaque == 0);
  CHECK(e.operations() == 2. * 64 * 32 * 16);
  CHECK(e.bytes_read() == 4 * (64 * 32 + 32 * 16));
  CHECK(e.bytes_written() == 4 * 64 * 16);
  CHECK(shown(e) == Contains("matmul(float, float)"));
  CHECK(shown(e) == Contains("1. matrix product (64, 32) by (32, 16), 65.5 kFLOP"));
}

TEST_CASE_TEMPLATE("a bias is in the product's call", D, TEST_DEVICES) {
  const auto a = weft::zeros({64, 32}, D{});
  const auto b = weft::zeros({32, 16}, D{});
  const auto c = weft::zeros({16}, D{});
  const Explanation e = explain(matmul(a, b) + c);
  CHECK(e.kernel_count() == 1);
  CHECK(e.bytes_read() == 4 * (64 * 32 + 32 * 16 + 16));
  CHECK(shown(e) == Contains("float32 (16,), 64 B, added"));
  const Explanation r = explain(relu(matmul(a, b) + c));
  CHECK(r.kernel_count() == (r.on_cpu ? 2 : 1));
  CHECK(r.operations() == e.operations());
  const Explanation column = explain(matmul(a, b) + weft::zeros({64, 1}, D{}));
  CHECK(column.kernel_count() == (column.on_cpu ? 1 : 2));
  const auto d = weft::zeros({64, 16}, D{});
  const Explanation both = explain(matmul(a, b) + c + d);
  CHECK(both.kernel_count() == (both.on_cpu ? 2 : 1));
  CHECK(explain(d + (matmul(a, b) + c)).kernel_count() == both.kernel_count());
  if (!both.on_cpu) CHECK(both.bytes_read() == e.bytes_read() + 4 * 64 * 16);
  CHECK(explain(matmul(a, b) + c + c).kernel_count() == 2);
  const Explanation half_of = explain(matmul(a, b) + 0.5F * c);
  CHECK(half_of.kernel_count() == (half_of.on_cpu ? 1 : 2));
}

TEST_CASE_TEMPLATE("a product inside a larger expression is evaluated once", D, TEST_DEVICES) {
  const auto a = weft::zeros({64, 32}, D{});
  const auto b = weft::zeros({32, 16}, D{});
  const Explanation e = explain(softmax(matmul(a, b)));
  CHECK(e.kernel_count() == 2);
  CHECK(e.kernels[0].kind == "matrix product");
  CHECK(e.kernels[0].writes[0].note == "temporary");
  CHECK(e.kernels[1].reads.size() == 1);
  const Explanation more = explain(relu(matmul(a * 2, b)) * 2 + 1);
  CHECK(more.kernels.size() == 3);
  CHECK(more.opaque == 1);
  CHECK(explain(matmul(a, b) + matmul(a, b)).kernel_count() == 2);
  CHECK(explain(matmul(a, b) + matmul(a, b * 1).eval() * 2 + 1).kernel_count() == 2);
}
