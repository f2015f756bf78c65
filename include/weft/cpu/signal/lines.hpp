// Fourier transforms of many short lines: a few at a time are brought side by side and transformed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/cpu/signal/line_plan.hpp"
#include "weft/tensor/access.hpp"

namespace weft::cpu::fourier {

/// Temporary, uninitialised memory.
template <class T>
class Room {
 public:
  explicit Room(int64_t n) : numbers_(weft::detail::Access::allocate<T, Cpu>({n}, Cpu{}, "fft")) {}
  T* data() const { return numbers_.data(); }

 private:
  Tensor<T, Cpu> numbers_;
};

/// What a line is before and after.
enum class Kind { complex_to_complex, real_to_complex, complex_to_real };

/// Transforms of lines. Addresses and steps count numbers of type T, two for a complex element.
template <class T>
struct Pass {
  Kind kind = Kind::complex_to_complex;
  bool inverse = false;   ///< of complex lines; from complex to real always, to complex never
  int64_t n = 1;          ///< the length of the transform
  int64_t available = 1;  ///< elements that there are; those behind are 0
  T scale = 1;
  const T* in = nullptr;
  int64_t in_step = 1;
  T* out = nullptr;
  int64_t out_step = 1;
  Shape batch;  ///< of the lines
  Strides in_strides;
  Strides out_strides;

  bool is_half() const { return kind != Kind::complex_to_complex && n % 2 == 0; }
  /// The length of the complex transform: real lines of even length are complex ones of half of it.
  int64_t complex_length() const { return is_half() ? n / 2 : n; }

  int64_t offset(const Strides& strides, int64_t line) const {
    int64_t at = 0;
    for (int i = batch.rank() - 1; i >= 0; --i) {
      at += line % batch[i] * strides[i];
      line /= batch[i];
    }
    return at;
  }
};

/// Numbers of a line: element k at re + k * step and im + k * step, where there are so many.
template <class T>
struct Span {
  T* re;
  T* im;
  int64_t step;
  int64_t re_count;
  int64_t im_count;
};

/// The line that a pass reads at `in`, as complex numbers before the transform. Swapping the parts
/// before and after a transform makes it the inverse.
template <class T>
Span<const T> source_of(const Pass<T>& p, const T* in) {
  const int64_t m = p.available;
  if (p.kind == Kind::real_to_complex) {
    if (p.is_half()) return {in, in + p.in_step, 2 * p.in_step, (m + 1) / 2, m / 2};
    return {in, in, p.in_step, m, 0};
  }
  if (p.inverse && p.kind == Kind::complex_to_complex) return {in + 1, in, p.in_step, m, m};
  return {in, in + 1, p.in_step, m, m};
}
/// Where a pass writes its transform's result, except for real_to_complex of an even length.
template <class T>
Span<T> target_of(const Pass<T>& p, T* out) {
  if (p.kind == Kind::complex_to_real) {
    if (p.is_half()) return {out + p.out_step, out, 2 * p.out_step, p.n / 2, p.n / 2};
    return {out, out, p.out_step, 0, p.n};
  }
  const int64_t count = p.kind == Kind::real_to_complex ? p.n / 2 + 1 : p.n;
  if (p.inverse) return {out + 1, out, p.out_step, count, count};
  return {out, out + 1, p.out_step, count, count};
}

/// Element k of the spectrum of a real line of n = 2 h elements, from elements k and h - k of the
/// transform of its pairs, `root` being exp(-2 pi i k / n).
template <class T>
WEFT_INLINE Number<T> real_spectrum(Number<T> z, Number<T> mirror, Number<T> root) {
  const Number<T> even{T(0.5) * (z.re + mirror.re), T(0.5) * (z.im - mirror.im)};
  const Number<T> odd{T(0.5) * (z.im + mirror.im), T(-0.5) * (z.re - mirror.re)};
  return {even.re + odd.re * root.re - odd.im * root.im,
          even.im + odd.re * root.im + odd.im * root.re};
}
/// The reverse: twice the pairs' transform at k.
template <class T>
WEFT_INLINE Number<T> pairs_spectrum(Number<T> x, Number<T> mirror, Number<T> root) {
  const Number<T> even{x.re + mirror.re, x.im - mirror.im};
  const Number<T> half{x.re - mirror.re, x.im + mirror.im};
  // i times half times the root's conjugate
  const Number<T> odd{half.re * root.re + half.im * root.im, half.im * root.re - half.re * root.im};
  return {even.re - odd.im, even.im + odd.re};
}

/// Transforms up to `lanes` lines from `first` on.
template <class T>
struct Block {
  static constexpr int w = lanes<T>;
  static constexpr int64_t stretch = 32;  // elements, whose lines of w stay in the first cache
  const Pass<T>& pass;
  const LinePlan<T>& plan;
  const Numbers<T>& real_roots;  // exp(-2 pi i k / n) of real lines of even length
  Planes<T> x;
  Planes<T> y;

