// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/elementwise/expanded_operands.hpp"

#include <string>

#include "cuda/operands.hpp"
#include "test.hpp"
#include "weft/explain.hpp"
#include "weft/ops/compose.hpp"
#include "weft/ops/shape/triangle.hpp"

using test::operand;
using weft::axis;
using weft::Cuda;
using weft::keepdims;
using weft::Shape;
using weft::cuda::ExpandedOperand;
using weft::cuda::detail::OperandExpander;
using weft::cuda::detail::TurnTo;
using weft::detail::Operand;

namespace {

struct Copies {
  int count = 0;
  int64_t bytes = 0;
  std::vector<Operand> operands;
};

/// The copies that are made of all operands but the first.
Copies expanded(const Shape& kept, const Shape& reduced, std::initializer_list<Operand> all,
                TurnTo to = TurnTo::rows, std::uint64_t positions = 0) {
  Copies out;
  out.operands = all;
  OperandExpander(to, kept, reduced, out.operands.data(), 1, static_cast<int>(all.size()),
                  positions)
      .run([&](Operand& x, const ExpandedOperand& copy) {
        static char elsewhere[16];
        x.data = elsewhere;
        ++out.count;
        out.bytes += copy.bytes;
        CHECK(copy.itemsize == x.itemsize);
        CHECK(copy.blocks >= 1);
        CHECK(copy.copy.count * x.itemsize == copy.bytes);
        return true;
      });
  return out;
}

int copies_in(const weft::Explanation& e) {
  int n = 0;
  for (const auto& kernel : e.kernels) n += std::string(kernel.kind.c_str()) == "expanded copy";
  return n;
}

}  // namespace

TEST_CASE("weights that repeat along a row of several axes are written out") {
  // A group norm: x of (3000, 2, 8, 784) beside weights of (2, 8, 1).
  const Operand result = operand(4, {12544, 6272, 784, 1});
  const Operand weights = operand(4, {0, 8, 1, 0});
  const Copies both =
      expanded({3000, 2}, {8, 784}, {result, result, weights, weights, operand(4, {1, 0, 0, 0})});
  CHECK(both.count == 1);
  CHECK(both.bytes == 2 * 8 * 784 * 4);
  for (int i : {2, 3}) {
    const auto& stride = both.operands[static_cast<std::size_t>(i)].stride;
    CHECK(stride[0] == 0);
    CHECK(stride[1] == 6272);
    CHECK(stride[2] == 784);
    CHECK(stride[3] == 1);
  }
  CHECK(both.operands[4].stride[0] == 1);
}

TEST_CASE("what is large, is written, is not alone, or gains nothing stays") {
  const Operand result = operand(4, {6272, 784, 1});
  const Operand weights = operand(4, {0, 1, 0});
  const auto copies = [&](std::initializer_list<Operand> all) {
    return expanded({3000}, {8, 784}, all).count;
  };
  CHECK(copies({result, result, weights}) == 1);
  CHECK(copies({result, result, operand(4, {784, 0, 1})}) == 0);        // one for each row
  CHECK(copies({weights, result}) == 0);                                // the target
  CHECK(copies({result, operand(4, {12544, 1568, 1}), weights}) == 0);  // a slice
  CHECK(copies({result, result, operand(4, {1, 0, 0})}) == 0);          // of each row
  CHECK(copies({result, result, operand(16, {0, 1, 0})}) == 0);
  CHECK(expanded({3000}, {8, 784}, {result, result, weights}, TurnTo::rows, 2).count == 0);
  CHECK(expanded({100}, {8, 784}, {result, result, weights}).count == 0);  // few elements
  Operand found = weights;
  const int64_t places[1] = {};
  found.rows = places;
  CHECK(copies({result, result, found}) == 0);
}

TEST_CASE("a reduction goes along several axes where the innermost is long") {
  const auto reduction = TurnTo::rows_or_results;
  // Results of (40, 17), from x of (10000, 40, 17) and one of 17.
  const Operand results = operand(4, {17, 1, 0});
  const Operand x = operand(4, {17, 1, 680});
  const Copies along_results =
      expanded({40, 17}, {10000}, {results, x, operand(4, {0, 1, 0})}, reduction);
  CHECK(along_results.count == 1);
  CHECK(along_results.bytes == 680 * 4);
  // A sum of all of x of (1000, 300, 49) beside (300, 1): one axis of 14,700 is enough.
  const Copies whole = expanded(
      {}, {1000, 300, 49},
      {operand(4, {0, 0, 0}), operand(4, {14700, 49, 1}), operand(4, {0, 1, 0})}, reduction);
  CHECK(whole.count == 1);
  CHECK(whole.bytes == 300 * 49 * 4);
  CHECK(expanded({}, {1000, 3, 4096},
                 {operand(4, {0, 0, 0}), operand(4, {12288, 4096, 1}), operand(4, {0, 1, 0})},
                 reduction)
            .count == 0);
}

