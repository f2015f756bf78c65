// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/assign.hpp>

#include <thread>

#include "array.hpp"

using test::Array;
using test::Index;
using weft::all;
using weft::none;
using weft::Shape;
using weft::slice;
using weft::Tensor;

namespace {

template <class D>
Tensor<float, D> counted(const Shape& shape, D device) {
  Array<float> a{shape, {}};
  for (std::int64_t i = 0; i < shape.size(); ++i) a.values.push_back(static_cast<float>(i + 1));
  return a.on(device);
}

template <class D>
auto softmax_of(D device) {
  const auto x = counted({2, 3}, device);
  const auto e = exp(x - max(x, weft::axis(-1), weft::keepdims));
  return e / sum(e, weft::axis(-1), weft::keepdims);
}

}  // namespace

TEST_CASE_TEMPLATE("rebinding leaves other handles' data alone", D, TEST_DEVICES) {
  auto z = counted({4}, D{});
  const auto other = z;
  z = z * 10;
  CHECK(z.to_vector() == std::vector<float>{10, 20, 30, 40});
  CHECK(other.to_vector() == std::vector<float>{1, 2, 3, 4});
  const auto view = z(slice(1, 3));
  z = z + 1;
  CHECK(view.to_vector() == std::vector<float>{20, 30});
  const auto read = Tensor<const float, D>(z);
  z = z + 1;
  CHECK(read.to_vector() == std::vector<float>{11, 21, 31, 41});
  z = weft::ones({2, 2}, D{}) * 3;
  CHECK(z.shape() == Shape{2, 2});
}

TEST_CASE_TEMPLATE("the buffer is reused when nobody can tell", D, TEST_DEVICES) {
  auto z = counted({6, 4}, D{});
  const auto x = counted({4}, D{});
  const auto* before = z.data();
  z = z * 2 + x;
  CHECK(z.data() == before);
  z = (z + z) * (z - 1);
  CHECK(z.data() == before);
  z = z / sum(z);
  CHECK(z.data() == before);
  z = z - max(z * z, weft::axis(0)) + z;
  CHECK(z.data() == before);
  z = x + weft::zeros({3, 2, 4}, D{});
  CHECK(z.data() == before);
  CHECK(z.shape() == Shape{3, 2, 4});
  CHECK(z(2, 1).to_vector() == x.to_vector());
  z = z.reshape({24}) + 1;
  CHECK(z.data() == before);
  CHECK(z.shape() == Shape{24});
}

TEST_CASE_TEMPLATE("and only then", D, TEST_DEVICES) {
  auto z = counted({4, 4}, D{});
  const auto* before = z.data();
  const auto fresh = [&](auto&& change) {
    z = counted({4, 4}, D{});
    before = z.data();
    change();
    return z.data() != before;
  };
  SUBCASE("another handle") {
    CHECK(fresh([&, other = Tensor<float, D>()]() mutable { other = z, z = z + 1; }));
  }
  SUBCASE("a view of it") {
    CHECK(fresh([&, other = Tensor<float, D>()]() mutable { other = z(0), z = z + 1; }));
  }
  SUBCASE("a stored expression") {
    CHECK(fresh([&] {
      const auto e = z + 1;
      z = e;
      CHECK(z(0, 0).item() == 2);
      CHECK(e.eval()(0, 0).item() == 2);
    }));
    CHECK(fresh([&] {
      const auto e = z + 1;
      z = e * 2;
      CHECK(e.eval()(0, 0).item() == 2);
    }));
    CHECK(fresh([&] {
      const auto e = sum(z, weft::axis(0), weft::keepdims);
      z = z - e;
      CHECK(e.eval()(0, 0).item() == 28);
    }));
  }
  SUBCASE("another size") {
    CHECK(fresh([&] { z = z(all, slice(0, 3)) + 0; }));
    CHECK(z.shape() == Shape{4, 3});
    CHECK(fresh([&] { z = z(weft::newaxis) + weft::zeros({2, 1, 1}, D{}); }));
  }
  SUBCASE("an operand that overlaps with another layout") {
    CHECK(fresh([&] { z = z.t() + z; }));
    CHECK(z(0).to_vector() == std::vector<float>{2, 7, 12, 17});
    CHECK(fresh([&] { z = z.flip(0) - z; }));
    CHECK(z(0).to_vector() == std::vector<float>(4, 12));
    CHECK(fresh([&] { z = z + z(0); }));
    CHECK(z(3).to_vector() == std::vector<float>{14, 16, 18, 20});
  }
  SUBCASE("a view") {
    CHECK(fresh([&] {
      z = z.t();
      z = z + 1;
      CHECK(z.is_contiguous());
    }));
    CHECK(fresh([&] {
      z = z(slice(0, 2));
      z = z + 1;
    }));
  }
}

