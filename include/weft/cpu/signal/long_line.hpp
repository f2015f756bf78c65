// Fourier transforms of long lines, each shared by all threads and cut into pieces that fit caches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/signal/lines.hpp"

namespace weft::cpu::fourier {

/// A line of complex numbers that a transform keeps for itself.
template <class T>
Span<T> span_of(Numbers<T>& x) {
  const auto n = static_cast<int64_t>(x.re.size());
  return {x.re.data(), x.im.data(), 1, n, n};
}
template <class T>
Span<const T> read_only(const Span<T>& x) {
  return {x.re, x.im, x.step, x.re_count, x.im_count};
}
template <class X>
X swapped(const X& x) {
  return {x.im, x.re, x.step, x.im_count, x.re_count};
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

/// A transform of a smooth length n = n1 n2, in two rounds of short ones, `lanes` at a time: first
/// over the columns of the line seen as a matrix of n1 rows, then over the rows.
template <class T>
void four_steps(int64_t n, const Span<const T>& in, const Span<T>& out, T scale) {
  constexpr int w = lanes<T>;
  const int64_t n1 = middle_divisor(n);
  const int64_t n2 = n / n1;
  const LinePlan<T>& columns = LinePlans<T>::of(n1);
  const LinePlan<T>& rows = LinePlans<T>::of(n2);
  const SplitRoots<T> roots(n);
  Numbers<T> lane_roots(n1 * w);  // exp(-2 pi i k j / n) for a lane j
  for (int64_t k = 0; k < n1; ++k) {
    for (int i = 0; i < w; ++i) lane_roots.set(k * w + i, Root(k * i % n, n));
  }
  Numbers<T> middle(n);
  parallel((n2 + w - 1) / w, n, [&](int64_t first, int64_t last) {
    Numbers<T> x(n1 * w);
    Numbers<T> y(n1 * w);
    const Planes<T> a = x.planes();
    const Planes<T> b = y.planes();
    run_loop([&]() __attribute__((always_inline)) {
      for (int64_t j = first * w; j < last * w && j < n2; j += w) {
        const int count = n2 - j < w ? static_cast<int>(n2 - j) : w;
        for (int64_t k = 0; k < n1; ++k) {
          for (int i = 0; i < count; ++i) {
            const int64_t at = k * n2 + j + i;
            a.re[k * w + i] = at < in.re_count ? in.re[at * in.step] : T(0);
            a.im[k * w + i] = at < in.im_count ? in.im[at * in.step] : T(0);
          }
        }
        const Planes<T> z = columns.run_stages(a, b) ? b : a;
        for (int64_t k = 0; k < n1; ++k) {
          const Number<T> root = roots(k * j);
          for (int i = 0; i < count; ++i) {
            const T lane_re = lane_roots.re[static_cast<std::size_t>(k * w + i)];
            const T lane_im = lane_roots.im[static_cast<std::size_t>(k * w + i)];
            const T c = root.re * lane_re - root.im * lane_im;
            const T s = root.re * lane_im + root.im * lane_re;
            const auto to = static_cast<std::size_t>(k * n2 + j + i);
            middle.re[to] = z.re[k * w + i] * c - z.im[k * w + i] * s;
            middle.im[to] = z.re[k * w + i] * s + z.im[k * w + i] * c;
          }
        }
      }
    });
  });
  parallel((n1 + w - 1) / w, n, [&](int64_t first, int64_t last) {
    Numbers<T> x(n2 * w);
    Numbers<T> y(n2 * w);
    const Planes<T> a = x.planes();
    const Planes<T> b = y.planes();
    run_loop([&]() __attribute__((always_inline)) {
      for (int64_t k = first * w; k < last * w && k < n1; k += w) {
        const int count = n1 - k < w ? static_cast<int>(n1 - k) : w;
        for (int i = 0; i < count; ++i) {
          const T* const re = middle.re.data() + (k + i) * n2;
          const T* const im = middle.im.data() + (k + i) * n2;
          for (int64_t j = 0; j < n2; ++j) {
            a.re[j * w + i] = re[j];
            a.im[j * w + i] = im[j];
          }
        }
        const Planes<T> z = rows.run_stages(a, b) ? b : a;
        for (int64_t j = 0; j < n2; ++j) {
          for (int i = 0; i < count; ++i) {
            const int64_t at = k + i + n1 * j;
            if (at < out.re_count) out.re[at * out.step] = scale * z.re[j * w + i];
            if (at < out.im_count) out.im[at * out.step] = scale * z.im[j * w + i];
          }
        }
      }
    });
  });
}

/// The transform of a long line of any length.
template <class T>
void transform_line(int64_t n, const Span<const T>& in, const Span<T>& out, T scale) {
  if (is_smooth(n)) return four_steps(n, in, out, scale);
  // Bluestein: a convolution with a chirp, and that by transforms of a smooth length.
  const int64_t length = next_fast_len(2 * n - 1);
  const SplitRoots<double> roots(2 * n);
  Numbers<T> chirp(n);
  Numbers<T> x(length);
  Numbers<T> spectrum(length);
  for (int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k) {
    const Number<double> root = roots(square);
    chirp.set(k, root.re, root.im);
    x.set(k, root.re, -root.im);
    if (k > 0) x.set(length - k, root.re, -root.im);
  }
  const T one(1);
  const Span<T> line = span_of(x);
  four_steps(length, read_only(line), span_of(spectrum), one / static_cast<T>(length));
  const auto multiply = [&](const Span<const T>& from, Numbers<T>& by, int64_t count,
                            const Span<T>& to, T factor) {
    parallel(count, count, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const T re = k < from.re_count ? from.re[k * from.step] * factor : T(0);
        const T im = k < from.im_count ? from.im[k * from.step] * factor : T(0);
        const T to_re = re * by.re[at] - im * by.im[at];
        const T to_im = re * by.im[at] + im * by.re[at];
        if (k < to.re_count) to.re[k * to.step] = to_re;
        if (k < to.im_count) to.im[k * to.step] = to_im;
      }
    });
  };
  multiply(in, chirp, n, line, one);
  for (int64_t k = n; k < length; ++k) x.set(k, 0, 0);
  Numbers<T> y(length);
  four_steps(length, read_only(line), span_of(y), one);
  multiply(read_only(span_of(y)), spectrum, length, line, one);
  four_steps(length, read_only(swapped(line)), swapped(span_of(y)), one);
  multiply(read_only(span_of(y)), chirp, n, out, scale);
}

