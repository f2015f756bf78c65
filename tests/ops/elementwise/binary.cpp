// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/binary.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "reference.hpp"
#include "test.hpp"

using namespace weft;

namespace {
using Long = long double;
struct Pair {
  double x, y;
};
using Pairs = std::vector<Pair>;

Long python_remainder(Long x, Long y) { return x - y * std::floor(x / y); }

/// Calls f(operation, what it computes, points off the kinks) for each differentiable operation.
template <class F>
void for_each_binary(F f) {
  const Pairs plane{{1.3, 0.7}, {-2.4, 3.1}, {0.2, -5.5}, {-1.9, -0.4}, {7.25, 2.1}, {-0.03, 0.8}};
  const Pairs right{{1.3, 0.7}, {2.4, 3.1}, {0.2, -5.5}, {1.9, -0.4}, {7.25, 2.1}, {0.03, 0.8}};
  const Pairs upper{{1.3, 0.7}, {-2.4, 3.1}, {0.2, 5.5}, {-1.9, 0.4}, {0, 2.1}};
  // clang-format off
  f(op::add{},       [](Long x, Long y) { return x + y; },                     plane);
  f(op::sub{},       [](Long x, Long y) { return x - y; },                     plane);
  f(op::mul{},       [](Long x, Long y) { return x * y; },                     plane);
  f(op::div{},       [](Long x, Long y) { return x / y; },                     plane);
  f(op::mod{},       [](Long x, Long y) { return std::fmod(x, y); },           plane);
  f(op::fmod{},      [](Long x, Long y) { return std::fmod(x, y); },           plane);
  f(op::remainder{}, [](Long x, Long y) { return python_remainder(x, y); },    plane);
  f(op::pow{},       [](Long x, Long y) { return std::pow(x, y); },            right);
  f(op::maximum{},   [](Long x, Long y) { return std::max(x, y); },            plane);
  f(op::minimum{},   [](Long x, Long y) { return std::min(x, y); },            plane);
  f(op::fmax{},      [](Long x, Long y) { return std::max(x, y); },            plane);
  f(op::fmin{},      [](Long x, Long y) { return std::min(x, y); },            plane);
  f(op::clamp_min{}, [](Long x, Long y) { return std::max(x, y); },            plane);
  f(op::clamp_max{}, [](Long x, Long y) { return std::min(x, y); },            plane);
  f(op::fdim{},      [](Long x, Long y) { return std::max(x - y, 0.0L); },     plane);
  f(op::atan2{},     [](Long x, Long y) { return std::atan2(x, y); },          plane);
  f(op::hypot{},     [](Long x, Long y) { return std::sqrt(x * x + y * y); },  plane);
  f(op::copysign{},  [](Long x, Long y) { return std::copysign(x, y); },       plane);
  f(op::xlogy{},     [](Long x, Long y) { return x * std::log(y); },           upper);
  // clang-format on
}

/// The error in ulp of the result or, where that cancels, of the operands.
template <class T>
double error(T got, Long expected, T x, T y) {
  const Long scale =
      std::max(std::fabs(Long(x)), std::fabs(Long(y))) * std::numeric_limits<T>::epsilon();
  return std::min(test::ulps(got, expected),
                  static_cast<double>(std::fabs(got - expected) / scale));
}
}  // namespace

TEST_CASE_TEMPLATE("the scalar functions compute what they say", T, float, double) {
  for_each_binary([](auto op, auto reference, const Pairs& pairs) {
    for (const Pair p : pairs) {
      const auto x = static_cast<T>(p.x);
      const auto y = static_cast<T>(p.y);
      const double e = error(op.value(x, y), reference(x, y), x, y);
      CHECK_MESSAGE(e <= 4, op.text, " of ", p.x, " and ", p.y, ": ", e, " ulp");
    }
  });
}

TEST_CASE("the derivatives are the slopes") {
  for_each_binary([](auto op, auto reference, const Pairs& pairs) {
    for (const Pair p : pairs) {
      const double z = op.value(p.x, p.y);
      const double dx = op.template derivative<0>(p.x, p.y, z);
      const double dy = op.template derivative<1>(p.x, p.y, z);
      const auto slope_x =
          static_cast<double>(test::slope([&](Long x) { return reference(x, p.y); }, p.x));
      const auto slope_y =
          static_cast<double>(test::slope([&](Long y) { return reference(p.x, y); }, p.y));
      CHECK_MESSAGE(std::fabs(dx - slope_x) <= 1e-7 * std::max(1.0, std::fabs(slope_x)), op.text,
                    " by x at ", p.x, ", ", p.y, ": ", dx, ", not ", slope_x);
      CHECK_MESSAGE(std::fabs(dy - slope_y) <= 1e-7 * std::max(1.0, std::fabs(slope_y)), op.text,
                    " by y at ", p.x, ", ", p.y, ": ", dy, ", not ", slope_y);
    }
  });
}

