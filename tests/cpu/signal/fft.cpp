// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/signal/butterfly.hpp>
#include <weft/cpu/signal/fft.hpp>
#include <weft/cpu/signal/fftw.hpp>
#include <weft/cpu/signal/line_plan.hpp>
#include <weft/cpu/signal/lines.hpp>
#include <weft/cpu/signal/long_line.hpp>

#include <cmath>
#include <thread>
#include <vector>

#include "test.hpp"
#include "weft/fft.hpp"

using namespace weft;
using namespace weft::cpu::fourier;

TEST_CASE("roots of 1 are exact to an ulp, and at the eighths of a turn") {
  for (int64_t n : {1, 4, 7, 8, 360, 1000003}) {
    for (int64_t k = 0; k < n; k += 1 + n / 97) {
      const long double angle = -2 * 3.14159265358979323846264338L * static_cast<long double>(k) /
                                static_cast<long double>(n);
      const Root root(k, n);
      CHECK(std::fabs(static_cast<double>(root.re - std::cos(angle))) < 2.3e-16);
      CHECK(std::fabs(static_cast<double>(root.im - std::sin(angle))) < 2.3e-16);
    }
  }
  CHECK(Root(1, 4).re == 0);
  CHECK(Root(2, 4).re == -1);
  CHECK(Root(3, 4).im == 1);
  CHECK(is_smooth(2 * 3 * 29 * 31));
  CHECK_FALSE(is_smooth(37));
  CHECK(middle_divisor(1 << 11) == 64);
  CHECK(middle_divisor(31) == 31);
}

TEST_CASE("a long line is the same as one of many, in every way that it goes") {
  // Lines of 20 take the way of short lines, single ones that of long ones.
  Generator g(1);
  for (int64_t n : {2048, 3000, 2022, 1031 * 3, 2187}) {
    CAPTURE(n);
    const Tensor x = randn<double>({20, n}, Cpu{}, g);
    const auto z = fft(x);
    const auto half = rfft(x);
    const auto close = [](const auto& a, const auto& b) { return allclose(a, b, {1e-10, 1e-10}); };
    CHECK(close(fft(x(3)), z(3)));
    CHECK(close(rfft(x(3)), half(3)));
    CHECK(close(irfft(half(3), {.n = n}), x(3)));
    CHECK(close(ifft(z(3)), ifft(z)(3)));
    CHECK(close(fft(x(3), {.n = n - 100}), fft(x(all, slice(0, n - 100)))(3)));
    CHECK(close(rfft(x(3, slice(0, n - 7)), {.n = n}), rfft(x(all, slice(0, n - 7)), {.n = n})(3)));
    CHECK(close(irfft(half(3, slice(0, 700)), {.n = n}),
                irfft(half(all, slice(0, 700)), {.n = n})(3)));
  }
}

TEST_CASE("results do not depend on the number of threads, and threads may transform at once") {
  Generator g(2);
  const Tensor x = randn<float>({3, 1 << 16}, Cpu{}, g);
  set_num_threads(1);
  const auto alone = fft(x);
  set_num_threads(3);
  CHECK(equal(fft(x), alone));
  set_num_threads(0);
  std::thread others[4];
  for (auto& t : others) {
    t = std::thread([&] {
      for (int64_t n = 2; n < 40; ++n) {  // more lengths than a thread keeps
        CHECK(fft(x(all, slice(0, n)))(0, 0).item().re ==
              doctest::Approx(sum(x(0, slice(0, n))).item()).epsilon(1e-4));
      }
    });
  }
  for (auto& t : others) t.join();
}
