// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/linalg/matmul.hpp>

#include "matrices.hpp"

using test::Array;
using test::laid_out;
using test::product;
using test::rounded;
using test::small_numbers;
using weft::bfloat16;
using weft::Shape;
using weft::Tensor;

namespace {

struct Pair {
  Shape a;
  Shape b;
};

const Pair pairs[] = {
    {{1, 1}, {1, 1}},
    {{3, 4}, {4, 5}},
    {{4}, {4}},
    {{4}, {4, 5}},
    {{3, 4}, {4}},
    {{1, 7}, {7, 1}},
    {{17, 33}, {33, 9}},
    {{2, 3, 4}, {4, 5}},
    {{3, 4}, {2, 4, 5}},
    {{2, 3, 4}, {2, 4, 5}},
    {{2, 1, 3, 4}, {5, 4, 2}},
    {{2, 3, 4, 5}, {1, 3, 5, 2}},
    {{6, 1, 4}, {4, 3}},
    {{2, 3, 4}, {4}},
    {{4}, {2, 3, 4, 2}},
    {{2, 2, 1, 5}, {1, 2, 5, 3}},
    {{65, 70}, {70, 66}},
};

template <class T, class D>
void check_products(test::Random& r) {
  for (const Pair& pair : pairs) {
    const auto a = small_numbers<T>(r, pair.a);
    const auto b = small_numbers<T>(r, pair.b);
    const auto expected = rounded<T>(product(a, b));
    for (int how = 0; how < test::layouts; ++how) {
      const auto x = laid_out(a, D{}, how);
      const auto y = laid_out(b, D{}, (how * 5 + 1) % test::layouts);
      CAPTURE(pair.a);
      CAPTURE(pair.b);
      CAPTURE(how);
      CHECK(same(matmul(x, y), expected));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("matmul of all shapes, layouts and types", D, TEST_DEVICES) {
  test::Random r(1);
  check_products<float, D>(r);
  check_products<double, D>(r);
  check_products<weft::half, D>(r);
  check_products<bfloat16, D>(r);
  check_products<weft::complex<float>, D>(r);
  check_products<weft::complex<double>, D>(r);
}

TEST_CASE_TEMPLATE("products of integers wrap", D, TEST_DEVICES) {
  test::Random r(2);
  check_products<std::int8_t, D>(r);
  check_products<std::int16_t, D>(r);
  check_products<std::int32_t, D>(r);
  check_products<std::int64_t, D>(r);
  check_products<std::uint8_t, D>(r);
  check_products<std::uint32_t, D>(r);
  const auto large = weft::tensor<std::int32_t>({{65536, 1}}, D{});
  CHECK(matmul(large, weft::tensor<std::int32_t>({{65536}, {5}}, D{})).item() == 5);
}

TEST_CASE_TEMPLATE("sizes around every block", D, TEST_DEVICES) {
  test::Random r(3);
  for (std::int64_t size : {11, 12, 13, 31, 33, 65, 200}) {
    for (std::int64_t depth : {1, 127, 128, 129, 257, 600}) {
      const auto a = small_numbers<float>(r, {size, depth});
      const auto b = small_numbers<float>(r, {depth, 260 - size});
      CHECK(same(matmul(a.on(D{}), b.on(D{})), rounded<float>(product(a, b))));
    }
  }
}

TEST_CASE_TEMPLATE("full precision unless asked for less", D, TEST_DEVICES) {
  test::Random r(4);
  Array<float> a{{50, 300}, {}};
  Array<float> b{{300, 40}, {}};
  for (int i = 0; i < 50 * 300; ++i) a.values.push_back(static_cast<float>(r.uniform(-1, 1)));
  for (int i = 0; i < 300 * 40; ++i) b.values.push_back(static_cast<float>(r.uniform(-1, 1)));
  const auto exact = product(a, b);
  const auto got = matmul(a.on(D{}), b.on(D{})).eval().to_vector();
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    worst = std::max(worst, std::fabs(got[i] - exact.values[i]));
  }
  CHECK(worst < 2e-5);
}

TEST_CASE_TEMPLATE("half types sum in float and round once", D, TEST_DEVICES) {
  const auto x = weft::full({1, 4096}, weft::half(1.F), D{});
  const auto y = weft::full({4096, 1}, weft::half(1.F), D{});
  CHECK(static_cast<float>(matmul(x, y).item()) == 4096);
  // 70000 does not fit in half: inside a larger expression it need not.
  const auto big = weft::full({1, 700}, weft::half(10.F), D{});
  const Tensor<weft::half, D> sum =
      matmul(big, weft::full({700, 1}, weft::half(10.F), D{})) * 0.5F - 34000.F;
  CHECK(static_cast<float>(sum.item()) == 1000);
}

TEST_CASE_TEMPLATE("operands that are expressions, and expressions of products", D, TEST_DEVICES) {
  test::Random r(5);
  const auto a = small_numbers<float>(r, {7, 5});
  const auto b = small_numbers<float>(r, {5, 6});
  const auto x = a.on(D{});
  const auto y = b.on(D{});
  const auto p = rounded<float>(product(a, b));
  auto doubled = p;
  for (float& v : doubled.values) v = 3 * v + 1;
  CHECK(same(matmul(x * 3, y) + 1, doubled));
  CHECK(same(matmul(x, y) * 3.F - -1.F, doubled));
  CHECK(same(matmul(matmul(x, y), weft::eye(6, 6, D{})), p));
  const auto rows = softmax(matmul(x, y)).eval();
  CHECK(sum(rows).item() == doctest::Approx(7));
  CHECK(allclose(rows, softmax(p.on(D{}))));
  auto total = 0.F;
  for (float v : p.values) total += v;
  CHECK(sum(matmul(x, y)).item() == total);
  CHECK(matmul(x(0, weft::all), y(weft::all, 0)).item() == p.values[0]);
}

TEST_CASE_TEMPLATE("targets: rebound, written in place, overlapping", D, TEST_DEVICES) {
  test::Random r(6);
  const auto a = small_numbers<float>(r, {6, 6});
  const auto b = small_numbers<float>(r, {6, 6});
  const auto p = rounded<float>(product(a, b));
  Tensor<float, D> x = a.on(D{});
  const auto y = b.on(D{});
  x = matmul(x, y);
  CHECK(same(x, p));
  Tensor<float, D> z = a.on(D{});
  z.assign(matmul(z, y));
  CHECK(same(z, p));
  Tensor<float, D> t = a.on(D{}).t().clone().t();
  t.assign(matmul(t, y));
  CHECK(same(t, p));
  const auto wide = weft::zeros({6, 9}, D{});
  wide(weft::all, weft::slice(2, 8)) = matmul(a.on(D{}), y);
  CHECK(same(wide(weft::all, weft::slice(2, 8)), p));
  CHECK(sum(abs(wide)).item() == sum(abs(p.on(D{}))).item());
  Tensor<float, D> u = a.on(D{});
  u = matmul(u, y) + u;
  CHECK(allclose(u, p.on(D{}) + a.on(D{})));
}

TEST_CASE_TEMPLATE("sizes 0", D, TEST_DEVICES) {
  const auto none = weft::zeros({3, 0}, D{});
  CHECK(matmul(none, weft::zeros({0, 4}, D{})).eval().to_vector() == std::vector<float>(12, 0));
  CHECK(matmul(weft::zeros({0, 3}, D{}), weft::zeros({3, 4}, D{})).eval().shape() == Shape{0, 4});
  CHECK(matmul(weft::zeros({0, 2, 3}, D{}), weft::zeros({3, 4}, D{})).eval().size() == 0);
  CHECK(matmul(weft::zeros({0}, D{}), weft::zeros({0}, D{})).item() == 0);
  const auto bias = weft::tensor({1.F, -2.F, 3.F, 4.F}, D{});
  const Tensor<float, D> y = relu(matmul(none, weft::zeros({0, 4}, D{})) + bias);
  CHECK(y(2, weft::all).to_vector() == std::vector<float>{1, 0, 3, 4});
}

TEST_CASE_TEMPLATE("mm, bmm, mv, dot, outer and linear", D, TEST_DEVICES) {
  test::Random r(7);
  const auto a = small_numbers<double>(r, {3, 4});
  const auto b = small_numbers<double>(r, {4, 5});
  const auto v = small_numbers<double>(r, {4});
  CHECK(same(mm(a.on(D{}), b.on(D{})), product(a, b)));
  CHECK(same(mv(a.on(D{}), v.on(D{})), product(a, v)));
  CHECK(dot(v.on(D{}), v.on(D{})).item() == product(v, v).values[0]);
  const auto p = small_numbers<double>(r, {6, 3, 4});
  const auto q = small_numbers<double>(r, {6, 4, 2});
  CHECK(same(bmm(p.on(D{}), q.on(D{})), product(p, q)));
  const auto column = Array<double>{{4, 1}, v.values};
  const auto w = small_numbers<double>(r, {3});
  CHECK(same(outer(v.on(D{}), w.on(D{}) * 1.), product(column, Array<double>{{1, 3}, w.values})));
  const auto weight = small_numbers<double>(r, {2, 4});
  const auto bias = small_numbers<double>(r, {2});
  const auto turned = weight.pick({4, 2}, [](test::Index i) { return std::swap(i[0], i[1]), i; });
  auto expected = product(p, turned);
  CHECK(same(linear(p.on(D{}), weight.on(D{})), expected));
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    expected.values[i] += bias.values[i % 2];
  }
  CHECK(same(linear(p.on(D{}), weight.on(D{}), bias.on(D{})), expected));
}

TEST_CASE_TEMPLATE("what does not fit together is said with shapes", D, TEST_DEVICES) {
  const auto x = weft::zeros({3, 4}, D{});
  const auto v = weft::zeros({3}, D{});
  CHECK_SAYS("[matmul] shapes (3, 4) and (3, 4): the first has 4 columns and the second 3 rows",
             matmul(x, x));
  CHECK_SAYS("[matmul] shapes () and (3,), expected at least 1 axis each", matmul(v(0), v));
  CHECK_SAYS("[matmul] shapes do not broadcast: (2,) and (3,)",
             matmul(weft::zeros({2, 3, 4}, D{}), weft::zeros({3, 4, 2}, D{})));
  CHECK_SAYS("[mm] shapes (3, 4) and (3,), expected ranks 2 and 2", mm(x, v));
  CHECK_SAYS("[bmm] shapes (1, 3, 4) and (2, 4, 5), expected batches of equal size",
             bmm(weft::zeros({1, 3, 4}, D{}), weft::zeros({2, 4, 5}, D{})));
  CHECK_SAYS("[mv] shapes (3, 4) and (3, 4), expected ranks 2 and 1", mv(x, x));
  CHECK_SAYS("[dot] shapes (3,) and (4,), expected equal lengths", dot(v, x(0)));
  CHECK_SAYS("[linear] a weight of shape (3,), expected (out, in)", linear(x, v));
  CHECK_SAYS("[linear] shapes (3, 4) and (3, 2)", linear(x, weft::zeros({3, 2}, D{}).t()));
}

TEST_CASE("the count of operations, and the shape before evaluation") {
  const auto e = matmul(weft::zeros({2, 3, 4}), weft::zeros({4, 5}));
  CHECK(e.shape() == Shape{2, 3, 5});
  CHECK(e.depth() == 4);
  CHECK(e.operations() == 2 * 2 * 3 * 5 * 4);
  CHECK(matmul(weft::zeros<weft::complex<float>>({2, 3}), weft::zeros<weft::complex<float>>({3, 2}))
            .operations() == 8 * 2 * 2 * 3);
}