/// One line of a pass.
template <class T>
void run_line(const Pass<T>& p, const T* in, T* out) {
  const bool folded = p.kind == Kind::complex_to_real;
  if (!folded && !p.is_half()) {
    return transform_line(p.n, source_of(p, in), target_of(p, out), p.scale);
  }
  if (folded && !p.is_half()) {
    Numbers<T> full(p.n);
    for (int64_t k = 0; k <= p.n / 2 && k < p.available; ++k) {
      const T re = in[k * p.in_step];
      const T im = k > 0 ? in[k * p.in_step + 1] : T(0);
      full.set(k, static_cast<double>(re), static_cast<double>(im));
      if (k > 0) full.set(p.n - k, static_cast<double>(re), static_cast<double>(-im));
    }
    const Span<T> line = span_of(full);
    return transform_line(p.n, read_only(swapped(line)), target_of(p, out), p.scale);
  }
  const int64_t half = p.n / 2;
  const SplitRoots<T> roots(p.n);
  Numbers<T> pairs(half);
  const Span<T> line = span_of(pairs);
  if (!folded) transform_line(half, source_of(p, in), line, T(1));
  parallel(half + 1, p.n, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      if (!folded) {
        const int64_t one = k < half ? k : 0;
        const int64_t other = k > 0 ? half - k : 0;
        const Number<T> value = real_spectrum<T>({line.re[one], line.im[one]},
                                                 {line.re[other], line.im[other]}, roots(k));
        out[k * p.out_step] = p.scale * value.re;
        out[k * p.out_step + 1] = p.scale * value.im;
      } else if (k < half) {
        const auto at = [&](int64_t i) -> Number<T> {
          if (i >= p.available) return {T(0), T(0)};
          return {in[i * p.in_step], i > 0 && i < half ? in[i * p.in_step + 1] : T(0)};
        };
        const Number<T> z = pairs_spectrum(at(k), at(half - k), roots(k));
        line.re[k] = z.re;
        line.im[k] = z.im;
      }
    }
  });
  if (folded) {
    transform_line(half, read_only(swapped(line)), target_of(p, out), p.scale);
  }
}

}  // namespace weft::cpu::fourier
