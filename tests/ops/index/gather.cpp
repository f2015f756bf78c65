// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/index/gather.hpp>

#include <cmath>
#include <vector>

#include "array.hpp"
#include "test.hpp"

using test::Array;
using test::Index;
using test::Random;
using test::same;
using weft::axis;
using weft::keepdims;
using weft::Shape;
using weft::tensor;
using weft::Tensor;

namespace {

/// Indices below `size` at random, a part of them counted from the end.
template <class I>
Array<I> random_indices(Random& random, const Shape& shape, std::int64_t size) {
  Array<I> a{shape, {}};
  for (std::int64_t n = shape.size(); n > 0; --n) {
    const bool from_end = std::is_signed_v<I> && random.between(0, 2) == 0;
    a.values.push_back(static_cast<I>(random.between(0, size - 1) - (from_end ? size : 0)));
  }
  return a;
}

std::int64_t placed(std::int64_t index, std::int64_t size) {
  return index < 0 ? index + size : index;
}

Index unravel(std::int64_t position, const Shape& shape) {
  Index at(static_cast<std::size_t>(shape.rank()));
  for (int d = shape.rank() - 1; d >= 0; --d) {
    at[static_cast<std::size_t>(d)] = position % shape[d];
    position /= shape[d];
  }
  return at;
}

/// take, take along an axis, and gather of views at random, against plain loops.
template <class T, class I, class D>
void check_gathers(std::uint64_t seed) {
  Random random(seed);
  Shape shape = random.shape(3, 9);
  if (shape.rank() == 0) shape = {random.between(1, 40)};
  Array<T> a = random.array<T>(shape);
  Tensor<T, D> x = a.on(D{});
  for (int i = 0; i < 2; ++i) random.vary(x, a);
  CAPTURE(seed);

  const auto i = random_indices<I>(random, random.shape(2, 70), a.shape.size());
  Array<T> expected{i.shape, {}};
  for (I index : i.values) {
    expected.values.push_back(a.at(unravel(placed(index, a.shape.size()), a.shape)));
  }
  CHECK(same(take(x, i.on(D{})), expected));

  const int n = static_cast<int>(random.between(0, a.shape.rank() - 1));
  const int k = a.shape.rank() > 3 ? 1 : static_cast<int>(random.between(0, 2));
  Shape of_indices;
  for (int d = 0; d < k; ++d) of_indices.push_back(random.between(1, 12));
  const auto j = random_indices<I>(random, of_indices, a.shape[n]);
  Shape result;
  for (int d = 0; d < n; ++d) result.push_back(a.shape[d]);
  for (auto size : of_indices) result.push_back(size);
  for (int d = n + 1; d < a.shape.rank(); ++d) result.push_back(a.shape[d]);
  expected = a.pick(result, [&](const Index& at) {
    const Index inner(at.begin() + n, at.begin() + n + k);
    Index from(at.begin(), at.begin() + n);
    from.push_back(placed(j.at(inner), a.shape[n]));
    from.insert(from.end(), at.begin() + n + k, at.end());
    return from;
  });
  CHECK(same(take(x, j.on(D{}), axis(n)), expected));

  Shape along = a.shape;
  along[n] = random.between(1, 300);
  const auto m = random_indices<I>(random, along, a.shape[n]);
  expected = a.pick(along, [&](Index at) {
    const auto d = static_cast<std::size_t>(n);
    return at[d] = placed(m.at(at), a.shape[n]), at;
  });
  CHECK(same(gather(x, m.on(D{}), axis(n - a.shape.rank())), expected));
}

}  // namespace

TEST_CASE_TEMPLATE("gathers of any view are those of a plain loop", D, TEST_DEVICES) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    check_gathers<float, std::int64_t, D>(seed);
    check_gathers<float, std::int32_t, D>(1000 + seed);
#ifndef __CUDACC__
    check_gathers<double, std::int8_t, D>(2000 + seed % 2 * 7);
    check_gathers<std::uint8_t, std::uint64_t, D>(3000 + seed);
    check_gathers<std::int16_t, std::uint16_t, D>(4000 + seed);
    check_gathers<weft::complex<float>, std::int64_t, D>(5000 + seed);
