// Sweeps of functions of one number: worst errors, special values, and the same bits everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "reference.hpp"
#include "test.hpp"

namespace test {

/// The loop that is to be vectorised.
template <class T, class F>
[[gnu::noinline]] void apply(F f, T* __restrict out, const T* __restrict in, int n) {
  for (int i = 0; i < n; ++i) out[i] = f(in[i]);
}

/// The worst error over all floats that are a multiple of `step` as integers. With WEFT_EXHAUSTIVE
/// in the environment, over all there are. The reference is computed in double.
template <class F, class R>
Worst sweep_floats(F f, R reference) {
  const std::uint64_t step = std::getenv("WEFT_EXHAUSTIVE") != nullptr ? 1 : 20011;
  Worst worst;
  constexpr int size = 1 << 10;
  std::vector<float> x(size), y(size);
  for (std::uint64_t bits = 0; bits < (1ULL << 32);) {
    int n = 0;
    for (; n < size && bits < (1ULL << 32); ++n, bits += step) {
      const auto pattern = static_cast<std::uint32_t>(bits);
      std::memcpy(&x[static_cast<std::size_t>(n)], &pattern, 4);
    }
    apply(f, y.data(), x.data(), n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const double expected = reference(static_cast<double>(x[i]));
      if (y[i] == static_cast<float>(expected)) continue;  // most are, and ulps() takes its time
      worst(ulps(y[i], expected), static_cast<double>(x[i]));
    }
  }
  return worst;
}

/// The worst error over doubles: any bits, magnitudes up to 1, 30 and 800, and magnitudes near 0.
template <class F, class R>
Worst sweep_doubles(F f, R reference) {
  Worst worst;
  Numbers numbers;
  const int rounds = std::getenv("WEFT_EXHAUSTIVE") != nullptr ? 20000 : 40;
  constexpr int size = 1 << 10;
  std::vector<double> x(size), y(size);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t bits = numbers.bits();
      const int exponent = static_cast<int>(numbers.bits() % 64) - 60;
      if (i % 5 == 0) {
        std::memcpy(&x[i], &bits, 8);
      } else {
        const double range = i % 5 == 1 ? 1 : i % 5 == 2 ? 30 : 800;
        x[i] = i % 5 == 4 ? std::ldexp(numbers.uniform(-1, 1), exponent)
                          : numbers.uniform(-range, range);
      }
    }
    apply(f, y.data(), x.data(), size);
    for (std::size_t i = 0; i < size; ++i) {
      worst(ulps(y[i], reference(static_cast<long double>(x[i]))), x[i]);
    }
  }
  return worst;
}

template <class T>
std::vector<T> special_numbers() {
  using limits = std::numeric_limits<T>;
  std::vector<T> numbers = {T(0),
                            limits::denorm_min(),
                            limits::min() / 2,
                            limits::min(),
                            limits::epsilon(),
                            T(0.5),
                            T(1),
                            T(2),
                            T(100),
                            T(1e4),
                            limits::max(),
                            limits::infinity()};
  const std::size_t n = numbers.size();
  for (std::size_t i = 0; i < n; ++i) numbers.push_back(-numbers[i]);
  numbers.push_back(limits::quiet_NaN());
  return numbers;
}

/// How many special numbers f maps to something else than the reference, to `tolerance` ulp; where
/// the reference is 0, the sign counts.
template <class T, class F, class R>
int wrong_specials(F f, R reference, double tolerance) {
  int wrong = 0;
  for (const T x : special_numbers<T>()) {
    const T got = f(x);
    const auto expected = static_cast<long double>(reference(static_cast<long double>(x)));
    const bool right = ulps(got, expected) <= tolerance &&
                       (expected != 0 || std::signbit(got) == std::signbit(expected));
    if (!right) {
      ++wrong;
      MESSAGE(x, " gives ", got, " instead of ", static_cast<T>(expected));
    }
  }
  return wrong;
}

/// How often f gives other bits at some length and offset of the array than for the number alone.
template <class T, class F>
int differences_by_position(F f) {
  constexpr int longest = 67, offsets = 17;
  std::vector<T> x = special_numbers<T>();
  Numbers numbers;
  while (x.size() < longest + offsets) {
    x.push_back(
        static_cast<T>(std::ldexp(numbers.uniform(-1, 1), static_cast<int>(x.size() % 24) - 16)));
  }
  std::vector<T> alone(x.size()), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) apply(f, &alone[i], &x[i], 1);
  int different = 0;
  for (int offset = 0; offset < offsets; ++offset) {
    for (int n = 1; n <= longest; ++n) {
      apply(f, y.data(), x.data() + offset, n);
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        const T expected = alone[i + static_cast<std::size_t>(offset)];
        const bool both_nan = y[i] != y[i] && expected != expected;
        if (!both_nan && std::memcmp(&y[i], &expected, sizeof(T)) != 0) ++different;
      }
    }
  }
  return different;
}

/// All of the above: the errors of float and double in ulp are at most `limit`.
template <class F, class R>
void check_function(const char* name, F f, R reference, double limit) {
  const std::string of = std::string(name) + " of the ";
  const Worst single = sweep_floats(f, reference);
  CHECK_MESSAGE(single.error <= limit, of, "float ", single.at, ": ", single.error);
  const Worst twice = sweep_doubles(f, reference);
  CHECK_MESSAGE(twice.error <= limit, of, "double ", twice.at, ": ", twice.error);
  CHECK(wrong_specials<float>(f, reference, limit) == 0);
  CHECK(wrong_specials<double>(f, reference, limit) == 0);
  CHECK(differences_by_position<float>(f) == 0);
  CHECK(differences_by_position<double>(f) == 0);
}

}  // namespace test
