// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/index/scatter.hpp>

#include <vector>

#include "array.hpp"
#include "test.hpp"
#include "weft/cuda/algorithms.hpp"

using test::Array;
using test::Index;
using test::Random;
using test::same;
using weft::axis;
using weft::Shape;
using weft::tensor;
using weft::Tensor;

namespace {

std::int64_t placed(std::int64_t index, std::int64_t size) {
  return index < 0 ? index + size : index;
}

/// Adds to the array's element at the coordinates.
template <class T>
void add_to(Array<T>& a, const Index& at, T value) {
  std::int64_t k = 0;
  for (int d = 0; d < a.shape.rank(); ++d) k = k * a.shape[d] + at[static_cast<std::size_t>(d)];
  T& element = a.values[static_cast<std::size_t>(k)];
  element = static_cast<T>(element + value);
}

/// scatter_add, index_add and put_add into views at random, against plain loops.
template <class T, class I, class D>
void check_additions(std::uint64_t seed) {
  Random random(seed);
  CAPTURE(seed);
  Shape shape = random.shape(3, 9);
  if (shape.rank() == 0) shape = {random.between(1, 40)};
  Array<T> a = random.array<T>(shape);
  Tensor<T, D> x = a.on(D{});
  do {
    random.vary(x, a);
  } while (x.layout().has_overlap() && (x = a.on(D{}), true));
  shape = a.shape;
  const auto rank = static_cast<std::size_t>(shape.rank());
  const auto n = static_cast<std::size_t>(random.between(0, shape.rank() - 1));
  const int axis_number = static_cast<int>(n);
  const std::int64_t size = shape[axis_number];
  auto indices = [&](const Shape& s, std::int64_t below) {
    Array<I> i{s, {}};
    for (auto k = s.size(); k > 0; --k)
      i.values.push_back(static_cast<I>(random.between(-below, below - 1)));
    return i;
  };

  Shape along = shape;
  along[axis_number] = random.between(1, 50);
  auto i = indices(along, size);
  auto source = random.array<T>(along);
  test::each_index(along, [&](Index at) {
    const T value = source.at(at);
    at[n] = placed(i.at(at), size);
    add_to(a, at, value);
  });
  CHECK(same(scatter_add(x, axis(axis_number), i.on(D{}), source.on(D{})), a));

  Shape rows = shape;
  rows[axis_number] = random.between(1, 20);
  i = indices({rows[axis_number]}, size);
  source = random.array<T>(random.shrunk(rows));
  test::each_index(rows, [&](Index at) {
    const T value = source.at(at);
    at[n] = placed(i.at({at[n]}), size);
    add_to(a, at, value);
  });
  CHECK(same(index_add(x, axis(axis_number - shape.rank()), i.on(D{}), source.on(D{})), a));

  i = indices(random.shape(2, 30), shape.size());
  source = random.array<T>(i.shape);
  test::each_index(i.shape, [&](const Index& at) {
    std::int64_t position = placed(i.at(at), shape.size());
    Index to(rank);
    for (std::size_t d = rank; d-- > 0; position /= shape[static_cast<int>(d)]) {
      to[d] = position % shape[static_cast<int>(d)];
    }
    add_to(a, to, source.at(at));
  });
  CHECK(same(put_add(x, i.on(D{}), source.on(D{})), a));
}

}  // namespace

TEST_CASE_TEMPLATE("additions by indices are those of a plain loop", D, TEST_DEVICES) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    check_additions<float, std::int32_t, D>(seed);
#ifndef __CUDACC__
    check_additions<double, std::int8_t, D>(1000);
    check_additions<std::uint8_t, std::int64_t, D>(2000 + seed);
    check_additions<weft::complex<float>, std::int64_t, D>(3000 + seed);
#endif
  }
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    check_additions<std::int16_t, std::int64_t, D>(4000 + seed);
  }
}

TEST_CASE_TEMPLATE("large additions on several threads lose nothing", D, TEST_DEVICES) {
  const std::int64_t n = 1 << 17;
  const auto ids = weft::arange<std::int64_t>(n, D{}) % 7;
  auto x = weft::zeros<std::int64_t>({7}, D{});
  put_add(x, ids, ids + 1);
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < 7; ++i) expected.push_back((n / 7 + (i < n % 7 ? 1 : 0)) * (i + 1));
  CHECK(x.to_vector() == expected);
  auto y = weft::zeros<std::int64_t>({7, 33}, D{});
  index_add(y, axis(0), weft::arange<int>(4096, D{}) % 7,
            weft::ones<std::int64_t>({4096, 33}, D{}));
  for (std::int64_t i = 0; i < 7; ++i) {
    CHECK(equal(y(i), weft::full({33}, std::int64_t{585 + (i < 1 ? 1 : 0)}, D{})));
  }
}