#endif
  }
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    check_gathers<weft::half, std::int32_t, D>(6000 + seed);
  }
}

TEST_CASE_TEMPLATE("gathers are operands of a fused expression", D, TEST_DEVICES) {
  Random random(1);
  const auto a = random.array<float>({50, 37});
  const auto t = random_indices<std::int64_t>(random, {50, 1}, 37);
  const auto x = a.on(D{}) / 4;
  const Tensor<float, D> logits = x;
  double nll = 0;
  for (std::int64_t r = 0; r < 50; ++r) {
    double total = 0;
    for (std::int64_t c = 0; c < 37; ++c) total += std::exp(a.at({r, c}) / 4.0);
    nll += std::log(total) - a.at({r, placed(t.at({r, 0}), 37)}) / 4.0;
  }
  const auto targets = t.on(D{});
  const auto loss =
      mean(logsumexp(logits, axis(-1), keepdims) - take_along_axis(logits, targets, axis(-1)));
  CHECK(loss.item() == doctest::Approx(nll / 50).epsilon(1e-5));
  CHECK(mean(logsumexp(x, axis(-1), keepdims) - gather(x, targets, axis(-1))).item() ==
        doctest::Approx(nll / 50).epsilon(1e-5));  // of an expression, which is evaluated first

  const auto table = tensor({{1.0F, 2.0F}, {3.0F, 4.0F}, {5.0F, 6.0F}}, D{});
  const auto ids = tensor({2, 0, 2, 1}, D{});
  const auto scale = tensor({{1.0F}, {10.0F}, {100.0F}, {1000.0F}}, D{});
  CHECK((take(table, ids, axis(0)) * scale + 1).eval().to_vector() ==
        std::vector<float>{6, 7, 11, 21, 501, 601, 3001, 4001});
  CHECK(sum(take(table, ids, axis(0)), axis(0)).eval().to_vector() == std::vector<float>{14, 18});
  CHECK(sum(take(table, ids, axis(0)) * scale).item() == 11 + 30 + 1100 + 7000);
  CHECK(max(take(table.t(), ids, axis(1)), axis(1)).eval().to_vector() == std::vector<float>{5, 6});
  CHECK(take(table, (ids + 1) % 3, axis(0)).eval().to_vector() ==
        std::vector<float>{1, 2, 3, 4, 1, 2, 5, 6});
}

TEST_CASE_TEMPLATE("indices may be any expression", D, TEST_DEVICES) {
  const auto x = tensor({10.0F, 20.0F, 30.0F, 40.0F, 50.0F}, D{});
  const auto i = tensor({4, 2, 0}, D{});
  CHECK(take(x, i - 1).eval().to_vector() == std::vector<float>{40, 20, 50});
  CHECK(take(x, take(i, tensor({-1, 0}, D{}))).eval().to_vector() == std::vector<float>{10, 50});
  CHECK(take(x, argmax(x)).item() == 50);
  CHECK(take(x, -2).item() == 40);
  weft::Generator a(7);
  weft::Generator b(7);
  Tensor<float, D> shuffled = take(x, weft::shuffled(5, a));
  const auto order = weft::permutation(5, D{}, b);
  CHECK(shuffled.to_vector() == take(x, order).eval().to_vector());
  const auto rows =
      take(x.reshape({5, 1}).expand({5, 3}), tensor({{0, 1}, {2, 3}}, D{}) + 1, axis(0));
  CHECK(rows.shape() == Shape{2, 2, 3});
  CHECK(rows.eval().to_vector() ==
        std::vector<float>{20, 20, 20, 30, 30, 30, 40, 40, 40, 50, 50, 50});
}

TEST_CASE_TEMPLATE("gathers broadcast like NumPy's take_along_axis", D, TEST_DEVICES) {
  const auto x = tensor({{1.0F, 2.0F, 3.0F}}, D{});  // (1, 3)
  const auto i = tensor({{2}, {0}}, D{});            // (2, 1)
  CHECK(gather(x, i, axis(1)).shape() == Shape{2, 1});
  CHECK(gather(x, i, axis(1)).eval().to_vector() == std::vector<float>{3, 1});
  const auto y = tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}, D{});
  CHECK(gather(y, tensor({{1}}, D{}), axis(1)).eval().to_vector() == std::vector<float>{2, 4});
}

