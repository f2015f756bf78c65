// Poisson, binomial, geometric, hypergeometric, Zipf: one count from an element's random bits.
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

/// Drawn for the rarer kind and the smaller number of draws, from which the others follow. Small
/// means by inversion, others by Stadlober's ratio of uniforms (The ratio of uniforms approach for
/// generating discrete random variates, 1990).
struct hypergeometric {
  static constexpr const char* text = "hypergeometric";
  static constexpr const char* domain =
      "whole numbers of good and bad ones, up to 2^31, and of draws, as many as there are at most";
  WEFT_HD static bool accepts(double good, double bad, double draws) {
    return is_count(good) && is_count(bad) && is_count(draws) && draws <= good + bad;
  }
  WEFT_HD static double draw(ElementBits bits, double good, double bad, double draws) {
    const double all = good + bad;
    const double rare = good < bad ? good : bad;
    const double few = 2 * draws <= all ? draws : all - draws;
    double k = 0;
    if (few > 0 && rare > 0) {
      k = few * rare < 10 * all ? inverted(bits.uniforms().a, rare, all, few)
                                : rejected(bits, rare, all, few);
    }
    if (good > bad) k = few - k;
    return few < draws ? good - k : k;
  }

 private:
  WEFT_HD static bool is_count(double x) { return x >= 0 && x <= 0x1p31 && math::floor(x) == x; }
  WEFT_HD static double inverted(double u, double rare, double all, double few) {
    const double others = all - rare;
    double probability = math::exp(log_factorial(others) - log_factorial(others - few) -
                                   log_factorial(all) + log_factorial(all - few));
    double k = 0;
    while (u > probability && k < few && k < rare && k < 200) {
      u -= probability;
      probability *= (rare - k) * (few - k) / ((k + 1) * (others - few + k + 1));
      k += 1;
    }
    return k;
  }
  WEFT_HD static double rejected(ElementBits& bits, double rare, double all, double few) {
    const double share = rare / all;
    const double center = few * share + 0.5;
    const double spread = math::sqrt((all - few) * few * share * (1 - share) / (all - 1) + 0.5);
    // 2 sqrt(2 / e) and 3 - 2 sqrt(3 / e)
    const double width = 1.7155277699214135 * spread + 0.8989161620588988;
    const double most = (few < rare ? few : rare) + 1;
    const double mode = math::floor((few + 1) * (rare + 1) / (all + 2));
    const double top = log_ways(mode, rare, all, few);
    for (;;) {
      const auto u = bits.uniforms();
      const double k = math::floor(center + width * (u.b - 0.5) / u.a);
      if (k < 0 || k >= most || k > center + 16 * spread) continue;
      if (2 * math::log(u.a) <= top - log_ways(k, rare, all, few)) return k;
    }
  }
  /// Of the ways to draw k of the rare ones, the part that depends on k, as -log.
  WEFT_HD static double log_ways(double k, double rare, double all, double few) {
    return log_factorial(k) + log_factorial(rare - k) + log_factorial(few - k) +
           log_factorial(all - rare - few + k);
  }
  WEFT_HD static double log_factorial(double k) { return math::lgamma(k + 1); }
};

/// Kemp: Efficient generation of logarithmically distributed pseudo-random variables (1981).
struct log_series {
  static constexpr const char* text = "log_series";
  static constexpr const char* domain = "a probability from 0 to below 1";
  WEFT_HD static bool accepts(double p) { return p >= 0 && p < 1; }
  WEFT_HD static double draw(ElementBits bits, double p) {
    const auto u = bits.uniforms();
    if (u.a >= p) return 1;
    const double q = -math::expm1(math::log1p(-p) * u.b);
    if (u.a >= q) return 1;
    if (u.a > q * q) return 2;
    const double k = math::floor(1 + math::log(u.a) / math::log(q));
    return k >= 1 ? k : 1;
  }
};

/// By rejection from the power law of a real number (Devroye: Non-uniform random variate
/// generation, 1986, X.6), of those below 2^63.
struct zipf {
  static constexpr const char* text = "zipf";
  static constexpr const char* domain = "an exponent above 1";
  WEFT_HD static bool accepts(double exponent) { return exponent > 1; }
  WEFT_HD static double draw(ElementBits bits, double exponent) {
    const double more = exponent - 1;
    if (more > 1000) return 1;
    constexpr double log_most = 43.66827237527655;  // of 2^63
    const double least = math::exp(-more * log_most);
    const double b = math::expm1(more * 0.6931471805599453);  // 2^more - 1
    for (;;) {
      const auto u = bits.uniforms();
      const double x = math::floor(math::exp(-math::log(least + u.a * (1 - least)) / more));
      if (!(x >= 1 && x < 0x1p63)) continue;
      const double t = math::expm1(more * math::log1p(1 / x));  // (1 + 1/x)^more - 1
      if (u.b * x * t / b <= (1 + t) / (1 + b)) return x;
    }
  }
};

}  // namespace weft::variate
