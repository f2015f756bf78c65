#include "weft/ops/fuse.hpp"

#include <cmath>

#include "array.hpp"

using weft::all;
using weft::axis;
using weft::fuse;
using weft::keepdims;
using weft::Shape;
using weft::slice;
using weft::Tensor;
using weft::tie;

namespace {

template <class D, class T = float>
Tensor<T, D> numbers(std::vector<T> values, const Shape& shape) {
  return weft::tensor(values).to(D{}).reshape(shape);
}

template <class D>
Tensor<float, D> counted(const Shape& shape, float first = 1) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < shape.size(); ++i) values.push_back(first + static_cast<float>(i));
  return numbers<D>(values, shape);
}

}  // namespace

TEST_CASE_TEMPLATE("new tensors: sine and cosine of the same angles", D, TEST_DEVICES) {
  for (const Shape& shape : {Shape{3, 100}, Shape{1}, Shape{}, Shape{0, 3}, Shape{777}}) {
    const auto x = counted<D>(shape, -20);
    auto [s, c] = fuse(sin(x * 0.1f), cos(x * 0.1f));
    static_assert(std::is_same_v<decltype(s), Tensor<float, D>>);
    CHECK(s.shape() == shape);
    const auto sines = s.to_vector();
    const auto cosines = c.to_vector();
    REQUIRE(sines.size() == static_cast<std::size_t>(shape.size()));
    for (std::size_t i = 0; i < sines.size(); ++i) {
      const double angle = double{(-20 + static_cast<float>(i)) * 0.1f};
      CHECK(std::abs(sines[i] - std::sin(angle)) < 1e-6);
      CHECK(std::abs(cosines[i] - std::cos(angle)) < 1e-6);
    }
  }
}

TEST_CASE_TEMPLATE("Adam writes three tensors in place", D, TEST_DEVICES) {
  const auto g = counted<D>({5, 3}, -7);
  auto p = counted<D>({5, 3}, 2);
  auto m = counted<D>({5, 3}, 1);
  auto v = counted<D>({5, 3}, 0);
  const float* const data[] = {p.data(), m.data(), v.data()};
  const auto first = 0.9f * m + 0.1f * g;
  const auto second = 0.99f * v + 0.01f * square(g);
  tie(p, m, v) = fuse(p - 0.5f * first / (sqrt(second) + 1e-3f), first, second);
  CHECK((p.data() == data[0] && m.data() == data[1] && v.data() == data[2]));
  const auto ps = p.to_vector();
  const auto ms = m.to_vector();
  const auto vs = v.to_vector();
  for (int i = 0; i < 15; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double gi = -7 + i;
    const double mi = 0.9 * (1 + i) + 0.1 * gi;
    const double vi = 0.99 * i + 0.01 * gi * gi;
    CHECK(std::abs(ms[k] - mi) < 1e-5);
    CHECK(std::abs(vs[k] - vi) < 1e-5);
    CHECK(std::abs(ps[k] - (2 + i - 0.5 * mi / (std::sqrt(vi) + 1e-3))) < 1e-4);
  }
}

TEST_CASE_TEMPLATE("every expression sees the old values", D, TEST_DEVICES) {
  auto x = counted<D>({700});
  auto y = counted<D>({700}, 1000);
  tie(x, y) = fuse(y, x);
  CHECK(x.to_vector() == counted<D>({700}, 1000).to_vector());
  CHECK(y.to_vector() == counted<D>({700}).to_vector());
  // SGD with momentum, the parameter from the new velocity.
  auto p = counted<D>({4});
  auto v = counted<D>({4}, 0);
  const auto velocity = 0.5f * v + 1;
  tie(v, p) = fuse(velocity, p - 2 * velocity);
  CHECK(v.to_vector() == std::vector<float>{1, 1.5f, 2, 2.5f});
  CHECK(p.to_vector() == std::vector<float>{-1, -1, -1, -1});
}

TEST_CASE_TEMPLATE("element types differ between outputs", D, TEST_DEVICES) {
  const auto x = numbers<D>({-1, 2, -3, 4, 0}, {5});
  auto [positive, rounded, narrow, wide] =
      fuse(x > 0, cast<std::int8_t>(x * 3), cast<weft::half>(x) / 2, cast<double>(x) + 1e-9);
  static_assert(std::is_same_v<decltype(positive), Tensor<bool, D>>);
  CHECK(positive.to_vector() == std::vector<bool>{false, true, false, true, false});
  CHECK(rounded.to_vector() == std::vector<std::int8_t>{-3, 6, -9, 12, 0});
  CHECK(static_cast<float>(narrow.to_vector()[2]) == -1.5f);
  CHECK(wide.to_vector()[4] == 1e-9);
}

