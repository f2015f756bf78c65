// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/scatter_deterministic.hpp>

#include <vector>

#include "test.hpp"

using weft::axis;
using weft::Cuda;
using weft::deterministic;
using weft::Tensor;

namespace {
/// f(add) on both devices: the CPU adds in order.
template <class T, class I>
void check_same(const weft::Shape& shape, int along, std::int64_t count) {
  CAPTURE(shape.size());
  CAPTURE(count);
  weft::Shape rows = shape;
  rows[along] = count;
  const auto source = weft::randint<T>(-50, 50, rows);
  const auto ids = weft::randint<I>(-shape[along], shape[along], {count});
  const auto here = weft::ones<T>(shape);
  const auto there = here.to(Cuda{});
  index_add(here, axis(along), ids, source);
  index_add(there, axis(along), ids.to(Cuda{}), source.to(Cuda{}), deterministic);
  CHECK(there.to_vector() == here.to_vector());

  const auto full_ids = weft::randint<I>(-shape[along], shape[along], rows);
  scatter_add(here, axis(along), full_ids, source);
  scatter_add(there, axis(along), full_ids.to(Cuda{}), source.to(Cuda{}), deterministic);
  CHECK(there.to_vector() == here.to_vector());
}
}  // namespace

TEST_CASE("[gpu] deterministic additions add everything") {
  for (std::int64_t count : {1, 2, 31, 32, 33, 64, 65, 1000, 5000}) {
    check_same<int, std::int64_t>({7}, 0, count);
    check_same<int, std::int64_t>({1}, 0, count);
    check_same<int, std::int64_t>({40, 3}, 0, count);
    check_same<int, std::int64_t>({3, 300, 5}, 1, count);
    check_same<int, std::int64_t>({4, 6}, 1, count);
  }
}

TEST_CASE("[gpu] deterministic additions give the same bits every time") {
  const std::int64_t n = 200003;
  const auto values = weft::randn({n}, Cuda{});
  const auto ids = weft::arange<int>(n, Cuda{}) * 7 % 13;
  std::vector<float> before;
  for (int i = 0; i < 5; ++i) {
    const auto x = weft::zeros({13}, Cuda{});
    put_add(x, ids, values, deterministic);
    const auto now = x.to_vector();
    if (i > 0) CHECK(now == before);
    before = now;
  }
  const auto exact = weft::zeros<double>({13}, Cuda{});
  put_add(exact, ids, cast<double>(values));
  CHECK(allclose(weft::tensor(before, {13}, Cuda{}), cast<float>(exact), {1e-4, 1e-3}));
  const auto h = weft::zeros<weft::half>({3}, Cuda{});
  put_add(h, weft::zeros<int>({2049}, Cuda{}), 1, deterministic);  // rounded once
  CHECK(h.to_vector()[0] == weft::half(2048));
  put_add(h, weft::ones<int>({2050}, Cuda{}), 1, deterministic);
  CHECK(h.to_vector()[1] == weft::half(2050));
}

TEST_CASE("[gpu] deterministic additions into views, from themselves, and by bad indices") {
  const auto x = weft::arange<float>(6, Cuda{}).reshape({2, 3});
  index_add(x.t(), axis(0), weft::tensor({0, 0, 2}, Cuda{}), x.t(), deterministic);
  CHECK(x.to_vector() == std::vector<float>{1, 1, 4, 10, 4, 10});
  scatter_add(x, axis(1), weft::tensor({{1}, {-1}}, Cuda{}), x(weft::all, weft::slice(0, 1)) * 10,
              deterministic);
  CHECK(x.to_vector() == std::vector<float>{1, 11, 4, 10, 4, 110});
  put_add(x, weft::tensor({0, 6, 1}, Cuda{}), 1, deterministic);
  CHECK_SAYS("[put_add] index 6 is out of range on cuda:0, expected -6 to 5",
             weft::synchronize(Cuda{}));
  CHECK(x.to_vector() == std::vector<float>{2, 12, 4, 10, 4, 110});
}
