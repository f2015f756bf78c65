// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/order/radix.hpp>

#include <algorithm>
#include <cstring>
#include <weft/cpu/order/sort.hpp>

#include "array.hpp"

using weft::Tensor;
using weft::cpu::radix_key;

static_assert(weft::cpu::RadixSortable<bool> && weft::cpu::RadixSortable<weft::bfloat16>);
static_assert(!weft::cpu::RadixSortable<weft::complex<float>>);

namespace {

/// Any bits: NaNs of both signs, zeros of both signs, infinities and few values among them.
template <class T>
Tensor<T> elements(test::Random& r, const weft::Shape& shape) {
  auto t = weft::empty<T>(shape);
  for (std::int64_t i = 0; i < t.size(); ++i) {
    std::uint64_t bits = static_cast<std::uint64_t>(r.between(0, 1 << 30)) << 34 ^
                         static_cast<std::uint64_t>(r.between(0, 1 << 30)) << 10 ^
                         static_cast<std::uint64_t>(r.between(0, 1 << 30));
    if (std::is_same_v<T, bool>) bits &= 1;
    T x{};
    std::memcpy(&x, &bits, sizeof(T));
    if (i % 7 == 3) x = static_cast<T>(static_cast<float>(i % 3));
    if constexpr (weft::is_floating<T>) {
      if (i % 5 == 1) x = static_cast<T>(-0.0F);
      if (i % 11 == 1) x = std::numeric_limits<T>::quiet_NaN();
      if (i % 13 == 1) x = static_cast<T>(-std::numeric_limits<float>::infinity());
    }
    t.data()[i] = x;
  }
  return t;
}

template <class T>
void check(std::int64_t rows, std::int64_t n, std::int64_t k, int seed) {
  test::Random r(static_cast<std::uint64_t>(seed));
  const Tensor<T> t = elements<T>(r, {rows, n});
  for (const bool reverse : {false, true}) {
    CAPTURE(n);
    CAPTURE(reverse);
    const auto values = weft::empty<T>({rows, k});
    const auto indices = weft::empty<std::int64_t>({rows, k});
    if (reverse) {
      weft::cpu::detail::radix_sort_rows<true>(t, k, values, indices);
    } else {
      weft::cpu::detail::radix_sort_rows<false>(t, k, values, indices);
    }
    bool same = true;
    for (std::int64_t row = 0; row < rows; ++row) {
      const T* const from = t.data() + row * n;
      const auto precedes = [&](std::int64_t i, std::int64_t j) {
        return reverse ? weft::cpu::detail::precedes<true>(from[i], from[j])
                       : weft::cpu::detail::precedes<false>(from[i], from[j]);
      };
      const auto before = [&](std::int64_t i, std::int64_t j) {
        return precedes(i, j) || (i < j && !precedes(j, i));
      };
      std::vector<bool> is_taken(static_cast<std::size_t>(n));
      const std::int64_t* const at = indices.data() + row * k;
      for (std::int64_t i = 0; i < k; ++i) {
        REQUIRE((at[i] >= 0 && at[i] < n));
        is_taken[static_cast<std::size_t>(at[i])] = true;
        same &= i == 0 || before(at[i - 1], at[i]);
        same &= std::memcmp(&values.data()[row * k + i], &from[at[i]], sizeof(T)) == 0;
      }
      for (std::int64_t i = 0; i < n; ++i) {
        same &= is_taken[static_cast<std::size_t>(i)] || before(at[k - 1], i);
      }
    }
    CHECK(same);
  }
}

template <class T>
void check_lengths() {
  for (const std::int64_t n : {1, 2, 31, 256, 1000}) check<T>(3, n, n, 1);
  check<T>(2, 700, 9, 2);
  check<T>(2, 40'000, 40'000, 3);
  for (const int threads : {1, 3}) {
    weft::set_num_threads(threads);
    check<T>(threads > 1 ? 2 : 1, 70'001, 70'001, 4);
    check<T>(1, 40'000, 7, 5);
  }
  weft::set_num_threads(0);
}

}  // namespace

TEST_CASE("keys are in the order of elements") {
  const float nan = weft::math::nan<float>;
  CHECK(radix_key<false>(-1.0F) < radix_key<false>(0.0F));
  CHECK(radix_key<false>(-0.0F) == radix_key<false>(0.0F));
  CHECK(radix_key<false>(__builtin_inff()) < radix_key<false>(nan));
  CHECK(radix_key<false>(-nan) == radix_key<false>(nan));
  CHECK(radix_key<true>(nan) < radix_key<true>(__builtin_inff()));
  CHECK(radix_key<false>(std::int8_t{-128}) == 0);
  CHECK(radix_key<true>(std::uint16_t{7}) == 0xFFFF - 7);
  CHECK(radix_key<false>(weft::half(-2.0F)) < radix_key<false>(weft::half(0x1p-24F)));
}

TEST_CASE("rows of all types are sorted by digits, stable, with the bits that they had") {
  check_lengths<bool>();
  check_lengths<std::int8_t>();
  check_lengths<std::uint8_t>();
  check_lengths<std::int16_t>();
  check_lengths<std::int32_t>();
  check_lengths<std::int64_t>();
  check_lengths<weft::half>();
  check_lengths<weft::bfloat16>();
  check_lengths<float>();
  check_lengths<double>();
}

TEST_CASE("rows of equal elements, and of elements of few digits") {
  const auto ones = weft::full<std::int64_t>({1, 1000}, -1);
  const auto indices = weft::empty<std::int64_t>({1, 1000});
  weft::Sorter<weft::Cpu>::sort(ones, true, 1000, {}, indices);
  CHECK(indices.to_vector() == weft::arange<std::int64_t>(1000).to_vector());
  const auto x = weft::arange<std::int64_t>(1000, 0, -1).reshape({1, 1000}).eval();
  const auto values = weft::empty<std::int64_t>({1, 1000});
  weft::Sorter<weft::Cpu>::sort(x, false, 1000, values, {});
  CHECK(values.to_vector() == weft::arange<std::int64_t>(1, 1001).to_vector());
}