TEST_CASE("the derivatives at ties, bounds and zeros are PyTorch's") {
  const auto by_x = [](auto op, double x, double y) {
    return op.template derivative<0>(x, y, op.value(x, y));
  };
  const auto by_y = [](auto op, double x, double y) {
    return op.template derivative<1>(x, y, op.value(x, y));
  };
  CHECK(by_x(op::maximum{}, 2, 2) == 0.5);
  CHECK(by_y(op::maximum{}, 2, 2) == 0.5);
  CHECK(by_x(op::minimum{}, 2, 2) == 0.5);
  CHECK(by_x(op::clamp_min{}, 2, 2) == 1);
  CHECK(by_y(op::clamp_min{}, 2, 2) == 0);
  CHECK(by_x(op::fmax{}, 2, 2) + by_y(op::fmax{}, 2, 2) == 1);
  CHECK(by_x(op::fmax{}, 2, NAN) == 1);
  CHECK(by_y(op::fmin{}, NAN, 2) == 1);
  CHECK(by_x(op::hypot{}, 0, 0) == 0);
  CHECK(by_x(op::pow{}, 0, 0) == 0);
  CHECK(by_x(op::pow{}, 0, 1) == 1);
  CHECK(by_x(op::pow{}, -3, 2) == -6);
  CHECK(by_y(op::pow{}, 0, 2) == 0);
  CHECK(by_x(op::xlogy{}, 0, 0) == 0);
  CHECK(by_x(op::copysign{}, 0, -1) == 0);
}

TEST_CASE("the derivatives of complex arithmetic are the slopes along the real axis") {
  using C = complex<double>;
  const auto check = [](auto op) {
    const C z(0.4, 0.7);
    const C w(1.2, -0.3);
    const double h = 1e-5;
    const C dz = (op.value(z + h, w) - op.value(z - h, w)) / (2 * h);
    const C dw = (op.value(z, w + h) - op.value(z, w - h)) / (2 * h);
    CHECK_MESSAGE(math::abs(op.template derivative<0>(z, w, op.value(z, w)) - dz) <= 1e-8, op.text);
    CHECK_MESSAGE(math::abs(op.template derivative<1>(z, w, op.value(z, w)) - dw) <= 1e-8, op.text);
  };
  check(op::add{});
  check(op::sub{});
  check(op::mul{});
  check(op::div{});
  check(op::pow{});
}

TEST_CASE_TEMPLATE("on tensors of float: CPU and CUDA within their bounds", D, TEST_DEVICES) {
  for_each_binary([](auto op, auto reference, const Pairs& pairs) {
    std::vector<float> xs, ys;
    for (const Pair p : pairs) {
      xs.push_back(static_cast<float>(p.x));
      ys.push_back(static_cast<float>(p.y));
    }
    const Tensor<float, D> x = tensor(xs, {-1}, D{});
    const Tensor<float, D> y = tensor(ys, {-1}, D{});
    const std::vector<float> z = eval(lift(op, x, y)).to_vector();
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const double e = error(z[i], reference(xs[i], ys[i]), xs[i], ys[i]);
      CHECK_MESSAGE(e <= 8, op.text, " of ", xs[i], " and ", ys[i], ": ", e, " ulp");
    }
  });
}

TEST_CASE_TEMPLATE("on tensors of integers: every pair has its defined result", D, TEST_DEVICES) {
  const auto check_type = []<class T>(T) {
    std::vector<T> row{0,
                       1,
                       2,
                       3,
                       7,
                       8,
                       31,
                       33,
                       100,
                       std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::max(),
                       static_cast<T>(-1),
                       static_cast<T>(-7)};
    std::vector<T> xs, ys;
    for (T a : row) {
      for (T b : row) {
        xs.push_back(a);
        ys.push_back(b);
      }
    }
    const Tensor<T, D> x = tensor(xs, {-1}, D{});
    const Tensor<T, D> y = tensor(ys, {-1}, D{});
    const auto check = [&](auto op, const Tensor<T, D>& z) {
      const std::vector<T> got = z.to_vector();
      int wrong = 0;
      for (std::size_t i = 0; i < xs.size(); ++i) wrong += got[i] != op.value(xs[i], ys[i]);
      CHECK_MESSAGE(wrong == 0, op.text);
    };
    check(op::add{}, x + y);
    check(op::sub{}, x - y);
    check(op::mul{}, x * y);
    check(op::div{}, x / y);
    check(op::mod{}, x % y);
    check(op::remainder{}, remainder(x, y));
    check(op::pow{}, pow(x, y));
    check(op::maximum{}, maximum(x, y));
    check(op::bitwise_and{}, x & y);
    check(op::bitwise_or{}, x | y);
    check(op::bitwise_xor{}, x ^ y);
    check(op::left_shift{}, x << y);
    check(op::right_shift{}, x >> y);
  };
  check_type(std::int8_t{});
  check_type(std::uint16_t{});
  check_type(std::int32_t{});
  check_type(std::int64_t{});
}

