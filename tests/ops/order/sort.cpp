// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/order/sort.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#ifdef __CUDACC__
#include <weft/cuda/algorithms.hpp>
#endif

#include "array.hpp"

using test::Array;
using test::Index;
using weft::axis;
using weft::descending;
using weft::Shape;
using weft::smallest;
using weft::Tensor;

namespace {

template <class T>
bool before(T a, T b, bool reverse) {
  if (reverse) std::swap(a, b);
  const auto x = weft::load_element(a);
  const auto y = weft::load_element(b);
  return x < y || (y != y && x == x);
}

/// The order of one stretch: positions, stable.
template <class T>
std::vector<std::int64_t> order(const std::vector<T>& row, bool reverse) {
  std::vector<std::int64_t> at(row.size());
  std::iota(at.begin(), at.end(), 0);
  std::stable_sort(at.begin(), at.end(), [&](std::int64_t i, std::int64_t j) {
    return before(row[static_cast<std::size_t>(i)], row[static_cast<std::size_t>(j)], reverse);
  });
  return at;
}

/// Checks sort, argsort and topk of x, whose elements are a's, along an axis.
template <class T, class D>
void check(const Tensor<T, D>& x, const Array<T>& a, int along, bool reverse, std::int64_t k) {
  auto values = a;
  Array<std::int64_t> indices{a.shape, std::vector<std::int64_t>(a.values.size())};
  Shape top = a.shape;
  top[along] = k;
  std::int64_t inner = 1;
  for (int d = along + 1; d < a.shape.rank(); ++d) inner *= a.shape[d];
  const std::int64_t n = a.shape[along];
  for (std::size_t start = 0; n > 0 && start < a.values.size(); ++start) {
    if (static_cast<std::int64_t>(start) / inner % n != 0) continue;
    std::vector<T> row;
    for (std::int64_t i = 0; i < n; ++i)
      row.push_back(a.values[start + static_cast<std::size_t>(i * inner)]);
    const auto at = order(row, reverse);
    for (std::size_t i = 0; i < row.size(); ++i) {
      values.values[start + i * static_cast<std::size_t>(inner)] =
          row[static_cast<std::size_t>(at[i])];
      indices.values[start + i * static_cast<std::size_t>(inner)] = at[i];
    }
  }
  const auto got = reverse ? sort(x, axis(along), descending) : sort(x, axis(along));
  CHECK(same(got.values, values));
  CHECK(same(got.indices, indices));
  CHECK(same(reverse ? argsort(x, descending, axis(along)) : argsort(x, axis(along), weft::stable),
             indices));
  const auto first = reverse ? topk(x, k, axis(along)) : topk(x, k, axis(along), smallest);
  const auto narrow = [&](Index i) { return i; };
  CHECK(same(first.values, values.pick(top, narrow)));
  CHECK(same(first.indices, indices.pick(top, narrow)));
}

/// Elements of all kinds: any bits, few values, ascending, all alike; and of floating-point types
/// NaNs, infinities and zeros of both signs.
template <class T>
std::vector<T> elements(test::Random& r, std::int64_t n, int kind) {
  std::vector<T> out;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t small = kind == 1 ? r.between(0, 3) : kind == 2 ? i : 1;
    if constexpr (weft::is_floating<T>) {
      constexpr float odd[] = {NAN, -NAN, INFINITY, -INFINITY, 0.F, -0.F};
      const auto any = static_cast<float>(r.between(-999'999, 999'999)) * 0x1p-16F;
      const std::int64_t which = r.between(0, 40);
      out.push_back(kind == 0 && which < 6 ? T(odd[which])
                    : kind == 0            ? T(any)
                                           : T(static_cast<float>(small)));
    } else if constexpr (weft::is_bool<T>) {
      out.push_back(kind < 2 ? r.between(0, 1) == 1 : small > n / 2);
    } else {
      out.push_back(static_cast<T>(kind == 0 ? static_cast<std::int64_t>(r.bits()) : small));
    }
  }
  return out;
}

template <class D, class T>
Tensor<T, D> on(const std::vector<T>& a, const Shape& shape) {
  if constexpr (weft::is_bool<T>) {
    return weft::tensor(std::vector<std::uint8_t>(a.begin(), a.end()), shape, D{}) != 0;
  } else {
    return weft::tensor(a, shape, D{});
  }
}

