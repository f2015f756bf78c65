// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/close.hpp>

#include <cmath>
#include <cstdint>

#include "test.hpp"

using weft::allclose;
using weft::equal;
using weft::isclose;

TEST_CASE_TEMPLATE("equal compares shapes and elements", D, TEST_DEVICES) {
  const auto x = weft::tensor({{1.f, 2.f}, {3.f, 4.f}}, D{});
  CHECK(equal(x, x));
  CHECK(equal(x, x.clone()));
  CHECK(equal(x.t(), x.clone().t()));
  CHECK(equal(x + x, 2.f * x));
  CHECK_FALSE(equal(x, x.t()));
  CHECK_FALSE(equal(x, x(0)));  // it broadcasts, but is another shape
  CHECK_FALSE(equal(x, x.reshape({4})));
  CHECK(equal(weft::zeros<float>({0, 3}, D{}), weft::ones<float>({0, 3}, D{})));
  CHECK_FALSE(equal(weft::zeros<float>({0, 3}, D{}), weft::ones<float>({3, 0}, D{})));
  const auto nan = weft::full({2}, NAN, D{});
  CHECK_FALSE(equal(nan, nan));
  CHECK(equal(weft::tensor({true, false}, D{}), weft::tensor({true, false}, D{})));
  CHECK(equal(weft::tensor({1, 2}, D{}), weft::tensor({1, 2}, D{})));
  CHECK_FALSE(equal(weft::tensor({1, 2}, D{}), weft::tensor({1, 3}, D{})));
  using C = weft::complex<float>;
  CHECK(equal(weft::tensor({C(1, 2)}, D{}), weft::tensor({C(1, 2)}, D{})));
  CHECK_FALSE(equal(weft::tensor({C(1, 2)}, D{}), weft::tensor({C(1, 3)}, D{})));
}

TEST_CASE_TEMPLATE("allclose takes relative and absolute tolerance", D, TEST_DEVICES) {
  const auto x = weft::tensor({1000.0, 0.0}, D{});
  CHECK(allclose(x, x));
  CHECK(allclose(x, x * (1 + 9e-6)));
  CHECK_FALSE(allclose(x, x * (1 + 2e-5)));
  CHECK(allclose(x, x * (1 + 2e-5), {.rtol = 1e-4}));
  CHECK(allclose(x, x + 0.9e-8, {.rtol = 0}));
  CHECK_FALSE(allclose(x, x + 2e-8));
  CHECK(allclose(x, x + 0.5, {.atol = 1}));
  CHECK(allclose(weft::ones({3, 4}, D{}), weft::ones({4}, D{})));  // broadcasts
  CHECK(allclose(weft::ones({3}, D{}), 1));
  CHECK(allclose(weft::ones({0}, D{}), 2));
}

TEST_CASE_TEMPLATE("allclose with infinities and NaN", D, TEST_DEVICES) {
  const float inf = INFINITY;
  const auto x = weft::tensor({inf, -inf, 1.f}, D{});
  CHECK(allclose(x, x));
  CHECK_FALSE(allclose(x, -x));
  CHECK_FALSE(allclose(weft::zeros({1}, D{}), weft::full({1}, inf, D{})));
  CHECK_FALSE(allclose(weft::full({1}, inf, D{}), weft::zeros({1}, D{})));
  const auto nan = weft::full({1}, NAN, D{});
  CHECK_FALSE(allclose(nan, nan));
  CHECK(allclose(nan, nan, {.equal_nan = true}));
  CHECK_FALSE(allclose(nan, weft::zeros({1}, D{}), {.equal_nan = true}));
}

TEST_CASE_TEMPLATE("allclose of other element types", D, TEST_DEVICES) {
  const auto i = weft::tensor<std::int64_t>({INT64_MAX, INT64_C(-5), INT64_C(1000000)}, D{});
  CHECK(allclose(i, i));
  CHECK(allclose(i, i - 1, {.atol = 1}));
  CHECK_FALSE(allclose(i, i + 2));
  const auto u = weft::tensor<std::uint8_t>({0, 255}, D{});
  CHECK_FALSE(allclose(u, u + 1));  // 0 is not close to 255, whatever wraps
  CHECK_FALSE(allclose(weft::tensor({true}, D{}), weft::tensor({false}, D{}), {.atol = 2}));
  const auto h = weft::tensor<weft::half>({1, 2}, D{});
  CHECK(allclose(h, h + 1e-6));
  CHECK_FALSE(allclose(h, h + 1e-2));
  using C = weft::complex<double>;
  const auto c = weft::tensor({C(3, 4)}, D{});
  CHECK(allclose(c, c + C(0, 1e-6)));
  CHECK_FALSE(allclose(c, c + C(0, 1e-3)));
}

TEST_CASE_TEMPLATE("isclose tells for each element", D, TEST_DEVICES) {
  const auto x = weft::tensor({1.f, 2.f, 3.f}, D{});
  const auto y = weft::tensor({1.f, 2.1f, 3.f}, D{});
  weft::Tensor<bool, D> close = isclose(x, y);
  CHECK(close.to_vector() == std::vector<bool>{true, false, true});
}

TEST_CASE("shapes that do not broadcast") {
  CHECK_SAYS("[isclose] shapes do not broadcast", allclose(weft::ones({3}), weft::ones({2})));
}