TEST_CASE_TEMPLATE("borrowed memory is never rebound into", D, TEST_DEVICES) {
  auto owner = counted({4}, D{});
  auto z = weft::borrow(owner.data(), {4}, D{});
  z = z + 1;
  CHECK(owner.to_vector() == std::vector<float>{1, 2, 3, 4});
  CHECK(z.to_vector() == std::vector<float>{2, 3, 4, 5});
}

TEST_CASE_TEMPLATE("writes in place", D, TEST_DEVICES) {
  const auto z = weft::zeros({3, 4}, D{});
  z(0, all) = counted({4}, D{});
  z(1) = z(0) * 2;
  z(2, slice(none, none, 2)) = 7;
  z(all, 3) += 100;
  CHECK(z.to_vector() == std::vector<float>{1, 2, 3, 104, 2, 4, 6, 108, 7, 0, 7, 100});
  z.t()(0) -= counted({3}, D{});
  z(slice(1, none)) *= 2;
  z(0) /= weft::full({1}, 2.F, D{});
  CHECK(z.to_vector() == std::vector<float>{0, 1, 1.5F, 52, 0, 8, 12, 216, 8, 0, 14, 200});
  z.assign(sum(z, weft::axis(1), weft::keepdims));
  CHECK(z(all, 2).to_vector() == std::vector<float>{54.5F, 236, 222});
  z.diagonal() = z(all, 0) * 0;
  CHECK(z(1).to_vector() == std::vector<float>{236, 0, 236, 236});
  z.fill(1);
  CHECK(sum(z).item() == 12);
}

TEST_CASE_TEMPLATE("a write does not see itself", D, TEST_DEVICES) {
  auto v = counted({6}, D{});
  v(slice(1, none)) = v(slice(0, -1));
  CHECK(v.to_vector() == std::vector<float>{1, 1, 2, 3, 4, 5});
  v(slice(0, -1)) = v(slice(1, none)) + 10;
  CHECK(v.to_vector() == std::vector<float>{11, 12, 13, 14, 15, 5});
  v.assign(v.flip(0));
  CHECK(v.to_vector() == std::vector<float>{5, 15, 14, 13, 12, 11});
  v /= v(0);
  CHECK(v(1).item() == 3);
  auto x = counted({2, 2}, D{});
  x += x.t();
  CHECK(x.to_vector() == std::vector<float>{2, 5, 5, 8});
  x /= sum(x);
  CHECK(x.to_vector() == std::vector<float>{0.1F, 0.25F, 0.25F, 0.4F});
  x.assign(max(x, weft::axis(0), weft::keepdims));
  CHECK(x.to_vector() == std::vector<float>{0.25F, 0.4F, 0.25F, 0.4F});
  x(all, 0) = sum(x, weft::axis(1));
  CHECK(x(1, 0).item() == doctest::Approx(0.65));
  auto y = counted({1, 4}, D{});
  y.assign(sum(y, weft::axis(0), weft::keepdims) + 1);
  CHECK(y.to_vector() == std::vector<float>{2, 3, 4, 5});
}

TEST_CASE_TEMPLATE("views of one buffer written from each other, at random", D, TEST_DEVICES) {
  test::Random r(7);
  for (int n = 0; n < 300; ++n) {
    const auto size = r.between(4, 40);
    const auto memory = r.array<float>({size});
    const auto buffer = memory.on(D{});
    const auto length = r.between(1, size / 2);
    const auto view = [&](Index& at) {
      const auto step = r.between(0, 3) == 0 ? 2 : 1;
      const auto start = r.between(0, size - 1 - (length - 1) * step);
      const bool backwards = r.between(0, 2) == 0;
      auto x = buffer(slice(start, start + (length - 1) * step + 1, step));
      for (std::int64_t i = 0; i < length; ++i) {
        at.push_back(start + (backwards ? length - 1 - i : i) * step);
      }
      return backwards ? x.flip(0) : x;
    };
    Index to;
    Index from[2];
    const auto target = view(to);
    const auto x = view(from[0]);
    const auto y = view(from[1]);
    auto expected = memory.values;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto at = [&](int k) { return memory.values[static_cast<std::size_t>(from[k][i])]; };
      expected[static_cast<std::size_t>(to[i])] = at(0) * 3 - at(1);
    }
    target.assign(x * 3 - y);
    CHECK(buffer.to_vector() == expected);
  }
}

