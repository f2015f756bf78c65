// stft and istft: the spectra of a signal's frames, and the signal from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/pad.hpp"
#include "weft/ops/signal/fft.hpp"
#include "weft/ops/signal/frames.hpp"

namespace weft {

/// How a signal is cut into pieces; PyTorch's options.
struct StftOptions {
  int64_t n_fft = 0;   ///< elements of a piece, at least the window's; 0: as many
  int64_t hop = 0;     ///< from one piece to the next; 0: a quarter of n_fft
  bool center = true;  ///< piece t has element t hop in its middle: the signal gets a border
  PadMode pad_mode = PadMode::reflect;  ///< what stands there
  bool normalized = false;              ///< divide by sqrt(n_fft)
  bool onesided = true;                 ///< n_fft / 2 + 1 frequencies, of a real signal
  int64_t length = 0;                   ///< istft: elements of the signal; 0: as the pieces reach
};

namespace fourier {

struct Stft {
  using domain = op::FloatingOrComplex;
  static constexpr const char* text = "stft";
};

struct Istft {
  using domain = op::Complex;
  static constexpr const char* text = "istft";
};

/// The window in the middle of n_fft zeros.
template <class W>
auto fitted_window(const char* operation, const W& window, StftOptions& o) {
  const auto w = detail::as_tensor(window);
  if (w.rank() != 1 || w.size() == 0) {
    fail<ShapeError>(operation, "a window of shape ", w.shape(), ", expected one axis");
  }
  if (o.n_fft == 0) o.n_fft = w.size();
  if (o.hop == 0) o.hop = o.n_fft / 4 > 0 ? o.n_fft / 4 : 1;
  if (w.size() > o.n_fft || o.hop < 1) {
    fail<ShapeError>(operation, "a window of ", w.size(), " elements, n_fft ", o.n_fft, ", hop ",
                     o.hop, ", expected at most n_fft elements and a positive hop");
  }
  const int64_t before = (o.n_fft - w.size()) / 2;
  return detail::as_tensor(pad(w, {before, o.n_fft - w.size() - before}));
}
inline FftNorm norm_of(const StftOptions& o) {
  return o.normalized ? FftNorm::ortho : FftNorm::backward;
}
}  // namespace fourier

/// The spectra (..., frequency, frame) of the frames of x (..., time), each multiplied by the
/// window. A complex signal needs onesided = false. Throws ShapeError if no piece fits.
template <ExpressionLike X, ExpressionLike W>
auto stft(const X& e, const W& window, StftOptions options = {}) {
  using Check = detail::OperandCheck<fourier::Stft, X>;
  if constexpr (Check::report()) {
    using T = typename Check::element;
    const auto w = fourier::fitted_window("stft", window, options);
    auto x = detail::as_tensor(e);
    if (x.rank() == 0) fail<ShapeError>("stft", "a signal of rank 0, expected an axis of time");
    const int64_t border = options.center ? options.n_fft / 2 : 0;
    if (border > 0) x = detail::as_tensor(pad(x, {border, border}, options.pad_mode));
    const int time = x.rank() - 1;
    if (x.shape()[time] < options.n_fft) {
      fail<ShapeError>("stft", "a signal of shape ", x.shape(), " with its border, expected ",
                       "at least ", options.n_fft, ": one piece");
    }
    const auto pieces = fourier::frames_of(x, time, options.n_fft, options.hop);
    const FftOptions o{.norm = fourier::norm_of(options)};
    if constexpr (is_complex<T>) {
      if (options.onesided) {
        fail<ValueError>("stft", "a complex signal, expected a real one or onesided = false");
      }
      return fft(pieces * detail::as_tensor(cast<T>(w)), o).transpose(-1, -2);
    } else {
      if (options.onesided) return rfft(pieces * w, o).transpose(-1, -2);
      return fft(pieces * w, o).transpose(-1, -2);
    }
  } else {
    return typename Check::first{};
  }
}

/// The real signal whose frames have the given spectra (..., frequency, frame): the inverse
/// transforms times the window, added up and divided by the sum of the squared windows. On the CPU
/// it throws ValueError if that is 0; on CUDA such elements are not finite.
template <ExpressionLike X, ExpressionLike W>
auto istft(const X& e, const W& window, StftOptions options = {}) {
  using Check = detail::OperandCheck<fourier::Istft, X>;
  if constexpr (Check::report()) {
    const auto spectra = detail::as_tensor(e);
    const auto w = fourier::fitted_window("istft", window, options);
    const int64_t n = options.n_fft;
    const int64_t bins = options.onesided ? n / 2 + 1 : n;
    if (spectra.rank() < 2 || spectra.shape()[spectra.rank() - 2] != bins) {
      fail<ShapeError>("istft", "spectra of shape ", spectra.shape(), ", expected (..., ", bins,
                       ", pieces)");
    }
    const int time = spectra.rank() - 2;
    const int64_t count = spectra.shape()[time + 1];
    const int64_t border = options.center ? n / 2 : 0;
    const int64_t whole = n + options.hop * (count - 1);
    const int64_t length = options.length > 0 ? options.length : whole - 2 * border;
    if (length < 1 || border + length > whole) {
      fail<ShapeError>("istft", length, " elements of ", count, " pieces that span ",
                       whole - border, ", expected at least 1 and no more than that");
    }
    const FftOptions o{.n = n, .norm = fourier::norm_of(options)};
    const auto turned = spectra.transpose(-1, -2);
    const auto pieces = [&] {
      if (options.onesided) return detail::as_tensor(irfft(turned, o) * w);
      return detail::as_tensor(real(ifft(turned, o)) * w);
    }();
    using Squares = std::remove_cvref_t<decltype(w)>;
    const Squares squares = (w * w).eval().expand({count, n});
    const Squares weight =
        fourier::overlap_add(squares, 0, options.hop, whole).narrow(0, border, length);
    if constexpr (std::is_same_v<typename Squares::device_type, Cpu>) {
      if (min(weight).item() < 1e-11) {
        fail<ValueError>(
            "istft", "the squared windows add up to ", min(weight).item(),
            " at some element, expected more than 0: use a shorter hop, or set length");
      }
    }
    const auto sums =
        fourier::overlap_add(pieces, time, options.hop, whole).narrow(time, border, length);
    return detail::as_tensor(sums / weight);
  } else {
    return typename Check::first{};
  }
}

}  // namespace weft
