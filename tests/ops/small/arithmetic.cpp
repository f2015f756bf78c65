// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/small/arithmetic.hpp>

#include "test.hpp"

#include <weft/ops/small/lift.hpp>

#include "small.hpp"

using namespace weft;

namespace {
using Vector = Small<float, 3>;
using Matrix = Small<float, 3, 3>;

/// r p + t in double.
Vector moved(const Matrix& r, const Vector& p, const Vector& t) {
  Vector out{};
  for (int i = 0; i < 3; ++i) {
    double sum = static_cast<double>(t[i]);
    for (int j = 0; j < 3; ++j) sum += static_cast<double>(r(i, j)) * static_cast<double>(p[j]);
    out[i] = static_cast<float>(sum);
  }
  return out;
}
}  // namespace

TEST_CASE_TEMPLATE("r * p + t for each element, around the ends of blocks", D, TEST_DEVICES) {
  const Vector t{1, -2, 3};
  for (const long n : {0L, 1L, 3L, 127L, 128L, 129L, 1000L}) {
    const auto r = test::smalls<Matrix, D>(n, 1);
    const auto p = test::smalls<Vector, D>(n, 2);
    const Tensor q = r * p + t;
    const auto rs = test::elements(r);
    const auto ps = test::elements(p);
    std::vector<Vector> expected;
    for (std::size_t i = 0; i < rs.size(); ++i) expected.push_back(moved(rs[i], ps[i], t));
    CHECK_MESSAGE(test::difference(test::elements(q), expected) < 1e-6, n);
  }
}

TEST_CASE_TEMPLATE("operands of any stride, broadcast, and views as targets", D, TEST_DEVICES) {
  const auto r = test::smalls<Matrix, D>(12, 1);
  const auto p = test::smalls<Vector, D>(600, 2);
  const auto rs = test::elements(r);
  const auto ps = test::elements(p);
  // Every second point from the second on, which begins at no multiple of 16 bytes.
  const auto odd = p(slice(1, 600, 2)).reshape({25, 12});
  std::vector<Vector> expected(25 * 12);
  for (std::size_t i = 0; i < 25; ++i) {
    for (std::size_t j = 0; j < 12; ++j) {
      expected[i * 12 + j] = moved(rs[j], ps[2 * (i * 12 + j) + 1], ps[j + 1]);
    }
  }
  const auto shifted = p(slice(1, 13));
  CHECK(test::difference(test::elements(r * odd + shifted), expected) < 1e-6);

  const Tensor<Vector, D> out = zeros<Vector>({12, 50}, D{});
  out(all, slice(0, 50, 2)).t().assign(r * odd + shifted);
  const auto written = test::elements(out);
  for (std::size_t i = 0; i < 25; ++i) {
    for (std::size_t j = 0; j < 12; ++j) {
      const Vector& here = written[j * 50 + 2 * i];
      CHECK(test::difference<Vector>({here}, {expected[i * 12 + j]}) < 1e-6);
      CHECK(written[j * 50 + 2 * i + 1] == Vector::zeros());
    }
  }
  // Each matrix with each of three points.
  const Tensor grid = r.reshape({12, 1}) * p(slice(0, 3));
  CHECK(grid.shape() == Shape{12, 3});
  const auto all_pairs = test::elements(grid);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const Vector one = moved(rs[i], ps[j], Vector::zeros());
      CHECK(test::difference<Vector>({all_pairs[i * 3 + j]}, {one}) < 1e-6);
    }
  }
}

TEST_CASE_TEMPLATE("numbers, tensors of numbers and conditions stand beside Small", D,
                   TEST_DEVICES) {
  const auto p = test::smalls<Vector, D>(300, 3);
  const auto ps = test::elements(p);
  const Tensor<float, D> s = (arange<float>(300, D{}) - 150) / 100;
  const auto ss = test::elements(s);
  std::vector<Vector> expected;
  for (std::size_t i = 0; i < ps.size(); ++i) {
    const Vector x = ps[i] * (2 * ss[i]) - ps[i] / 4;
    expected.push_back(ss[i] > 0 ? x : -x);
  }
  Tensor q = where(s > 0, 2 * (s * p) - p / 4, -(p * s * 2 - p / 4.F));
  CHECK(test::difference(test::elements(q), expected) < 1e-6);

  q = q + q;  // in place
  q += Vector{1, 1, 1};
  q *= 0.5F;
  for (Vector& x : expected) x += Vector::full(0.5F);
  CHECK(test::difference(test::elements(q), expected) < 1e-6);

  Tensor<Vector, D> changed = q.clone();
  changed(7) = Vector{0, 0, 0};
  const Tensor<bool, D> same = changed == q;
  CHECK(sum(cast<int64_t>(same)).item() == 299);
  CHECK(any(changed != q).item());
  CHECK(equal(q, q));
  CHECK(q(7).item() == expected[7]);
}

TEST_CASE_TEMPLATE("several targets, other sizes and double", D, TEST_DEVICES) {
  using Four = Small<double, 4, 4>;  // whose elements are a power of two apart
  const auto a = test::smalls<Four, D>(200, 4);
  const auto v = test::smalls<Small<double, 4>, D>(200, 5);
  const auto as = test::elements(a);
  const auto vs = test::elements(v);
  auto [square, image] = fuse(a * a, matmul(a, v));
  std::vector<Four> squares;
  std::vector<Small<double, 4>> images;
  for (std::size_t i = 0; i < as.size(); ++i) {
    Four c{};
    Small<double, 4> w{};
    for (int row = 0; row < 4; ++row) {
      for (int k = 0; k < 4; ++k) {
        for (int j = 0; j < 4; ++j) c(row, j) += as[i](row, k) * as[i](k, j);
        w[row] += as[i](row, k) * vs[i][k];
      }
    }
    squares.push_back(c);
    images.push_back(w);
  }
  CHECK(test::difference(test::elements(square), squares) < 1e-14);
  CHECK(test::difference(test::elements(image), images) < 1e-14);

  const auto wide = test::smalls<Small<float, 2, 3>, D>(50, 6);
  const auto flat = test::smalls<Small<float, 1, 4>, D>(50, 7);
  CHECK(test::elements(wide * Vector{1, 0, 0})[49] ==
        Small<float, 2>{test::elements(wide)[49][0], test::elements(wide)[49][3]});
  CHECK(test::elements(flat + flat)[3] == test::elements(flat)[3] * 2);
}

TEST_CASE("shapes that do not broadcast are told as of numbers") {
  const auto p = test::smalls<Vector, Cpu>(3, 1);
  const auto q = test::smalls<Vector, Cpu>(4, 1);
  CHECK_SAYS("[add] shapes do not broadcast: (3,) and (4,)", p + q);
}