TEST_CASE_TEMPLATE("no elements and one element", D, TEST_DEVICES) {
  const auto x = tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}, D{});
  const auto none = weft::zeros<int>({0}, D{});
  CHECK(take(x, none).eval().shape() == Shape{0});
  CHECK(take(x, none, axis(1)).eval().shape() == Shape{2, 0});
  CHECK(sum(take(x, none, axis(0))).item() == 0);
  const auto empty = weft::zeros({0, 3}, D{});
  CHECK(take(empty, none, axis(0)).eval().shape() == Shape{0, 3});
  CHECK(take(empty, tensor({1, 2}, D{}), axis(1)).eval().shape() == Shape{0, 2});
  CHECK(take(weft::full({}, 7.0F, D{}), tensor({0, -1}, D{})).eval().to_vector() ==
        std::vector<float>{7, 7});
  CHECK(take(weft::full({}, 7.0F, D{}), 0).item() == 7);
}

TEST_CASE_TEMPLATE("a gather reads before its target is written", D, TEST_DEVICES) {
  const auto i = tensor({3, 2, 1, 0}, D{});
  const std::vector<float> expected{5, 5, 5, 5};
  Tensor<float, D> x = tensor({1.0F, 2.0F, 3.0F, 4.0F}, D{});
  const auto other = x;
  x.assign(take(x, i) + x);
  CHECK(x.to_vector() == expected);
  CHECK(other.to_vector() == expected);

  Tensor<float, D> y = tensor({1.0F, 2.0F, 3.0F, 4.0F}, D{});
  y = take(y, i) + y;
  CHECK(y.to_vector() == expected);
  y = take(y * 2, i) - y;  // of a temporary: in place
  CHECK(y.to_vector() == expected);

  Tensor<int, D> p = tensor({3, 2, 1, 0}, D{});
  p.assign(take(p, p));  // the indices are read at their own place, but the elements are not
  CHECK(p.to_vector() == std::vector<int>{0, 1, 2, 3});
  auto z = weft::arange<float>(10, D{});
  z(weft::slice(0, 4)) = take(z(weft::slice(2, 10)), tensor({0, 1, 2, 3}, D{}));
  CHECK(z.to_vector() == std::vector<float>{2, 3, 4, 5, 4, 5, 6, 7, 8, 9});
  z.assign(z + sum(take(z, tensor({0, 9}, D{}))));
  CHECK(z(0).item() == 13);
}

TEST_CASE_TEMPLATE("rebinding reuses the buffer only where the gather does not read it", D,
                   TEST_DEVICES) {
  auto z = weft::zeros({64}, D{});
  const auto x = weft::arange<float>(64, D{});
  const auto i = weft::permutation(64, D{});
  const float* before = z.data();
  z = take(x, i) + z;
  CHECK(z.data() == before);
  z = take(z, i);
  CHECK(z.data() != before);
  CHECK(sum(z).item() == 63 * 32);
}

TEST_CASE_TEMPLATE("a bad index throws once and reads nothing", D, TEST_DEVICES) {
  const auto x = tensor({{1.0F, 2.0F}, {3.0F, 4.0F}, {5.0F, 6.0F}}, D{});
  const auto bad = tensor({0, 3, -4}, D{});
  CHECK_SAYS("[take] index 6 is out of range", take(x, tensor({0, 6}, D{})).eval().to_vector());
  CHECK_SAYS("[index_select] index 3 is out of range",
             index_select(x, tensor({0, 3}, D{}), axis(0)).eval().to_vector());
  CHECK_SAYS("[take] index", take(x, bad, axis(0)).eval().to_vector());
  CHECK_SAYS(
      "[take_along_axis] index -3 is out of range",
      take_along_axis(x, tensor({{1, -3}, {0, 0}, {1, 1}}, D{}), axis(1)).eval().to_vector());
  CHECK_SAYS("expected -2 to 1",
             gather(x, tensor({{2}, {0}, {0}}, D{}), axis(1)).eval().to_vector());
  CHECK_SAYS("there are no elements",
             take(weft::zeros({0}, D{}), tensor({0}, D{})).eval().to_vector());
  CHECK_SAYS("[gather] index 2", sum(gather(x, tensor({{2}, {0}, {0}}, D{}), axis(1))).item());
  CHECK_NOTHROW(weft::synchronize(D{}));
  CHECK(take(x, tensor({0, 5}, D{})).eval().to_vector() == std::vector<float>{1, 6});
}

