// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/linalg/matrix_function.hpp>
#include <weft/ops/linalg/norms.hpp>
#include <weft/ops/linalg/products.hpp>

#include "linear_algebra.hpp"

using test::off;
using test::some_matrices;
using weft::axis;
using weft::MatrixNorm;
using weft::Shape;
using weft::Tensor;
using weft::tensor;

TEST_CASE_TEMPLATE("norms by hand", D, TEST_DEVICES) {
  const auto a = tensor<double>({{3, 0}, {-4, 5}}, D{});
  const double largest = std::sqrt(45.0);
  const double smallest = std::sqrt(5.0);
  const struct {
    MatrixNorm which;
    double norm;
    double cond;
  } cases[] = {
      {MatrixNorm::frobenius, std::sqrt(50.0), 50.0 / 15},
      {MatrixNorm::nuclear, largest + smallest, (largest + smallest) * (largest + smallest) / 15},
      {MatrixNorm::one, 7, 7 * 9.0 / 15},
      {MatrixNorm::minus_one, 5, 5 * 3.0 / 15},
      {MatrixNorm::two, largest, 3},
      {MatrixNorm::minus_two, smallest, 1.0 / 3},
      {MatrixNorm::infinity, 9, 9 * 7.0 / 15},
      {MatrixNorm::minus_infinity, 3, 3 * 5.0 / 15},
  };
  for (const auto& c : cases) {
    CAPTURE(static_cast<int>(c.which));
    CHECK(matrix_norm(a, c.which).item() == doctest::Approx(c.norm));
    CHECK(cond(a, c.which).item() == doctest::Approx(c.cond));
    CHECK(off(matrix_norm(a.expand({2, 2, 2}), c.which), weft::full({2}, c.norm, D{})) < 1e-14);
  }
  CHECK(std::isinf(cond(tensor<double>({{1, 0}, {0, 0}}, D{})).item()));
  const auto x = tensor<float>({{3, -4, 0}, {1, 0, 0}}, D{});
  const auto rows = [&](double p) { return vector_norm(x, p, axis(1)).to_vector(); };
  CHECK(rows(2) == std::vector<float>{5, 1});
  CHECK(rows(1) == std::vector<float>{7, 1});
  CHECK(rows(0) == std::vector<float>{2, 1});
  CHECK(rows(INFINITY) == std::vector<float>{4, 1});
  CHECK(rows(-INFINITY) == std::vector<float>{0, 0});
  CHECK(vector_norm(x(0, weft::slice(0, 2)), -1).item() == doctest::Approx(12.0 / 7));
  CHECK_SAYS("[vector_norm] p = nan", vector_norm(x, NAN));
}

TEST_CASE_TEMPLATE("matrix_power and matrix_exp", D, TEST_DEVICES) {
  const auto a = some_matrices<double, D>({2, 3, 3}, 9);
  Tensor<double, D> power = weft::eye<double>(3, D{}).expand({2, 3, 3}).clone();
  for (int n = 0; n < 9; ++n) {
    CHECK(off(matrix_power(a, n), power) < 1e-13);
    CHECK(off(matmul(matrix_power(a, -n), power), weft::eye<double>(3, D{}).expand({2, 3, 3})) <
          1e-10);
    power = matmul(power, a);
  }
  // Rotations, a nilpotent matrix whose series ends, and exp(-A) exp(A) = 1 at many sizes.
  const auto turn = tensor<double>({{0, -20}, {20, 0}}, D{});
  CHECK(off(matrix_exp(turn),
            tensor<double>({{std::cos(20), -std::sin(20)}, {std::sin(20), std::cos(20)}}, D{})) <
        1e-13);
  const auto shift = tensor<float>({{0, 2, 0}, {0, 0, 3}, {0, 0, 0}}, D{});
  CHECK(off(matrix_exp(shift), tensor<float>({{1, 2, 3}, {0, 1, 3}, {0, 0, 1}}, D{})) < 1e-6);
  const auto x = some_matrices<double, D>({3, 20, 20}).eval();
  const auto sizes = tensor<double>({1e-3, 0.05, 0.3}, D{}).reshape(3, 1, 1);
  const auto one = weft::eye<double>(20, D{}).expand({3, 20, 20});
  CHECK(off(matmul(matrix_exp(x * sizes), matrix_exp(-(x * sizes))), one) < 1e-9);
  CHECK(matrix_exp(weft::zeros<float>({0, 2, 2}, D{})).shape() == Shape{0, 2, 2});
  CHECK_SAYS("[matrix_exp] matrix 1 of the batch is not finite",
             matrix_exp(tensor<float>({0, INFINITY}, D{}).reshape(2, 1, 1)));
  CHECK_SAYS("[matrix_power] matrices of shape (3, 1)", matrix_power(sizes.squeeze(-1), 2));
}

