// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/unary.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "reference.hpp"
#include "test.hpp"

using namespace weft;

namespace {
using Long = long double;
using Points = std::vector<double>;

const Long pi = std::acos(-1.0L);
Long sigmoid_of(Long x) { return 1 / (1 + std::exp(-x)); }
Long gelu_tanh_of(Long x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715L * x * x * x)));
}
Long clamped(Long x, Long low, Long high) { return std::min(std::max(x, low), high); }

/// Calls f(operation, what it computes, points off the kinks) for each differentiable operation.
template <class F>
void for_each_unary(F f) {
  const Points line{-50.3, -3.75, -2.4, -1.1, -0.6, -0.01, 0.02, 0.3, 0.8, 1.2, 2.7, 3.6, 60.2};
  const Points some{-3.75, -2.4, -1.1, -0.6, -0.01, 0.02, 0.3, 0.8, 1.2, 2.7, 3.6};
  const Points above_0{1e-3, 0.02, 0.3, 0.9, 1.2, 2.7, 60.2, 1e5};
  const Points above_1{1.01, 1.3, 2.7, 60.2, 1e5};
  const Points inside_1{-0.98, -0.5, -0.01, 0.02, 0.3, 0.97};
  // clang-format off
  f(op::neg{},         [](Long x) { return -x; },                          line);
  f(op::abs{},         [](Long x) { return std::fabs(x); },                line);
  f(op::sign{},        [](Long x) { return x > 0 ? 1.0L : -1.0L; },        line);
  f(op::square{},      [](Long x) { return x * x; },                       line);
  f(op::reciprocal{},  [](Long x) { return 1 / x; },                       line);
  f(op::sqrt{},        [](Long x) { return std::sqrt(x); },                above_0);
  f(op::rsqrt{},       [](Long x) { return 1 / std::sqrt(x); },            above_0);
  f(op::cbrt{},        [](Long x) { return std::cbrt(x); },                line);
  f(op::exp{},         [](Long x) { return std::exp(x); },                 line);
  f(op::exp2{},        [](Long x) { return std::exp2(x); },                line);
  f(op::expm1{},       [](Long x) { return std::expm1(x); },               line);
  f(op::log{},         [](Long x) { return std::log(x); },                 above_0);
  f(op::log2{},        [](Long x) { return std::log2(x); },                above_0);
  f(op::log10{},       [](Long x) { return std::log10(x); },               above_0);
  f(op::log1p{},       [](Long x) { return std::log1p(x); },               above_0);
  f(op::sin{},         [](Long x) { return std::sin(x); },                 line);
  f(op::cos{},         [](Long x) { return std::cos(x); },                 line);
  f(op::tan{},         [](Long x) { return std::tan(x); },                 line);
  f(op::asin{},        [](Long x) { return std::asin(x); },                inside_1);
  f(op::acos{},        [](Long x) { return std::acos(x); },                inside_1);
  f(op::atan{},        [](Long x) { return std::atan(x); },                line);
  f(op::sinh{},        [](Long x) { return std::sinh(x); },                line);
  f(op::cosh{},        [](Long x) { return std::cosh(x); },                line);
  f(op::tanh{},        [](Long x) { return std::tanh(x); },                line);
  f(op::asinh{},       [](Long x) { return std::asinh(x); },               line);
  f(op::acosh{},       [](Long x) { return std::acosh(x); },               above_1);
  f(op::atanh{},       [](Long x) { return std::atanh(x); },               inside_1);
  f(op::erf{},         [](Long x) { return std::erf(x); },                 some);
  f(op::erfc{},        [](Long x) { return std::erfc(x); },                some);
  f(op::lgamma{},      [](Long x) { return std::lgamma(x); },              Points{-2.4, -1.1, 0.02, 0.3, 0.8, 1.2, 2.7, 60.2});
  f(op::floor{},       [](Long x) { return std::floor(x); },               line);
  f(op::ceil{},        [](Long x) { return std::ceil(x); },                line);
  f(op::round{},       [](Long x) { return std::nearbyint(x); },           line);
  f(op::trunc{},       [](Long x) { return std::trunc(x); },               line);
  f(op::frac{},        [](Long x) { return x - std::trunc(x); },           line);
  f(op::relu{},        [](Long x) { return std::max(x, 0.0L); },           line);
  f(op::sigmoid{},     [](Long x) { return sigmoid_of(x); },               line);
  f(op::silu{},        [](Long x) { return x * sigmoid_of(x); },           line);
  f(op::gelu{},        [](Long x) { return x / 2 * std::erfc(-x / std::sqrt(2.0L)); }, some);
  f(op::gelu_tanh{},   [](Long x) { return gelu_tanh_of(x); },             some);
  f(op::mish{},        [](Long x) { return x * std::tanh(std::log1p(std::exp(x))); }, line);
  f(op::hardswish{},   [](Long x) { return x * clamped(x + 3, 0, 6) / 6; }, line);
  f(op::hardsigmoid{}, [](Long x) { return clamped(x + 3, 0, 6) / 6; },    line);
  f(op::leaky_relu{},  [](Long x) { return x > 0 ? x : x / 100; },         line);
  f(op::elu{2.5},      [](Long x) { return x > 0 ? x : 2.5L * std::expm1(x); }, line);
  f(op::softplus{},    [](Long x) { return x > 20 ? x : std::log1p(std::exp(x)); }, line);
  f(op::softplus{2, 10}, [](Long x) { return 2 * x > 10 ? x : std::log1p(std::exp(2 * x)) / 2; }, line);
  // clang-format on
}

