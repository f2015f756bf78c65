// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/signal/fft.hpp>
#include <weft/ops/signal/fourier.hpp>
#include <weft/ops/signal/lengths.hpp>
#include <weft/ops/signal/shift.hpp>

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
        const double angle =
            (inverse ? 2 : -2) * pi * static_cast<double>(j * k % n) / static_cast<double>(n);
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
    const double d =
        std::hypot(static_cast<double>(a[i].re) - b[i].re, static_cast<double>(a[i].im) - b[i].im);
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
  const Tensor<complex<T>> z = cast<complex<T>>(re) + cast<complex<T>>(im) * complex<T>(0, 1);
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
    for (int64_t k = 0; k <= n / 2; ++k)
      half.push_back(full[static_cast<std::size_t>(line * n + k)]);
  }
  const auto spectrum = rfft(x);
  CHECK(error(spectrum.to_vector(), half) < bound);
  Complexes<double> signal;
  for (T v : x.to_vector()) signal.push_back({static_cast<double>(v), 0});
  CHECK(error(widened(irfft(spectrum, {.n = n}).to_vector()), signal) < bound);
}

}  // namespace

TEST_CASE_TEMPLATE("transforms of every kind of length are their definition", D, TEST_DEVICES) {
  for (int64_t n :
       {1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 24, 29, 30, 31, 37, 49, 60, 74, 101, 128, 143}) {
    check_length<float>(3, n, D{});
  }
  for (int64_t n : {1, 2, 9, 64, 97, 100}) check_length<double>(9, n, D{});
}

TEST_CASE_TEMPLATE("long lines", D, TEST_DEVICES) {
  for (int64_t n : {1024, 1500, 1331, 1030, 1031}) check_length<float>(1, n, D{});
  check_length<double>(2, 2058, D{});
}

TEST_CASE_TEMPLATE("axes, lengths, norms and operands of every layout", D, TEST_DEVICES) {
  const auto z = noise<double>({3, 4, 5, 6}, D{});
  const auto close = [](const auto& a, const auto& b) {
    return a.shape() == b.shape() && allclose(a, b, {1e-12, 1e-12});
  };
  // Along one axis as along the last of a transposed operand.
  for (int at = 0; at < 4; ++at) {
    CHECK(close(fft(z, {.axis = at}), fft(z.transpose(at, -1).clone()).transpose(at, -1)));
  }
  const Tensor<double, D> x = real(z);
  for (int at = 0; at < 4; ++at) {
    const auto y = rfft(x, {.axis = at});
    CHECK(close(y, rfft(x.transpose(at, -1).clone()).transpose(at, -1)));
    CHECK(close(irfft(y, {.n = x.shape()[at], .axis = at}), x));
  }
  // Several axes are one after the other.
  CHECK(close(fft2(z), fft(fft(z), {.axis = -2})));
  CHECK(close(fft2(z, {.axes = axis(0, 2)}), fft(fft(z, {.axis = 0}), {.axis = 2})));
  CHECK(close(fftn(z), fft2(fft2(z), {.axes = axis(0, 1)})));
  CHECK(close(ifftn(fftn(z)), z));
  CHECK(close(ifft2(fft2(z, {.norm = FftNorm::ortho}), {.norm = FftNorm::ortho}), z));
  CHECK(close(fft(z, {.norm = FftNorm::forward}), fft(z) / complex<double>(6)));
  CHECK(close(rfft2(x), fft(rfft(x), {.axis = -2})));
  CHECK(close(irfft2(rfft2(x)), x));
  CHECK(
      close(irfftn(rfftn(x, {.axes = axis(0, 3, 1)}), {.n = {3, 6, 4}, .axes = axis(0, 3, 1)}), x));
  // Cropped and padded.
  Tensor<complex<double>, D> padded = zeros<complex<double>>({3, 4, 7, 6}, D{});
  padded(all, all, slice(0, 5)).assign(z);
  CHECK(close(fftn(z, {.n = {2, 7}, .axes = axis(0, 2)}),
              fftn(padded(slice(0, 2)), {.axes = axis(0, 2)})));
  const Tensor<double, D> real_padded = real(padded);
  CHECK(close(rfft2(x, {.n = {7, 4}}), rfft2(real_padded(all, all, all, slice(0, 4)))));
  CHECK(close(irfft2(z, {.n = {7, 8}}), irfft(ifft(padded, {.axis = 2}), {.n = 8})));
  // Views, broadcast operands and expressions.
  const auto view = z(slice(none, none, 2), all, all, slice(1, 5)).flip(3);
  CHECK(close(fft(view), fft(view.clone())));
  CHECK(close(rfft(x.expand({2, 3, 4, 5, 6})), rfft(x).expand({2, 3, 4, 5, 4})));
  CHECK(close(fft(z * 2 + complex<double>(1)), fft((z * 2 + complex<double>(1)).eval())));
  CHECK(close(fft(x), fft(cast<complex<double>>(x))));
  // The real parts of a spectrum's ends count alone.
  Tensor<complex<double>, D> ends = z.clone();
  ends(all, all, all, slice(0, 1)) += complex<double>(0, 3);
  CHECK(close(irfft(ends), irfft(z)));
  // Hermitian signals.
  const auto h = hfft(z, {.n = 9});
  CHECK(h.shape() == Shape{3, 4, 5, 9});
  CHECK(close(hfft(ihfft(x), {.n = 6}), x));
  CHECK(close(ihfft(x), conj(rfft(x, {.norm = FftNorm::forward}))));
  const FftNorm ortho = FftNorm::ortho;
  CHECK(close(hfftn(z, {.axes = axis(0, 3), .norm = ortho}),
              hfft(fft(z, {.axis = 0, .norm = ortho}), {.norm = ortho})));
  CHECK(close(ihfftn(x, {.axes = axis(0, 3)}), ifft(ihfft(x), {.axis = 0})));
  const Tensor<weft::half, D> narrow = cast<weft::half>(x);
  CHECK(rfft(narrow).dtype() == Dtype::complex64);
  CHECK(fft(zeros({0, 4}, D{})).shape() == Shape{0, 4});
}

