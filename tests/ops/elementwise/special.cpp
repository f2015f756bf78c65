// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/special.hpp>

#include <vector>

#include "reference.hpp"
#include "test.hpp"

using namespace weft;

namespace {
using Points = std::vector<double>;

/// Calls f(operation, points) for each operation on one number.
template <class F>
void for_each_unary(F f) {
  const Points line{-4.3, -1.1, -0.3, 0.2, 0.7, 1.4, 3.2, 7.5, 11.0};
  const Points right{0.05, 0.3, 0.7, 1.2, 2.6, 5.5, 12.0, 31.0};
  const Points unit{0.03, 0.2, 0.4, 0.55, 0.8, 0.97};
  const Points both{-0.9, -0.3, 0.1, 0.6, 0.98};
  // clang-format off
  f(op::gamma{}, line);
  f(op::trigamma{}, line);
  f(op::digamma{}, line);
  f(op::polygamma{2}, line);
  f(op::expit{}, line);
  f(op::logit{}, unit);
  f(op::entr{}, right);
  f(op::sinc{}, line);
  f(op::erfinv{}, both);
  f(op::erfcinv{}, unit);
  f(op::erfcx{}, right);
  f(op::ndtr{}, line);
  f(op::log_ndtr{}, line);
  f(op::ndtri{}, unit);
  f(op::j0{}, line);
  f(op::j1{}, line);
  f(op::y0{}, right);
  f(op::y1{}, right);
  f(op::i0{}, line);
  f(op::i0e{}, line);
  f(op::i1{}, line);
  f(op::i1e{}, line);
  f(op::k0{}, right);
  f(op::k0e{}, right);
  f(op::k1{}, right);
  f(op::k1e{}, right);
  // clang-format on
}

/// Operation number `which` of that list: all of them in one kernel.
struct Chosen {
  WEFT_HD float operator()(float x, int which) const {
    switch (which) {
      case 0:
        return op::gamma{}.value(x);
      case 1:
        return op::trigamma{}.value(x);
      case 2:
        return op::digamma{}.value(x);
      case 3:
        return op::polygamma{2}.value(x);
      case 4:
        return op::expit{}.value(x);
      case 5:
        return op::logit{}.value(x);
      case 6:
        return op::entr{}.value(x);
      case 7:
        return op::sinc{}.value(x);
      case 8:
        return op::erfinv{}.value(x);
      case 9:
        return op::erfcinv{}.value(x);
      case 10:
        return op::erfcx{}.value(x);
      case 11:
        return op::ndtr{}.value(x);
      case 12:
        return op::log_ndtr{}.value(x);
      case 13:
        return op::ndtri{}.value(x);
      case 14:
        return op::j0{}.value(x);
      case 15:
        return op::j1{}.value(x);
      case 16:
        return op::y0{}.value(x);
      case 17:
        return op::y1{}.value(x);
      case 18:
        return op::i0{}.value(x);
      case 19:
        return op::i0e{}.value(x);
      case 20:
        return op::i1{}.value(x);
      case 21:
        return op::i1e{}.value(x);
      case 22:
        return op::k0{}.value(x);
      case 23:
        return op::k0e{}.value(x);
      case 24:
        return op::k1{}.value(x);
      case 25:
        return op::k1e{}.value(x);
      default:
        return 0;
    }
  }
};

/// How far a derivative is from the slope of f at x, beside its size.
template <class F>
double off(F f, double x, double derivative) {
  const double h = 1e-4 * std::max(1e-1, std::fabs(x));
  const double slope = (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
  return std::fabs(slope - derivative) / std::max(1.0, std::fabs(slope));
}
}  // namespace

TEST_CASE("derivatives of special functions, and theirs") {
  for_each_unary([](auto op, const Points& points) {
    for (double x : points) {
      const auto slope = [&](double at) { return op.template derivative<0>(at, op.value(at)); };
      const double first = off([&](double at) { return op.value(at); }, x, slope(x));
      CHECK_MESSAGE(first < 1e-7, doctest::String(op.text), " at ", x);
      const Dual<double> moving(x, 1);
      const Dual<double> second = op.template derivative<0>(moving, math::chain(op, moving));
      CHECK_MESSAGE(off(slope, x, second.tangent) < 1e-7, doctest::String(op.text), " twice at ",
                    x);
    }
  });
}

TEST_CASE("derivatives of special functions of several numbers") {
  const auto check = [](const char* name, auto f, auto slope, double x) {
    CHECK_MESSAGE(off(f, x, slope(x)) < 1e-7, doctest::String(name), " at ", x);
  };
  const auto both = [&](auto op, double x, double y) {
    const double z = op.value(x, y);
    if constexpr (!std::is_same_v<decltype(op.template derivative<0>(x, y, z)),
                                  op::NotDifferentiable>) {
      check(
          op.text, [&](double at) { return op.value(at, y); },
          [&](double at) { return op.template derivative<0>(at, y, op.value(at, y)); }, x);
    }
    check(
        op.text, [&](double at) { return op.value(x, at); },
        [&](double at) { return op.template derivative<1>(x, at, op.value(x, at)); }, y);
  };
  for (const auto& [x, y] : {std::pair(0.7, 2.4), std::pair(3.1, 1.3), std::pair(14.0, 11.5)}) {
    both(op::beta{}, x, y);
    both(op::lbeta{}, x, y);
    both(op::gammainc{}, x, y);
    both(op::gammaincc{}, x, y);
    both(op::zeta{}, x + 1, y);
    both(op::rel_entr{}, x, y);
    both(op::kl_terms{}, x, y);
    both(op::xlog1py{}, x, y);
    check(
        "betainc", [&, a = x, b = y](double at) { return op::betainc{}.value(a, b, at); },
        [&, a = x, b = y](double at) {
          return op::betainc{}.derivative<2>(a, b, at, op::betainc{}.value(a, b, at));
        },
        0.4);
    check(
        "hypot3", [a = x, b = y](double at) { return op::hypot3{}.value(a, at, b); },
        [a = x, b = y](double at) {
          return op::hypot3{}.derivative<1>(a, at, b, op::hypot3{}.value(a, at, b));
        },
        -1.2);
  }
}

TEST_CASE_TEMPLATE("special functions of tensors", D, TEST_DEVICES) {
  int which = 0;
  for_each_unary([&](auto op, const Points& points) {
    const std::vector<float> in(points.begin(), points.end());
    const auto out = map(Chosen{}, tensor(in).to(D{}), which++).eval().to_vector();
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double error = test::ulps(out[i], static_cast<double>(op.value(in[i])));
      CHECK_MESSAGE(error <= 2, doctest::String(op.text), " at ", in[i]);
    }
  });
  const auto x = tensor({0.5F, 2.0F}, D{});
  CHECK(allclose(erfinv(ndtr(x) - 0.5F), tensor({0.1713413F, 0.4519204F}, D{})));
  CHECK(allclose(polygamma(1, x), trigamma(x)));
  CHECK(allclose(gammainc(x, 1.0F), tensor({0.8427008F, 0.2642411F}, D{})));
  CHECK(allclose(gammaincc(x, 1.0F) + gammainc(x, 1.0F), ones({2}, D{})));
  CHECK(allclose(betainc(x, 2.0F, 0.25F), tensor({0.6875F, 0.15625F}, D{})));
  CHECK(allclose(beta(x, x), tensor({3.1415927F, 0.1666667F}, D{})));
  CHECK(allclose(exp(lbeta(x, 3.0F)), beta(x, 3.0F)));
  CHECK(allclose(zeta(2.0F, x), tensor({4.934802F, 0.6449341F}, D{})));
  CHECK(allclose(rel_entr(x, 1.0F) - x + 1.0F, kl_terms(x, 1.0F)));
  CHECK(allclose(xlog1py(x, 1.0F), x * 0.6931472F));
  CHECK(hypot3(x, 2 * x, 2 * x).eval().to_vector() == std::vector<float>{1.5F, 6.0F});
  const auto far = tensor({1e30F, 1e-44F, math::infinity<float>, math::nan<float>, 0.0F}, D{});
  const std::vector<float> lengths = hypot3(far, far, far * 0.0F).eval().to_vector();
  CHECK(lengths[0] == doctest::Approx(1.41421356e30));
  CHECK(lengths[1] > 1e-44F);
  CHECK(lengths[1] < 2e-44F);
  CHECK(std::isnan(lengths[3]));
  CHECK(lengths[4] == 0);
  CHECK(std::isinf(hypot3(far, far * 0.0F, 1.0F).eval().to_vector()[2]));
  CHECK(hypot(x, 2 * x, 2 * x).eval().to_vector() == std::vector<float>{1.5F, 6.0F});
  CHECK(allclose(logit(x, 0.25), tensor({0.0F, 1.0986123F}, D{})));
  CHECK(allclose(multigammaln(x + 1.0F, 2), tensor({0.4515827F, 1.550195F}, D{})));
  CHECK_SAYS("[polygamma] n = -1, expected at least 0", polygamma(-1, x));
}
