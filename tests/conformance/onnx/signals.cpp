// ONNX's Fourier transforms and windows.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"
#include "weft/fft.hpp"
#include "weft/special.hpp"

namespace conformance {

namespace {

// ONNX's own values come from double forwards and from float backwards, and where sums cancel it
// expects their last bits, whatever the other elements' size.
using Double = Tensor<double>;
template <class T>
using Spectrum = Tensor<weft::complex<T>>;

/// (..., 1) or (..., 2) as complex numbers.
template <class T>
Spectrum<T> as_complex_numbers(const Tensor<T>& x) {
  if (x.size(-1) == 2) return weft::view_as_complex(x.contiguous());
  const Tensor<T> re = x.squeeze(-1);
  return weft::as_complex(re, weft::zeros_like(re));
}

void out(Call& c, const Double& x) { c.out(cast<float>(x)); }

void dft(Call& c) {
  const Double x = cast<double>(c.f32(0));
  int64_t along = c.version() < 20 ? c.integer("axis", 1) : c.has(2) ? c.list(2).at(0) : -2;
  along = from_front(along, x.rank());
  const bool inverse = c.integer("inverse") != 0;
  const bool onesided = c.integer("onesided") != 0;
  weft::FftOptions o;
  o.axis = along;
  if (c.has(1)) o.n = c.list(1).at(0);
  if (!inverse && onesided && x.size(-1) == 1) {
    return out(c, weft::view_as_real(weft::rfft(Double(x.squeeze(-1)), o)));
  }
  if (inverse) {
    const auto z = as_complex_numbers(c.f32(0));
    if (onesided) return c.out(weft::irfft(z, o).eval().unsqueeze(-1));
    return c.out(weft::view_as_real(weft::ifft(z, o)));
  }
  Spectrum<double> y = weft::fft(as_complex_numbers(x), o);
  if (onesided) y = y.narrow(along, 0, y.size(along) / 2 + 1).clone();
  out(c, weft::view_as_real(y));
}

void stft(Call& c) {
  const Float x = c.f32(0);  // (batch, time, 1)
  const int64_t hop = c.list(1).at(0);
  Float window;
  if (c.has(2)) {
    window = c.f32(2);
  } else {
    window = weft::ones({c.list(3).at(0)});
  }
  const bool onesided = c.integer("onesided", 1) != 0;
  if (x.size(2) != 1) c.reject("of complex signals");
  weft::StftOptions o;
  o.hop = hop;
  o.center = false;
  o.onesided = onesided;
  const auto y = weft::stft(Float(x.squeeze(2)), window, o);  // (batch, frequency, piece)
  c.out(weft::view_as_real(y.transpose(-1, -2).clone()));
}

weft::WindowEnd end_of(const Call& c) {
  return c.integer("periodic", 1) != 0 ? weft::WindowEnd::periodic : weft::WindowEnd::symmetric;
}

/// Triangles over the frequencies of a spectrum, evenly spaced on the mel scale.
void mel_weights(Call& c) {
  const int64_t bins = c.list(0).at(0);
  const int64_t length = c.list(1).at(0);
  const double rate = c.number(2);
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mel(c.number(3));
  const double step = (mel(c.number(4)) - low) / static_cast<double>(bins + 2);
  const Tensor<double> edges =
      weft::arange<double>(0, static_cast<double>(bins + 2), 1, Cpu{}) * step + low;
  const double factor = static_cast<double>(length + 1) / rate;
  const Tensor<double> at = floor(700 * expm1(edges * (std::log(10.) / 2595)) * factor);
  const Tensor<double> left = at.narrow(0, 0, bins);
  const Tensor<double> centre = at.narrow(0, 1, bins);
  const Tensor<double> right = at.narrow(0, 2, bins);
  const Tensor<double> f =
      weft::arange<double>(0, static_cast<double>(length / 2 + 1), 1, Cpu{}).unsqueeze(1);
  const Tensor<double> up =
      where(centre == left, cast<double>(f == centre), (f - left) / (centre - left));
  const Tensor<double> down =
      where(right == centre, cast<double>(f == centre), (right - f) / (right - centre));
  c.out(cast<float>(where(f >= left && f <= centre && (f < centre || right == centre), up,
                          where(f >= centre && f < right, down, 0))));
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["DFT"] = dft;
  table["STFT"] = stft;
  table["HannWindow"] = [](Call& c) {
    c.out(weft::hann_window<float>(c.list(0).at(0), end_of(c)));
  };
  table["HammingWindow"] = [](Call& c) {
    // ONNX has 25 / 46 where others have 0.54: both are a cosine raised by a number.
    const int64_t n = c.list(0).at(0);
    const Float hann = weft::hann_window<float>(n, end_of(c));
    constexpr float a = 25.F / 46;
    c.out(a - (1 - 2 * hann) * (1 - a));
  };
  table["BlackmanWindow"] = [](Call& c) {
    c.out(weft::blackman_window<float>(c.list(0).at(0), end_of(c)));
  };
  table["MelWeightMatrix"] = mel_weights;
});

}  // namespace conformance
