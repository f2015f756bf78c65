// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/product/epilogue.hpp>

#include "matrices.hpp"

using test::Array;
using test::product;
using test::small_numbers;
using weft::bfloat16;
using weft::Shape;
using weft::Tensor;

namespace {

/// What each element of a product becomes, with the addend's element at its place.
template <class T, class F>
std::vector<double> followed(const Array<double>& p, const Array<T>& addend, F f) {
  std::vector<double> out;
  std::size_t k = 0;
  test::each_index(p.shape, [&](const test::Index& at) {
    out.push_back(f(p.values[k++], static_cast<double>(addend.at(at))));
  });
  return out;
}

template <class T, class D>
void check_near(const Tensor<T, D>& got, const Shape& shape, const std::vector<double>& expected,
                double tolerance) {
  CHECK(got.shape() == shape);
  const auto values = got.to_vector();
  REQUIRE(values.size() == expected.size());
  double worst = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double error = std::fabs(static_cast<double>(values[k]) - expected[k]);
    worst = std::max(worst, error / std::max(1.0, std::fabs(expected[k])));
  }
  CHECK(worst <= tolerance);
}

double rectified(double v) { return v > 0 ? v : 0; }
double gelu_of(double v) {
  return 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
}

/// Every form, with addends of every shape that broadcasts.
template <class T, class D>
void check_forms(const Shape& shape_a, const Shape& shape_b, double tolerance) {
  test::Random r(11);
  const auto a = small_numbers<T>(r, shape_a);
  const auto c = small_numbers<T>(r, shape_b);
  const auto p = product(a, c);
  const auto left = a.on(D{});
  const auto right = c.on(D{});
  Shape rows = p.shape;
  if (rows.rank() > 0) rows[rows.rank() - 1] = 1;
  for (const Shape& shape :
       {Shape{p.shape.rank() > 0 ? p.shape[p.shape.rank() - 1] : 1}, p.shape, rows, Shape{}}) {
    const auto addend = small_numbers<T>(r, shape);
    const auto v = addend.on(D{});
    CAPTURE(to_string(v));
    const auto check = [&](const Tensor<T, D>& got, auto f) {
      check_near(got, p.shape.rank() == 0 ? shape : p.shape, followed(p, addend, f), tolerance);
    };
    check(matmul(left, right) + v, [](double y, double z) { return y + z; });
    check(v - matmul(left, right), [](double y, double z) { return z - y; });
    check(matmul(left, right) - v, [](double y, double z) { return y - z; });
    check(relu(matmul(left, right)), [](double y, double) { return rectified(y); });
    check(relu(matmul(left, right) + v), [](double y, double z) { return rectified(y + z); });
    check(gelu_tanh(matmul(left, right) * 0.1F),
          [](double y, double) { return gelu_of(y * double{0.1F}); });
    check(gelu_tanh(0.125F * matmul(left, right) + v),
          [](double y, double z) { return gelu_of(0.125 * y + z); });
    check(matmul(left, right) * 0.5F + 2 * v, [](double y, double z) { return 0.5 * y + 2 * z; });
    check(relu(matmul(left, right) + v) * 2 + 1,
          [](double y, double z) { return 2 * rectified(y + z) + 1; });
    check(gelu(matmul(left, right) * 0.1F + v), [](double y, double z) {
      const double u = y * double{0.1F} + z;
      return 0.5 * u * std::erfc(-u / std::sqrt(2.0));
    });
  }
}

}  // namespace