TEST_CASE("what transforms refuse") {
  const Tensor x = ones({3, 4});
  CHECK_SAYS("[fft] axis 2 of a tensor of rank 2", fft(x, {.axis = 2}));
  CHECK_SAYS("[fft] length -1, expected at least 1", fft(x, {.n = -1}));
  CHECK_SAYS("[irfft] length 0, expected at least 1", irfft(x, 0));
  CHECK_SAYS("[rfft] length 0 along axis 1 of a signal of shape (3, 0)", rfft(zeros({3, 0})));
  CHECK_SAYS("[irfft] length 0 along axis 0 of a signal of shape (1,)", irfft(ones({1})));
  CHECK_SAYS("[fftn] 1 lengths for 2 axes", fftn(x, {.n = {4}, .axes = axis(0, 1)}));
  CHECK_SAYS("[fft2] axis 0 appears twice", fft2(x, {.axes = axis(0, 0)}));
  CHECK_SAYS("[fft2] 1 axes, expected 2", fft2(x, {.axes = axis(0)}));
  CHECK_SAYS("[fftn] 3 lengths for a signal of shape (3, 4)", fftn(x, {.n = {1, 2, 3}}));
  CHECK_SAYS("[fftn] a signal of rank 0", fftn(ones({})));
}

TEST_CASE("a length as a number") {
  const Tensor x = arange<float>(5);
  CHECK(equal(fft(x, 8), fft(x, {.n = 8})));
  CHECK(equal(ifft(x, 3), ifft(x, {.n = 3})));
  CHECK(equal(rfft(x, 4), rfft(x, {.n = 4})));
  CHECK(allclose(irfft(rfft(x), 5), x));
}

TEST_CASE_TEMPLATE("frequencies and shifts", D, TEST_DEVICES) {
  CHECK(equal(fftfreq<double>(4, 0.5, D{}), tensor({0., 0.5, -1., -0.5}).to(D{})));
  CHECK(allclose(fftfreq<double>(5, 1, D{}), tensor({0., 0.2, 0.4, -0.4, -0.2}).to(D{})));
  CHECK(allclose(rfftfreq<double>(5, 0.1, D{}), tensor({0., 2., 4.}).to(D{})));
  const Tensor<float, D> x = arange<float>(15).to(D{}).reshape({3, 5});
  CHECK(equal(fftshift(x, axis(1))(0), tensor({3.F, 4.F, 0.F, 1.F, 2.F}).to(D{})));
  CHECK(equal(ifftshift(fftshift(x)), x));
  CHECK(fftshift(x)(0, 0).item() == 13);
  CHECK(next_fast_len(7) == 8);
  CHECK(next_fast_len(1021) == 1024);
  CHECK(next_fast_len(43) == 45);
  CHECK_SAYS("[fftfreq] 0 elements", fftfreq(0));
}
