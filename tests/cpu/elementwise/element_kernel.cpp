// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/element_kernel.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {
template <class T>
void check_rows(std::int64_t rows, std::int64_t width) {
  CAPTURE(rows);
  CAPTURE(width);
  const Tensor<T> all =
      sin(arange<T>(static_cast<double>(rows * (width + 3)))).reshape(rows, width + 3);
  const Tensor<T> x = all(weft::all, slice(1, width + 1));  // rows apart, and not aligned
  const Tensor<T> y = (x * T(0.5) + T(2)).eval();
  std::vector<T> expected;
  for (const T v : x.to_vector()) {
    const T half = v * T(0.5) + T(2);
    expected.push_back(static_cast<T>(std::exp(v) * std::log(half) - std::tanh(v)));
  }
  const auto e = exp(x) * log(y) - tanh(x);
  const Tensor<T> fresh = e;
  CHECK(allclose(fresh, tensor(expected).reshape(rows, width)));

  const Tensor<T> wide = full({rows, width + 2}, T(-7));
  wide(weft::all, slice(1, width + 1)).assign(e);
  CHECK(equal(wide(weft::all, slice(1, width + 1)), fresh));
  CHECK(equal(wide(weft::all, 0), full({rows}, T(-7))));
  CHECK(equal(wide(weft::all, width + 1), full({rows}, T(-7))));

  Tensor<T> z = x.clone();
  z = exp(z) * log(y) - tanh(z);  // in place
  CHECK(equal(z, fresh));

  // Two targets, each an operand of the other.
  Tensor<T> a = x.clone();
  Tensor<T> b = y.clone();
  tie(a, b) = fuse(exp(b), log(a + T(3)));
  CHECK(equal(a, exp(y).eval()));
  CHECK(equal(b, log(x + T(3)).eval()));
}
}  // namespace

TEST_CASE_TEMPLATE("rows of any width, also in place, and nothing beside them", T, float, double) {
  for (const std::int64_t width : {1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 33, 100, 1023}) {
    for (const std::int64_t rows : {1, 2, 9, 70}) check_rows<T>(rows, width);
  }
}

TEST_CASE("an element has the same bits wherever in its row it is") {
  const Tensor<float> x = (arange<float>(100.F) * 0.37F - 18).eval();
  const Tensor<float> whole = (sigmoid(x) * sqrt(abs(x)) + erf(x)).eval();
  for (std::int64_t start = 0; start < 20; ++start) {
    for (std::int64_t length = 1; length < 40; ++length) {
      const auto part = x(slice(start, start + length));
      CHECK(equal((sigmoid(part) * sqrt(abs(part)) + erf(part)).eval(),
                  whole(slice(start, start + length))));
    }
  }
}

TEST_CASE("a scalar among the operands, and no operand but one") {
  for (const std::int64_t n : {1, 6, 8, 13}) {
    const Tensor<double> x = full({n}, 0.5);
    CHECK(allclose(exp(x) * 3.0 + 1.0, full({n}, std::exp(0.5) * 3 + 1)));
    CHECK(allclose(tanh(tanh(x)), full({n}, std::tanh(std::tanh(0.5)))));
  }
}

TEST_CASE(
    "a target that is an operand, itself or within a row program, gets what another one gets") {
  for (const std::int64_t n : {1, 7, 8, 17, 100}) {
    const Tensor<float> x = sin(arange<float>(static_cast<float>(3 * n))).reshape(3, n) * 4.F;
    const auto in_place = [&](auto f) {
      Tensor<float> z = x.clone();
      const float* const data = z.data();
      z = f(z);
      return z.data() == data && equal(z, Tensor<float>(f(x)));
    };
    CHECK(in_place([](const auto& z) { return exp(z) * 0.5F + z; }));
    CHECK(in_place([](const auto& z) { return where(z > 0.F, z, z * 0.1F); }));
    CHECK(in_place([](const auto& z) { return clamp(floor(z), -2.F, 2.F); }));
    CHECK(in_place([](const auto& z) { return lgamma(z * z + 1.F); }));
    CHECK(in_place([](const auto& z) { return z - mean(z * z, axis(-1), keepdims); }));
    CHECK(in_place([](const auto& z) { return softmax(z, axis(-1)); }));
    Tensor<std::int32_t> k = cast<std::int32_t>(x * 100.F);
    const Tensor<std::int32_t> expected = k * 3 + (k & 7);
    k = k * 3 + (k & 7);
    CHECK(equal(k, expected));
  }
}

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__AVX2__)
TEST_CASE("the loop for machines without AVX2") {
  using Program = Apply<op::add, Apply<op::tanh, Arg<1, float>>, Apply<op::exp, Arg<2, float>>>;
  using Loops =
      cpu::KernelLoops<cpu::detail::ElementKernel<detail::TypeList<float>,
                                                  detail::TypeList<float, float>, Pack<Program>>>;
  const Tensor<float> x = sin(arange<float>(101.F));
  const Tensor<float> y = cos(arange<float>(101.F));
  const Tensor<float> out = zeros({101});
  const Pack<Program> program{};
  const std::int64_t steps[] = {1, 1, 1};
  char* at[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(x.data()),
                reinterpret_cast<char*>(y.data())};
  Loops::compiled(&program, at, steps, steps, 1, 101);
  CHECK(allclose(out, tanh(x) + exp(y), {.rtol = 1e-5, .atol = 1e-6}));
}
#endif
