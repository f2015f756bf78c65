// Fourier transforms of long lines, each shared by all threads and cut into pieces that fit caches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/signal/lines.hpp"

namespace weft::cpu::fourier {

/// A transform's own line of complex numbers.
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

/// Transforms of as many adjacent lines as fill a cache line, each in its own memory.
template <class T>
class Group {
 public:
  static constexpr int w = lanes<T>;
  static constexpr int blocks = 64 / (w * static_cast<int>(sizeof(T)));
  static constexpr int width = blocks * w;

  explicit Group(const LinePlan<T>& plan) : plan_(plan), room_(4 * blocks * plan.n * w) {
    for (int i = 0; i < 2 * blocks; ++i) {
      T* const at = room_.data() + 2 * i * plan.n * w;
      planes_[i] = {at, at + plan.n * w};
    }
  }
  /// Where element k of the line `first` + i goes, i < w, for each block.
  WEFT_INLINE Planes<T> source(int block) const { return planes_[2 * block]; }
  /// Transforms a block's lines, and says where they are.
  WEFT_INLINE Planes<T> run(int block) const {
    const Planes<T>& x = planes_[2 * block];
    const Planes<T>& y = planes_[2 * block + 1];
    return plan_.run_stages(x, y) ? y : x;
  }

 private:
  const LinePlan<T>& plan_;
  Room<T> room_;
  Planes<T> planes_[2 * blocks];
};

/// A transform of a smooth length n = n1 n2, in two rounds of short ones: first over the columns of
/// the line seen as a matrix of n1 rows, then over the rows.
template <class T>
struct FourSteps {
  static constexpr int w = lanes<T>;
  static constexpr int width = Group<T>::width;
  const Span<const T>& in;
  const Span<T>& out;
  T scale;
  int64_t n1;
  int64_t n2;
  int64_t pitch;  // of a row between the rounds: a power of two would fall into few sets of a cache
  Planes<T> middle;
  const SplitRoots<T>& roots;
  const Numbers<T>& lane_roots;  // exp(-2 pi i k j / n) for a lane j

  /// Columns j to j + width - 1, as far as they exist.
  WEFT_INLINE void columns(const Group<T>& group, int64_t j) const {
    const int64_t count = n2 - j < width ? n2 - j : width;
    const int blocks = static_cast<int>((count + w - 1) / w);
    for (int64_t k = 0; k < n1; ++k) {
      const int64_t at = k * n2 + j;
      for (int b = 0; b < blocks; ++b) {
        const Planes<T> a = group.source(b);
        read(in.re, in.step, at + b * w, in.re_count, a.re + k * w);
        read(in.im, in.step, at + b * w, in.im_count, a.im + k * w);
      }
    }
    for (int b = 0; b < blocks; ++b) {
      const Planes<T> z = group.run(b);
      const int64_t first = j + b * w;
      const int64_t lines = n2 - first < w ? n2 - first : w;
      for (int64_t k = 0; k < n1; ++k) {
        const Number<T> root = roots(k * first);
        Lane<T> re, im, c, s;
        detail::load_vector(c, lane_roots.re.data() + k * w);
        detail::load_vector(s, lane_roots.im.data() + k * w);
        detail::load_vector(re, z.re + k * w);
        detail::load_vector(im, z.im + k * w);
        const Lane<T> turn_re = c * root.re - s * root.im;
        const Lane<T> turn_im = s * root.re + c * root.im;
        const Lane<T> to_re = re * turn_re - im * turn_im;
        const Lane<T> to_im = re * turn_im + im * turn_re;
        const int64_t to = k * pitch + first;
        if (lines == w) {
          store_lane(middle.re + to, to_re);
          store_lane(middle.im + to, to_im);
        } else {
          __builtin_memcpy(middle.re + to, &to_re, static_cast<std::size_t>(lines) * sizeof(T));
          __builtin_memcpy(middle.im + to, &to_im, static_cast<std::size_t>(lines) * sizeof(T));
        }
      }
    }
  }

  /// Rows k to k + width - 1, as far as they exist.
  WEFT_INLINE void rows(const Group<T>& group, int64_t k) const {
    const int64_t count = n1 - k < width ? n1 - k : width;
    const int blocks = static_cast<int>((count + w - 1) / w);
    Planes<T> z[Group<T>::blocks];
    for (int b = 0; b < blocks; ++b) {
      const Planes<T> a = group.source(b);
      for (int i = 0; i < w && b * w + i < count; ++i) {
        const T* const re = middle.re + (k + b * w + i) * pitch;
        const T* const im = middle.im + (k + b * w + i) * pitch;
        for (int64_t j = 0; j < n2; ++j) {
          a.re[j * w + i] = re[j];
          a.im[j * w + i] = im[j];
        }
      }
      z[b] = group.run(b);
    }
    for (int64_t j = 0; j < n2; ++j) {
      for (int b = 0; b < blocks; ++b) {
        const int64_t lines = count - b * w < w ? count - b * w : w;
        const int64_t at = k + b * w + n1 * j;
        write(out.re, out.step, at, out.re_count, lines, z[b].re + j * w);
        write(out.im, out.step, at, out.im_count, lines, z[b].im + j * w);
      }
    }
  }