TEST_CASE_TEMPLATE("threads that find bad indices throw one error", D, TEST_DEVICES) {
  const auto x = weft::arange<float>(100, D{});
  const auto bad = weft::full({1 << 18}, 100, D{});
  CHECK_SAYS("[take] index 100 is out of range", take(x, bad).eval().to_vector());
  CHECK_SAYS("[take] index 100 is out of range", sum(take(x, bad)).item());
  CHECK_NOTHROW(weft::synchronize(D{}));
}

TEST_CASE_TEMPLATE("indices beyond the elements of a kernel's last thread do not count", D,
                   TEST_DEVICES) {
  for (std::int64_t n = 1; n < 20; ++n) {
    const auto x = weft::arange<float>(n, D{});
    const Tensor<float, D> i = weft::arange<float>(n + 3, D{})(weft::slice(3, weft::none));
    const Tensor<int, D> ids = cast<int>(i);
    CHECK(take(x, ids - 3).eval().to_vector() ==
          x.to_vector());  // -3 of no element is out of range
    CHECK(take(x, ids + (n - 3) - n).eval().to_vector() == x.to_vector());
    CHECK(take(x, weft::generated({n}, weft::op::affine<std::int64_t>{0, 1})).eval().to_vector() ==
          x.to_vector());
  }
  const Tensor<std::uint8_t, D> bytes = cast<std::uint8_t>(weft::arange<int>(37, D{}));
  const auto one = weft::arange<std::uint8_t>(5, 6, 1, D{});
  CHECK(take(one, bytes - bytes).eval().to_vector() == std::vector<std::uint8_t>(37, 5));
  CHECK(sum(take(bytes, bytes)).item() == 36 * 37 / 2);
}

TEST_CASE_TEMPLATE("shapes that do not fit", D, TEST_DEVICES) {
  const auto x = weft::zeros({3, 4}, D{});
  const auto i = weft::zeros<int>({2, 2}, D{});
  CHECK_SAYS("[gather] indices of shape (2, 5) along axis 0 of (3, 4)",
             gather(x, weft::zeros<int>({2, 5}, D{}), axis(0)));
  CHECK_SAYS("[take] axis 2 of a tensor of rank 2", take(x, i, axis(2)));
  CHECK_SAYS("[take] axes (0, 1), expected one axis", take(x, i, axis(0, 1)));
  CHECK_SAYS("[index_select] indices of shape (2, 2), expected rank 1",
             index_select(x, i, axis(0)));
  CHECK_SAYS("more than 8 dimensions",
             take(weft::zeros({1, 1, 1, 1, 1, 1, 1, 1}, D{}), i, axis(0)));
}

TEST_CASE_TEMPLATE("numbers, and indices that stretch to none", D, TEST_DEVICES) {
  const auto x = weft::full<float>({}, 7.0F, D{});
  const auto first = weft::zeros<int>({3}, D{});
  CHECK(gather(x, first, axis(0)).eval().to_vector() == std::vector<float>{7, 7, 7});
  CHECK(gather(x, first(0) - 1, axis(-1)).eval().shape() == Shape{});
  CHECK(Tensor<float, D>(take(x, first.reshape(1, 3), axis(0)) + 1.0F).shape() == Shape{1, 3});
  CHECK_SAYS("[gather] axis 1 of a tensor of rank 0", gather(x, first, axis(1)));
  CHECK_SAYS("[gather] indices of shape (1, 3) along axis 0 of ()",
             gather(x, first.reshape(1, 3), axis(0)));
  CHECK_SAYS("[gather] index 1 is out of range", gather(x, first + 1, axis(0)).eval().to_vector());
  const auto none = weft::zeros<float>({0, 3}, D{});
  CHECK(gather(none, weft::zeros<int>({1, 2}, D{}), axis(1)).eval().shape() == Shape{0, 2});
}
