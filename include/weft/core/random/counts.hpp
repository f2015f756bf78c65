// Poisson, binomial, geometric: one count from an element's random bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/random/variates.hpp"

namespace weft::variate {

/// Small means by inversion, others by Hörmann's PTRS (The transformed rejection method for
/// generating Poisson random variables, 1993).
struct poisson {
  static constexpr const char* text = "poisson";
  static constexpr const char* domain = "a rate from 0 to 2^53";
  WEFT_HD static bool accepts(double rate) { return rate >= 0 && rate <= 0x1p53; }
  WEFT_HD static double draw(ElementBits bits, double rate) {
    return rate < 10 ? inverted(bits.uniforms().a, rate) : rejected(bits, rate);
  }

 private:
  WEFT_HD static double inverted(double u, double rate) {
    double probability = math::exp(-rate);
    double k = 0;
    while (u > probability && k < 200) {  // beyond it there is nothing, whatever was rounded
      u -= probability;
      k += 1;
      probability *= rate / k;
    }
    return k;
  }
  WEFT_HD static double rejected(ElementBits& bits, double rate) {
    const double b = 0.931 + 2.53 * math::sqrt(rate);
    const double a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    const double v_r = 0.9277 - 3.6224 / (b - 2);
    const double log_rate = math::log(rate);
    for (;;) {
      const auto uv = bits.uniforms();
      const double u = uv.a - 0.5;
      const double us = 0.5 - math::abs(u);
      const double k = math::floor((2 * a / us + b) * u + rate + 0.43);
      if (us >= 0.07 && uv.b <= v_r) return k;
      if (k < 0 || (us < 0.013 && uv.b > us)) continue;
      const double accepted = math::log(uv.b * inverse_alpha / (a / (us * us) + b));
      if (accepted <= k * log_rate - rate - math::lgamma(k + 1)) return k;
    }
  }
};

/// Small means by inversion, others by Hörmann's BTRS (The generation of binomial random variates,
/// 1993).
struct binomial {
  static constexpr const char* text = "binomial";
  static constexpr const char* domain = "a whole number of trials up to 2^53 and a probability";
  WEFT_HD static bool accepts(double trials, double p) {
    return trials >= 0 && trials <= 0x1p53 && math::floor(trials) == trials && p >= 0 && p <= 1;
  }
  WEFT_HD static double draw(ElementBits bits, double trials, double p) {
    const bool mirrors = p > 0.5;
    const double rare = mirrors ? 1 - p : p;
    const double k = trials * rare < 10 ? inverted(bits.uniforms().a, trials, rare)
                                        : rejected(bits, trials, rare);
    return mirrors ? trials - k : k;
  }

 private:
  WEFT_HD static double inverted(double u, double n, double p) {
    const double odds = p / (1 - p);
    double probability = math::exp(n * math::log1p(-p));
    double k = 0;
    while (u > probability && k < n && k < 200) {
      u -= probability;
      k += 1;
      probability *= (n - k + 1) / k * odds;
    }
    return k;
  }
  WEFT_HD static double rejected(ElementBits& bits, double n, double p) {
    const double q = 1 - p;
    const double spread = math::sqrt(n * p * q);
    const double b = 1.15 + 2.53 * spread;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double c = n * p + 0.5;
    const double v_r = 0.92 - 4.2 / b;
    const double alpha = (2.83 + 5.1 / b) * spread;
    const double log_odds = math::log(p / q);
    const double m = math::floor((n + 1) * p);
    const double top = math::lgamma(m + 1) + math::lgamma(n - m + 1);
    for (;;) {
      const auto uv = bits.uniforms();
      const double u = uv.a - 0.5;
      const double us = 0.5 - math::abs(u);
      const double k = math::floor((2 * a / us + b) * u + c);
      if (k < 0 || k > n) continue;
      if (us >= 0.07 && uv.b <= v_r) return k;
      const double accepted = math::log(uv.b * alpha / (a / (us * us) + b));
      const double h = top - math::lgamma(k + 1) - math::lgamma(n - k + 1) + (k - m) * log_odds;
      if (accepted <= h) return k;
    }
  }
};

/// The number of trials up to the first success, by inversion.
struct geometric {
  static constexpr const char* text = "geometric";
  static constexpr const char* domain = "a probability above 0";
  WEFT_HD static bool accepts(double p) { return p > 0 && p <= 1; }
  WEFT_HD static double draw(ElementBits bits, double p) {
    const double k = math::ceil(math::log(bits.uniforms().a) / math::log1p(-p));
    return k >= 1 ? k : 1;
  }
};

}  // namespace weft::variate
