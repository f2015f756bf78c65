// One stage of a Fourier transform of lines side by side: radix 2 to 5, or another small prime.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "weft/core/shape.hpp"
#include "weft/cpu/elementwise/vector.hpp"

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

/// The largest prime that has a butterfly; lengths with larger ones use Bluestein's algorithm.
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
};

/// The same element of all lines.
template <class T>
using Lane = typename detail::VectorOf<T>::type;

/// The transform of R numbers in place. (Vectors are only locals here: passed by value, their ABI
/// would depend on the instruction set.)
template <int R, class T>
WEFT_INLINE void butterfly(Lane<T>* re, Lane<T>* im) {
  using V = Lane<T>;
  if constexpr (R == 2) {
    const V b_re = re[0] - re[1];
    const V b_im = im[0] - im[1];
    re[0] += re[1];
    im[0] += im[1];
    re[1] = b_re;
    im[1] = b_im;
  } else if constexpr (R == 3) {
    constexpr T side(0.86602540378443864676);
    const V sum_re = re[1] + re[2];
    const V sum_im = im[1] + im[2];
    const V mid_re = re[0] - T(0.5) * sum_re;
    const V mid_im = im[0] - T(0.5) * sum_im;
    const V off_re = side * (im[1] - im[2]);
    const V off_im = side * (re[2] - re[1]);
    re[0] += sum_re;
    im[0] += sum_im;
    re[1] = mid_re + off_re;
    im[1] = mid_im + off_im;
    re[2] = mid_re - off_re;
    im[2] = mid_im - off_im;
  } else if constexpr (R == 4) {
    const V b_re = re[0] + re[2];
    const V b_im = im[0] + im[2];
    const V c_re = re[0] - re[2];
    const V c_im = im[0] - im[2];
    const V d_re = re[1] + re[3];
    const V d_im = im[1] + im[3];
    const V e_re = im[1] - im[3];  // (x1 - x3) times -i
    const V e_im = re[3] - re[1];
    re[0] = b_re + d_re;
    im[0] = b_im + d_im;
    re[1] = c_re + e_re;
    im[1] = c_im + e_im;
    re[2] = b_re - d_re;
    im[2] = b_im - d_im;
    re[3] = c_re - e_re;
    im[3] = c_im - e_im;
  } else {
    static_assert(R == 5);
    constexpr T c1(0.30901699437494742410), c2(-0.80901699437494742410);
    constexpr T s1(0.95105651629515357212), s2(0.58778525229247312917);
    const V p_re = re[1] + re[4];
    const V p_im = im[1] + im[4];
    const V q_re = re[2] + re[3];
    const V q_im = im[2] + im[3];
    const V u_re = im[1] - im[4];  // (x1 - x4) times -i
    const V u_im = re[4] - re[1];
    const V v_re = im[2] - im[3];
    const V v_im = re[3] - re[2];
    const V a_re = re[0] + c1 * p_re + c2 * q_re;
    const V a_im = im[0] + c1 * p_im + c2 * q_im;
    const V b_re = re[0] + c2 * p_re + c1 * q_re;
    const V b_im = im[0] + c2 * p_im + c1 * q_im;
    const V x_re = s1 * u_re + s2 * v_re;
    const V x_im = s1 * u_im + s2 * v_im;
    const V y_re = s2 * u_re - s1 * v_re;
    const V y_im = s2 * u_im - s1 * v_im;
    re[0] += p_re + q_re;
    im[0] += p_im + q_im;
    re[1] = a_re + x_re;
    im[1] = a_im + x_im;
    re[2] = b_re + y_re;
    im[2] = b_im + y_im;
    re[3] = b_re - y_re;
    im[3] = b_im - y_im;
    re[4] = a_re - x_re;
    im[4] = a_im - x_im;
  }
}

template <class V, class T>
WEFT_INLINE void store_lane(T* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof(V));
}

/// Runs a stage of one of the common radices; the numbers of a butterfly are in registers.
template <int R, class T, int... U>
WEFT_INLINE void run_radix(const Stage<T>& stage, const Planes<T>& x, const Planes<T>& y,
                           std::integer_sequence<int, U...>) {
  using V = Lane<T>;
  const int64_t block = stage.s * lanes<T>;
  const int64_t apart = stage.m * block;
  for (int64_t p = 0; p < stage.m; ++p) {
    const T c[] = {stage.cosine[p * U * stage.s]...};
    const T s[] = {stage.sine[p * U * stage.s]...};
    const T* const from_re = x.re + p * block;
    const T* const from_im = x.im + p * block;
    T* const to_re = y.re + R * p * block;
    T* const to_im = y.im + R * p * block;
    for (int64_t i = 0; i < block; i += lanes<T>) {
      V re[R];
      V im[R];
      (detail::load_vector(re[U], from_re + i + U * apart), ...);
      (detail::load_vector(im[U], from_im + i + U * apart), ...);
      butterfly<R, T>(re, im);
      const auto put = [&](int u, const V& a, const V& b) WEFT_ALWAYS_INLINE {
        const V turned_re = u == 0 ? a : a * c[u] - b * s[u];
        const V turned_im = u == 0 ? b : a * s[u] + b * c[u];
        store_lane(to_re + i + u * block, turned_re);
        store_lane(to_im + i + u * block, turned_im);
      };
      (put(U, re[U], im[U]), ...);
    }
  }
}

/// A stage whose radix is another prime, by the definition.
template <class T>
WEFT_INLINE void run_prime(const Stage<T>& stage, const Planes<T>& x, const Planes<T>& y) {
  using V = Lane<T>;
  const int r = stage.radix;
  const int64_t block = stage.s * lanes<T>;
  const int64_t apart = stage.m * block;
  for (int64_t p = 0; p < stage.m; ++p) {
    for (int64_t at = 0; at < block; at += lanes<T>) {
      const T* const re = x.re + p * block + at;
      const T* const im = x.im + p * block + at;
      for (int u = 0; u < r; ++u) {
        V sum_re = {};
        V sum_im = {};
        for (int t = 0, k = 0; t < r; ++t, k = k + u < r ? k + u : k + u - r) {
          V a;
          V b;
          detail::load_vector(a, re + t * apart);
          detail::load_vector(b, im + t * apart);
          sum_re += a * stage.radix_cosine[k] - b * stage.radix_sine[k];
          sum_im += a * stage.radix_sine[k] + b * stage.radix_cosine[k];
        }
        const T c = stage.cosine[p * u * stage.s];
        const T s = stage.sine[p * u * stage.s];
        const V turned_re = sum_re * c - sum_im * s;
        const V turned_im = sum_re * s + sum_im * c;
        store_lane(y.re + (r * p + u) * block + at, turned_re);
        store_lane(y.im + (r * p + u) * block + at, turned_im);
      }
    }
  }
}

/// Runs a stage from x to y.
template <class T>
WEFT_INLINE void run_stage(const Stage<T>& stage, const Planes<T>& x, const Planes<T>& y) {
  switch (stage.radix) {
    case 2:
      return run_radix<2>(stage, x, y, std::make_integer_sequence<int, 2>{});
    case 3:
      return run_radix<3>(stage, x, y, std::make_integer_sequence<int, 3>{});
    case 4:
      return run_radix<4>(stage, x, y, std::make_integer_sequence<int, 4>{});
    case 5:
      return run_radix<5>(stage, x, y, std::make_integer_sequence<int, 5>{});
    default:
      return run_prime(stage, x, y);
  }
}

}  // namespace weft::cpu::fourier