TEST_CASE_TEMPLATE("writes by indices", D, TEST_DEVICES) {
  auto x = weft::zeros({3, 4}, D{});
  auto y = scatter(x, axis(1), tensor({{3, 0}, {-1, 1}, {2, 0}}, D{}),
                   tensor({{1.0F, 2.0F}, {3.0F, 4.0F}, {5.0F, 6.0F}}, D{}));
  CHECK(y.data() == x.data());
  CHECK(x.to_vector() == std::vector<float>{2, 0, 0, 1, 0, 4, 0, 3, 6, 0, 5, 0});
  scatter(x, axis(0), tensor({{1}}, D{}), 7);  // the other axes broadcast
  CHECK(x(1).to_vector() == std::vector<float>{7, 7, 7, 7});
  index_copy(x, axis(0), tensor({2, 0}, D{}), tensor({{1.0F}, {2.0F}}, D{}) * 2);
  CHECK(x.to_vector() == std::vector<float>{4, 4, 4, 4, 7, 7, 7, 7, 2, 2, 2, 2});
  index_fill(x, axis(-1), tensor({0, -1}, D{}), 9);
  CHECK(x.to_vector() == std::vector<float>{9, 4, 4, 9, 9, 7, 7, 9, 9, 2, 2, 9});
  index_fill(x.t(), axis(0), 1, 0.5);
  CHECK(x(0).to_vector() == std::vector<float>{9, 0.5F, 4, 9});
  put(x.t(), tensor({1, -1}, D{}), tensor({-1.0F, -2.0F}, D{}));
  CHECK(x.to_vector() == std::vector<float>{9, 0.5F, 4, 9, -1, 0.5F, 7, 9, 9, 0.5F, 2, -2});
  put(x(2, weft::all), tensor({0}, D{}), 3);
  CHECK(x(2, 0).item() == 3);
  auto b = weft::zeros<bool>({3}, D{});
  put(b, tensor({1}, D{}), true);
  CHECK(b.to_vector() == std::vector<bool>{false, true, false});
  auto h = weft::zeros<weft::half>({2}, D{});
  put_add(h, tensor({1, 1}, D{}), 0.5);
  CHECK(cast<float>(h).eval().to_vector() == std::vector<float>{0, 1});
}

TEST_CASE("of several writes to one element the last stays on the CPU") {
  auto x = weft::zeros({2});
  put(x, weft::arange<int>(1000) % 2, weft::arange<float>(1000));
  CHECK(x.to_vector() == std::vector<float>{998, 999});
}

TEST_CASE_TEMPLATE("a source, or indices, that overlap the target are read first", D,
                   TEST_DEVICES) {
  auto x = tensor({1, 2, 3, 4}, D{});
  index_add(x, axis(0), tensor({1, 2, 3, 0}, D{}), x);
  CHECK(x.to_vector() == std::vector<int>{5, 3, 5, 7});
  auto p = tensor({3, 2, 1, 0}, D{});
  put(p, p, p * 10);
  CHECK(p.to_vector() == std::vector<int>{0, 10, 20, 30});
  auto z = weft::arange<float>(6, D{});
  put_add(z(weft::slice(0, 3)), tensor({0, 1, 2}, D{}), take(z, tensor({3, 4, 5}, D{})) + sum(z));
  CHECK(z.to_vector() == std::vector<float>{18, 20, 22, 3, 4, 5});
}

