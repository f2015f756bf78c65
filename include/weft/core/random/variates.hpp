// Exponential, gamma, beta, Wald, truncated normal, von Mises: one number from an element's bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/core/random/box_muller.hpp"
#include "weft/core/random/generator.hpp"

namespace weft {

/// The random bits of one element of a draw, block after block: as many as it takes. Elements below
/// 2^40 have 2^24 blocks each.
class ElementBits {
 public:
  WEFT_HD ElementBits(const Draw& draw, long long element)
      : draw_(draw), at_(static_cast<std::uint64_t>(element)) {}

  struct Pair {
    double a;
    double b;
  };
  /// Two numbers in the open interval (0, 1): odd multiples of 2^-53.
  WEFT_HD Pair uniforms() {
    const PhiloxBlock x = block();
    return {open(x.a, x.b), open(x.c, x.d)};
  }
  /// Of mean 0 and deviation 1.
  WEFT_HD double normal() {
    const PhiloxBlock x = block();
    return math::box_muller<52>((std::uint64_t{x.a} << 32 | x.b) >> 12,
                                (std::uint64_t{x.c} << 32 | x.d) >> 12, false);
  }

  /// The next 128 bits.
  WEFT_HD PhiloxBlock block() {
    const PhiloxBlock block = draw_.block(at_);
    at_ += std::uint64_t{1} << 40;
    return block;
  }

 private:
  WEFT_HD static double open(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
    return static_cast<double>(static_cast<std::int64_t>(2 * bits + 1)) * 0x1p-53;
  }

  const Draw& draw_;
  std::uint64_t at_;
};

/// How numbers are drawn from distributions: each has its parameters' domain, in words and as a
/// test, and `draw`, in double. Outside of the domain a draw is NaN.
namespace variate {

inline constexpr double not_a_number = math::nan<double>;

/// By inversion: -log(u) / rate.
struct exponential {
  static constexpr const char* text = "exponential";
  static constexpr const char* domain = "a positive rate";
  WEFT_HD static bool accepts(double rate) { return rate > 0; }
  WEFT_HD static double draw(ElementBits bits, double rate) {
    return -math::log(bits.uniforms().a) / rate;
  }
};

struct laplace {
  static constexpr const char* text = "laplace";
  static constexpr const char* domain = "a location and a positive scale";
  WEFT_HD static bool accepts(double location, double scale) {
    return location == location && scale > 0;
  }
  WEFT_HD static double draw(ElementBits bits, double location, double scale) {
    const auto u = bits.uniforms();
    const double size = -math::log(u.a) * scale;
    return u.b < 0.5 ? location - size : location + size;
  }
};

struct cauchy {
  static constexpr const char* text = "cauchy";
  static constexpr const char* domain = "a location and a positive scale";
  WEFT_HD static bool accepts(double location, double scale) {
    return location == location && scale > 0;
  }
  WEFT_HD static double draw(ElementBits bits, double location, double scale) {
    return location + scale * math::tan(math::pi<double> * (bits.uniforms().a - 0.5));
  }
};

struct gumbel {
  static constexpr const char* text = "gumbel";
  static constexpr const char* domain = "a location and a positive scale";
  WEFT_HD static bool accepts(double location, double scale) {
    return location == location && scale > 0;
  }
  WEFT_HD static double draw(ElementBits bits, double location, double scale) {
    return location - scale * math::log(-math::log(bits.uniforms().a));
  }
};

struct log_normal {
  static constexpr const char* text = "log_normal";
  static constexpr const char* domain = "a mean and a deviation of at least 0 of the logarithm";
  WEFT_HD static bool accepts(double mean, double deviation) {
    return mean == mean && deviation >= 0;
  }
  WEFT_HD static double draw(ElementBits bits, double mean, double deviation) {
    return math::exp(mean + deviation * bits.normal());
  }
};

/// A gamma variate of scale 1 as size * exp(boost), by Marsaglia and Tsang (A simple method for
/// generating gamma variables, 2000); below a shape of 1 from shape + 1. Their squeeze accepts all
/// but one in a hundred without a logarithm.
struct GammaVariate {
  double size;
  double boost = 0;