TEST_CASE_TEMPLATE("targets that cannot be written", D, TEST_DEVICES) {
  const auto x = weft::zeros({3}, D{});
  CHECK_THROWS_WITH_AS(x.expand({2, 3}).fill(1),
                       "[assign] the target of shape (2, 3) and strides (0, 1) has elements that "
                       "share memory: write to a clone()",
                       weft::ShapeError);
  CHECK_THROWS_WITH_AS(x.assign(weft::zeros({2, 3}, D{})),
                       "[assign] shape (2, 3) does not broadcast to the target's (3,)",
                       weft::ShapeError);
  CHECK_THROWS_AS(x(slice(0, 0)) = weft::zeros({2}, D{}), weft::ShapeError);
  CHECK_THROWS_AS(x += weft::zeros({4}, D{}), weft::ShapeError);
  x(slice(0, 0)) = weft::zeros({0}, D{});
  x(slice(0, 0)) += 1;
  CHECK(sum(x).item() == 0);
}

TEST_CASE_TEMPLATE("expressions are safe to keep", D, TEST_DEVICES) {
  const auto e = softmax_of(D{});
  const auto first = e.eval().to_vector();
  CHECK(first == e.eval().to_vector());
  CHECK(first[0] + first[1] + first[2] == doctest::Approx(1));
  CHECK(first[2] == doctest::Approx(0.66524096));
  auto x = counted({3}, D{});
  const auto twice = x * 2;
  x += 1;
  CHECK(twice.eval().to_vector() == std::vector<float>{4, 6, 8});
  const auto frozen = twice.eval();
  const Tensor<float, D> also = twice;
  x.fill(0);
  CHECK(frozen.to_vector() == std::vector<float>{4, 6, 8});
  CHECK(also.to_vector() == std::vector<float>{4, 6, 8});
  CHECK(twice.eval().to_vector() == std::vector<float>{0, 0, 0});
}

TEST_CASE_TEMPLATE("two threads evaluate one expression", D, TEST_DEVICES) {
  const auto x = counted({100, 30}, D{});
  const auto e = sum(x - weft::mean(x, weft::axis(0)), weft::axis(0)) + 1;
  std::vector<float> results[2];
  std::thread first([&] { results[0] = e.eval().to_vector(); });
  std::thread second([&] { results[1] = e.eval().to_vector(); });
  first.join();
  second.join();
  CHECK(results[0] == std::vector<float>(30, 1));
  CHECK(results[0] == results[1]);
}

TEST_CASE_TEMPLATE("a temporary operand gives its memory to the result", D, TEST_DEVICES) {
  const auto make = [](float value) { return weft::full({64}, value, D{}); };
  const auto y = make(3);
  auto x = make(2);
  const float* data = x.data();
  const Tensor<float, D> z = std::move(x) * y + 1;
  CHECK(z.data() == data);
  CHECK(z.to(weft::Cpu{}).at(63) == 7);
  // Whoever can still see the memory keeps it.
  auto kept = make(2);
  const auto other = kept;
  const Tensor<float, D> w = std::move(kept) * y;
  CHECK(w.data() != other.data());
  CHECK(other.to(weft::Cpu{}).at(0) == 2);
  const auto stored = make(5) + y;
  const Tensor<float, D> first = stored;
  const Tensor<float, D> second = stored;
  CHECK(first.data() != second.data());
  CHECK(second.to(weft::Cpu{}).at(7) == 8);
  // Another shape or type, or another element at an index, needs other memory.
  auto row = make(1);
  const Tensor<float, D> table = std::move(row) + weft::zeros({2, 64}, D{});
  CHECK(table.to(weft::Cpu{}).at(1, 63) == 1);
  auto square = weft::arange<float>(16, D{}).reshape({4, 4});
  const auto expected = (square + square.t()).eval().to(weft::Cpu{});
  auto turned = square.t();
  const Tensor<float, D> sum = std::move(square) + std::move(turned);
  CHECK(weft::allclose(sum.to(weft::Cpu{}), expected));
}
