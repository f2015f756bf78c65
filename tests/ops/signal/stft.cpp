// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/signal/convolve.hpp>
#include <weft/ops/signal/frames.hpp>
#include <weft/ops/signal/resample.hpp>
#include <weft/ops/signal/stft.hpp>
#include <weft/ops/signal/window.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"
#include "weft/fft.hpp"

#ifdef __CUDACC__
#include "weft/cuda/gradient.hpp"
#endif

using namespace weft;

namespace {

constexpr double pi = 3.14159265358979323846;
using Doubles = std::vector<double>;

template <class D>
auto noise(const Shape& shape, D device, int draw = 0) {
  Generator g(8, static_cast<std::uint64_t>(draw));
  return randn<double>(shape, Cpu{}, g).to(device);
}

bool close(const Doubles& a, const Doubles& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = std::fabs(a[i] - b[i]) < 1e-11;
  return same;
}

/// The full convolution of rows and columns by its definition.
Doubles convolved(const Tensor<double>& a, const Tensor<double>& v) {
  const auto [rows, columns] = a.shape<2>();
  const auto [m, n] = v.shape<2>();
  Doubles out(static_cast<std::size_t>((rows + m - 1) * (columns + n - 1)));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t k = 0; k < m; ++k) {
        for (int64_t l = 0; l < n; ++l) {
          out[static_cast<std::size_t>((i + k) * (columns + n - 1) + j + l)] +=
              a.at(i, j) * v.at(k, l);
        }
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE_TEMPLATE("convolutions are their definition, by either method and in every mode", D,
                   TEST_DEVICES) {
  struct Case {
    Shape a, v;
  };
  for (const Case& c : {Case{{1, 9}, {1, 4}}, Case{{1, 3}, {1, 7}}, Case{{1, 5}, {1, 1}},
                        Case{{6, 7}, {3, 2}}, Case{{2, 3}, {4, 5}}}) {
    const Shape& rows = c.a;
    const Shape& taps = c.v;
    CAPTURE(rows);
    CAPTURE(taps);
    const Tensor<double> a = noise(rows, Cpu{});
    const Tensor<double> v = noise(taps, Cpu{}, 1);
    const Tensor<double> whole =
        tensor(convolved(a, v)).reshape({rows[0] + taps[0] - 1, rows[1] + taps[1] - 1});
    const Tensor<double> same =
        whole.narrow(0, (taps[0] - 1) / 2, rows[0]).narrow(1, (taps[1] - 1) / 2, rows[1]);
    const Tensor<double> later =  // as SciPy's correlate2d, whose convolve2d begins earlier
        whole.narrow(0, taps[0] / 2, rows[0]).narrow(1, taps[1] / 2, rows[1]);
    const auto inside = [](int64_t n, int64_t m) { return n < m ? n - 1 : m - 1; };
    const auto left = [](int64_t n, int64_t m) { return n < m ? m - n + 1 : n - m + 1; };
    const Tensor<double> valid = whole.narrow(0, inside(rows[0], taps[0]), left(rows[0], taps[0]))
                                     .narrow(1, inside(rows[1], taps[1]), left(rows[1], taps[1]));
    const auto x = a.to(D{});
    const auto y = v.to(D{});
    for (auto method : {ConvolveMethod::direct, ConvolveMethod::fft, ConvolveMethod::automatic}) {
      const auto full = convolve2d(x, y, ConvolveMode::full, method);
      CHECK(full.shape() == whole.shape());
      CHECK(close(full.to_vector(), whole.to_vector()));
      CHECK(close(convolve2d(x, y, ConvolveMode::same, method).to_vector(), same.to_vector()));
      CHECK(close(convolve2d(x, y, ConvolveMode::valid, method).to_vector(), valid.to_vector()));
      CHECK(close(correlate2d(x, y.flip(0).flip(1), ConvolveMode::same, method).to_vector(),
                  later.to_vector()));
      if (rows[0] > 1) continue;
      CHECK(close(convolve(x(0), y(0), ConvolveMode::same, method).to_vector(), same.to_vector()));
    }
  }
  const auto six = tensor<double>({{1, 2, 3}, {4, 5, 6}}).to(D{});
  const auto places = tensor<double>({{1, 10}, {100, 1000}}).to(D{});
  CHECK(close(correlate2d(six, places, ConvolveMode::same).to_vector(),  // SciPy's values
              {5421, 6532, 603, 54, 65, 6}));
  // Long signals, which a CPU transforms in pieces.
  const auto signal = noise({2, 1, 5000}, D{});
  for (const int64_t length : {20, 300, 1500}) {
    const auto taps = noise({3, length}, D{}, 1);
    for (auto mode : {ConvolveMode::full, ConvolveMode::same, ConvolveMode::valid}) {
      const auto expected = convolve(signal, taps, mode, ConvolveMethod::direct);
      CHECK(allclose(convolve(signal, taps, mode), expected, {1e-11, 1e-11}));
    }
  }
  // Longer than a kernel's piece of a line, beside the sum over views that batches of taps take.
  const auto few = noise({1, 33}, D{}, 1);
  for (auto mode : {ConvolveMode::full, ConvolveMode::same, ConvolveMode::valid}) {
    const auto one = convolve(signal, few, mode, ConvolveMethod::direct);
    const auto two = convolve(signal, few.expand({2, 33}), mode, ConvolveMethod::direct);
    CHECK(one.shape()[2] == two.shape()[2]);
    CHECK(allclose(one, two.narrow(1, 0, 1), {1e-12, 1e-12}));
    CHECK(allclose(convolve(few, signal(0), mode, ConvolveMethod::direct),
                   convolve(few, signal(0), mode, ConvolveMethod::fft), {1e-11, 1e-11}));
  }
  // Batches broadcast; complex correlations conjugate.
  const auto x = noise({3, 1, 20}, D{});
  const auto h = noise({2, 5}, D{}, 1);
  const auto y = convolve(x, h);
  CHECK(y.shape() == Shape{3, 2, 24});
  CHECK(allclose(y(1, 1), convolve(x(1, 0), h(1), ConvolveMode::full, ConvolveMethod::fft),
                 {1e-11, 1e-11}));
  using C = complex<double>;
  const Tensor<C, D> z = cast<C>(x(0, 0)) + cast<C>(x(1, 0)) * C(0, 1);
  const auto power = correlate(z, z, ConvolveMode::valid);
  CHECK(power(0).item().re == doctest::Approx(sum(square(abs(z))).item()));
  CHECK(std::fabs(power(0).item().im) < 1e-12);
  CHECK_SAYS("[convolve2d] signals of shapes (3, 5) and (4, 2)",
             convolve2d(ones({3, 5}), ones({4, 2}), ConvolveMode::valid));
  CHECK_SAYS("[convolve] signals of shapes (0,) and (4,)", convolve(zeros({0}), ones({4})));
}

TEST_CASE("windows have SciPy's values") {
  // scipy.signal.windows.get_window(name, n, fftbins) and .kaiser(5, 8.6), .gaussian(5, 1.5)
  const auto is = [](const Tensor<double>& w, const Doubles& values) {
    return close(w.to_vector(), values);
  };
  const double c = std::cos(2 * pi / 5);
  CHECK(is(hann_window<double>(4), {0, 0.5, 1, 0.5}));
  CHECK(is(hann_window<double>(5, WindowEnd::symmetric), {0, 0.5, 1, 0.5, 0}));
  CHECK(is(hamming_window<double>(5)(slice(0, 2)), {0.08, 0.54 - 0.46 * c}));
  CHECK(is(blackman_window<double>(5, WindowEnd::symmetric), {0, 0.34, 1, 0.34, 0}));
  CHECK(is(bartlett_window<double>(4), {0, 0.5, 1, 0.5}));
  CHECK(is(bartlett_window<double>(4, WindowEnd::symmetric), {0, 2. / 3, 2. / 3, 0}));
  CHECK(is(gaussian_window<double>(3, 1.5, WindowEnd::symmetric),
           {std::exp(-1 / 4.5), 1, std::exp(-1 / 4.5)}));
  const auto k = kaiser_window<double>(5, 8.6, WindowEnd::symmetric).to_vector();
  const double ends = 1 / std::cyl_bessel_i(0., 8.6);
  CHECK(k[0] == doctest::Approx(ends).epsilon(1e-13));
  CHECK(k[1] ==
        doctest::Approx(std::cyl_bessel_i(0., 8.6 * std::sqrt(0.75)) * ends).epsilon(1e-13));
  CHECK(k[2] == 1);
  CHECK(hann_window(1).item() == 1);
  CHECK(hann_window(0).size() == 0);
  CHECK_SAYS("[kaiser_window] beta -1", kaiser_window(4, -1));
  CHECK_SAYS("[hann_window] -1 elements", hann_window(-1));
}

TEST_CASE_TEMPLATE("stft is the transform of each piece, and istft gives the signal again", D,
                   TEST_DEVICES) {
  const auto x = noise({2, 50}, D{});
  const auto w = hann_window<double>(12, WindowEnd::periodic, D{});
  const StftOptions options{.n_fft = 16, .hop = 5, .center = false};
  const auto s = stft(x, w, options);
  CHECK(s.shape() == Shape{2, 9, 7});
  const Tensor<double, D> window = pad(w, {2, 2});
  for (int piece : {0, 3, 6}) {
    const auto one = rfft(x(1, slice(5 * piece, 5 * piece + 16)) * window);
    CHECK(allclose(s(1, all, piece), one, {1e-12, 1e-12}));
  }
  const auto centred = stft(x, w, {.hop = 3});
  CHECK(centred.shape() == Shape{2, 7, 17});
  const Tensor<double, D> border = pad(x, {6, 6}, PadMode::reflect);
  CHECK(allclose(centred(0, all, 2), rfft(border(0, slice(6, 18)) * w), {1e-12, 1e-12}));
  CHECK(allclose(istft(centred, w, {.hop = 3, .length = 50}), x, {1e-12, 1e-12}));
  const auto both = stft(x, w, {.hop = 3, .normalized = true, .onesided = false});
  CHECK(both.shape() == Shape{2, 12, 17});
  CHECK(allclose(istft(both, w, {.hop = 3, .normalized = true, .onesided = false}),
                 x(all, slice(0, 48)), {1e-12, 1e-12}));
  CHECK_SAYS("[stft] a signal of shape (2, 50) with its border",
             stft(x, w, {.n_fft = 64, .center = false}));
  CHECK_SAYS("[stft] a window of 12 elements, n_fft 8", stft(x, w, {.n_fft = 8}));
  CHECK_SAYS("[istft] spectra of shape (2, 7, 17), expected (..., 9, pieces)",
             istft(centred, w, {.n_fft = 16}));
  CHECK_SAYS("[istft] 60 elements of 17 pieces", istft(centred, w, {.hop = 3, .length = 60}));
}

TEST_CASE("istft says where no window covers the signal") {
  const Tensor w = hann_window<double>(8);
  const Tensor s = stft(noise({40}, Cpu{}), w, {.hop = 8, .center = false});
  CHECK_SAYS("[istft] the squared windows add up to", istft(s, w, {.hop = 8, .center = false}));
}

TEST_CASE_TEMPLATE("resample keeps what both lengths can show", D, TEST_DEVICES) {
  const auto wave = [](int64_t n, double cycles) {
    Doubles out;
    for (int64_t i = 0; i < n; ++i) {
      out.push_back(
          std::cos(2 * pi * cycles * static_cast<double>(i) / static_cast<double>(n) + 1));
    }
    return out;
  };
  for (int64_t n : {16, 21, 40}) {
    const auto y = resample(tensor(wave(16, 3)).to(D{}), n);
    CHECK(close(y.to_vector(), wave(n, 3)));
  }
  CHECK(close(resample(tensor(wave(30, 3)).to(D{}), 15).to_vector(), wave(15, 3)));
  // At the highest frequency of the shorter length, as SciPy: x[0::2] of it is real.
  const auto top = resample(tensor({1., -1., 1., -1.}).to(D{}), 8).to_vector();
  CHECK(close(top, {1, 0, -1, 0, 1, 0, -1, 0}));
  CHECK(close(resample(tensor({1., 0., -1., 0.}).to(D{}), 2).to_vector(), {1, -1}));
  CHECK(resample(ones({3, 4}, D{}), 6, 0).shape() == Shape{6, 4});
  CHECK_SAYS("[resample] 4 elements to 0", resample(ones({4}), 0));
}

TEST_CASE_TEMPLATE("signals have gradients", D, TEST_DEVICES) {
  // All are linear: <f(x), g> = <x, f'(g)>, where f'(g) is the gradient.
  const auto check = [](const auto& x, const auto& f) {
    const Var v = parameter(x);
    const Var y = f(v);
    const auto g = noise(y.shape(), D{}, 3);
    y.backward(g);
    CHECK(sum(v.grad() * x).item() == doctest::Approx(sum(y.value() * g).item()).epsilon(1e-10));
    CHECK(max(abs(v.grad())).item() > 0);
  };
  const auto x = noise({2, 30}, D{});
  const auto h = noise({5}, D{}, 1);
  const auto w = hann_window<double>(8, WindowEnd::periodic, D{});
  for (const auto& signal : {x, noise({2, 1500}, D{})}) {
    for (auto method : {ConvolveMethod::direct, ConvolveMethod::fft}) {
      check(signal, [&](const auto& v) { return convolve(v, h, ConvolveMode::same, method); });
      check(h, [&](const auto& v) { return convolve(signal, v, ConvolveMode::valid, method); });
    }
  }
  check(x, [&](const auto& v) { return resample(v, 20); });
  check(x, [&](const auto& v) {
    return Var(real(stft(v, w, {.hop = 3})) + imag(stft(v, w, {.hop = 3})));
  });
  check(x, [&](const auto& v) { return istft(stft(v, w, {.hop = 3}), w, {.hop = 3}); });
}
