// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/short_rows.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"
#include "weft/weft.hpp"

namespace {
/// Adds two operands, and notes how it was called.
template <class T>
struct Sum {
  static inline std::vector<std::int64_t> lengths;
  static void loop(const void*, char* const* at, const std::int64_t*, const std::int64_t*,
                   std::int64_t rows, std::int64_t n) {
    CHECK(rows == 1);
    lengths.push_back(n);
    for (std::int64_t i = 0; i < n; ++i) {
      reinterpret_cast<T*>(at[0])[i] =
          reinterpret_cast<const T*>(at[1])[i] + reinterpret_cast<const T*>(at[2])[i];
    }
  }
};

/// What lies apart by `pitch` elements in each operand.
template <class T>
void sum_rows(std::int64_t rows, std::int64_t n, std::int64_t pitch, bool in_place) {
  const auto size = static_cast<std::size_t>(rows * pitch + 8);
  std::vector<T> x(size), y(size), other(size, T(-1));
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = static_cast<T>(i);
    y[i] = static_cast<T>(1000 * i);
  }
  std::vector<T>& out = in_place ? x : other;
  std::vector<T> expected = out;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(r * pitch + i);
      expected[k] = x[k] + y[k];
    }
  }
  char* at[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(x.data()),
                reinterpret_cast<char*>(y.data())};
  const auto bytes = pitch * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t skip[] = {bytes, bytes, bytes};
  Sum<T>::lengths.clear();
  weft::cpu::detail::run_short_rows(Sum<T>::loop, nullptr, at, skip, rows, n, 3, 1, sizeof(T), 8);
  CHECK(out == expected);
  for (const std::int64_t length : Sum<T>::lengths) CHECK(length % 8 == 0);
}
}  // namespace

TEST_CASE_TEMPLATE("rows of any short width, as whole vectors, and nothing beside them", T, float,
                   double) {
  for (std::int64_t n = 1; n < 8; ++n) {
    for (const std::int64_t rows : {1, 2, 7, 8, 9, 31, 64, 65, 200}) {
      for (const bool in_place : {false, true}) {
        sum_rows<T>(rows, n, n, in_place);
        sum_rows<T>(rows, n, n + 3, in_place);
      }
    }
  }
  sum_rows<T>(3, 0, 4, false);
}

TEST_CASE("as many rows at a time as fit into 64 elements") {
  sum_rows<float>(100, 3, 3, false);  // 21 rows are 63 elements
  CHECK(Sum<float>::lengths == std::vector<std::int64_t>{64, 64, 64, 64, 48});
  sum_rows<float>(1, 5, 5, false);
  CHECK(Sum<float>::lengths == std::vector<std::int64_t>{8});
}