/// Checks topk of the rows of a matrix.
template <class T, class D>
void check_topk(test::Random& r, std::int64_t rows, std::int64_t n, std::int64_t k, int kind) {
  CAPTURE(rows);
  CAPTURE(n);
  CAPTURE(k);
  CAPTURE(kind);
  const auto a = elements<T>(r, rows * n, kind);
  const auto x = on<D>(a, {rows, n});
  for (const bool reverse : {false, true}) {
    const auto got = reverse ? topk(x, k) : topk(x, k, smallest);
    const std::vector<T> values = got.values.to_vector();
    const std::vector<std::int64_t> indices = got.indices.to_vector();
    REQUIRE(got.indices.shape() == Shape{rows, k});
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<T> mine;
      for (std::int64_t i = 0; i < n; ++i) mine.push_back(a[static_cast<std::size_t>(row * n + i)]);
      const auto at = order(mine, reverse);
      for (std::int64_t i = 0; i < k; ++i) {
        const auto to = static_cast<std::size_t>(row * k + i);
        const T wanted = mine[static_cast<std::size_t>(at[static_cast<std::size_t>(i)])];
        const T found = values[to];
        const bool same = std::memcmp(&found, &wanted, sizeof(T)) == 0;
        wrong += indices[to] != at[static_cast<std::size_t>(i)] || !same;
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("order along any axis of any view", D, TEST_DEVICES) {
  test::Random r(4);
  for (int n = 0; n < 25; ++n) {
    Shape shape = r.shape(3, 5);
    shape.insert(static_cast<int>(r.between(0, shape.rank())), r.between(1, 50));
    auto a = r.array<float>(shape);
    auto x = a.on(D{});
    for (int times = 2; times > 0; --times) r.vary(x, a);
    const auto along = static_cast<int>(r.between(0, x.rank() - 1));
    check(x, a, along, n % 2 == 0, r.between(0, a.shape[along]));
  }
}

TEST_CASE_TEMPLATE("a vector and rows of many elements", D, TEST_DEVICES) {
  test::Random r(6);
  for (const Shape& shape : {Shape{70'001}, Shape{3, 20'000}, Shape{2000, 33}}) {
    Array<float> a{shape, {}};
    for (std::int64_t i = shape.size(); i > 0; --i) {
      a.values.push_back(static_cast<float>(r.between(-9999, 9999)) / 64);
    }
    for (bool reverse : {false, true}) check(a.on(D{}), a, shape.rank() - 1, reverse, 17);
  }
}

TEST_CASE_TEMPLATE("element types in order", D, TEST_DEVICES) {
  const auto sorted = [](const auto& x) { return sort(x).values.to_vector(); };
  CHECK(sorted(weft::tensor({true, false, true}, D{})) == std::vector<bool>{false, true, true});
  CHECK(sort(weft::tensor({true, false, true}, D{}), descending).indices.to_vector() ==
        std::vector<std::int64_t>{0, 2, 1});
  CHECK(sorted(weft::tensor<std::int64_t>({std::int64_t{5}, INT64_MIN, std::int64_t{-1}, INT64_MAX},
                                          D{})) ==
        std::vector<std::int64_t>{INT64_MIN, -1, 5, INT64_MAX});
  CHECK(sorted(weft::tensor<int>({3, -7, 0}, D{})) == std::vector<int>{-7, 0, 3});
  CHECK(sorted(weft::tensor<double>({2.5, -HUGE_VAL, -0.5, HUGE_VAL}, D{})) ==
        std::vector<double>{-INFINITY, -0.5, 2.5, INFINITY});
  const auto h = sorted(weft::tensor<weft::half>({2.F, -3.F, 0.5F}, D{}));
  CHECK((h[0] == weft::half(-3.F) && h[1] == weft::half(0.5F) && h[2] == weft::half(2.F)));
}

TEST_CASE_TEMPLATE("the first few of rows of any length", D, TEST_DEVICES) {
  test::Random r(7);
  constexpr bool gpu =
      std::is_same_v<D, weft::Cuda>;  // which has a kernel for many and for long rows
  for (const auto& [rows, n] : std::vector<std::pair<int, int>>{{1, 1},
                                                                {9, 33},
                                                                {7, 256},
                                                                {70, 257},
                                                                {3, 512},
                                                                {gpu ? 5000 : 300, 40},
                                                                {2, 5000},
                                                                {1, gpu ? 200'000 : 20'000}}) {
    for (const int k : {1, 2, 8, 31, 32, 33, 100, 256, 257, 1000, 1024, 1025, 3000}) {
      if (k > n || std::int64_t{k} * rows > 200'000) continue;
      for (int kind = 0; kind < 4; ++kind) check_topk<float, D>(r, rows, n, k, kind);
    }
  }
}

TEST_CASE_TEMPLATE("the first few of each element type", D, TEST_DEVICES) {
  test::Random r(8);
  constexpr bool gpu = std::is_same_v<D, weft::Cuda>;
  const auto check = [&]<class T>(T) {
    for (int kind = 0; kind < 4; ++kind) {
      check_topk<T, D>(r, 33, 40, 40, kind);
      check_topk<T, D>(r, 3, 700, 5, kind);
      check_topk<T, D>(r, 2, gpu ? 20'000 : 2'000, 300, kind);
      check_topk<T, D>(r, 1, gpu ? 90'001 : 9'001, 20, kind);
    }
  };
  check(bool{});
  check(std::int8_t{});
  check(std::uint8_t{});
  check(std::int16_t{});
  check(std::uint16_t{});
  check(std::int32_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
  check(weft::half{});
  check(weft::bfloat16{});
  check(double{});
}

TEST_CASE_TEMPLATE("NaN is the largest, and zeros are equal", D, TEST_DEVICES) {
  const float nan = std::nanf("");
  const auto x = weft::tensor({nan, 1.F, -nan, -0.F, INFINITY, 0.F, -1.F}, D{});
  const auto up = sort(x);
  CHECK(up.indices.to_vector() == std::vector<std::int64_t>{6, 3, 5, 1, 4, 0, 2});
  const auto values = up.values.to_vector();
  CHECK(std::signbit(values[1]));
  CHECK_FALSE(std::signbit(values[2]));
  CHECK((std::isnan(values[5]) && std::isnan(values[6])));
  CHECK(sort(x, descending).indices.to_vector() == std::vector<std::int64_t>{0, 2, 4, 1, 3, 5, 6});
  CHECK(topk(x, 2, smallest).indices.to_vector() == std::vector<std::int64_t>{6, 3});
}

TEST_CASE_TEMPLATE("what is sorted without much in it, and what cannot be", D, TEST_DEVICES) {
  CHECK(sort(weft::zeros({0}, D{})).values.shape() == Shape{0});
  CHECK(sort(weft::zeros({3, 0}, D{})).indices.shape() == Shape{3, 0});
  CHECK(sort(weft::zeros({0, 3}, D{})).indices.shape() == Shape{0, 3});
  CHECK(topk(weft::ones({2, 3}, D{}), 0).values.shape() == Shape{2, 0});
  CHECK(argsort(weft::ones({1}, D{}) * 2).to_vector() == std::vector<std::int64_t>{0});
  const auto x = weft::ones({2, 3}, D{});
  CHECK_THROWS_WITH_AS(topk(x, 4),
                       "[topk] k = 4 of 3 elements along axis 1 of (2, 3), expected at most 3",
                       weft::ValueError);
  CHECK_THROWS_WITH_AS(topk(x, -1), "[topk] k = -1, expected at least 0", weft::ValueError);
  CHECK_THROWS_AS(sort(x, axis(0, 1)), weft::ShapeError);
  CHECK_THROWS_AS(sort(weft::full({}, 1.F, D{}), axis(1)), weft::IndexError);
  CHECK_THROWS_AS(topk(weft::full({}, 1.F, D{}), 2), weft::ValueError);
}

TEST_CASE_TEMPLATE("a number is in order along axis 0 or -1", D, TEST_DEVICES) {
  const auto x = weft::full({}, 3.F, D{});
  for (const int along : {0, -1}) {
    const auto sorted = sort(x, axis(along));
    CHECK(sorted.values.shape() == Shape{});
    CHECK(sorted.values.item() == 3);
    CHECK(sorted.indices.shape() == Shape{});
    CHECK(sorted.indices.item() == 0);
    CHECK(argsort(x * 2, axis(along)).item() == 0);
    CHECK(topk(x, 1, axis(along)).values.item() == 3);
  }
  CHECK(sort(x).values.item() == 3);
  CHECK(topk(x, 0).values.shape() == Shape{0});
}