  WEFT_INLINE void operator()(int64_t first, int64_t lines) const {
    int64_t from[w];
    int64_t to[w];
    for (int i = 0; i < w; ++i) {
      const int64_t line = first + (i < lines ? i : 0);
      from[i] = pass.offset(pass.in_strides, line);
      to[i] = pass.offset(pass.out_strides, line);
    }
    Planes<T> a = x;
    Planes<T> b = y;
    gather(a, from);
    if (pass.kind == Kind::complex_to_real) a = unfold(a);
    if (!plan.is_direct()) chirp(a, plan.n, plan.chirp, plan.length);
    bool in_b = plan.run_stages(a, b);
    if (!plan.is_direct()) {
      Planes<T> z = in_b ? b : a;
      Planes<T> other = in_b ? a : b;
      chirp(z, plan.length, plan.spectrum, plan.length);
      const Planes<T> swapped{z.im, z.re};
      const Planes<T> there{other.im, other.re};
      if (plan.run_stages(swapped, there)) z = other;
      chirp(z, plan.n, plan.chirp, plan.n);
      scatter(z, to, static_cast<int>(lines));
    } else {
      scatter(in_b ? b : a, to, static_cast<int>(lines));
    }
  }

 private:
  WEFT_INLINE void gather(const Planes<T>& a, const int64_t* from) const {
    // For complex_to_real, the elements up to the middle; otherwise a transform's line.
    const bool folded = pass.kind == Kind::complex_to_real;
    const int64_t length = folded ? pass.n / 2 + 1 : plan.n;
    const Span<const T> in = source_of(pass, pass.in);
    const int64_t res = in.re_count < length ? in.re_count : length;
    const int64_t ims = in.im_count < length ? in.im_count : length;
    T* __restrict const re = a.re;
    T* __restrict const im = a.im;
    if (in.step == 2) {  // lines that lie one after the other: a stretch of each in turn
      for (int64_t begin = 0; begin < ims; begin += stretch) {
        const int64_t end = begin + stretch < ims ? begin + stretch : ims;
        for (int i = 0; i < w; ++i) {
          const T* const real = in.re + from[i];
          const T* const imaginary = in.im + from[i];
          for (int64_t k = begin; k < end; ++k) {
            re[k * w + i] = real[2 * k];
            im[k * w + i] = imaginary[2 * k];
          }
        }
      }
    }
    for (int64_t k = in.step == 2 ? ims : 0; k < ims; ++k) {
      for (int i = 0; i < w; ++i) re[k * w + i] = in.re[from[i] + k * in.step];
      for (int i = 0; i < w; ++i) im[k * w + i] = in.im[from[i] + k * in.step];
    }
    for (int64_t k = ims; k < res; ++k) {
      for (int i = 0; i < w; ++i) re[k * w + i] = in.re[from[i] + k * in.step];
    }
    for (int64_t k = res * w; k < length * w; ++k) re[k] = 0;
    for (int64_t k = ims * w; k < length * w; ++k) im[k] = 0;
  }

  /// The spectrum of real lines as their pairs' spectrum, or in full; with its parts swapped.
  WEFT_INLINE Planes<T> unfold(const Planes<T>& a) const {
    const int64_t half = pass.n / 2;
    const bool even = pass.n % 2 == 0;
    for (int i = 0; i < w; ++i) {
      a.im[i] = 0;  // as there is no imaginary part in the spectrum of real numbers
      if (even) a.im[half * w + i] = 0;
    }
    if (!even) {
      for (int64_t k = 1; k <= half; ++k) {
        for (int i = 0; i < w; ++i) {
          a.re[(pass.n - k) * w + i] = a.re[k * w + i];
          a.im[(pass.n - k) * w + i] = -a.im[k * w + i];
        }
      }
      return {a.im, a.re};
    }
    for (int64_t k = 0; 2 * k <= half; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Number<T> root{real_roots.re[at], real_roots.im[at]};
      const Number<T> mirrored{-root.re, root.im};
      for (int i = 0; i < w; ++i) {
        const Number<T> one{a.re[k * w + i], a.im[k * w + i]};
        const Number<T> other{a.re[(half - k) * w + i], a.im[(half - k) * w + i]};
        const Number<T> z = pairs_spectrum(one, other, root);
        const Number<T> m = pairs_spectrum(other, one, mirrored);
        a.re[(half - k) * w + i] = m.re;
        a.im[(half - k) * w + i] = m.im;
        a.re[k * w + i] = z.re;
        a.im[k * w + i] = z.im;
      }
    }
    return {a.im, a.re};
  }