/// A vector for the columns and a matrix, or two of either kind, in each order.
template <class T, class D>
void check_two_addends(const Shape& shape_a, const Shape& shape_b, double tolerance) {
  test::Random r(17);
  const auto a = small_numbers<T>(r, shape_a);
  const auto c = small_numbers<T>(r, shape_b);
  const auto p = product(a, c);
  const Tensor<T, D> left = a.on(D{});
  const Tensor<T, D> right = c.on(D{});
  const int last = p.shape.rank() - 1;
  const auto vector = small_numbers<T>(r, {p.shape[last]});
  const auto matrix = small_numbers<T>(r, p.shape);
  const auto row = vector.on(D{});
  const auto full = matrix.on(D{});
  std::vector<double> both = followed(p, vector, [](double y, double z) { return y + z; });
  std::size_t k = 0;
  test::each_index(p.shape,
                   [&](const test::Index& at) { both[k++] += static_cast<double>(matrix.at(at)); });
  std::vector<double> cut = both;
  for (double& x : cut) x = rectified(x);
  check_near(Tensor<T, D>(matmul(left, right) + row + full), p.shape, both, tolerance);
  check_near(Tensor<T, D>(matmul(left, right) + full + row), p.shape, both, tolerance);
  check_near(Tensor<T, D>(full + (matmul(left, right) + row)), p.shape, both, tolerance);
  check_near(Tensor<T, D>(row + (matmul(left, right) + full)), p.shape, both, tolerance);
  check_near(Tensor<T, D>(relu(matmul(left, right) + row + full)), p.shape, cut, tolerance);
  const auto twice = followed(p, vector, [](double y, double z) { return y + 2 * z; });
  check_near(Tensor<T, D>(matmul(left, right) + row + row), p.shape, twice, tolerance);
  Tensor<T, D> z = full.clone();
  z = matmul(left, right) + row + z;
  check_near(z, p.shape, both, tolerance);
  z = full.clone();
  z += matmul(left, right) + row;
  check_near(z, p.shape, both, tolerance);
}

TEST_CASE_TEMPLATE("a bias and a matrix are added to a product", D, TEST_DEVICES) {
  check_two_addends<float, D>({16, 32}, {32, 24}, 1e-6);
  check_two_addends<float, D>({5, 7}, {7, 3}, 1e-6);
  check_two_addends<float, D>({2, 3, 8}, {8, 8}, 1e-6);
  check_two_addends<float, D>({3, 4, 8}, {3, 8, 16}, 1e-6);
  check_two_addends<float, D>({1, 8}, {8, 16}, 1e-6);
  check_two_addends<float, D>({4, 8}, {8, 1}, 1e-6);
  check_two_addends<double, D>({6, 8}, {8, 10}, 1e-7);
  check_two_addends<weft::half, D>({16, 32}, {32, 24}, 1e-3);
  check_two_addends<bfloat16, D>({2, 8, 16}, {16, 8}, 8e-3);
}

TEST_CASE_TEMPLATE("a bias or an addend that is the target itself, or larger than the product", D,
                   TEST_DEVICES) {
  test::Random r(18);
  const auto a = small_numbers<float>(r, {8, 8});
  const auto c = small_numbers<float>(r, {8, 8});
  const auto p = product(a, c);
  const auto left = a.on(D{});
  const auto right = c.on(D{});
  const auto row = c.on(D{})(0).clone();
  const auto plain = (matmul(left, right).eval() + row + left).eval();
  Tensor<float, D> z = left.clone();
  z = matmul(z, right) + row + z;
  CHECK(allclose(z, plain));
  z = left.clone();
  z.assign(matmul(left, right) + z(0) + z);
  CHECK(allclose(z, (matmul(left, right).eval() + left(0) + left).eval()));
  z = left.clone();
  z = matmul(left, right) + row + z.t();
  CHECK(allclose(z, (matmul(left, right).eval() + row + left.t()).eval()));
  const auto wide = weft::zeros({8, 12}, D{});
  wide.narrow(1, 2, 8).assign(matmul(left, right) + row + left);
  CHECK(allclose(wide.narrow(1, 2, 8), plain));
  const Tensor<float, D> grown = matmul(left, right) + row + weft::zeros({2, 8, 8}, D{});
  CHECK(grown.shape() == Shape{2, 8, 8});
  CHECK(allclose(grown(1), (matmul(left, right).eval() + row).eval()));
  const auto column = left(weft::all, weft::slice(0, 1)).clone();
  CHECK(allclose((matmul(left, right) + column + left).eval(),
                 (matmul(left, right).eval() + column + left).eval()));
}

