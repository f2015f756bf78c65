// Fourier transforms and convolutions on the GPU, in milliseconds. The same by PyTorch:
// bench/rivals/torch_fft.py.
// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/fft.hpp"
#include "weft/random.hpp"

#include "bench.hpp"

using namespace weft;

namespace {

using C = complex<float>;

void time(const char* name, const std::function<void()>& f) {
  std::vector<int> sets(1);
  bench::measure(
      name, 0, sets, [&](int) { f(); }, {}, "weft", 0);
}

Tensor<C, Cuda> numbers(const Shape& shape) {
  return cast<C>(randn(shape, Cuda{})) + cast<C>(randn(shape, Cuda{})) * C(0, 1);
}

/// Complex lines along the last axis, there and back.
void lines(const char* name, int64_t count, int64_t n) {
  const auto z = numbers({count, n});
  time(name, [&] { (void)fft(z); });
}
void columns(const char* name) {
  const auto z = numbers({4096, 1024});
  time(name, [&] { (void)fft(z, {.axis = 0}); });
}
void images(const char* name) {
  const auto z = numbers({16, 1024, 1024});
  time(name, [&] { (void)fft2(z); });
}
void real_line(const char* name, bool back) {
  const Tensor<float, Cuda> x = randn({1 << 24}, Cuda{});
  const auto spectrum = rfft(x);
  time(name, [&] {
    if (back) {
      (void)irfft(spectrum);
    } else {
      (void)rfft(x);
    }
  });
}
/// A product before, and a sum and tanh behind: one kernel each, beside the transforms.
void convolution(const char* name, int64_t taps) {
  const Tensor<float, Cuda> x = randn({64, 65536}, Cuda{});
  const Tensor<float, Cuda> gain = rand({64, 1}, Cuda{});
  const Tensor<float, Cuda> h = randn({taps}, Cuda{});
  time(name, [&] {
    const Tensor<float, Cuda> y = tanh(convolve(x * gain, h, ConvolveMode::same) + 0.5F);
  });
}
void spectrogram(const char* name, bool both) {
  const Tensor<float, Cuda> x = randn({16, 1 << 18}, Cuda{});
  const auto window = hann_window(1024, WindowEnd::periodic, Cuda{});
  const Var v = parameter(x);
  time(name, [&] {
    if (!both) {
      const Tensor<float, Cuda> power = log(square(abs(stft(x, window, {.hop = 256}))) + 1e-6F);
      return;
    }
    v.zero_grad();
    const Var loss = mean(log(square(abs(stft(v, window, {.hop = 256}))) + 1e-6F));
    loss.backward();
  });
}
void gammas(const char* name) {
  const Tensor<float, Cuda> shapes = rand({1 << 24}, Cuda{}) * 5 + 0.1F;
  time(name, [&] { (void)random::gamma(shapes, 1); });
}
void counts(const char* name) {
  const Tensor<float, Cuda> rates = rand({1 << 24}, Cuda{}) * 50;
  time(name, [&] { (void)random::poisson<float>(rates); });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv,
                     {{"fft_1024x4096", [] { lines("fft_1024x4096", 1024, 4096); }},
                      {"fft_65536x64", [] { lines("fft_65536x64", 65536, 64); }},
                      {"fft_1024x4099", [] { lines("fft_1024x4099", 1024, 4099); }},
                      {"fft_columns", [] { columns("fft_columns"); }},
                      {"fft2_16x1024x1024", [] { images("fft2_16x1024x1024"); }},
                      {"rfft_2^24", [] { real_line("rfft_2^24", false); }},
                      {"irfft_2^24", [] { real_line("irfft_2^24", true); }},
                      {"convolve_33", [] { convolution("convolve_33", 33); }},
                      {"convolve_4097", [] { convolution("convolve_4097", 4097); }},
                      {"stft", [] { spectrogram("stft", false); }},
                      {"stft_both", [] { spectrogram("stft_both", true); }},
                      {"gamma_2^24", [] { gammas("gamma_2^24"); }},
                      {"poisson_2^24", [] { counts("poisson_2^24"); }}});
}
