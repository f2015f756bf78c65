// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/elementwise/found_rows.hpp>

#include <weft/cuda/inspect/explain.hpp>

#include <string>
#include <vector>

#include "array.hpp"
#include "test.hpp"

using weft::axis;
using weft::Cuda;
using weft::int64_t;
using weft::Tensor;

namespace {
using Offsets = weft::Arg<1, weft::IndexOperand>;
using Index = weft::Arg<2, int64_t>;
using Gathered = weft::Apply<weft::op::gathered<float, weft::AlongAxis>, Offsets, Index>;
using Elsewhere = weft::Apply<weft::op::gathered<float, weft::AtPosition>, Offsets, Index>;
using Twice = weft::Apply<weft::op::mul, Gathered, Gathered>;
using Mixed = weft::Apply<weft::op::mul, Gathered, Elsewhere>;
static_assert(weft::cuda::rows_found<Twice> == 2);
static_assert(weft::cuda::finds_rows<float, Twice>);
static_assert(!weft::cuda::finds_rows<float, Mixed>);
static_assert(!weft::cuda::finds_rows<float, Elsewhere>);
static_assert(weft::cuda::found_lanes<weft::half, Gathered> == 8);
static_assert(weft::cuda::found_lanes<double, Gathered> == 4);

template <class E>
bool is_by_rows(const E& e) {
  return explain(e).kernels[0].kind == "gather by rows";
}

/// Small whole numbers, which every type here holds, and whose products and sums are exact.
template <class T>
std::vector<T> numbers(int64_t n, int64_t period) {
  std::vector<T> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(static_cast<T>(static_cast<float>(i * 7 % period)));
  return out;
}

/// table(ids) * scale + bias + other(ids2) over several tiles of a block, the last not full.
template <class T>
void check_formula(int64_t width, int64_t rows) {
  CAPTURE(width);
  CAPTURE(rows);
  const auto table = numbers<T>(13 * width, 11);
  const auto other = numbers<T>(5 * width, 7);
  const auto scale = numbers<T>(rows, 3);
  const auto bias = numbers<T>(width, 5);
  std::vector<int64_t> ids;
  std::vector<int> second;
  for (int64_t i = 0; i < rows; ++i) {
    ids.push_back(i * 5 % 26 - 13);
    second.push_back(static_cast<int>(i * 3 % 5));
  }
  std::vector<T> expected;
  for (int64_t i = 0; i < rows; ++i) {
    const auto r = static_cast<std::size_t>(i);
    const int64_t row = ids[r] < 0 ? ids[r] + 13 : ids[r];
    for (int64_t c = 0; c < width; ++c) {
      const auto at = [&](const std::vector<T>& x, int64_t k) {
        return static_cast<float>(x[static_cast<std::size_t>(k)]);
      };
      expected.push_back(static_cast<T>(at(table, row * width + c) * at(scale, i) + at(bias, c) +
                                        at(other, second[r] * width + c)));
    }
  }
  const auto x = weft::tensor(table, {13, width}, Cuda{});
  const auto y = weft::tensor(other, {5, width}, Cuda{});
  const auto s = weft::tensor(scale, {rows, 1}, Cuda{});
  const auto b = weft::tensor(bias, {width}, Cuda{});
  const auto i = weft::tensor(ids, {rows}, Cuda{});
  const auto j = weft::tensor(second, {rows}, Cuda{});
  const auto e = take(x, i, axis(0)) * s + b + take(y, j, axis(0));
  CHECK(is_by_rows(e));
  const Tensor<T, Cuda> z = e;
  CHECK(z.to_vector() == expected);
}
}  // namespace

TEST_CASE("[gpu] rows found first, with operands of rows, columns and other gathers") {
  for (int64_t width : {2, 3, 17, 33}) check_formula<float>(width, 4100 / width);
  for (int64_t width : {5, 17, 257}) check_formula<weft::bfloat16>(width, 5000 / width);
  check_formula<double>(3, 700);
  check_formula<float>(2051, 3);
}

TEST_CASE("[gpu] rows of a middle axis") {
  const auto x = weft::arange(2 * 5 * 9, Cuda{}).reshape({2, 5, 9});
  const auto ids = weft::tensor({4, 0, -2}, Cuda{});
  CHECK(is_by_rows(take(x, ids, axis(1))));
  const weft::Tensor<int64_t, Cuda> z = take(x, ids, axis(1));
  for (int64_t a : {0, 1}) {
    CHECK(equal(z(a, 0), x(a, 4)));
    CHECK(equal(z(a, 1), x(a, 0)));
    CHECK(equal(z(a, 2), x(a, 3)));
  }
}

TEST_CASE("[gpu] rows found first for every target") {
  const auto x = weft::arange(5 * 9, Cuda{}).reshape({5, 9});
  const auto ids = weft::tensor({4, 0, -2}, Cuda{});
  auto wide = weft::zeros<int64_t>({3, 10}, Cuda{});
  wide(weft::all, weft::slice(1, weft::none)) = take(x, ids, axis(0));  // of no one stretch
  CHECK(equal(wide(2, weft::slice(1, weft::none)), x(3)));
  CHECK(sum(wide(weft::all, 0)).item() == 0);
  CHECK(!is_by_rows(take(x(weft::all, weft::slice(0, 8)), ids, axis(0))));  // whole vectors
}

TEST_CASE("[gpu] a bad index of a row found first gives NaN in all of it, and in no other") {
  const auto x = weft::ones({3, 7}, Cuda{});
  const auto ids = weft::tensor({0, 3, 1, -4, 2}, Cuda{});
  CHECK(is_by_rows(take(x, ids, axis(0)) * 2.0F));
  const Tensor<float, Cuda> z = take(x, ids, axis(0)) * 2.0F;
  std::string said;
  try {
    weft::synchronize(Cuda{});
  } catch (const weft::Error& error) {
    said = error.what();
  }
  CHECK(said.find("[take] index ") != std::string::npos);
  CHECK(said.find(" is out of range on cuda:0, expected -3 to 2") != std::string::npos);
  CHECK(all(isnan(z(1))).item());
  CHECK(all(isnan(z(3))).item());
  for (int64_t row : {0, 2, 4}) CHECK(sum(z(row)).item() == 14);
}