TEST_CASE_TEMPLATE("on tensors of half types: computed in float, rounded once", D, TEST_DEVICES) {
  const auto check_type = []<class H>(H) {
    const Tensor<H, D> x = tensor<H>({1.0F, 2.5F, -3.0F}, D{});
    const Tensor<H, D> y = tensor<H>({0.001F, 0.1F, 7.0F}, D{});
    const std::vector<H> sum = eval(x + y).to_vector();
    const std::vector<H> quotient = eval(x / y * 3.0F).to_vector();
    CHECK(sum[0].bits == H(1.0F + H(0.001F)).bits);
    CHECK(sum[1].bits == H(2.5F + H(0.1F)).bits);
    CHECK(quotient[1].bits == H(2.5F / H(0.1F) * 3).bits);
    CHECK(quotient[2].bits == H(-3.0F / 7 * 3).bits);
  };
  check_type(weft::half{});
  check_type(bfloat16{});
}

TEST_CASE_TEMPLATE("on tensors of bool and complex numbers, and beside numbers", D, TEST_DEVICES) {
  const Tensor<bool, D> a = tensor({true, true, false, false}, D{});
  const Tensor<bool, D> b = tensor({true, false, true, false}, D{});
  CHECK(eval(a & b).to_vector() == std::vector<bool>{true, false, false, false});
  CHECK(eval(a ^ b).to_vector() == std::vector<bool>{false, true, true, false});
  using C = complex<float>;
  const Tensor<C, D> z = tensor({C(1, 2), C(3, -1)}, D{});
  CHECK(eval(z * z).to_vector()[0] == C(-3, 4));
  CHECK(math::abs(eval(z / z).to_vector()[1] - C(1)) <= 1e-6F);  // nvcc contracts to fma
  const Tensor<float, D> x = tensor({1.0F, 2.0F}, D{});
  CHECK(eval(1 - x).to_vector() == std::vector<float>{0, -1});
  CHECK(eval(pow(2, x)).to_vector() == std::vector<float>{2, 4});
  CHECK(eval(maximum(x, 1.5)).to_vector() == std::vector<float>{1.5F, 2});
}

TEST_CASE_TEMPLATE("small integers to the power of small integers are exact in float", D,
                   TEST_DEVICES) {
  std::vector<float> bases;
  std::vector<float> exponents;
  std::vector<float> expected;
  for (int x = -20; x <= 100; ++x) {
    float power = 1;
    for (int n = 0; n < 25 && std::fabs(power) <= 0x1p24F; ++n, power *= static_cast<float>(x)) {
      bases.push_back(static_cast<float>(x));
      exponents.push_back(static_cast<float>(n));
      expected.push_back(power);
    }
  }
  CHECK(eval(pow(tensor(bases).to(D{}), tensor(exponents).to(D{}))).to_vector() == expected);
}

TEST_CASE_TEMPLATE("compound assignments", D, TEST_DEVICES) {
  const auto x = weft::tensor({7, 12, -5}, D{});
  x %= 4;
  CHECK(x.to_vector() == std::vector<int>{3, 0, -1});
  x <<= weft::tensor({1, 2, 3}, D{});
  CHECK(x.to_vector() == std::vector<int>{6, 0, -8});
  x |= 1;
  x &= 13;
  CHECK(x.to_vector() == std::vector<int>{5, 1, 9});
  const auto same = x;
  x ^= same;
  x(weft::slice(0, 2)) ^= 6;
  (x >>= 1) += 1;
  CHECK(x.to_vector() == std::vector<int>{4, 4, 1});
  const auto flags = weft::tensor({true, false}, D{});
  const auto likewise = flags;
  flags &= likewise;
  flags |= true;
  CHECK(flags.to_vector() == std::vector<bool>{true, true});
}