TEST_CASE_TEMPLATE("chains, Kronecker, cross and Vandermonde", D, TEST_DEVICES) {
  const auto a = some_matrices<double, D>({10, 30});
  const auto b = some_matrices<double, D>({30, 5}, 0, 2);
  const auto c = some_matrices<double, D>({5, 60}, 0, 3);
  const auto v = some_matrices<double, D>({60, 1}, 0, 4).squeeze(-1);
  CHECK(off(multi_dot(a, b, c), matmul(matmul(a, b), c)) == 0);
  CHECK(off(multi_dot(a, b, c, v), matmul(a, matmul(b, matmul(c, v)))) == 0);
  CHECK(off(multi_dot(b.t()(0), b), matmul(b.t()(0), b)) == 0);
  CHECK(weft::linalg::best_cuts({10, 30, 5, 60})[2] == 1);
  CHECK(weft::linalg::best_cuts({30, 35, 15, 5, 10, 20, 25})[5] == 2);
  CHECK_SAYS(
      "[multi_dot] shapes (10, 30) and (5, 60): the first has 30 columns and the second 5 rows",
      multi_dot(a, c));
  CHECK_SAYS("[multi_dot] operand 1 of shape (60,), expected a matrix", multi_dot(c, v, c));

  const auto x = tensor<float>({{1, 2}, {3, 4}}, D{});
  const auto y = tensor<float>({{0, 1, 2}}, D{});
  CHECK(off(kron(x, y), tensor<float>({{0, 1, 2, 0, 2, 4}, {0, 3, 6, 0, 4, 8}}, D{})) == 0);
  CHECK(off(kron(x.expand({3, 2, 2}), y), kron(x, y).expand({3, 2, 6})) == 0);

  const auto e = weft::eye<float>(3, D{});
  const auto corners = tensor<float>({{0, 0}, {3, 4}, {1, 1}}, D{});
  CHECK(off(cdist(corners, corners.narrow(0, 0, 2)),
            tensor<float>({{0, 5}, {5, 0}, {std::sqrt(2.0F), std::sqrt(13.0F)}}, D{})) < 1e-6);
  CHECK(off(cdist(corners.expand({2, 3, 2}), corners, 1)(1, 2), tensor<float>({2, 5, 0}, D{})) <
        1e-6);
  CHECK_SAYS("[cdist] rows of shapes (3, 2) and (1, 3)",
             cdist(corners, corners.t().narrow(0, 0, 1)));
  CHECK(off(cross(e, e.flip(0)), tensor<float>({{0, -1, 0}, {0, 0, 0}, {0, 1, 0}}, D{})) == 0);
  CHECK(off(cross(e(0), tensor<float>({{0, 1, 0}, {0, 0, 1}}, D{})),
            tensor<float>({{0, 0, 1}, {0, -1, 0}}, D{})) == 0);
  CHECK_SAYS("[cross] shapes (2, 2) and (2, 2) with 2 elements along axis 1, expected 3",
             cross(x, x));

  const auto points = tensor<float>({2, 3}, D{});
  CHECK(off(vander(points, 4), tensor<float>({{1, 2, 4, 8}, {1, 3, 9, 27}}, D{})) == 0);
  CHECK(off(vander(points(1), 3), tensor<float>({{1, 3, 9}}, D{})) == 0);  // a number is one row
  CHECK(off(vander(points, -1, false), tensor<float>({{2, 1}, {3, 1}}, D{})) == 0);
  CHECK(trace(x).item() == 5);
  CHECK(trace(x, 1).item() == 2);
  CHECK(trace(x.expand({3, 2, 2})).to_vector() == std::vector<float>{5, 5, 5});
}

