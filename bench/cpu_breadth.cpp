// Linear algebra and Fourier transforms on the CPU, in milliseconds, a line of JSON each. The same
// by NumPy and SciPy: bench/rivals/scipy_breadth.py; both are run by bench/breadth.py.
// SPDX-License-Identifier: Apache-2.0
#include "weft/fft.hpp"
#include "weft/linalg.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace weft;

namespace {

using X = Tensor<float>;
using C = complex<float>;
using Clock = std::chrono::steady_clock;

/// The least of some runs: a quarter of a second of them, two at least.
void time(const char* name, const std::function<void()>& f) {
  double least = 1e30;
  double total = 0;
  f();
  for (int run = 0; run < 2 || (total < 250 && run < 100); ++run) {
    const auto begin = Clock::now();
    f();
    const std::chrono::duration<double, std::milli> ms = Clock::now() - begin;
    least = std::min(least, ms.count());
    total += ms.count();
  }
  std::printf("{\"case\": \"%s\", \"who\": \"weft\", \"ms\": %.5f}\n", name, least);
  std::fflush(stdout);
}

void check(const char* name, const X& x, const X& y, float tolerance) {
  const float off = max(abs(x - y)).item();
  if (off <= tolerance) return;
  std::fprintf(stderr, "%s is off by %g\n", name, static_cast<double>(off));
  std::exit(1);
}

/// Matrices that are positive definite and far from singular.
X definite(int64_t count, int64_t n) {
  const X x = randn({count, n, n}) * (1 / std::sqrt(static_cast<float>(n)));
  return matmul(x, x.transpose(1, 2)) + eye(n);
}

void matrices() {
  X y;
  const X threes = definite(100000, 3);
  const X right = randn({100000, 3, 1});
  time("inv_100k_3x3", [&] { y = inv(threes); });
  check("inv", matmul(y, threes), eye(3).expand(threes.shape()), 1e-3F);
  time("solve_100k_3x3", [&] { y = solve(threes, right); });
  check("solve", matmul(threes, y), right, 1e-3F);
  time("det_100k_3x3", [&] { y = det(threes); });
  time("cholesky_100k_3x3", [&] { y = cholesky(threes); });
  const X eights = definite(10000, 8);
  time("inv_10k_8x8", [&] { y = inv(eights); });
  check("inv", matmul(y, eights), eye(8).expand(eights.shape()), 1e-3F);
  time("eigh_10k_8x8", [&] { y = eigh(eights).eigenvectors; });
  check("eigh", matmul(y.transpose(1, 2), y), eye(8).expand(eights.shape()), 1e-3F);
  time("svd_10k_8x8", [&] { y = svd(eights).u; });
  time("qr_10k_8x8", [&] { y = qr(eights).q; });
  const X large = definite(1, 512)(0);
  const X vectors = randn({512, 16});
  time("solve_512", [&] { y = solve(large, vectors); });
  check("solve", matmul(large, y), vectors, 1e-2F);
  time("inv_512", [&] { y = inv(large); });
  time("cholesky_512", [&] { y = cholesky(large); });
  time("qr_512", [&] { y = qr(large).q; });
  time("eigh_512", [&] { y = eigh(large).eigenvectors; });
  time("svd_512", [&] { y = svd(large).u; });
  check("svd", matmul(y, y.t()), eye(512), 1e-2F);
}

Tensor<C> numbers(const Shape& shape) {
  return cast<C>(randn(shape)) + cast<C>(randn(shape)) * C(0, 1);
}

void transforms() {
  Tensor<C> spectrum;
  const auto lines = [&](const char* name, const Shape& shape, int64_t axis) {
    const auto z = numbers(shape);
    time(name, [&] { spectrum = fft(z, {.axis = axis}); });
  };
  lines("fft_1024x1024", {1024, 1024}, -1);
  lines("fft_columns_1024x1024", {1024, 1024}, 0);
  lines("fft_16384x64", {16384, 64}, -1);
  lines("fft_256x4099", {256, 4099}, -1);
  const auto image = numbers({4, 512, 512});
  time("fft2_4x512x512", [&] { spectrum = fft2(image); });
  const X x = randn({1 << 20});
  time("rfft_2^20", [&] { spectrum = rfft(x); });
  X y;
  time("irfft_2^20", [&] { y = irfft(spectrum); });
  check("irfft", y, x, 1e-3F);
  const X signals = randn({16, 16384});
  const X gain = rand({16, 1});
  for (const int64_t taps : {33, 1025}) {
    const X h = randn({taps});
    time(taps == 33 ? "convolve_33" : "convolve_1025",
         [&] { y = tanh(convolve(signals * gain, h, ConvolveMode::same) + 0.5F); });
  }
  const X window = hann_window(1024);
  const X sound = randn({1 << 18});
  time("stft", [&] { y = log(square(abs(stft(sound, window, {.hop = 256}))) + 1e-6F); });
}

}  // namespace

int main() {
  manual_seed(1);
  matrices();
  transforms();
}