TEST_CASE_TEMPLATE("what follows a product, fused or not, in float", D, TEST_DEVICES) {
  check_forms<float, D>({16, 32}, {32, 24}, 1e-6);
  check_forms<float, D>({5, 7}, {7, 3}, 1e-6);
  check_forms<float, D>({2, 3, 8}, {8, 8}, 1e-6);
  check_forms<float, D>({3, 4, 8}, {3, 8, 16}, 1e-6);
  check_forms<float, D>({6}, {6, 5}, 1e-6);
  check_forms<float, D>({5, 6}, {6}, 1e-6);
}

TEST_CASE_TEMPLATE("what follows a product in other types", D, TEST_DEVICES) {
  check_forms<double, D>({6, 8}, {8, 10}, 1e-7);
  check_forms<weft::half, D>({16, 32}, {32, 24}, 1e-3);
  check_forms<weft::half, D>({5, 7}, {7, 3}, 1e-3);
  check_forms<bfloat16, D>({2, 8, 16}, {16, 8}, 8e-3);
  test::Random r(12);
  const auto a = small_numbers<weft::complex<float>>(r, {4, 6});
  const auto c = small_numbers<weft::complex<float>>(r, {6, 5});
  const auto v = small_numbers<weft::complex<float>>(r, {5});
  const weft::complex<float> alpha(0.5F, 2);
  const auto plain = matmul(a.on(D{}), c.on(D{})).eval();
  CHECK(allclose(alpha * matmul(a.on(D{}), c.on(D{})) + v.on(D{}), alpha * plain + v.on(D{})));
}

TEST_CASE_TEMPLATE("targets: in place, a view, a larger one, an addend that is the target", D,
                   TEST_DEVICES) {
  test::Random r(13);
  const auto a = small_numbers<float>(r, {8, 8});
  const auto c = small_numbers<float>(r, {8, 8});
  const auto p = product(a, c);
  const auto left = a.on(D{});
  const auto right = c.on(D{});
  const auto sum = followed(p, a, [](double y, double z) { return y + z; });
  Tensor<float, D> z = left.clone();
  z = matmul(left, right) + z;
  check_near(z, p.shape, sum, 0);
  z = left.clone();
  z += matmul(left, right);
  check_near(z, p.shape, sum, 0);
  z = left.clone();
  z = relu(matmul(left, right) + z);
  check_near(z, p.shape, followed(p, a, [](double y, double v) { return rectified(y + v); }), 0);
  z = left.clone();
  z = matmul(z, right) + z;
  check_near(z, p.shape, sum, 0);
  z = left.clone();
  z = relu(matmul(z, right));
  check_near(z, p.shape, followed(p, a, [](double y, double) { return rectified(y); }), 0);
  z = left.clone();
  z = matmul(left, right) + z.t();
  const auto transposed =
      a.pick({8, 8}, [](test::Index at) { return std::swap(at[0], at[1]), at; });
  check_near(z, p.shape, followed(p, transposed, [](double y, double v) { return y + v; }), 0);
  const auto wide = weft::zeros({8, 12}, D{});
  wide.narrow(1, 2, 8).assign(matmul(left, right) + left);
  check_near(wide.narrow(1, 2, 8).clone(), p.shape, sum, 0);
  const auto many = weft::zeros({3, 8, 8}, D{});
  many.assign(matmul(left, right) + left);
  check_near(many(2).clone(), p.shape, sum, 0);
  const Tensor<float, D> grown = matmul(left, right) + weft::zeros({2, 8, 8}, D{});
  CHECK(grown.shape() == Shape{2, 8, 8});
  check_near(grown(1).clone(), p.shape, p.values, 0);
}

TEST_CASE_TEMPLATE("special values pass through", D, TEST_DEVICES) {
  const float nan = std::nanf("");
  const auto one = weft::tensor({{1.F}}, D{});
  const auto bias = weft::tensor({nan, -1.F, INFINITY, -INFINITY}, D{});
  const auto y = relu(matmul(one, weft::zeros({1, 4}, D{})) + bias).eval().to_vector();
  if constexpr (weft::is_cuda<D>) {
    CHECK(y[0] == 0);  // cuBLASLt's own relu, see docs/02_semantics.md
  } else {
    CHECK(std::isnan(y[0]));
  }
  CHECK(y[1] == 0);
  CHECK(y[2] == INFINITY);
  CHECK(y[3] == 0);
}