/// An error in epsilons of T, relative to the value or, where x decides what is lost, to x.
template <class T>
double error(T got, Long expected, T x, bool relative_to_x) {
  const double ulps = test::ulps(got, expected);
  if (!relative_to_x) return ulps;
  const Long scale = std::fabs(static_cast<Long>(x)) * std::numeric_limits<T>::epsilon();
  return std::min(ulps, static_cast<double>(std::fabs(static_cast<Long>(got) - expected) / scale));
}
template <class Op>
constexpr bool cancels = std::is_same_v<Op, op::gelu> || std::is_same_v<Op, op::gelu_tanh> ||
                         std::is_same_v<Op, op::hardswish> || std::is_same_v<Op, op::lgamma>;
}  // namespace

TEST_CASE_TEMPLATE("the scalar functions compute what they say", T, float, double) {
  for_each_unary([](auto op, auto reference, const Points& points) {
    for (double point : points) {
      const auto x = static_cast<T>(point);
      const double e = error(op.value(x), reference(x), x, cancels<decltype(op)>);
      CHECK_MESSAGE(e <= 6, op.text, " of ", point, ": ", e, " ulp");
    }
  });
}

TEST_CASE("the derivatives are the slopes") {
  for_each_unary([](auto op, auto reference, const Points& points) {
    for (double x : points) {
      const auto expected = static_cast<double>(test::slope(reference, x));
      const double got = op.template derivative<0>(x, op.value(x));
      CHECK_MESSAGE(std::fabs(got - expected) <= 1e-7 * std::max(1.0, std::fabs(expected)), op.text,
                    " at ", x, ": ", got, ", not ", expected);
    }
  });
}

TEST_CASE("the derivatives at the kinks are PyTorch's") {
  const auto at = [](auto op, double x) { return op.template derivative<0>(x, op.value(x)); };
  CHECK(at(op::relu{}, 0) == 0);
  CHECK(at(op::abs{}, 0) == 0);
  CHECK(at(op::leaky_relu{0.25}, 0) == 0.25);
  CHECK(at(op::elu{}, 0) == 1);
  CHECK(at(op::hardsigmoid{}, -3) == 0);
  CHECK(at(op::hardsigmoid{}, 3) == 0);
  CHECK(at(op::hardswish{}, -3) == 0);
  CHECK(at(op::hardswish{}, 3) == 1);
  CHECK(at(op::sqrt{}, 0) == INFINITY);
  CHECK(at(op::round{}, 0.5) == 0);
}

TEST_CASE("the derivatives of complex functions are the slopes along the real axis") {
  using C = complex<double>;
  const auto check = [](auto op) {
    const C z(0.4, 0.7);
    const double h = 1e-5;
    const C expected = (op.value(z + h) - op.value(z - h)) / (2 * h);
    const C got = op.template derivative<0>(z, op.value(z));
    CHECK_MESSAGE(math::abs(got - expected) <= 1e-8, op.text);
  };
  // clang-format off
  check(op::neg{}); check(op::square{}); check(op::reciprocal{}); check(op::sqrt{}); check(op::rsqrt{});
  check(op::exp{}); check(op::exp2{}); check(op::expm1{}); check(op::log{}); check(op::log2{});
  check(op::log10{}); check(op::log1p{}); check(op::sin{}); check(op::cos{}); check(op::tan{});
  check(op::asin{}); check(op::acos{}); check(op::atan{}); check(op::sinh{}); check(op::cosh{});
  check(op::tanh{}); check(op::asinh{}); check(op::acosh{}); check(op::atanh{}); check(op::sigmoid{});
  // clang-format on
}

TEST_CASE("operations without a derivative say so") {
  const auto has_none = [](auto op, auto x) {
    return std::is_same_v<decltype(op.template derivative<0>(x, op.value(x))),
                          op::NotDifferentiable>;
  };
  CHECK(has_none(op::conj{}, complex<float>(1)));  // gradients know it by name
  CHECK(has_none(op::bitwise_not{}, 1));
}

