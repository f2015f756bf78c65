// LinePlan: the factors and roots of 1 for Fourier transforms of one length, and which are kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "weft/cpu/signal/butterfly.hpp"
#include "weft/ops/signal/lengths.hpp"

namespace weft::cpu::fourier {

/// exp(-2 pi i k / n) for 0 <= k < n, each part to about half an ulp: the angle that remains after
/// quarter turns is small.
struct Root {
  double re;
  double im;

  Root(int64_t k, int64_t n) {
    const int64_t quarters = (8 * k + n) / (2 * n);
    const double rest = static_cast<double>(4 * k - quarters * n) / static_cast<double>(n);
    const double angle = 1.5707963267948966 * rest;
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const bool swaps = (quarters & 1) != 0;
    re = swaps ? s : c;
    im = swaps ? c : s;
    if (((quarters + 1) & 2) != 0) re = -re;
    if ((quarters & 2) == 0) im = -im;
  }
};

/// A vector of numbers, real and imaginary parts apart.
template <class T>
struct Numbers {
  std::vector<T> re;
  std::vector<T> im;

  Numbers() = default;
  explicit Numbers(int64_t n) : re(static_cast<std::size_t>(n)), im(re.size()) {}
  void set(int64_t i, double real, double imag) {
    re[static_cast<std::size_t>(i)] = static_cast<T>(real);
    im[static_cast<std::size_t>(i)] = static_cast<T>(imag);
  }
  void set(int64_t i, const Root& root) { set(i, root.re, root.im); }
  Planes<T> planes() { return {re.data(), im.data()}; }
};

/// Whether all of n's primes have a butterfly.
inline bool is_smooth(int64_t n) {
  for (int64_t f = 2; f <= most_radix; ++f) {
    while (n % f == 0) n /= f;
  }
  return n == 1;
}

/// Roots of 1 of a length that is too large for a table: the product of two.
template <class T>
class SplitRoots {
 public:
  explicit SplitRoots(int64_t n) {
    while ((int64_t{1} << 2 * shift_) < n) ++shift_;
    const int64_t low = int64_t{1} << shift_;
    low_ = Numbers<double>(low);
    high_ = Numbers<double>((n >> shift_) + 1);
    for (int64_t k = 0; k < low; ++k) low_.set(k, Root(k % n, n));
    for (int64_t k = 0; k << shift_ < n; ++k) high_.set(k, Root(k << shift_, n));
  }
  /// exp(-2 pi i k / n) for 0 <= k < n.
  WEFT_INLINE Number<T> operator()(int64_t k) const {
    const auto high = static_cast<std::size_t>(k >> shift_);
    const auto low = static_cast<std::size_t>(k & ((int64_t{1} << shift_) - 1));
    const double re = high_.re[high] * low_.re[low] - high_.im[high] * low_.im[low];
    const double im = high_.re[high] * low_.im[low] + high_.im[high] * low_.re[low];
    return {static_cast<T>(re), static_cast<T>(im)};
  }

 private:
  int shift_ = 0;
  Numbers<double> low_;
  Numbers<double> high_;
};

/// n as a product of two numbers near its root; n itself where it is prime to all others.
inline int64_t middle_divisor(int64_t n) {
  int64_t best = 1;
  for (int64_t d = 1; d * d <= n; ++d) {
    if (n % d == 0) best = d;
  }
  return n / best;
}

/// How lines of one length are transformed.
template <class T>
struct LinePlan {
  int64_t n;
  int64_t length;  ///< of the transform that is run: n, or a longer one by Bluestein's way
  Numbers<T> roots;
  std::vector<Numbers<T>> radix_roots;
  std::vector<Stage<T>> stages;
  Numbers<T> chirp;     ///< exp(-pi i k^2 / n)
  Numbers<T> spectrum;  ///< the transform of its conjugate, divided by the length
  bool is_direct() const { return length == n; }

  explicit LinePlan(int64_t size) : n(size), length(size) {
    if (!is_smooth(n)) length = next_fast_len(2 * n - 1);
    roots = Numbers<T>(length);
    for (int64_t k = 0; k < length; ++k) roots.set(k, Root(k, length));
    factor();
    if (!is_direct()) prepare_chirp();
  }
  LinePlan(const LinePlan&) = delete;
  LinePlan& operator=(const LinePlan&) = delete;

  /// The stages from x and back and forth to y; says whether the result is in y.
  WEFT_INLINE bool run_stages(const Planes<T>& x, const Planes<T>& y) const {
    bool in_y = false;
    for (const Stage<T>& stage : stages) {
      run_stage(stage, in_y ? y : x, in_y ? x : y);
      in_y = !in_y;
    }
    return in_y;
  }

 private:
  void factor() {
    int64_t rest = length;
    int64_t s = 1;
    radix_roots.reserve(64);
    for (int radix : {4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}) {
      while (rest % radix == 0) {
        rest /= radix;
        Stage<T> stage{radix, rest, s, roots.re.data(), roots.im.data()};
        if (radix > 5) {
          radix_roots.emplace_back(radix);
          for (int k = 0; k < radix; ++k) radix_roots.back().set(k, Root(k, radix));
          stage.radix_cosine = radix_roots.back().re.data();
          stage.radix_sine = radix_roots.back().im.data();
        }
        stages.push_back(stage);
        s *= radix;
      }
    }
  }
  void prepare_chirp() {
    constexpr int w = lanes<T>;
    chirp = Numbers<T>(n);
    spectrum = Numbers<T>(length);
    Numbers<T> x(length * w);
    Numbers<T> y(length * w);
    const double scale = 1 / static_cast<double>(length);
    int64_t square = 0;  // k * k modulo 2 n
    for (int64_t k = 0; k < n; ++k) {
      const Root root(square, 2 * n);
      chirp.set(k, root);
      x.set(k * w, root.re * scale, -root.im * scale);
      if (k > 0) x.set((length - k) * w, root.re * scale, -root.im * scale);
      square = (square + 2 * k + 1) % (2 * n);
    }
    const Numbers<T>& out = run_stages(x.planes(), y.planes()) ? y : x;
    for (int64_t k = 0; k < length; ++k) {
      const auto at = static_cast<std::size_t>(k * w);
      spectrum.set(k, static_cast<double>(out.re[at]), static_cast<double>(out.im[at]));
    }
  }
};

/// The plans that a thread has used last. A plan stays while the next few are requested.
template <class T>
class LinePlans {
 public:
  static const LinePlan<T>& of(int64_t n) {
    thread_local LinePlans plans;
    return plans.find(n);
  }

 private:
  static constexpr std::size_t most = 16;
  ~LinePlans() {
    for (const LinePlan<T>* plan : all_) delete plan;
  }
  const LinePlan<T>& find(int64_t n) {
    std::size_t i = 0;
    while (i < all_.size() && all_[i]->n != n) ++i;
    if (i == all_.size()) {
      const auto* const made = new LinePlan<T>(n);
      if (i == most) {
        delete all_[--i];
        all_[i] = made;
      } else {
        all_.push_back(made);
      }
    }
    const LinePlan<T>* const found = all_[i];
    for (; i > 0; --i) all_[i] = all_[i - 1];
    all_[0] = found;
    return *found;
  }

  std::vector<const LinePlan<T>*> all_;
};

/// exp(-2 pi i k / n) for k up to n / 2.
template <class T>
Numbers<T> half_roots(int64_t n) {
  Numbers<T> roots(n / 2 + 1);
  for (int64_t k = 0; k <= n / 2; ++k) roots.set(k, Root(k, n));
  return roots;
}

}  // namespace weft::cpu::fourier
