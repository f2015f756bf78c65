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
