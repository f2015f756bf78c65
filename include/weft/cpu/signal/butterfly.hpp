// One stage of a Fourier transform of lines side by side: radix 2 to 5, or another small prime.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/shape.hpp"

namespace weft::cpu::fourier {

/// Lines that are transformed side by side, a register of AVX2 for each part of an element.
template <class T>
inline constexpr int lanes = 32 / static_cast<int>(sizeof(T));

/// The real and the imaginary parts of lines: element k of line w is at k * lanes + w.
template <class T>
struct Planes {
  T* re = nullptr;
  T* im = nullptr;
};

/// The largest prime that has a butterfly; lengths with larger ones go by Bluestein's way.
inline constexpr int most_radix = 31;

/// One stage in Stockham's order: `m * radix` elements that are each `s` long.
template <class T>
struct Stage {
  int radix = 2;
  int64_t m = 1;
  int64_t s = 1;
  const T* cosine = nullptr;  ///< of the whole length's roots of 1, exp(-2 pi i k / n)
  const T* sine = nullptr;
  const T* radix_cosine = nullptr;  ///< of the radix's own
  const T* radix_sine = nullptr;
};

template <class T>
struct Number {
  T re;
  T im;
  WEFT_INLINE friend Number operator+(Number a, Number b) { return {a.re + b.re, a.im + b.im}; }
  WEFT_INLINE friend Number operator-(Number a, Number b) { return {a.re - b.re, a.im - b.im}; }
  WEFT_INLINE friend Number operator*(T a, Number b) { return {a * b.re, a * b.im}; }
  /// b times -i.
  WEFT_INLINE friend Number turned(Number b) { return {b.im, -b.re}; }
};

/// The transform of R numbers in place.
template <int R, class T>
WEFT_INLINE void butterfly(Number<T>* a) {
  if constexpr (R == 2) {
    const auto b = a[0] - a[1];
    a[0] = a[0] + a[1];
    a[1] = b;
  } else if constexpr (R == 3) {
    const auto sum = a[1] + a[2];
    const auto middle = a[0] - T(0.5) * sum;
    const auto side = turned(T(0.86602540378443864676) * (a[1] - a[2]));
    a[0] = a[0] + sum;
    a[1] = middle + side;
    a[2] = middle - side;
  } else if constexpr (R == 4) {
    const auto b = a[0] + a[2];
    const auto c = a[0] - a[2];
    const auto d = a[1] + a[3];
    const auto e = turned(a[1] - a[3]);
    a[0] = b + d;
    a[1] = c + e;
    a[2] = b - d;
    a[3] = c - e;
  } else {
    static_assert(R == 5);
    constexpr T c1(0.30901699437494742410), c2(-0.80901699437494742410);
    constexpr T s1(0.95105651629515357212), s2(0.58778525229247312917);
    const auto sum1 = a[1] + a[4];
    const auto sum2 = a[2] + a[3];
    const auto diff1 = a[1] - a[4];
    const auto diff2 = a[2] - a[3];
    const auto middle1 = a[0] + c1 * sum1 + c2 * sum2;
    const auto middle2 = a[0] + c2 * sum1 + c1 * sum2;
    const auto side1 = turned(s1 * diff1 + s2 * diff2);
    const auto side2 = turned(s2 * diff1 - s1 * diff2);
    a[0] = a[0] + sum1 + sum2;
    a[1] = middle1 + side1;
    a[2] = middle2 + side2;
    a[3] = middle2 - side2;
    a[4] = middle1 - side1;
  }
}

/// Runs a stage; `First` where s is 1, so that the inner loop's length is known.
template <int R, bool First, class T>
WEFT_INLINE void run_radix(const Stage<T>& stage, const Planes<T>& x, const Planes<T>& y) {
  const int64_t block = First ? lanes<T> : stage.s * lanes<T>;
  const int64_t apart = stage.m * block;
  for (int64_t p = 0; p < stage.m; ++p) {
    Number<T> root[R];
    for (int u = 1; u < R; ++u) {
      root[u] = {stage.cosine[p * u * stage.s], stage.sine[p * u * stage.s]};
    }
    const T* __restrict const re = x.re + p * block;
    const T* __restrict const im = x.im + p * block;
    T* __restrict const to_re = y.re + R * p * block;
    T* __restrict const to_im = y.im + R * p * block;
    for (int64_t i = 0; i < (First ? lanes<T> : block); ++i) {
      Number<T> a[R];
      for (int t = 0; t < R; ++t) a[t] = {re[i + t * apart], im[i + t * apart]};
      butterfly<R>(a);
      to_re[i] = a[0].re;
      to_im[i] = a[0].im;
      for (int u = 1; u < R; ++u) {
        to_re[i + u * block] = a[u].re * root[u].re - a[u].im * root[u].im;
        to_im[i + u * block] = a[u].re * root[u].im + a[u].im * root[u].re;
      }
    }
  }
}

/// A stage whose radix is another prime, by the definition.
template <class T>
WEFT_INLINE void run_prime(const Stage<T>& stage, const Planes<T>& x, const Planes<T>& y) {
  constexpr int w = lanes<T>;
  const int r = stage.radix;
  const int64_t block = stage.s * w;
  const int64_t apart = stage.m * block;
  for (int64_t p = 0; p < stage.m; ++p) {
    for (int64_t at = 0; at < block; at += w) {
      const T* __restrict const re = x.re + p * block + at;
      const T* __restrict const im = x.im + p * block + at;
      for (int u = 0; u < r; ++u) {
        T sum_re[w] = {};
        T sum_im[w] = {};
        for (int t = 0, k = 0; t < r; ++t, k = k + u < r ? k + u : k + u - r) {
          const T c = stage.radix_cosine[k];
          const T s = stage.radix_sine[k];
          for (int i = 0; i < w; ++i) {
            sum_re[i] += re[i + t * apart] * c - im[i + t * apart] * s;
            sum_im[i] += re[i + t * apart] * s + im[i + t * apart] * c;
          }
        }
        const T c = stage.cosine[p * u * stage.s];
        const T s = stage.sine[p * u * stage.s];
        T* __restrict const to_re = y.re + (r * p + u) * block + at;
        T* __restrict const to_im = y.im + (r * p + u) * block + at;
        for (int i = 0; i < w; ++i) {
          to_re[i] = sum_re[i] * c - sum_im[i] * s;
          to_im[i] = sum_re[i] * s + sum_im[i] * c;
        }
      }
    }
  }
}

/// Runs a stage from x to y.
template <class T>
WEFT_INLINE void run_stage(const Stage<T>& stage, const Planes<T>& x, const Planes<T>& y) {
  switch (stage.s == 1 ? -stage.radix : stage.radix) {
    case -2:
      return run_radix<2, true>(stage, x, y);
    case 2:
      return run_radix<2, false>(stage, x, y);
    case -3:
      return run_radix<3, true>(stage, x, y);
    case 3:
      return run_radix<3, false>(stage, x, y);
    case -4:
      return run_radix<4, true>(stage, x, y);
    case 4:
      return run_radix<4, false>(stage, x, y);
    case -5:
      return run_radix<5, true>(stage, x, y);
    case 5:
      return run_radix<5, false>(stage, x, y);
    default:
      return run_prime(stage, x, y);
  }
}

}  // namespace weft::cpu::fourier
