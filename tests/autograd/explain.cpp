#include "weft/autograd/explain.hpp"

#include "gradients.hpp"
#include "weft/explain.hpp"

using namespace weft;

TEST_CASE("a backward pass is one kernel, whose gradients are as large as their Vars") {
  const Var x = parameter(ones({512, 1024}));
  const Var b = parameter(ones({1024}));
  const Explanation e = explain_backward(tanh(x * x + b) * exp(-x * x));
  REQUIRE(e.kernels.size() == 1);
  CHECK(e.kernels[0].reads.size() == 3);  // x, b and the result's gradient
  CHECK(e.kernels[0].writes.size() == 2);
  CHECK(e.bytes_written() == 4 * (512 * 1024 + 1024));
  CHECK(e.bytes_read() == 4 * (2 * 512 * 1024 + 1024));
  CHECK_FALSE(x.has_grad());
}

TEST_CASE("what is gathered is read by the kernel of the gradients") {
  const Var table = parameter(ones({50, 64}));
  const Var scale = parameter(ones({512, 1}));
  const Tensor<std::int64_t> rows = zeros<std::int64_t>({512});
  const Explanation e = explain_backward(sigmoid(take(table, rows, axis(0)) * scale));
  CHECK(e.kernels.size() == 2);  // that, and the additions at the indices
  CHECK_FALSE(to_string(e).empty());
}

TEST_CASE("reductions inside are computed again, and have a kernel each") {
  const Var x = parameter(ones({64, 128}));
  const Explanation one = explain_backward(mean(square(x)));
  REQUIRE(one.kernels.size() == 1);
  CHECK(one.bytes_read() == 4 * (64 * 128 + 1));
  const Explanation two = explain_backward(x / sum(x * x, axis(-1), keepdims));
  CHECK(two.kernels.size() == 3);
}

TEST_CASE("only the statement keeps the value of its reduction") {
  const Var x = parameter(ones({64, 128}));
  const Explanation kept = explain_backward(square(norm(x, axis(-1))));
  REQUIRE(kept.kernels.size() == 2);
  CHECK(kept.kernels[0].reads.size() == 2);  // the norms and the result's gradient
  CHECK(kept.kernels[0].reads[0].bytes == 4 * 64);
  const Explanation inside = explain_backward(sum(square(norm(x, axis(-1)))));
  REQUIRE(inside.kernels.size() == 3);
  CHECK(doctest::String(inside.kernels[0].kind.c_str()) == "evaluated before:");
  CHECK(inside.kernels[1].reads[0].bytes == 4 * 64);
  CHECK(inside.kernels[2].reads.size() == 3);  // x, the norms and their gradient
}

TEST_CASE("what a derivative needs besides is evaluated before") {
  const Var x = parameter(ones({64, 128}));
  const Explanation e = explain_backward(max(x, axis(-1)));  // and how many there are
  REQUIRE(e.kernels.size() == 2);
  CHECK(e.opaque == 1);
  CHECK(e.kernels[1].reads.size() == 4);
}
