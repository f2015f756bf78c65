// Signals: the spectrogram of a chirp, and a tone recovered from noise by a filter.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/fft.hpp>

using namespace weft;

/// The columns of a picture (row, column), the last row first, from light to dark.
void show(const Tensor<float>& picture) {
  const char* const shades = " .:-=+*#%@";
  const auto [rows, columns] = picture.shape<2>();
  const float most = max(picture).item();
  for (int64_t i = rows - 1; i >= 0; --i) {
    std::cout << "  |";
    for (int64_t j = 0; j < columns; ++j) {
      std::cout << shades[static_cast<int>(9.99F * std::sqrt(picture.at(i, j) / most))];
    }
    std::cout << "|\n";
  }
}

template <class D>
int run(D device) {
  constexpr int64_t rate = 4096;  // samples a second
  constexpr float turn = 6.2831853F;
  bool right = true;

  // Two seconds of a tone that rises from 100 to 1500 hertz; its frequency is the phase's slope.
  const Tensor t = arange<float>(2 * rate, device) / static_cast<float>(rate);
  const Tensor chirp = sin(turn * (100 * t + 350 * square(t)));
  const auto window = hann_window(256, WindowEnd::periodic, device);
  const Tensor power = square(abs(stft(chirp, window, {.hop = 128})));  // (frequency, piece)
  std::cout << "frequencies up to 2048 hertz, over two seconds\n";
  const Tensor small = power(slice(0, 128), slice(0, 64)).reshape({16, 8, 64});
  show(max(small, axis(1)).eval().to(Cpu{}));

  const Tensor loudest = argmax(power, axis(0));  // of each piece
  const auto frequency = rfftfreq(256, 1.0 / rate, device);
  const Tensor found = take(frequency, loudest)(slice(2, 62));
  const Tensor expected = 100 + 700 * (arange<float>(2, 62, 1, device) * 128 / float(rate));
  right &= example::check("each piece is loudest at the frequency of its time",
                          max(abs(found - expected)).item() <= 16);
  right &= example::check("istft gives the signal again",
                          allclose(istft(stft(chirp, window), window), chirp, {.atol = 1e-5}));

  // A tone in noise four times as strong. Only the peaks of the spectrum are kept.
  Generator generator(1);
  const Tensor tone = sin(turn * 440 * t);
  const Tensor noisy = tone + 2 * randn(tone.shape(), device, generator);
  const auto spectrum = rfft(noisy);
  const Tensor size = abs(spectrum);
  const Tensor kept = where(size > 8 * mean(size), spectrum, complex<float>(0));
  const Tensor clean = irfft(kept);
  const float before = mean(square(noisy - tone)).item();
  const float after = mean(square(clean - tone)).item();
  std::cout << "squared error before " << before << ", after " << after << "\n";
  right &= example::check("the tone is out of the noise", after < before / 100);

  // The same by convolution with a band-pass filter of 401 taps, in the middle of a window.
  const Tensor taps = arange<float>(-200, 201, 1, device) / static_cast<float>(rate);
  const Tensor filter =
      cos(turn * 440 * taps) * hann_window(401, WindowEnd::symmetric, device) / 100;
  const Tensor passed = convolve(noisy, filter, ConvolveMode::same)(slice(400, 2 * rate - 400));
  const float left = mean(square(passed - tone(slice(400, 2 * rate - 400)))).item();
  right &= example::check("a filter does with less what it hears", left < before / 10);
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