 private:
  WEFT_INLINE static void read(const T* from, int64_t step, int64_t at, int64_t count, T* to) {
    if (at + w <= count) {
      for (int i = 0; i < w; ++i) to[i] = from[(at + i) * step];
    } else {
      for (int i = 0; i < w; ++i) to[i] = at + i < count ? from[(at + i) * step] : T(0);
    }
  }
  WEFT_INLINE void write(T* to, int64_t step, int64_t at, int64_t most, int64_t lines,
                         const T* from) const {
    if (lines == w && at + w <= most) {
      for (int i = 0; i < w; ++i) to[(at + i) * step] = scale * from[i];
    } else {
      for (int i = 0; i < lines && at + i < most; ++i) to[(at + i) * step] = scale * from[i];
    }
  }
};

template <class T>
void four_steps(int64_t n, const Span<const T>& in, const Span<T>& out, T scale) {
  constexpr int w = lanes<T>;
  constexpr int64_t width = Group<T>::width;
  const int64_t n1 = middle_divisor(n);
  const int64_t n2 = n / n1;
  const LinePlan<T>& columns = LinePlans<T>::of(n1);
  const LinePlan<T>& rows = LinePlans<T>::of(n2);
  const SplitRoots<T> roots(n);
  Numbers<T> lane_roots(n1 * w);
  for (int64_t k = 0; k < n1; ++k) {
    for (int i = 0; i < w; ++i) lane_roots.set(k * w + i, Root(k * i % n, n));
  }
  const int64_t pitch = n2 + width;
  const Room<T> middle(2 * n1 * pitch);
  const FourSteps<T> steps{
      in,    out,       scale, n1, n2, pitch, {middle.data(), middle.data() + n1 * pitch},
      roots, lane_roots};
  parallel((n2 + width - 1) / width, n, [&](int64_t first, int64_t last) {
    const Group<T> group(columns);
    run_loop([&]() WEFT_ALWAYS_INLINE {
      for (int64_t j = first; j < last; ++j) steps.columns(group, j * width);
    });
  });
  parallel((n1 + width - 1) / width, n, [&](int64_t first, int64_t last) {
    const Group<T> group(rows);
    run_loop([&]() WEFT_ALWAYS_INLINE {
      for (int64_t k = first; k < last; ++k) steps.rows(group, k * width);
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
  const Room<T> pairs(2 * half);
  const Span<T> line{pairs.data(), pairs.data() + half, 1, half, half};
  if (!folded) transform_line(half, source_of(p, in), line, T(1));
  // A few roots of the whole, and their products with the first ones.
  constexpr int64_t run = 64;
  const SplitRoots<T> roots(p.n);
  Numbers<T> near(run);
  for (int64_t i = 0; i < run; ++i) near.set(i, Root(i % p.n, p.n));
  parallel(half / run + 1, p.n, [&](int64_t first, int64_t last) {
    for (int64_t at = first * run; at < last * run; at += run) {
      const Number<T> base = roots(at);
      const int64_t end = at + run < half + 1 ? at + run : half + 1;
      for (int64_t k = at; k < end; ++k) {
        const auto i = static_cast<std::size_t>(k - at);
        const Number<T> root{base.re * near.re[i] - base.im * near.im[i],
                             base.re * near.im[i] + base.im * near.re[i]};
        if (folded) {
          if (k == half) continue;
          const auto given = [&](int64_t j) -> Number<T> {
            if (j >= p.available) return {T(0), T(0)};
            return {in[j * p.in_step], j > 0 && j < half ? in[j * p.in_step + 1] : T(0)};
          };
          const Number<T> z = pairs_spectrum(given(k), given(half - k), root);
          line.re[k] = z.re;
          line.im[k] = z.im;
        } else {
          const int64_t one = k < half ? k : 0;
          const int64_t other = k > 0 ? half - k : 0;
          const Number<T> value = real_spectrum<T>({line.re[one], line.im[one]},
                                                   {line.re[other], line.im[other]}, root);
          out[k * p.out_step] = p.scale * value.re;
          out[k * p.out_step + 1] = p.scale * value.im;
        }
      }
    }
  });
  if (folded) transform_line(half, read_only(swapped(line)), target_of(p, out), p.scale);
}

}  // namespace weft::cpu::fourier
