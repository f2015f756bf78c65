// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/reduce/lanes.hpp>

#include <cmath>
#include <memory>
#include <vector>

#include "test.hpp"

namespace {
/// The result of R over values given in runs of `length`.
template <class R, class C>
auto reduced(const R& reducer, const std::vector<C>& values, std::size_t length) {
  weft::cpu::Reduction<R, C> reduction(reducer);
  for (std::size_t i = 0; i < values.size(); i += length) {
    const std::size_t m = values.size() - i < length ? values.size() - i : length;
    reduction.add(values.data() + i, static_cast<int>(m), static_cast<std::int64_t>(i));
  }
  return reducer.finish(reduction.total(), static_cast<long long>(values.size()));
}

const float not_a_number = weft::math::nan<float>;
const float infinite = weft::math::infinity<float>;
}  // namespace

TEST_CASE("runs of any length are summed, all elements once") {
  for (std::size_t n : {1U, 2U, 63U, 64U, 65U, 127U, 200U, 512U, 3000U}) {
    std::vector<float> values;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(static_cast<float>(i % 17) - 5);
      sum += static_cast<double>(values.back());
    }
    for (std::size_t length : {1U, 64U, 100U, 512U}) {
      CHECK(static_cast<double>(reduced(weft::reducer::sum{}, values, length)) == sum);
    }
  }
}

TEST_CASE("bools are counted, all once, also more than a byte counts") {
  for (int n : {0, 1, 31, 32, 33, 100, 8160, 8161, 20000}) {
    const auto values = std::make_unique<bool[]>(static_cast<std::size_t>(n) + 1);
    const auto ones = std::make_unique<bool[]>(static_cast<std::size_t>(n) + 1);
    std::int64_t expected = 0;
    for (int i = 0; i < n; ++i) {
      ones[static_cast<std::size_t>(i)] = true;
      values[static_cast<std::size_t>(i)] = i * i % 7 < 3;
      expected += i * i % 7 < 3 ? 1 : 0;
    }
    CHECK(weft::cpu::detail::count_true(ones.get(), n) == n);
    using weft::reducer::sum, weft::reducer::count_nonzero;
    CHECK(weft::cpu::Reduction<sum, bool>::whole({}, values.get(), n).value == expected);
    CHECK(weft::cpu::Reduction<count_nonzero, bool>::whole({}, values.get(), n).value == expected);
  }
}

TEST_CASE("rows of any length: any, all, norms, and reductions without vectors") {
  using weft::cpu::Reduction;
  namespace reducer = weft::reducer;
  for (int n = 0; n < 140; ++n) {
    std::vector<double> x;
    std::vector<std::int8_t> k;
    const auto bools = std::make_unique<bool[]>(static_cast<std::size_t>(n) + 1);
    double squares = 0;
    std::int64_t sum = 0;
    int largest = -128;
    for (int i = 0; i < n; ++i) {
      x.push_back(i % 7 - 3);
      k.push_back(static_cast<std::int8_t>(i * 37 % 101 - 50));
      squares += x.back() * x.back();
      sum += k.back();
      largest = std::max(largest, int{k.back()});
    }
    CHECK(reducer::norm{}.finish(Reduction<reducer::norm, double>::whole({}, x.data(), n), n) ==
          doctest::Approx(std::sqrt(squares)));
    CHECK(Reduction<reducer::sum, std::int8_t>::whole({}, k.data(), n).value == sum);
    if (n > 0) CHECK(Reduction<reducer::max, std::int8_t>::whole({}, k.data(), n).value == largest);
    const auto any = [&] { return Reduction<reducer::any, bool>::whole({}, bools.get(), n).value; };
    const auto all = [&] { return Reduction<reducer::all, bool>::whole({}, bools.get(), n).value; };
    CHECK(!any());
    CHECK(all() == (n == 0));
    for (int i = 0; i < n; ++i) {
      bools[static_cast<std::size_t>(i)] = true;
      CHECK(any());
      CHECK(all() == (i == n - 1));
    }
  }
}

TEST_CASE("a sum of a million elements is as exact as one by pairs") {
  const std::vector<float> values(1 << 20, 0.1F);
  const float exact = static_cast<float>((1 << 20) * static_cast<double>(0.1F));
  CHECK(reduced(weft::reducer::sum{}, values, 512) == doctest::Approx(exact).epsilon(1e-7));
}

TEST_CASE("positions: the first of equal ones, NaN before all") {
  using weft::reducer::argmax;
  using weft::reducer::argmin;
  std::vector<float> values(1500, 1.F);
  CHECK(reduced(argmax{}, values, 512) == 0);
  values[700] = values[900] = values[1400] = 2;
  CHECK(reduced(argmax{}, values, 512) == 700);
  CHECK(reduced(argmin{}, values, 512) == 0);
  values[0] = 3;
  values[1] = -infinite;
  CHECK(reduced(argmin{}, values, 512) == 1);
  values[1200] = values[1300] = not_a_number;
  CHECK(reduced(argmax{}, values, 512) == 1200);
  CHECK(reduced(argmin{}, values, 512) == 1200);
  CHECK(reduced(argmax{}, std::vector<float>(100, -infinite), 64) == 0);
  CHECK(reduced(argmax{}, std::vector<int>{-3, -2, -2}, 2) == 1);
}

TEST_CASE("variances of runs of odd lengths with a large mean") {
  std::vector<double> values;
  for (int i = 0; i < 1301; ++i) values.push_back(1e9 + i % 3);
  double mean = 0;
  for (double v : values) mean += (v - 1e9) / 1301;
  double squares = 0;
  for (double v : values) squares += (v - 1e9 - mean) * (v - 1e9 - mean);
  for (std::size_t length : {1U, 100U, 512U}) {
    CHECK(reduced(weft::reducer::var{}, values, length) ==
          doctest::Approx(squares / 1300).epsilon(1e-9));
  }
}
