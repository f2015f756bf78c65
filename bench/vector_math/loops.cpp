// ns per element of the elementary functions in L1: weft, the C library, and Eigen where it is
// there. SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "weft/core/math/functions.hpp"
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>
#define WITH_EIGEN 1
#endif

namespace math = weft::math;

namespace {

constexpr int size = 1024;

/// The fastest of many passes, in ns an element.
template <class F>
double time(F pass) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  for (int repetition = 0; repetition < 200; ++repetition) {
    const auto start = Clock::now();
    for (int i = 0; i < 8; ++i) pass();
    const std::chrono::duration<double, std::nano> passed = Clock::now() - start;
    best = std::min(best, passed.count() / (8 * size));
  }
  return best;
}

template <class T, class F>
[[gnu::noinline]] void apply(F f, T* __restrict out, const T* __restrict in) {
  for (int i = 0; i < size; ++i) out[i] = f(in[i]);
}

struct None {};

template <class T, class Weft, class Libm, class Packets>
void row(const char* name, Weft weft, Libm libm, [[maybe_unused]] Packets packets) {
  std::vector<T> x(size), y(size);
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = T(0.01) + static_cast<T>(i * 37 % size) * T(0.005);
  }
  const double ours = time([&] { apply(weft, y.data(), x.data()); });
  const double scalar = time([&] { apply(libm, y.data(), x.data()); });
  double eigen = 0;
#ifdef WITH_EIGEN
  if constexpr (!std::is_same_v<Packets, None>) {
    using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
    const Eigen::Map<const Array> in(x.data(), size);
    Eigen::Map<Array> out(y.data(), size);
    eigen = time([&] { packets(out, in); });
  }
#endif
  std::printf("%s,%s,%.3f,%.3f,%.3f\n", name, sizeof(T) == 4 ? "float" : "double", ours, scalar,
              eigen);
}

template <class T>
void rows() {
  const None none;
#define EIGEN(expression) [](auto& out, const auto& in) { out = expression; }
#define ROW(name, packets) \
  row<T>(                  \
      #name, [](T x) { return math::name(x); }, [](T x) { return std::name(x); }, packets)
// Of double as loops over elements compute them.
#define ANGLES(name, packets)                \
  row<T>(                                    \
      #name,                                 \
      [](T x) {                              \
        if constexpr (sizeof(T) == 8) {      \
          return math::simd::near_##name(x); \
        } else {                             \
          return math::name(x);              \
        }                                    \
      },                                     \
      [](T x) { return std::name(x); }, packets)
  ROW(exp, EIGEN(in.exp()));
  ROW(exp2, none);
  ROW(expm1, EIGEN(in.expm1()));
  ROW(log, EIGEN(in.log()));
  ROW(log2, EIGEN(in.log2()));
  ROW(log10, EIGEN(in.log10()));
  ROW(log1p, EIGEN(in.log1p()));
  ANGLES(sin, EIGEN(in.sin()));
  ANGLES(cos, EIGEN(in.cos()));
  ANGLES(tan, EIGEN(in.tan()));
  ROW(atan, EIGEN(in.atan()));
  ROW(sinh, EIGEN(in.sinh()));
  ROW(cosh, EIGEN(in.cosh()));
  ROW(tanh, EIGEN(in.tanh()));
  ROW(erf, EIGEN(in.erf()));
  ROW(erfc, EIGEN(in.erfc()));
  ROW(cbrt, none);
  ROW(sqrt, EIGEN(in.sqrt()));
  row<T>(
      "rsqrt", [](T x) { return math::rsqrt(x); }, [](T x) { return 1 / std::sqrt(x); },
      EIGEN(in.rsqrt()));
  row<T>(
      "sigmoid", [](T x) { return math::sigmoid(x); }, [](T x) { return 1 / (1 + std::exp(-x)); },
      EIGEN(in.logistic()));
  row<T>(
      "gelu", [](T x) { return math::gelu(x); },
      [](T x) { return x * std::erfc(x * T(-0.70710678118654752440)) / 2; }, none);
  row<T>(
      "gelu_tanh", [](T x) { return math::gelu_tanh(x); },
      [](T x) {
        const T u = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
        return x / 2 * (1 + std::tanh(u));
      },
      none);
  row<T>(
      "pow(x; 1.7)", [](T x) { return math::pow(x, T(1.7)); },
      [](T x) { return std::pow(x, T(1.7)); }, EIGEN(in.pow(T(1.7))));
#undef ANGLES
#undef ROW
#undef EIGEN
}

}  // namespace

int main() {
  rows<float>();
  rows<double>();
}