  WEFT_HD GammaVariate(ElementBits& bits, double shape) {
    auto u = bits.uniforms();
    if (shape < 1) {
      boost = math::log(u.a) / shape;
      shape += 1;
    }
    const double d = shape - 1. / 3;
    const double c = 1 / math::sqrt(9 * d);
    for (;; u.b = bits.uniforms().b) {
      const double x = bits.normal();
      const double root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      const double square = x * x;
      size = d * v;
      if (u.b < 1 - 0.0331 * square * square) return;
      if (math::log(u.b) < 0.5 * square + d - size + d * math::log(v)) return;
    }
  }
};

/// Its logarithm, which does not underflow.
WEFT_HD inline double log_gamma_variate(ElementBits& bits, double shape) {
  const GammaVariate x(bits, shape);
  return math::log(x.size) + x.boost;
}

struct log_gamma {
  static constexpr const char* text = "log_gamma";
  static constexpr const char* domain = "a positive shape";
  WEFT_HD static bool accepts(double shape) { return shape > 0 && shape <= 1e300; }
  WEFT_HD static double draw(ElementBits bits, double shape) {
    return log_gamma_variate(bits, shape);
  }
};

struct gamma {
  static constexpr const char* text = "gamma";
  static constexpr const char* domain = "a positive shape and scale";
  WEFT_HD static bool accepts(double shape, double scale) {
    return shape > 0 && shape <= 1e300 && scale > 0;
  }
  WEFT_HD static double draw(ElementBits bits, double shape, double scale) {
    const GammaVariate x(bits, shape);
    return shape < 1 ? x.size * math::exp(x.boost) * scale : x.size * scale;
  }
};

/// x / (x + y) of two gamma variates.
struct beta {
  static constexpr const char* text = "beta";
  static constexpr const char* domain = "two positive parameters";
  WEFT_HD static bool accepts(double a, double b) {
    return a > 0 && b > 0 && a <= 1e300 && b <= 1e300;
  }
  WEFT_HD static double draw(ElementBits bits, double a, double b) {
    const double x = log_gamma_variate(bits, a);
    const double y = log_gamma_variate(bits, b);
    return 1 / (1 + math::exp(y - x));
  }
};

/// The inverse Gaussian distribution, by Michael, Schucany and Haas (Generating random variates
/// using transformations with multiple roots, 1976). Of the two roots the smaller one is taken by
/// the form that does not cancel.
struct wald {
  static constexpr const char* text = "wald";
  static constexpr const char* domain = "a positive mean and scale";
  WEFT_HD static bool accepts(double mean, double scale) {
    return mean > 0 && scale > 0 && mean <= 1e300;
  }
  WEFT_HD static double draw(ElementBits bits, double mean, double scale) {
    const double x = bits.normal();
    const double t = 0.5 * mean * x * x / scale;
    const double ratio = 1 / (1 + t + math::sqrt(t * (2 + t)));
    return bits.uniforms().a * (1 + ratio) <= 1 ? mean * ratio : mean / ratio;
  }
};

/// By rejection from a similar distribution: the normal one, an exponential one in its tail, a
/// constant (Robert: Simulation of truncated normal variables, 1995).
struct truncated_normal {
  static constexpr const char* text = "truncated_normal";
  static constexpr const char* domain = "a mean, a positive deviation and bounds low <= high";
  WEFT_HD static bool accepts(double mean, double deviation, double low, double high) {
    return mean == mean && deviation > 0 && low <= high;
  }
  WEFT_HD static double draw(ElementBits bits, double mean, double deviation, double low,
                             double high) {
    const double a = (low - mean) / deviation;
    const double b = (high - mean) / deviation;
    const bool mirrors = b < 0;
    const double x = mirrors ? -between(bits, -b, -a) : between(bits, a, b);
    const double y = mean + deviation * x;
    return y < low ? low : y > high ? high : y;
  }

 private:
  WEFT_HD static double between(ElementBits& bits, double a, double b) {
    const double rate = 0.5 * (a + math::sqrt(a * a + 4));
    const bool inside = a <= 0;
    const bool narrow = inside ? b - a < 2.5 : (b - a) * rate < 1;
    for (;;) {
      if (inside && !narrow) {
        const double x = bits.normal();
        if (x >= a && x <= b) return x;
        continue;
      }
      const auto u = bits.uniforms();
      if (narrow) {
        const double x = a + (b - a) * u.a;
        const double most = inside ? 0 : a;
        if (math::log(u.b) <= 0.5 * (most * most - x * x)) return x;
      } else {
        const double x = a - math::log(u.a) / rate;
        if (x <= b && math::log(u.b) <= -0.5 * (x - rate) * (x - rate)) return x;
      }
    }
  }
};

/// Best and Fisher: Efficient simulation of the von Mises distribution (1979).
struct von_mises {
  static constexpr const char* text = "von_mises";
  static constexpr const char* domain = "a mean and a concentration of at least 0";
  WEFT_HD static bool accepts(double mean, double concentration) {
    return mean - mean == 0 && concentration >= 0;
  }
  WEFT_HD static double draw(ElementBits bits, double mean, double concentration) {
    return wrapped(mean + turn(bits, concentration));
  }

 private:
  WEFT_HD static double wrapped(double angle) {
    constexpr double turn = 2 * math::pi<double>;
    return angle - turn * math::round(angle / turn);
  }
  WEFT_HD static double turn(ElementBits& bits, double k) {
    if (k < 1e-8) return math::pi<double> * (2 * bits.uniforms().a - 1);
    if (k > 1e6) return bits.normal() / math::sqrt(k);
    double s = 1 / k + k;
    if (k > 1e-5) {
      const double r = 1 + math::sqrt(1 + 4 * k * k);
      const double rho = (r - math::sqrt(2 * r)) / (2 * k);
      s = (1 + rho * rho) / (2 * rho);
    }
    for (;;) {
      const auto u = bits.uniforms();
      const double z = math::cos(math::pi<double> * u.a);
      const double w = (1 + s * z) / (s + z);
      const double y = k * (s - w);
      if (y * (2 - y) < u.b && math::log(y / u.b) + 1 - y < 0) continue;
      const double angle = math::acos(w < -1 ? -1. : w > 1 ? 1. : w);
      return bits.uniforms().a < 0.5 ? -angle : angle;
    }
  }
};

}  // namespace variate
}  // namespace weft