TEST_CASE_TEMPLATE("complex numbers", D, TEST_DEVICES) {
  using C = weft::complex<double>;
  const auto a = some_matrices<C, D>({2, 3, 3}, 4);
  const auto [sign, logarithm] = slogdet(a);
  CHECK(off(sign * weft::cast<C>(exp(logarithm)), det(a)) < 1e-12);
  CHECK(off(det(matmul(a, a)), det(a) * det(a)) < 1e-12);
  CHECK(off(cond(a), cond(inv(a))) < 1e-12);
  CHECK(off(matrix_norm(a), vector_norm(a, 2, axis(-2, -1))) < 1e-12);
  const auto one = weft::eye<C>(3, D{}).expand({2, 3, 3});
  CHECK(off(matmul(matrix_exp(a), matrix_exp(-a)), one) < 1e-8);
  CHECK(off(kron(a, a).narrow(-1, 0, 3).narrow(-2, 0, 3), a * a(weft::all, 0, 0).reshape(2, 1, 1)) <
        1e-14);
  const auto tall = some_matrices<C, D>({5, 3}, 4);
  const auto b = some_matrices<C, D>({5, 2}, 0, 2);
  const auto found = lstsq(tall, b);
  const Tensor<C, D> distance = matmul(tall, found.solution) - b;
  CHECK(off(matmul(weft::linalg::adjoint(tall), distance), weft::zeros<C>({3, 2}, D{})) < 1e-10);
  CHECK(off(found.residuals, sum(square(abs(distance)), axis(0))) < 1e-12);
  CHECK(vander(tall(0), 3).shape() == Shape{3, 3});
}

TEST_CASE_TEMPLATE("expressions and read-only tensors", D, TEST_DEVICES) {
  const auto x = some_matrices<float, D>({3, 3}, 9).eval();
  const Tensor<const float, D> read = x;
  CHECK(off(inv(x * 2.F), inv(x) * 0.5F) < 1e-6);
  CHECK(off(inv(read), inv(x)) == 0);
  CHECK(off(solve(read, x), weft::eye<float>(3, D{})) < 1e-5);
}

TEST_CASE_TEMPLATE("inner products under NumPy's names", D, TEST_DEVICES) {
  const auto a = some_matrices<double, D>({4, 3}).eval();
  const auto b = some_matrices<double, D>({2, 3}, 0, 2).eval();
  CHECK(off(inner(a, b), matmul(a, b.t())) < 1e-15);
  CHECK(inner(a(0), b(0)).rank() == 0);
  CHECK(off(inner(a(0), b(0)), dot(a(0), b(0))) < 1e-15);
  CHECK(off(inner(a(0, 0), b), a(0, 0) * b) == 0);
  CHECK(inner(a, b.expand({5, 2, 3})).shape() == Shape{4, 5, 2});
  CHECK(off(vdot(a.narrow(0, 0, 2), b), sum(a.narrow(0, 0, 2) * b)) < 1e-15);
  CHECK(off(vecdot(a, a), sum(a * a, axis(-1))) < 1e-15);
  CHECK(off(vecdot(a, a, axis(0)), sum(a * a, axis(0))) < 1e-15);
  CHECK(off(matvec(a, b(0)), matmul(a, b(0))) < 1e-15);
  CHECK(matvec(a.expand({2, 4, 3}), b).shape() == Shape{2, 4});
  CHECK(off(vecmat(b(0), a.t()), matmul(b(0), a.t())) < 1e-15);
  CHECK_SAYS("[vdot] shapes (4, 3) and (2, 3), expected equally many elements", vdot(a, b));
  using C = weft::complex<double>;
  const auto z = tensor<C>({C(0, 1), C(2, -1)}, D{});
  CHECK(off(real(vdot(z, z)), weft::full<double>({}, 6, D{})) == 0);
  CHECK(off(real(vecmat(z, z.reshape(2, 1))), weft::full<double>({1}, 6, D{})) == 0);
}

TEST_CASE_TEMPLATE("matrix norms by number", D, TEST_DEVICES) {
  const auto a = some_matrices<double, D>({3, 3}, 3).eval();
  CHECK(off(matrix_norm(a, 1), matrix_norm(a, MatrixNorm::one)) == 0);
  CHECK(off(matrix_norm(a, -1), matrix_norm(a, MatrixNorm::minus_one)) == 0);
  CHECK(off(matrix_norm(a, 2), matrix_norm(a, MatrixNorm::two)) == 0);
  CHECK(off(matrix_norm(a, -2), matrix_norm(a, MatrixNorm::minus_two)) == 0);
  CHECK(off(matrix_norm(a, INFINITY), matrix_norm(a, MatrixNorm::infinity)) == 0);
  CHECK(off(matrix_norm(a, -INFINITY), matrix_norm(a, MatrixNorm::minus_infinity)) == 0);
  CHECK(off(cond(a, 1), cond(a, MatrixNorm::one)) == 0);
  CHECK_SAYS("[matrix_norm] p = 3, expected 1, -1, 2", matrix_norm(a, 3));
}
