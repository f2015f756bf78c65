// convolve, correlate: of signals along the last axis, and of images along the last two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/pad.hpp"
#include "weft/ops/signal/fft.hpp"
#include "weft/ops/signal/frames.hpp"
#include "weft/ops/signal/lengths.hpp"

namespace weft {

/// Which part of a convolution is wanted: all of it, the middle as long as the first operand, or
/// what needs no elements beyond the ends.
enum class ConvolveMode { full, same, valid };

/// How it is computed: by the sum, by Fourier transforms, or as is likely to be faster.
enum class ConvolveMethod { automatic, direct, fft };

namespace fourier {

struct Convolve {
  using domain = op::FloatingOrComplex;
  static constexpr const char* text = "convolve";
};

/// The part of a full convolution that is wanted along one axis.
struct Part {
  int64_t first = 0;
  int64_t length = 0;
};
inline Part part_of(ConvolveMode mode, int64_t a, int64_t v) {
  if (mode == ConvolveMode::full) return {0, a + v - 1};
  if (mode == ConvolveMode::same) return {(v - 1) / 2, a};
  return a >= v ? Part{v - 1, a - v + 1} : Part{a - 1, v - a + 1};
}

/// A device's own loops over lines of floats or doubles and few taps (cuda/signal/filter.hpp).
///   bool takes(length, taps)
///   void run(operation, x, taps, out, first)   out: what the full convolution has from `first` on
template <class D>
struct LineFilter;

/// By LineFilter, where it is there and takes all lines with one set of taps; else an empty tensor.
template <class A>
A convolve_lines(const A& a, const A& v, const Part& part) {
  using T = typename A::value_type;
  using D = std::conditional_t<is_cuda<typename A::device_type>, Cuda, Cpu>;
  if constexpr (requires { sizeof(LineFilter<D>); } && std::is_floating_point_v<T>) {
    const int64_t taps = v.shape()[v.rank() - 1];
    if (v.size() == taps && v.rank() <= a.rank() && LineFilter<D>::takes(part.length, taps)) {
      Shape shape = a.shape();
      shape[a.rank() - 1] = part.length;
      const A out = empty<T>(shape, a.device());
      if (out.size() > 0) {
        LineFilter<D>::run("convolve", a.contiguous(), v.contiguous(), out, part.first);
        return out;
      }
    }
  }
  return A();
}

/// Of batches that broadcast: the sum over v's elements of views of a.
template <int N, class A, class V>
auto convolve_directly(const A& a, const V& v, const Part (&parts)[N]) {
  if constexpr (N == 1 && detail::is_tensor<A> && std::is_same_v<A, V>) {
    const auto lines = convolve_lines(a, v, parts[0]);
    if (lines.size() > 0) return lines;
  }
  Shape around;
  for (int i = N - 1; i >= 0; --i) {
    const int64_t taps = v.shape()[v.rank() - N + i];
    around.push_back(taps - 1 - parts[i].first);
    around.push_back(parts[i].first + parts[i].length - a.shape()[a.rank() - N + i]);
  }
  // (batch, place, tap) or (batch, row, column, tap of a column, tap of a row)
  auto frames = detail::as_tensor(pad(a, around));
  auto taps = v;
  for (int i = N - 1; i >= 0; --i) {
    const int axis = a.rank() - N + i;
    frames = frames_of(frames, axis, v.shape()[v.rank() - N + i], 1);
    taps = taps.flip(v.rank() - N + i);
  }
  if constexpr (N == 2) taps = taps.transpose(-1, -2);
  for (int i = 0; i < N; ++i) taps = taps.unsqueeze(-N - 1);
  if constexpr (N == 1) {
    return sum(frames * taps, axis(-1)).eval();
  } else {
    return sum(frames * taps, axis(-1, -2)).eval();
  }
}

template <int N, class A, class V>
auto convolve_by_fft(const A& a, const V& v, const Part (&parts)[N]) {
  FftnOptions all;
  for (int i = 0; i < N; ++i) {
    const int64_t whole = a.shape()[a.rank() - N + i] + v.shape()[v.rank() - N + i] - 1;
    all.n.push_back(next_fast_len(whole));
    all.axes.push_back(i - N);
  }
  const auto crop = [&](auto y) {
    for (int i = 0; i < N; ++i) y = y.narrow(i - N, parts[i].first, parts[i].length);
    return y;
  };
  if constexpr (is_complex<typename A::value_type>) {
    return crop(ifftn(fftn(a, all) * fftn(v, all), all));
  } else {
    return crop(irfftn(rfftn(a, all) * rfftn(v, all), all));
  }
}

/// The part of a real convolution that is wanted of a long signal and few taps, by transforms of
/// pieces that overlap by the taps: on a CPU they stay in the cache (overlap and save).
template <class A, class V>
auto convolve_in_pieces(const A& a, const V& v, const Part& part, int64_t n) {
  const int64_t taps = v.shape()[v.rank() - 1];
  const int64_t hop = n - taps + 1;
  const int64_t count = (part.length + hop - 1) / hop;
  const int64_t before = taps - 1 - part.first;
  const int64_t behind = count * hop + taps - 1 - before - a.shape()[a.rank() - 1];
  const auto whole = detail::as_tensor(pad(a, {before, behind}));
  const auto frames = frames_of(whole, whole.rank() - 1, n, hop);
  const auto spectra = rfft(frames) * rfft(v.unsqueeze(-2), {.n = n});
  const auto pieces = irfft(spectra, {.n = n}).narrow(-1, taps - 1, hop);
  Shape shape = pieces.shape();
  shape.erase(shape.rank() - 1);
  shape[shape.rank() - 1] = count * hop;
  return pieces.reshape(shape).narrow(-1, 0, part.length);
}

/// Along the last N axes of two tensors or Vars. With `late`, `same` begins at the later one of the
/// two middle elements of an even v, as SciPy's correlate2d.
template <int N, class A, class V>
auto convolve_tensors(const char* operation, const A& a, const V& v, ConvolveMode mode,
                      ConvolveMethod method, bool late) {
  double work = 1;
  bool fits = a.rank() >= N && v.rank() >= N;
  bool covers = true;  // a is at least as long as v along all axes
  bool within = true;
  Part parts[N];
  for (int i = 0; i < N && fits; ++i) {
    const int64_t size = a.shape()[a.rank() - N + i];
    const int64_t taps = v.shape()[v.rank() - N + i];
    fits = size > 0 && taps > 0;
    covers = covers && size >= taps;
    within = within && size <= taps;
    parts[i] = part_of(mode, size, taps);
    if (late && mode == ConvolveMode::same) parts[i].first = taps / 2;
    work *= static_cast<double>(taps);
  }
  fits = fits && (mode != ConvolveMode::valid || covers || within);
  if (!fits) {
    fail<ShapeError>(operation, "signals of shapes ", a.shape(), " and ", v.shape(), ", expected ",
                     N, " axes of at least 1 element each, and for `valid` one signal within the ",
                     "other");
  }
  const bool direct =
      method == ConvolveMethod::direct || (method == ConvolveMethod::automatic && work <= 64);
  if constexpr (N == 1 && !is_complex<typename A::value_type> &&
                !is_cuda<typename A::device_type>) {
    const int64_t taps = v.shape()[v.rank() - 1];
    const bool transforms = method == ConvolveMethod::fft || taps > 16;
    int64_t piece = 1024;
    while (piece < 4 * taps) piece *= 2;
    if (method != ConvolveMethod::direct && transforms && piece <= 8192 &&
        parts[0].length > piece) {
      return convolve_in_pieces(a, v, parts[0], piece);
    }
  }
  if (!direct) return convolve_by_fft<N>(a, v, parts);
  const bool swaps = mode == ConvolveMode::valid && !covers;
  return swaps ? convolve_directly<N>(v, a, parts) : convolve_directly<N>(a, v, parts);
}

template <int N, class A, class V>
auto convolve(const char* operation, const A& a, const V& v, ConvolveMode mode,
              ConvolveMethod method, bool correlates) {
  using Check = detail::OperandCheck<Convolve, A, V>;
  if constexpr (Check::report()) {
    const auto x = detail::as_tensor(a);
    auto y = detail::as_tensor(v);
    if (correlates) {
      for (int i = 0; i < N && i < y.rank(); ++i) y = y.flip(y.rank() - 1 - i);
      if constexpr (is_complex<typename Check::element>) y = detail::as_tensor(conj(y));
    }
    if constexpr (is_half<typename Check::element>) {
      using T = typename Check::element;
      return detail::as_tensor(cast<T>(convolve_tensors<N>(
          operation, detail::as_tensor(cast<float>(x)), detail::as_tensor(cast<float>(y)), mode,
          method, N == 2 && correlates)));
    } else {
      return convolve_tensors<N>(operation, x, y, mode, method, N == 2 && correlates);
    }
  } else {
    return typename Check::first{};
  }
}
}  // namespace fourier

/// The convolution along the last axis, y[k] = sum over j of a[k - j] v[j], with the modes of SciPy
/// and NumPy; the axes before it are batch axes and broadcast. Half types sum in float.
template <ExpressionLike A, ExpressionLike V>
auto convolve(const A& a, const V& v, ConvolveMode mode = ConvolveMode::full,
              ConvolveMethod method = ConvolveMethod::automatic) {
  return fourier::convolve<1>("convolve", a, v, mode, method, false);
}
/// The correlation along the last axis, y[k] = sum over j of a[j + k] conj(v[j]), as in SciPy.
template <ExpressionLike A, ExpressionLike V>
auto correlate(const A& a, const V& v, ConvolveMode mode = ConvolveMode::full,
               ConvolveMethod method = ConvolveMethod::automatic) {
  return fourier::convolve<1>("correlate", a, v, mode, method, true);
}
/// The convolution along the last two axes.
template <ExpressionLike A, ExpressionLike V>
auto convolve2d(const A& a, const V& v, ConvolveMode mode = ConvolveMode::full,
                ConvolveMethod method = ConvolveMethod::automatic) {
  return fourier::convolve<2>("convolve2d", a, v, mode, method, false);
}
/// The correlation along the last two axes, as in SciPy.
template <ExpressionLike A, ExpressionLike V>
auto correlate2d(const A& a, const V& v, ConvolveMode mode = ConvolveMode::full,
                 ConvolveMethod method = ConvolveMethod::automatic) {
  return fourier::convolve<2>("correlate2d", a, v, mode, method, true);
}

}  // namespace weft
