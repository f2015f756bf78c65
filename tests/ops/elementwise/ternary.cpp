// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/ternary.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "reference.hpp"
#include "test.hpp"

using namespace weft;

namespace {
using Long = long double;

/// Calls f(operation, what it computes) for each operation on three numbers.
template <class F>
void for_each_ternary(F f) {
  f(op::clamp{}, [](Long x, Long y, Long z) { return std::min(std::max(x, y), z); });
  f(op::lerp{}, [](Long x, Long y, Long z) { return x + z * (y - x); });
  f(op::fma{}, [](Long x, Long y, Long z) { return x * y + z; });
  f(op::addcmul{0.5}, [](Long x, Long y, Long z) { return x + y * z / 2; });
}

const double points[][3] = {{0.3, -1.2, 2.5}, {-3.1, 0.4, 0.9}, {7.7, -0.6, 0.2}, {0.7, 2, -2.25}};
}  // namespace

TEST_CASE_TEMPLATE("the scalar functions compute what they say", T, float, double) {
  for_each_ternary([](auto op, auto reference) {
    for (const auto& p : points) {
      const auto x = static_cast<T>(p[0]);
      const auto y = static_cast<T>(p[1]);
      const auto z = static_cast<T>(p[2]);
      const Long error = std::fabs(op.value(x, y, z) - reference(x, y, z));
      CHECK_MESSAGE(error <= 20 * std::numeric_limits<T>::epsilon(), op.text, " of ", p[0]);
    }
  });
}

TEST_CASE("the derivatives are the slopes") {
  for_each_ternary([](auto op, auto f) {
    for (const auto& p : points) {
      const double x = p[0];
      const double y = p[1];
      const double z = p[2];
      const double v = op.value(x, y, z);
      const Long slopes[] = {test::slope([&](Long t) { return f(t, y, z); }, x),
                             test::slope([&](Long t) { return f(x, t, z); }, y),
                             test::slope([&](Long t) { return f(x, y, t); }, z)};
      const double got[] = {op.template derivative<0>(x, y, z, v),
                            op.template derivative<1>(x, y, z, v),
                            op.template derivative<2>(x, y, z, v)};
      for (int i = 0; i < 3; ++i) {
        CHECK_MESSAGE(std::fabs(got[i] - slopes[i]) <= 1e-7, op.text, " at ", x, " by operand ", i);
      }
    }
  });
}

TEST_CASE("clamp passes 1 at both bounds; where passes it to the chosen side") {
  CHECK(op::clamp::derivative<0>(0.0, 0.0, 1.0, 0.0) == 1);
  CHECK(op::clamp::derivative<0>(1.0, 0.0, 1.0, 1.0) == 1);
  CHECK(op::clamp::derivative<1>(0.0, 0.0, 1.0, 0.0) == 0);
  CHECK(op::clamp::derivative<2>(2.0, 0.0, 1.0, 1.0) == 1);
  CHECK(op::where::derivative<1>(true, 2.0, 3.0, 2.0) == 1);
  CHECK(op::where::derivative<2>(true, 2.0, 3.0, 2.0) == 0);
  CHECK(op::where::derivative<2>(false, 2.0, 3.0, 3.0) == 1);
  static_assert(std::is_same_v<decltype(op::where::derivative<0>(true, 1.0, 1.0, 1.0)),
                               op::NotDifferentiable>);
}

TEST_CASE_TEMPLATE("where, with tensors and numbers on either side", D, TEST_DEVICES) {
  const auto check_type = []<class T>(T) {
    const Tensor<T, D> x = tensor<T>({1, 2, 3}, D{});
    const Tensor<T, D> y = tensor<T>({7, 8, 9}, D{});
    const Tensor<T, D> z = where(x != y - 6, y, x);
    CHECK(z.to_vector() == std::vector<T>{T(1), T(2), T(3)});
    CHECK(Tensor<T, D>(where(x == 2, x, 0)).to_vector() == std::vector<T>{T(0), T(2), T(0)});
    CHECK(Tensor<T, D>(where(x == 2, 0, x)).to_vector() == std::vector<T>{T(1), T(0), T(3)});
    CHECK(Tensor<T, D>(where(x < 3, x, y)).to_vector() == std::vector<T>{T(1), T(2), T(9)});
  };
  check_type(float{});
  check_type(weft::half{});
  check_type(std::int64_t{});
  check_type(std::uint8_t{});
}

TEST_CASE_TEMPLATE("clamp, lerp, fma and addcmul on tensors", D, TEST_DEVICES) {
  const Tensor<float, D> x = tensor({-1.0F, 0.5F, 3.0F, NAN}, D{});
  const Tensor<float, D> low = tensor({0.0F, 0.0F, 0.0F, 0.0F}, D{});
  std::vector<float> y = eval(clamp(x, 0, 1)).to_vector();
  CHECK(y[0] == 0);
  CHECK(y[1] == 0.5F);
  CHECK(y[2] == 1);
  CHECK(std::isnan(y[3]));
  CHECK(eval(clamp(x, low, low + 2)).to_vector()[2] == 2);
  CHECK(eval(clamp_min(x, 0)).to_vector()[0] == 0);
  CHECK(eval(lerp(low, x, 0.5)).to_vector()[2] == 1.5F);
  CHECK(eval(fma(x, x, low)).to_vector()[2] == 9);
  CHECK(eval(addcmul(low, x, x, 2)).to_vector()[2] == 18);
  const Tensor<std::int8_t, D> i = tensor<std::int8_t>({100, -100, 5}, D{});
  CHECK(eval(clamp(i, -50, 50)).to_vector() == std::vector<std::int8_t>{50, -50, 5});
  CHECK(eval(fma(i, i, i)).to_vector() == std::vector<std::int8_t>{116, -84, 30});
}