TEST_CASE_TEMPLATE("running mean and variance, from reductions inside", D, TEST_DEVICES) {
  const auto x = counted<D>({6, 4});
  auto mean = weft::zeros({4}, D{});
  auto var = weft::ones({4}, D{});
  const auto batch = weft::mean(x, axis(0));
  tie(mean, var) = fuse(mean + 0.5f * (batch - mean), var + 0.5f * (weft::var(x, axis(0)) - var));
  const auto means = mean.to_vector();
  const auto vars = var.to_vector();
  for (int j = 0; j < 4; ++j) {
    CHECK(std::abs(means[static_cast<std::size_t>(j)] - 0.5 * (11 + j)) < 1e-5);
    CHECK(std::abs(vars[static_cast<std::size_t>(j)] - (0.5 + 0.5 * 56)) < 1e-4);
  }
  auto [low, centred] = fuse(min(x, axis(1)), max(x, axis(1)) - weft::mean(x, axis(1)));
  CHECK(low.to_vector() == std::vector<float>{1, 5, 9, 13, 17, 21});
  CHECK(centred.to_vector() == std::vector<float>(6, 1.5f));
}

TEST_CASE_TEMPLATE("views as targets: rows, columns, steps, transposes", D, TEST_DEVICES) {
  auto z = counted<D>({3, 4});
  tie(z(0), z(2)) = fuse(z(2) * 10, z(0) + z(1));
  CHECK(z.to_vector() == std::vector<float>{90, 100, 110, 120, 5, 6, 7, 8, 6, 8, 10, 12});
  z = counted<D>({3, 4});
  tie(z(all, 0), z(all, 3)) = fuse(z(all, 3), z(all, 0));
  CHECK(z.to_vector() == std::vector<float>{4, 2, 3, 1, 8, 6, 7, 5, 12, 10, 11, 9});
  auto w = counted<D>({40, 30});
  auto u = weft::zeros({30, 40}, D{});
  tie(u, w.t()) = fuse(w.t() * 2, u + 1);
  CHECK(u.to_vector() == Tensor<float, D>(counted<D>({40, 30}).t() * 2).to_vector());
  CHECK(all(w == 1).item());
  auto line = counted<D>({7});
  tie(line(slice(0, 6, 2)), line(slice(1, 7, 2))) =
      fuse(line(slice(1, 7, 2)), line(slice(0, 6, 2)));
  CHECK(line.to_vector() == std::vector<float>{2, 1, 4, 3, 6, 5, 7});
}

TEST_CASE_TEMPLATE("targets that expressions read at other places", D, TEST_DEVICES) {
  auto x = counted<D>({6});
  auto y = counted<D>({5}, 10);
  tie(x(slice(1, 6)), y) = fuse(x(slice(0, 5)), x(slice(1, 6)) + y);
  CHECK(x.to_vector() == std::vector<float>{1, 1, 2, 3, 4, 5});
  CHECK(y.to_vector() == std::vector<float>{12, 14, 16, 18, 20});
  auto square = counted<D>({3, 3});
  auto sums = weft::zeros({3, 3}, D{});
  tie(square, sums) = fuse(square.t(), square + square.t());
  CHECK(square.to_vector() == std::vector<float>{1, 4, 7, 2, 5, 8, 3, 6, 9});
  CHECK(sums.to_vector() == std::vector<float>{2, 6, 10, 6, 10, 14, 10, 14, 18});
}

TEST_CASE_TEMPLATE("fuse is lazy, and may be kept and run again", D, TEST_DEVICES) {
  auto x = counted<D>({3});
  const auto both = fuse(x + 1, x * 2);
  x.fill(5);
  auto [a, b] = both;
  CHECK(a.to_vector() == std::vector<float>{6, 6, 6});
  CHECK(b.to_vector() == std::vector<float>{10, 10, 10});
  x.fill(1);
  const auto& [c, d] = both;
  CHECK(c(0).item() == 2);
  CHECK(d(0).item() == 2);
  auto targets = tie(a, b);
  targets = both;
  CHECK(a(2).item() == 2);
  auto [one] = fuse(x - 1);
  CHECK(one(1).item() == 0);
  tie(one) = fuse(x + one);
  CHECK(one(1).item() == 1);
}

TEST_CASE_TEMPLATE("bindings hold no operands, so that a loop reuses its buffers", D,
                   TEST_DEVICES) {
  auto x = counted<D>({64});
  auto [a, b] = fuse(x + 1, x - 1);
  const float* const before[] = {x.data(), a.data()};
  x = x * 2;
  a = a * 2;
  CHECK(x.data() == before[0]);
  CHECK(a.data() == before[1]);
  CHECK(b(0).item() == 0);
}

TEST_CASE_TEMPLATE("what does not fit is refused", D, TEST_DEVICES) {
  const auto x = weft::ones({2, 3}, D{});
  auto z = weft::ones({2, 3}, D{});
  auto line = weft::ones({3}, D{});
  Tensor<float, D> none;
  const auto both = fuse(x + 1, x + 2);
  CHECK_SAYS("[fuse] expressions of shapes (2, 3) and (3,)",
             fuse(x + 1, line + 1).template get<0>());
  CHECK_SAYS("[fuse] expressions of shapes (2, 3) and (3,)", tie(z, line) = fuse(x + 1, line + 1));
  CHECK_SAYS("[tie] target 1 has shape (3,), expected (2, 3)", tie(z, line) = both);
  CHECK_SAYS("auto [a, b] = fuse(...) makes new tensors", tie(none, z) = both);
  CHECK_SAYS("[tie] targets 0 and 1 have elements in common", tie(z, z) = both);
  CHECK_SAYS("has elements that share memory", tie(z, line.expand({2, 3})) = both);
  CHECK(all(z == 1).item());
}