TEST_CASE("statements beside operands that are written out give the same [gpu]") {
  const auto x =
      sin(weft::arange<float>(600 * 2 * 8 * 225, Cuda{})).reshape({600, 2, 8, 15, 15}).eval();
  const auto w = cos(weft::arange<float>(16, Cuda{})).reshape({2, 8, 1, 1}).eval();
  const auto full = (w + weft::zeros<float>({600, 2, 8, 15, 15}, Cuda{})).eval();
  const auto same = [](const auto& a, const auto& b) {
    CHECK(max(abs(a - b)).item() <= 2e-5F * max(abs(b)).item());
  };
  const auto norm = [&](const auto& scale) {
    const auto m = mean(x, axis(2, 3, 4), keepdims);
    const auto v = var(x, axis(2, 3, 4), keepdims);
    return ((x - m) * rsqrt(v + 1e-5F) * scale + scale).eval();
  };
  same(norm(w), norm(full));
  same(sum(x * w).eval(), sum(x * full).eval());
  same(mean(x * w, axis(0)).eval(), mean(x * full, axis(0)).eval());
  same(max(x - w, axis(2, 3)).eval(), max(x - full, axis(2, 3)).eval());
  const auto halves = w.to<weft::half>();
  same(mean(x * cast<float>(halves), axis(0)).eval(),
       mean(x * cast<float>(full.to<weft::half>()), axis(0)).eval());
  const auto flags = (w > 0.0F).eval();
  same(sum(where(flags, x, 1.0F), axis(0, 1)).eval(),
       sum(where(full > 0.0F, x, 1.0F), axis(0, 1)).eval());
  const auto doubles = w.to<double>();
  same(softmax(x * cast<float>(doubles), axis(2, 3, 4)).eval(),
       softmax(x * cast<float>(full.to<double>()), axis(2, 3, 4)).eval());
}

TEST_CASE("positions, which have no memory, stay [gpu]") {
  const auto x = weft::ones<float>({64, 16, 128, 128}, Cuda{});
  CHECK(copies_in(explain(sum(tril(x), axis(2, 3)))) == 0);
  CHECK(sum(tril(x), axis(2, 3)).eval().to_vector() == std::vector<float>(64 * 16, 128 * 129 / 2));
  CHECK(sum(tril(x), axis(0, 1))(127, 0).eval().item() == 64 * 16);
  CHECK(sum(softmax(tril(x), axis(2, 3))).item() == doctest::Approx(64 * 16).epsilon(1e-4));
  const auto tall = weft::ones<float>({4096, 40, 17}, Cuda{});
  CHECK(max(tril(tall), axis(0))(0, 1).eval().item() == 0);
}

TEST_CASE("a reduction along rows leaves what its results share [gpu]") {
  const auto x = weft::ones<float>({512, 8, 64, 100}, Cuda{});
  const auto w = weft::ones<float>({64, 1}, Cuda{});
  CHECK(copies_in(explain(sum(x * w, axis(-1)))) == 0);
}

TEST_CASE("explain shows the copy as a kernel of its own [gpu]") {
  const auto x = weft::ones<float>({600, 2, 8, 225}, Cuda{});
  const auto w = weft::ones<float>({2, 8, 1}, Cuda{});
  const auto m = mean(x, axis(2, 3), keepdims);
  const auto plan = explain((x - m) * w);
  REQUIRE(plan.kernels.size() == 2);
  CHECK(std::string(plan.kernels[0].kind.c_str()) == "expanded copy");
  CHECK(plan.kernels[0].elements == 2 * 8 * 225);
  CHECK(std::string(plan.kernels[1].refused.c_str()).empty());
  CHECK(copies_in(explain(sum(x * w, axis(2, 3)))) == 1);
  CHECK(copies_in(explain((x(weft::slice(0, 2)) - 1.0F) * w)) == 0);
}
