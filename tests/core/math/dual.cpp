#include "weft/core/math/dual.hpp"

#include <cmath>

#include "test.hpp"

using namespace weft;

namespace {

/// Checks an operation on Dual numbers: its value's tangent against the difference of its values,
/// and its derivatives' tangents against the differences of these, each argument moving.
template <class Op, class... Xs>
void check(const Op& op, Xs... at) {
  INFO(Op::text);
  const double step = 1e-6;
  const auto along = [&]<std::size_t... I>(std::index_sequence<I...>) {
    const double speed[] = {0.7, -0.4, 0.3};
    const auto moved = [&](double sign) { return make_pack((at + sign * step * speed[I])...); };
    const auto above = moved(1);
    const auto below = moved(-1);
    const auto value = [&](const auto& xs) { return op.value(get<static_cast<int>(I)>(xs)...); };
    const auto slope = [](double high, double low) { return (high - low) / 2e-6; };
    const Dual<double> y = op.value(Dual<double>(at, speed[I])...);
    CHECK(y.value == op.value(at...));
    CHECK(y.tangent == doctest::Approx(slope(value(above), value(below))).epsilon(1e-6));
    const auto derivative = [&]<int J>() {
      const auto plain = [&](const auto& xs) -> double {
        return op.template derivative<J>(get<static_cast<int>(I)>(xs)..., value(xs));
      };
      const Dual<double> d = op.template derivative<J>(Dual<double>(at, speed[I])..., y);
      const double expected = slope(plain(above), plain(below));
      CHECK(d.value == doctest::Approx(plain(make_pack(at...))));
      CHECK(std::fabs(d.tangent - expected) < 1e-6 * (1 + std::fabs(expected)));
    };
    (derivative.template operator()<static_cast<int>(I)>(), ...);
  };
  along(std::index_sequence_for<Xs...>{});
}

template <class... Ops>
void check_all(std::initializer_list<double> places, const Ops&... ops) {
  for (const double x : places) (check(ops, x), ...);
}
template <class... Ops>
void check_pairs(const Ops&... ops) {
  for (const double x : {0.4, 1.3, 2.6}) {
    for (const double y : {0.9, 1.7}) (check(ops, x, y), ...);
  }
}

}  // namespace

TEST_CASE("Dual: unary operations and their derivatives") {
  check_all({-2.3, -0.6, 0.4, 1.7}, op::neg{}, op::abs{}, op::sign{}, op::square{},
            op::reciprocal{}, op::exp{}, op::exp2{}, op::expm1{}, op::sin{}, op::cos{}, op::tan{},
            op::atan{}, op::sinh{}, op::cosh{}, op::tanh{}, op::asinh{}, op::erf{}, op::erfc{},
            op::floor{}, op::ceil{}, op::round{}, op::trunc{}, op::frac{}, op::relu{},
            op::sigmoid{}, op::silu{}, op::gelu{}, op::gelu_tanh{}, op::mish{}, op::hardswish{},
            op::hardsigmoid{}, op::leaky_relu{}, op::elu{1.5}, op::softplus{0.5}, op::lgamma{});
  check_all({0.3, 1.2, 15.0}, op::sqrt{}, op::rsqrt{}, op::cbrt{}, op::log{}, op::log2{},
            op::log10{}, op::log1p{}, op::lgamma{});
  check_all({-0.6, 0.4}, op::asin{}, op::acos{}, op::atanh{});
  check_all({1.3, 2.4}, op::acosh{});
  check_all({-4.0, 4.0, 25.0}, op::hardswish{}, op::hardsigmoid{}, op::mish{}, op::softplus{});
}

TEST_CASE("Dual: operations of several operands and their derivatives") {
  check_pairs(op::add{}, op::sub{}, op::mul{}, op::div{}, op::mod{}, op::fmod{}, op::remainder{},
              op::pow{}, op::maximum{}, op::minimum{}, op::fmax{}, op::fmin{}, op::clamp_min{},
              op::clamp_max{}, op::fdim{}, op::atan2{}, op::hypot{}, op::copysign{}, op::xlogy{});
  for (const double x : {-0.5, 0.6, 1.5}) {
    check(op::clamp{}, x, 0.1, 1.1);
    check(op::lerp{}, x, 0.3, 0.7);
    check(op::fma{}, x, 0.3, 0.7);
    check(op::addcmul{0.3}, x, 0.3, 0.7);
  }
}

TEST_CASE("Dual: what does not move adds nothing where a derivative is undefined") {
  const Dual<double> negative(-3, 1);
  const Dual<double> two = 2;
  const auto y = op::pow{}.value(negative, two);
  CHECK(y.value == 9);
  CHECK(y.tangent == -6);
  CHECK(op::pow{}.derivative<0>(negative, two, y).tangent == 2);
  CHECK(op::sqrt{}.value(Dual<double>(0)).tangent == 0);
  CHECK(op::pow{}.derivative<0>(Dual<double>(0, 1), Dual<double>(1), Dual<double>(0, 1)).tangent ==
        0);
}

TEST_CASE("Dual: comparisons give bool, and reductions' functions are the operations'") {
  CHECK(op::lt{}.value(Dual<double>(1, 5), Dual<double>(2, -5)));
  CHECK(op::isnan{}.value(Dual<double>(math::nan<double>, 0)));
  CHECK(!op::isinf{}.value(Dual<double>(1, math::infinity<double>)));
  const Dual<float> x(0.3F, 2);
  const auto same = [](Dual<float> found, Dual<float> expected) {
    CHECK(found.value == expected.value);
    CHECK(found.tangent == doctest::Approx(expected.tangent));
  };
  same(math::sign(x), op::sign{}.value(x));
  same(math::floor(x), op::floor{}.value(x));
  same(math::ceil(x), op::ceil{}.value(x));
  same(math::round(x), op::round{}.value(x));
  same(math::trunc(x), op::trunc{}.value(x));
  same(math::abs(x), op::abs{}.value(x));
  same(math::sqrt(x), op::sqrt{}.value(x));
  same(math::rsqrt(x), op::rsqrt{}.value(x));
  same(math::cbrt(x), op::cbrt{}.value(x));
  same(math::exp(x), op::exp{}.value(x));
  same(math::exp2(x), op::exp2{}.value(x));
  same(math::expm1(x), op::expm1{}.value(x));
  same(math::log(x), op::log{}.value(x));
  same(math::log2(x), op::log2{}.value(x));
  same(math::log10(x), op::log10{}.value(x));
  same(math::log1p(x), op::log1p{}.value(x));
  same(math::sin(x), op::sin{}.value(x));
  same(math::cos(x), op::cos{}.value(x));
  same(math::tan(x), op::tan{}.value(x));
  same(math::asin(x), op::asin{}.value(x));
  same(math::acos(x), op::acos{}.value(x));
  same(math::atan(x), op::atan{}.value(x));
  same(math::sinh(x), op::sinh{}.value(x));
  same(math::cosh(x), op::cosh{}.value(x));
  same(math::tanh(x), op::tanh{}.value(x));
  same(math::asinh(x), op::asinh{}.value(x));
  same(math::atanh(x), op::atanh{}.value(x));
  same(math::erf(x), op::erf{}.value(x));
  same(math::erfc(x), op::erfc{}.value(x));
  same(math::lgamma(x), op::lgamma{}.value(x));
  same(math::acosh(1 + x), op::acosh{}.value(1 + x));
  same(math::pow(x, x), op::pow{}.value(x, x));
  same(math::sigmoid(x), op::sigmoid{}.value(x));
}