TEST_CASE_TEMPLATE("bad indices of a scatter write nothing and throw once", D, TEST_DEVICES) {
  const auto memory = weft::zeros({3, 4}, D{});
  const auto x = memory(weft::slice(1, 2), weft::slice(1, 3));  // (1, 2)
  auto done = [] { weft::synchronize(D{}); };
  CHECK_SAYS("[put] index 2 is out of range", put(x, tensor({2, 2}, D{}), 1), done());
  CHECK_SAYS("[put_add] index -3 is out of range", put_add(x, tensor({-3}, D{}), 1), done());
  CHECK_SAYS("[scatter] index 4", scatter(x, axis(1), tensor({{4}}, D{}), 1), done());
  CHECK_SAYS("[scatter_add] index 1", scatter_add(x, axis(0), tensor({{1}}, D{}), 1), done());
  CHECK_SAYS("[index_copy] index -9", index_copy(x, axis(1), tensor({-9}, D{}), 1), done());
  CHECK_SAYS("expected -1 to 0", index_add(x, axis(0), tensor({-2}, D{}), 1), done());
  CHECK_NOTHROW(done());
  CHECK(sum(memory).item() == 0);
}

TEST_CASE_TEMPLATE("what a scatter cannot take", D, TEST_DEVICES) {
  const auto x = weft::zeros({3, 4}, D{});
  const auto i = weft::zeros<int>({3, 2}, D{});
  CHECK_SAYS("[scatter_add] source of shape (2, 2) does not broadcast to (3, 2)",
             scatter_add(x, axis(1), i, weft::zeros({2, 2}, D{})));
  CHECK_SAYS("[scatter] indices of shape (3, 5) along axis 0 of (3, 4)",
             scatter(x, axis(0), weft::zeros<int>({3, 5}, D{}), 1));
  CHECK_SAYS("[scatter] indices of shape (3, 2) for a target of (1, 4), expected axes but 1",
             scatter(x(weft::slice(0, 1)), axis(1), i, 1));
  CHECK_SAYS("has elements that share memory",
             put(x(0, 0).expand({2}), weft::zeros<int>({1}, D{}), 1));
  CHECK_SAYS("does not fit in uint8", put(weft::zeros<std::uint8_t>({3}, D{}), i, 256));
  CHECK_NOTHROW(put(x, weft::zeros<int>({0}, D{}), 1));
  CHECK_NOTHROW(put(weft::zeros({0}, D{}), weft::zeros<int>({0}, D{}), 1));
}

TEST_CASE_TEMPLATE("as many values as indices go in row-major order", D, TEST_DEVICES) {
  const auto i = tensor({{0, 2}, {4, 5}}, D{});
  const std::vector<int> expected{1, 0, 2, 0, 3, 4};
  CHECK(put(weft::zeros<int>({6}, D{}), i, tensor({1, 2, 3, 4}, D{})).to_vector() == expected);
  CHECK(put(weft::zeros<int>({6}, D{}), i, tensor({{0, 1, 2, 3}}, D{}) + 1).to_vector() ==
        expected);
  CHECK(put_add(weft::zeros<int>({6}, D{}), i, tensor({{1}, {2}, {3}, {4}}, D{})).to_vector() ==
        expected);
  CHECK(put(weft::zeros<int>({6}, D{}), i, tensor({7, 8}, D{})).to_vector() ==
        std::vector<int>{7, 0, 8, 0, 7, 8});  // fewer broadcast
  const auto number = weft::full(weft::Shape{}, 5, D{});
  index_add(number, axis(0), tensor({0, -1}, D{}), 2);  // of a number axis 0 is its only element
  CHECK(number.item() == 9);
  CHECK(index_fill(number, axis(-1), tensor({0}, D{}), 3).item() == 3);
  CHECK_SAYS("[put] source of shape (3,) does not broadcast to (2, 2)",
             put(weft::zeros<int>({6}, D{}), i, tensor({1, 2, 3}, D{})));
}

TEST_CASE_TEMPLATE("picked slices as source and as indices", D, TEST_DEVICES) {
  const D device{};
  const auto x = arange<float>(4, device);
  const auto i = tensor<std::int64_t>({2, 0, 2}, device);
  const auto big = x > 1;
  const auto sums = zeros(3, device);
  index_add(sums, axis(0), i, x[i]);  // 2, 0, 2 to places 2, 0, 2
  CHECK(sums.to_vector() == std::vector<float>{0, 0, 4});
  index_add(sums, axis(0), i[i], (x * 2)[i]);  // to places 2, 2, 2
  CHECK(sums.to_vector() == std::vector<float>{0, 0, 12});
  put(sums, tensor({0, 1}, device), x[big]);
  CHECK(sums.to_vector() == std::vector<float>{2, 3, 12});
  index_fill(sums, axis(0), i[tensor({0}, device)], 5);
  CHECK(sums.to_vector() == std::vector<float>{2, 3, 5});
}