  /// Elements times a vector, and zeros behind up to `length`.
  WEFT_INLINE static void chirp(const Planes<T>& a, int64_t n, const Numbers<T>& by,
                                int64_t length) {
    for (int64_t k = 0; k < n; ++k) {
      const T c = by.re[static_cast<std::size_t>(k)];
      const T s = by.im[static_cast<std::size_t>(k)];
      for (int i = 0; i < w; ++i) {
        const T re = a.re[k * w + i];
        const T im = a.im[k * w + i];
        a.re[k * w + i] = re * c - im * s;
        a.im[k * w + i] = re * s + im * c;
      }
    }
    for (int64_t k = n * w; k < length * w; ++k) a.re[k] = a.im[k] = 0;
  }

  WEFT_INLINE void scatter(const Planes<T>& z, const int64_t* to, int lines) const {
    const T scale = pass.scale;
    if (pass.kind == Kind::real_to_complex && pass.is_half()) {
      const int64_t half = pass.n / 2;
      for (int64_t k = 0; k <= half; ++k) {
        const int64_t one = k < half ? k : 0;
        const int64_t other = k > 0 ? half - k : 0;
        const auto at = static_cast<std::size_t>(k);
        const Number<T> root{real_roots.re[at], real_roots.im[at]};
        for (int i = 0; i < lines; ++i) {
          const Number<T> value =
              real_spectrum<T>({z.re[one * w + i], z.im[one * w + i]},
                               {z.re[other * w + i], z.im[other * w + i]}, root);
          T* const out = pass.out + to[i] + k * pass.out_step;
          out[0] = scale * value.re;
          out[1] = scale * value.im;
        }
      }
      return;
    }
    const Span<T> out = target_of(pass, pass.out);
    if (out.step == 2 && out.re_count == out.im_count) {
      for (int64_t begin = 0; begin < out.im_count; begin += stretch) {
        const int64_t end = begin + stretch < out.im_count ? begin + stretch : out.im_count;
        for (int i = 0; i < lines; ++i) {
          T* const real = out.re + to[i];
          T* const imaginary = out.im + to[i];
          for (int64_t k = begin; k < end; ++k) {
            real[2 * k] = scale * z.re[k * w + i];
            imaginary[2 * k] = scale * z.im[k * w + i];
          }
        }
      }
      return;
    }
    for (int64_t k = 0; k < out.im_count; ++k) {
      if (k < out.re_count) {
        for (int i = 0; i < lines; ++i) out.re[to[i] + k * out.step] = scale * z.re[k * w + i];
      }
      for (int i = 0; i < lines; ++i) out.im[to[i] + k * out.step] = scale * z.im[k * w + i];
    }
  }
};

/// All lines of a pass; a thread takes a few at a time.
template <class T>
void run_lines(const Pass<T>& pass) {
  constexpr int w = lanes<T>;
  const LinePlan<T>& plan = LinePlans<T>::of(pass.complex_length());
  Numbers<T> real_roots;
  if (pass.is_half()) real_roots = half_roots<T>(pass.n);
  const int64_t count = pass.batch.size();
  const int64_t size = (plan.length + 1) * w;
  parallel((count + w - 1) / w, count * pass.n, [&](int64_t first, int64_t last) {
    const Room<T> room(4 * size);
    T* const at = room.data();
    const Block<T> block{pass, plan, real_roots, {at, at + size}, {at + 2 * size, at + 3 * size}};
    run_loop([&]() WEFT_ALWAYS_INLINE {
      for (int64_t i = first; i < last; ++i) {
        block(i * w, count - i * w < w ? count - i * w : w);
      }
    });
  });
}

}  // namespace weft::cpu::fourier
