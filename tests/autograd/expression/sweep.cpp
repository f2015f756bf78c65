#include "weft/autograd/expression/sweep.hpp"

#include <weft/autograd/expression/chain_rule.hpp>

#include "gradients.hpp"

using namespace weft;
using test::numbers;

namespace {
template <class D>
auto inputs(double low, double high) {
  const auto x = numbers<D>({2, 3});  // in -1 to 1
  return parameter(Tensor<double, D>((x + 1.0) * (0.5 * (high - low)) + low));
}
}  // namespace

// gradcheck(name of an operation, from, to)
#define CHECK_OF_ONE(name, low, high) \
  CHECK_MESSAGE(gradcheck([](const auto& v) { return Var(name(v)); }, inputs<D>(low, high)), #name)
#define CHECK_OF_TWO(name, low, high)                                                          \
  CHECK_MESSAGE(gradcheck([](const auto& v, const auto& w) { return Var(name(v, w + 0.01)); }, \
                          inputs<D>(low, high), inputs<D>(high, low)),                         \
                #name)

TEST_CASE_TEMPLATE("some operations", D, TEST_DEVICES) {
  CHECK_OF_ONE(tanh, -1, 1);
  CHECK_OF_ONE(gelu, -2, 2);
  CHECK_OF_TWO(atan2, 0.5, 2);
  CHECK_OF_TWO(maximum, -1, 1);
  const Var x = inputs<D>(0.5, 2);
  CHECK(gradcheck([](const auto& v) { return Var(where(v > 1.2, v * v, sqrt(v)) + 1.0 / v); }, x));
}

#if !defined(__CUDACC__)
TEST_CASE("every unary operation that has a derivative") {
  using D = Cpu;
  CHECK_OF_ONE(neg, -1, 1);
  CHECK_OF_ONE(weft::abs, -1, 1.1);
  CHECK_OF_ONE(sign, -1, 1.1);
  CHECK_OF_ONE(square, -1, 1);
  CHECK_OF_ONE(reciprocal, 0.5, 2);
  CHECK_OF_ONE(sqrt, 0.5, 2);
  CHECK_OF_ONE(rsqrt, 0.5, 2);
  CHECK_OF_ONE(cbrt, 0.5, 2);
  CHECK_OF_ONE(exp, -1, 1);
  CHECK_OF_ONE(exp2, -1, 1);
  CHECK_OF_ONE(expm1, -1, 1);
  CHECK_OF_ONE(log, 0.5, 2);
  CHECK_OF_ONE(log2, 0.5, 2);
  CHECK_OF_ONE(log10, 0.5, 2);
  CHECK_OF_ONE(log1p, -0.5, 2);
  CHECK_OF_ONE(sin, -2, 2);
  CHECK_OF_ONE(cos, -2, 2);
  CHECK_OF_ONE(tan, -1, 1);
  CHECK_OF_ONE(asin, -0.9, 0.9);
  CHECK_OF_ONE(acos, -0.9, 0.9);
  CHECK_OF_ONE(atan, -2, 2);
  CHECK_OF_ONE(sinh, -2, 2);
  CHECK_OF_ONE(cosh, -2, 2);
  CHECK_OF_ONE(asinh, -2, 2);
  CHECK_OF_ONE(acosh, 1.2, 3);
  CHECK_OF_ONE(atanh, -0.9, 0.9);
  CHECK_OF_ONE(erf, -2, 2);
  CHECK_OF_ONE(erfc, -2, 2);
  CHECK_OF_ONE(lgamma, 0.5, 3);
  CHECK_OF_ONE(weft::floor, 0.1, 0.9);
  CHECK_OF_ONE(weft::ceil, 0.1, 0.9);
  CHECK_OF_ONE(weft::round, 0.1, 0.4);
  CHECK_OF_ONE(weft::trunc, 0.1, 0.9);
  CHECK_OF_ONE(frac, 0.1, 0.9);
  CHECK_OF_ONE(relu, -1, 1.1);
  CHECK_OF_ONE(sigmoid, -2, 2);
  CHECK_OF_ONE(silu, -2, 2);
  CHECK_OF_ONE(gelu_tanh, -2, 2);
  CHECK_OF_ONE(mish, -2, 2);
  CHECK_OF_ONE(hardswish, -2, 2);
  CHECK_OF_ONE(hardsigmoid, -2, 2);
  CHECK_OF_ONE(leaky_relu, -1, 1.1);
  CHECK_OF_ONE(elu, -1, 1.1);
  CHECK_OF_ONE(softplus, -2, 2);
}

TEST_CASE("every operation of two and three operands that has derivatives") {
  using D = Cpu;
  CHECK_OF_TWO(add, -1, 1);
  CHECK_OF_TWO(sub, -1, 1);
  CHECK_OF_TWO(mul, -1, 1);
  CHECK_OF_TWO(weft::div, 0.5, 2);
  CHECK_OF_TWO(mod, 0.5, 2);
  CHECK_OF_TWO(weft::fmod, 0.5, 2);
  CHECK_OF_TWO(weft::remainder, 0.5, 2);
  CHECK_OF_TWO(pow, 0.5, 2);
  CHECK_OF_TWO(minimum, -1, 1);
  CHECK_OF_TWO(weft::fmax, -1, 1);
  CHECK_OF_TWO(weft::fmin, -1, 1);
  CHECK_OF_TWO(clamp_min, -1, 1);
  CHECK_OF_TWO(clamp_max, -1, 1);
  CHECK_OF_TWO(weft::fdim, -1, 1);
  CHECK_OF_TWO(weft::hypot, 0.5, 2);
  CHECK_OF_TWO(weft::copysign, 0.5, 2);
  CHECK_OF_TWO(xlogy, 0.5, 2);
  const Var x = inputs<D>(-1, 1);
  const Var y = inputs<D>(1, -1.1);
  const Var z = inputs<D>(0.5, 2);
  CHECK(gradcheck([](const auto&... v) { return Var(lerp(v...)); }, x, y, z));
  CHECK(gradcheck([](const auto&... v) { return Var(fma(v...)); }, x, y, z));
  CHECK(gradcheck([](const auto&... v) { return Var(addcmul(v...)); }, x, y, z));
  CHECK(gradcheck([](const auto& v) { return Var(clamp(v, -0.33, 0.41)); }, x));
  const auto through_float = [](const auto& v) { return Var(cast<double>(cast<float>(v) * 1.0F)); };
  CHECK(gradcheck({1e-2}, through_float, x));
}
#endif

namespace {
struct Cubed {
  WEFT_HD double operator()(double x) const { return x * x * x; }
  template <int>
  WEFT_HD double derivative(double x, double) const {
    return 3 * x * x;
  }
};
}  // namespace

TEST_CASE_TEMPLATE("a function object with a derivative", D, TEST_DEVICES) {
  CHECK(gradcheck([](const auto& v) { return Var(map(Cubed{}, v) * 2.0); }, inputs<D>(-1, 1)));
}

TEST_CASE_TEMPLATE("random numbers are the same in both passes", D, TEST_DEVICES) {
  const Var x = parameter(ones<double>({500}, D{}));
  const Var kept = where(uniform<double>({500}) < 0.5, x * 2.0, 0.0);
  kept.backward(ones<double>({500}, D{}));
  CHECK(kept.detach().to_vector() == x.grad().to_vector());
  const double total = sum(x.grad()).item();
  CHECK(total > 350);
  CHECK(total < 650);
}
