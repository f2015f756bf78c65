// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/signal/fft.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"
#include "weft/fft.hpp"

using namespace weft;

namespace {

constexpr double pi = 3.14159265358979323846;

template <class T>
using Complexes = std::vector<complex<T>>;

/// The sum that defines the transform, of `lines` lines, in double or wider.
template <class T>
Complexes<double> by_definition(const Complexes<T>& x, int64_t n, bool inverse) {
  const int64_t lines = static_cast<int64_t>(x.size()) / n;
  Complexes<double> out(x.size());
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t k = 0; k < n; ++k) {
      double re = 0;
      double im = 0;
      for (int64_t j = 0; j < n; ++j) {
        const double angle = (inverse ? 2 : -2) * pi * static_cast<double>(j * k % n) / static_cast<double>(n);
        const auto z = x[static_cast<std::size_t>(line * n + j)];
        const double c = std::cos(angle), s = std::sin(angle);
        re += static_cast<double>(z.re) * c - static_cast<double>(z.im) * s;
        im += static_cast<double>(z.re) * s + static_cast<double>(z.im) * c;
      }
      out[static_cast<std::size_t>(line * n + k)] = {re, im};
    }
  }
  return out;
}

/// The largest difference, relative to the root mean square.
template <class T>
double error(const Complexes<T>& a, const Complexes<double>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::hypot(static_cast<double>(a[i].re) - b[i].re,
                                static_cast<double>(a[i].im) - b[i].im);
    worst = d > worst || d != d ? d : worst;
    sum += b[i].re * b[i].re + b[i].im * b[i].im;
  }
  return worst / std::sqrt(sum / static_cast<double>(a.size()) + 1e-300);
}

template <class T, class D>
Tensor<complex<T>, D> noise(const Shape& shape, D device) {
  Generator g(5);
  const Tensor re = randn<T>(shape, Cpu{}, g);
  const Tensor im = randn<T>(shape, Cpu{}, g);
  const Tensor<complex<T>> z =
      cast<complex<T>>(re) + cast<complex<T>>(im) * complex<T>(0, 1);
  return z.to(device);
}

template <class T>
Complexes<T> widened(const std::vector<T>& x) {
  Complexes<T> out;
  for (T v : x) out.push_back({v, T(0)});
  return out;
}

/// All transforms of lines of one length against the definition.
template <class T, class D>
void check_length(int64_t lines, int64_t n, D device) {
  CAPTURE(lines);
  CAPTURE(n);
  const double bound = (sizeof(T) == 4 ? 1e-6 : 2e-15) * (4 + std::log2(static_cast<double>(n)));
  const auto z = noise<T>({lines, n}, device);
  const auto expected = by_definition(z.to_vector(), n, false);
  CHECK(error(fft(z).to_vector(), expected) < bound);
  CHECK(error(ifft(z, {.norm = FftNorm::forward}).to_vector(),
              by_definition(z.to_vector(), n, true)) < bound);
  const Tensor<T, D> x = real(z);
  const auto full = by_definition(widened(x.to_vector()), n, false);
  Complexes<double> half;
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t k = 0; k <= n / 2; ++k) half.push_back(full[static_cast<std::size_t>(line * n + k)]);
  }
  const auto spectrum = rfft(x);
  CHECK(error(spectrum.to_vector(), half) < bound);
  Complexes<double> signal;
  for (T v : x.to_vector()) signal.push_back({static_cast<double>(v), 0});
  CHECK(error(widened(irfft(spectrum, {.n = n}).to_vector()), signal) < bound);
}

}  // namespace

TEST_CASE_TEMPLATE("transforms of every kind of length are their definition", D, TEST_DEVICES) {
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 24, 29, 30, 31, 37, 49, 60, 74, 101, 128, 143}) {
    check_length<float>(3, n, D{});
  }
  for (int64_t n : {1, 2, 9, 64, 97, 100}) check_length<double>(9, n, D{});
}

TEST_CASE_TEMPLATE("long lines", D, TEST_DEVICES) {
  for (int64_t n : {1024, 1500, 1331, 1030, 1031}) check_length<float>(1, n, D{});
  check_length<double>(2, 2058, D{});
}
