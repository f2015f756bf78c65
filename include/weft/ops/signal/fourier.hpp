// The options of Fourier transforms, and Fourier<D>, which computes them on a device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/tensor/access.hpp"

namespace weft {

/// Which transform divides by the number n of elements: the inverse one, both by sqrt(n), or the
/// forward one; NumPy's and PyTorch's "backward", "ortho" and "forward".
enum class FftNorm { backward, ortho, forward };

/// Options of a transform along one axis.
struct FftOptions {
  int64_t n = 0;  ///< length that the signal is cropped or zero-padded to; 0: its own
  int64_t axis = -1;
  FftNorm norm = FftNorm::backward;
};

/// Options of a transform along several axes.
struct FftnOptions {
  Shape n = {};    ///< lengths along the axes; none: their own
  Axes axes = {};  ///< none: the last two, the last n.rank(), or all
  FftNorm norm = FftNorm::backward;
};

/// The transforms of device D (cpu/signal/fft.hpp, cuda/signal/fft.hpp). Each writes `scale` times
/// the sum that defines it to y, which is contiguous and may be x itself;
/// elements that x lacks along the axes are 0:
///   static void complex_to_complex(operation, Tensor<complex<T>, D> x, Tensor<complex<T>, D> y,
///                                  Axes, bool inverse, double scale);
///   static void real_to_complex(operation, Tensor<T, D> x, Tensor<complex<T>, D> y, int axis,
///                               int64_t n, double scale);
///   static void complex_to_real(operation, Tensor<complex<T>, D> x, Tensor<T, D> y, int axis,
///                               double scale);
template <class D>
struct Fourier;

namespace fourier {

/// A transform after the options have been resolved: all axes and lengths are known.
struct Problem {
  const char* operation = "fft";
  Axes axes;      ///< from the front; a real signal's halved axis is the last of them
  Shape lengths;  ///< of the signal
  bool inverse = false;
  double scale = 1;
};

[[gnu::noinline]] inline Problem plan(const char* operation, const Shape& x, Axes axes, Shape n,
                                      FftNorm norm, bool inverse, bool halved) {
  Problem p{.operation = operation, .axes = {}, .lengths = {}, .inverse = inverse};
  if (axes.rank() == 0) {
    const int count = n.rank() > 0 ? n.rank() : x.rank();
    if (count > x.rank()) {
      fail<ShapeError>(operation, count, " lengths for a signal of shape ", x,
                       ", expected at most one for each axis");
    }
    for (int i = 0; i < count; ++i) axes.push_back(x.rank() - count + i);
  }
  if (n.rank() != 0 && n.rank() != axes.rank()) {
    fail<ShapeError>(operation, n.rank(), " lengths for ", axes.rank(),
                     " axes, expected one for each");
  }
  if (axes.rank() == 0) fail<ShapeError>(operation, "a signal of rank 0, expected an axis");
  static_cast<void>(detail::axes_mask(operation, axes, x.rank()));
  double count = 1;
  for (int i = 0; i < axes.rank(); ++i) {
    const int at = normalize_axis(operation, axes[i], x.rank());
    const bool last = i + 1 == axes.rank();
    int64_t length = n.rank() > 0 ? n[i] : 0;
    if (length == 0) length = halved && last ? 2 * (x[at] - 1) : x[at];
    if (length < 1) {
      fail<ShapeError>(operation, "length ", length, " along axis ", at, " of a signal of shape ",
                       x, ", expected at least 1");
    }
    p.axes.push_back(at);
    p.lengths.push_back(length);
    count *= static_cast<double>(length);
  }
  const bool divides = inverse ? norm == FftNorm::backward : norm == FftNorm::forward;
  if (norm == FftNorm::ortho) p.scale = 1 / __builtin_sqrt(count);
  if (divides) p.scale = 1 / count;
  return p;
}

/// The part of x that a transform uses, at most `lengths` along the axes.
template <class T, class D>
Tensor<T, D> crop(Tensor<T, D> x, const Problem& p, bool halved) {
  for (int i = 0; i < p.axes.rank(); ++i) {
    const int at = static_cast<int>(p.axes[i]);
    const int64_t length = halved && i + 1 == p.axes.rank() ? p.lengths[i] / 2 + 1 : p.lengths[i];
    if (x.shape()[at] > length) x = x.narrow(at, 0, length);
  }
  return x;
}

/// `shape` with a problem's lengths, the last one halved if the result is half of a spectrum.
inline Shape result_shape(Shape shape, const Problem& p, bool halved) {
  for (int i = 0; i < p.axes.rank(); ++i) shape[static_cast<int>(p.axes[i])] = p.lengths[i];
  if (halved) {
    int64_t& last = shape[static_cast<int>(p.axes[p.axes.rank() - 1])];
    last = last / 2 + 1;
  }
  return shape;
}

/// The axes without the last one.
inline Axes but_last(const Axes& axes) {
  Axes out;
  for (int i = 0; i + 1 < axes.rank(); ++i) out.push_back(axes[i]);
  return out;
}

/// The transforms of device D, or one compile error that says what to include.
template <class D>
constexpr bool has_transforms() {
  using On = std::conditional_t<is_cuda<D>, Cuda, D>;
  constexpr bool here = requires { sizeof(Fourier<On>); };
  static_assert(here || !is_cuda<D>,
                "weft: for Fourier transforms on Cuda include <weft/cuda/fft.hpp> and link "
                "weft::cufft");
  static_assert(here || is_cuda<D>, "weft: for Fourier transforms on Cpu include <weft/fft.hpp>");
  return here;
}
template <class D>
using On = std::conditional_t<is_cuda<D>, Cuda, D>;

/// Transforms complex signals.
template <class T, class D>
Tensor<complex<T>, D> transform(const Problem& p, const Tensor<complex<T>, D>& x) {
  const auto y = detail::Access::allocate<complex<T>, D>(result_shape(x.shape(), p, false),
                                                         x.device(), p.operation);
  if (y.size() == 0) return y;
  if constexpr (has_transforms<D>()) {
    Fourier<On<D>>::complex_to_complex(p.operation, crop(x, p, false), y, p.axes, p.inverse,
                                       p.scale);
  }
  return y;
}

/// Transforms real signals; along the last axis it gives the elements up to the middle, since the
/// others are their conjugates.
template <class T, class D>
Tensor<complex<T>, D> real_transform(const Problem& p, const Tensor<T, D>& x) {
  const auto y = detail::Access::allocate<complex<T>, D>(result_shape(x.shape(), p, true),
                                                         x.device(), p.operation);
  if (y.size() == 0) return y;
  if constexpr (has_transforms<D>()) {
    const Axes others = but_last(p.axes);
    const int last = static_cast<int>(p.axes[p.axes.rank() - 1]);
    const double scale = others.rank() > 0 ? 1 : p.scale;
    Tensor<complex<T>, D> z = y;
    const Tensor<T, D> from = crop(x, p, false);
    for (const int64_t axis : others) {
      if (from.shape()[static_cast<int>(axis)] < y.shape()[static_cast<int>(axis)]) {
        z = z.narrow(axis, 0, from.shape()[static_cast<int>(axis)]);
      }
    }
    Tensor<complex<T>, D> first = z;
    if (!(z.shape() == y.shape())) {  // y is then filled with zeros before it is read
      first = detail::Access::allocate<complex<T>, D>(z.shape(), x.device(), p.operation);
    }
    Fourier<On<D>>::real_to_complex(p.operation, from, first, last, p.lengths[p.lengths.rank() - 1],
                                    scale);
    if (others.rank() > 0) {
      Fourier<On<D>>::complex_to_complex(p.operation, first, y, others, false, p.scale);
    }
  }
  return y;
}

/// From half of a spectrum back to real signals.
template <class T, class D>
Tensor<T, D> inverse_real_transform(const Problem& p, const Tensor<complex<T>, D>& x) {
  const auto y =
      detail::Access::allocate<T, D>(result_shape(x.shape(), p, false), x.device(), p.operation);
  if (y.size() == 0) return y;
  if constexpr (has_transforms<D>()) {
    const Axes others = but_last(p.axes);
    const int last = static_cast<int>(p.axes[p.axes.rank() - 1]);
    Tensor<complex<T>, D> z = crop(x, p, true);
    if (others.rank() > 0) {
      Shape shape = result_shape(z.shape(), p, false);
      shape[last] = z.shape()[last];
      const auto between = detail::Access::allocate<complex<T>, D>(shape, x.device(), p.operation);
      Fourier<On<D>>::complex_to_complex(p.operation, z, between, others, true, 1);
      z = between;
    }
    Fourier<On<D>>::complex_to_real(p.operation, z, y, last, p.scale);
  }
  return y;
}

}  // namespace fourier
}  // namespace weft