TEST_CASE_TEMPLATE("on tensors of float: CPU and CUDA within their bounds", D, TEST_DEVICES) {
  for_each_unary([](auto op, auto reference, const Points& points) {
    std::vector<float> values(points.begin(), points.end());
    test::Numbers numbers;
    while (values.size() < 2000) {
      values.push_back(static_cast<float>(numbers.uniform(points.front(), points.back())));
    }
    const Tensor<float, D> x = tensor(values, {-1}, D{});
    const std::vector<float> y = eval(lift(op, x)).to_vector();
    test::Worst worst;
    for (std::size_t i = 0; i < values.size(); ++i) {
      worst(error(y[i], reference(values[i]), values[i], cancels<decltype(op)>), values[i]);
    }
    CHECK_MESSAGE(worst.error <= 6, op.text, " of ", worst.at, ": ", worst.error, " ulp");
  });
}

TEST_CASE_TEMPLATE("on tensors of half types: computed in float, rounded once", D, TEST_DEVICES) {
  const auto check_type = []<class H>(H) {
    const auto check = [](auto op) {
      std::vector<H> values;
      for (int i = -40; i <= 40; ++i) values.push_back(H(0.173 * i));
      const Tensor<H, D> x = tensor(values, {-1}, D{});
      const Tensor<H, D> y = lift(op, x);
      const std::vector<H> got = y.to_vector();
      for (std::size_t i = 0; i < values.size(); ++i) {
        const float exact = op.value(static_cast<float>(values[i]));
        const double e = test::ulps(got[i], exact);
        CHECK_MESSAGE(e <= 0.51, op.text, " of ", static_cast<float>(values[i]));
      }
    };
    check(op::neg{});
    check(op::exp{});
    check(op::tanh{});
    check(op::sigmoid{});
    check(op::gelu_tanh{});
    check(op::hardswish{});
  };
  check_type(weft::half{});
  check_type(bfloat16{});
}

TEST_CASE_TEMPLATE("on tensors of integers: they wrap and stay what they are", D, TEST_DEVICES) {
  const auto check_type = []<class T>(T) {
    std::vector<T> values{
        0, 1, 2, 100, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    const Tensor<T, D> x = tensor(values, {-1}, D{});
    const auto check = [&](auto op, const Tensor<T, D>& y) {
      const std::vector<T> got = y.to_vector();
      for (std::size_t i = 0; i < values.size(); ++i) CHECK(got[i] == op.value(values[i]));
    };
    check(op::neg{}, -x);
    check(op::abs{}, abs(x));
    check(op::sign{}, sign(x));
    check(op::square{}, square(x));
    check(op::bitwise_not{}, ~x);
    check(op::floor{}, floor(x));
  };
  check_type(std::int8_t{});
  check_type(std::uint8_t{});
  check_type(std::int32_t{});
  check_type(std::uint64_t{});
}

TEST_CASE_TEMPLATE("on tensors of double and complex numbers", D, TEST_DEVICES) {
  const Tensor<double, D> x = tensor({0.25, 1.0, 2.0}, D{});
  CHECK(eval(exp(x)).to_vector()[1] == doctest::Approx(std::exp(1.0)).epsilon(1e-14));
  CHECK(eval(lgamma(x)).to_vector()[0] == doctest::Approx(std::lgamma(0.25)).epsilon(1e-14));
  using C = complex<float>;
  const Tensor<C, D> z = tensor({C(3, 4), C(-1, 0), C(0, 2)}, D{});
  const Tensor<float, D> size = abs(z);
  CHECK(size.to_vector() == std::vector<float>{5, 1, 2});
  CHECK(eval(real(z)).to_vector() == std::vector<float>{3, -1, 0});
  CHECK(eval(imag(conj(z))).to_vector() == std::vector<float>{-4, 0, -2});
  CHECK(eval(arg(z)).to_vector()[2] == doctest::Approx(1.5707963));
  CHECK(eval(sqrt(z)).to_vector()[0].re == doctest::Approx(2));
}

TEST_CASE_TEMPLATE("operations with a parameter", D, TEST_DEVICES) {
  const Tensor<float, D> x = tensor({-2.0F, -1.0F, 3.0F}, D{});
  CHECK(eval(leaky_relu(x, 0.5)).to_vector() == std::vector<float>{-1, -0.5F, 3});
  CHECK(eval(leaky_relu(x)).to_vector()[0] == -0.02F);
  CHECK(eval(elu(x, 2)).to_vector()[1] == doctest::Approx(2 * std::expm1(-1.0)));
  CHECK(eval(softplus(x, 1, 2)).to_vector()[2] == 3);
  CHECK(eval(gelu(x, approximate::tanh)).to_vector() == eval(gelu_tanh(x)).to_vector());
}
