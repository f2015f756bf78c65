// PyTorch's Fourier transforms, their values.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"
#include "weft/fft.hpp"

namespace conformance {

namespace {

weft::FftNorm norm_of(const Sample& s) {
  const std::string word = s.word("norm", "backward");
  return word == "ortho"     ? weft::FftNorm::ortho
         : word == "forward" ? weft::FftNorm::forward
                             : weft::FftNorm::backward;
}

template <class F>
Run transform(F) {
  return [](Sample& s) {
    weft::FftOptions o;
    o.n = s.integer("n");
    o.axis = s.integer("dim", -1);
    o.norm = norm_of(s);
    s.over([&](Sample& u, const auto& x) { u.out(F{}(x, o)); }, "input");
  };
}
template <class F>
Run transforms(F) {
  return [](Sample& s) {
    weft::FftnOptions o;
    o.n = to_shape(s.integers("s"));
    o.axes = to_axes(s.integers("dim"));
    o.norm = norm_of(s);
    s.over([&](Sample& u, const auto& x) { u.out(F{}(x, o)); }, "input");
  };
}

template <class F>
Run window(F) {
  return [](Sample& s) {
    const auto end = s.flag("sym", true) ? weft::WindowEnd::symmetric : weft::WindowEnd::periodic;
    s.out(F{}(s.integer("input"), end, s));
  };
}

}  // namespace

static const Group group([](Runs& t) {
  t["fft.fft"] = transform([](const auto& x, const auto& o) { return weft::fft(x, o); });
  t["fft.ifft"] = transform([](const auto& x, const auto& o) { return weft::ifft(x, o); });
  t["fft.rfft"] = transform([](const auto& x, const auto& o) { return weft::rfft(x, o); });
  t["fft.irfft"] = transform([](const auto& x, const auto& o) { return weft::irfft(x, o); });
  t["fft.fft2"] = transforms([](const auto& x, const auto& o) {
    return o.axes.rank() == 2 || o.axes.rank() == 0 ? weft::fft2(x, o) : weft::fftn(x, o);
  });
  t["fft.fftn"] = transforms([](const auto& x, const auto& o) { return weft::fftn(x, o); });
  t["fft.rfftn"] = transforms([](const auto& x, const auto& o) { return weft::rfftn(x, o); });
  t["fft.irfftn"] = transforms([](const auto& x, const auto& o) { return weft::irfftn(x, o); });
  t["fft.ifftn"] = transforms([](const auto& x, const auto& o) { return weft::ifftn(x, o); });
  t["fft.ifft2"] = transforms([](const auto& x, const auto& o) {
    return o.axes.rank() == 2 || o.axes.rank() == 0 ? weft::ifft2(x, o) : weft::ifftn(x, o);
  });
  t["fft.rfft2"] = transforms([](const auto& x, const auto& o) {
    return o.axes.rank() == 2 || o.axes.rank() == 0 ? weft::rfft2(x, o) : weft::rfftn(x, o);
  });
  t["fft.irfft2"] = transforms([](const auto& x, const auto& o) {
    return o.axes.rank() == 2 || o.axes.rank() == 0 ? weft::irfft2(x, o) : weft::irfftn(x, o);
  });
  t["fft.ihfft"] = transform([](const auto& x, const auto& o) { return weft::ihfft(x, o); });
  t["fft.ihfftn"] = transforms([](const auto& x, const auto& o) { return weft::ihfftn(x, o); });
  t["signal.windows.hann"] = window(
      [](int64_t n, weft::WindowEnd end, Sample&) { return weft::hann_window<double>(n, end); });
  t["signal.windows.hamming"] = window(
      [](int64_t n, weft::WindowEnd end, Sample&) { return weft::hamming_window<double>(n, end); });
  t["signal.windows.blackman"] = window([](int64_t n, weft::WindowEnd end, Sample&) {
    return weft::blackman_window<double>(n, end);
  });
  t["signal.windows.bartlett"] = window([](int64_t n, weft::WindowEnd end, Sample&) {
    return weft::bartlett_window<double>(n, end);
  });
  t["signal.windows.kaiser"] = window([](int64_t n, weft::WindowEnd end, Sample& s) {
    return weft::kaiser_window<double>(n, s.number("beta", 12), end);
  });
  t["signal.windows.gaussian"] = window([](int64_t n, weft::WindowEnd end, Sample& s) {
    return weft::gaussian_window<double>(n, s.number("std", 1), end);
  });
  t["fft.fftshift"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x) { u.out(weft::fftshift(x, to_axes(u.integers("dim")))); },
           "input");
  };
  t["fft.ifftshift"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x) { u.out(weft::ifftshift(x, to_axes(u.integers("dim")))); },
           "input");
  };
});

}  // namespace conformance
