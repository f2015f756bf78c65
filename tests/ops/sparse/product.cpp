// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/sparse/arithmetic.hpp>
#include <weft/ops/sparse/product.hpp>
#include <weft/ops/sparse/rows.hpp>

#include "test.hpp"
#include "weft/sparse.hpp"

using namespace weft;

namespace {

using Ints = std::vector<int>;

/// What SciPy gives of small whole numbers; scripts/make_sparse_vectors.py.
struct Case {
  Ints sizes, row, col, value, crow, sorted_col, sorted_value, dense;
  Ints turned_crow, turned_col, turned_value;
  Ints x, bias, product, epilogue, vector;
  Ints left, right, sampled;
  Ints other, total, both, column_sums, row_sums, diagonal;
};
const std::vector<Case> cases{
#include "ops/sparse/scipy_vectors.inc"
};

template <class T, class D>
Tensor<T, D> numbers(const Ints& values, const Shape& shape = {-1}) {
  return cast<T>(tensor(values, shape)).eval().to(D{});
}
template <class X>
Ints whole(const X& x) {
  return cast<int>(x.eval()).eval().to_vector();
}

/// One case in elements of type T; their sums are exact in all.
template <class T, class D>
void check(const Case& c) {
  const int64_t m = c.sizes[0];
  const int64_t n = c.sizes[1];
  const int64_t k = c.sizes[2];
  CAPTURE(m);
  const auto triplets =
      coo(tensor(c.row).to(D{}), tensor(c.col).to(D{}), numbers<T, D>(c.value), {m, n});
  const auto a = triplets.to_csr();
  CHECK(a.crow_indices().to_vector() == c.crow);
  CHECK(a.col_indices().to_vector() == c.sorted_col);
  CHECK(whole(a.values()) == c.sorted_value);
  CHECK(whole(a.to_dense()) == c.dense);
  const auto turned = a.t();
  CHECK(turned.crow_indices().to_vector() == c.turned_crow);
  CHECK(turned.col_indices().to_vector() == c.turned_col);
  CHECK(whole(turned.values()) == c.turned_value);

  const auto x = numbers<T, D>(c.x, {n, k});
  const Tensor<T, D> product = matmul(a, x);
  CHECK(product.shape() == Shape{m, k});
  CHECK(whole(product) == c.product);
  CHECK(whole(matmul(triplets, x)) == c.product);
  const Tensor<T, D> across = x.t().contiguous();
  CHECK(whole(matmul(a, across.t())) == c.product);  // an operand by columns
  CHECK(whole(matmul(across, a.t()).t().contiguous()) == c.product);
  CHECK(whole(matmul(a, x.t()(0))) == c.vector);  // a column, whose elements lie apart
  CHECK(whole(matmul(x.t()(0), a.t())) == c.vector);
  CHECK(whole(matmul(a, x * T(2)) - matmul(a, x)) == c.product);

  const auto left = numbers<T, D>(c.left, {m, k});
  const auto right = numbers<T, D>(c.right, {k, n});
  CHECK(whole(sddmm(a, left, right).values()) == c.sampled);
  CHECK(whole(sddmm_values(a, left, right) + T(1) - T(1)) == c.sampled);
  CHECK(whole(sum(a, axis(0))) == c.column_sums);
  CHECK(whole(sum(a, axis(1))) == c.row_sums);
  if constexpr (std::is_same_v<T, float>) {
    const auto gram = matmul(a, turned);
    const auto dense = numbers<T, D>(c.dense, {m, n});
    CHECK(whole(gram.to_dense()) == whole(matmul(dense.to(Cpu{}), dense.to(Cpu{}).t())));
    if (n > 1) CHECK(whole(a.diagonal(1)) == c.diagonal);
    const auto b = to_csr(numbers<T, D>(c.other, {m, n}));
    CHECK(whole((a + b).to_dense()) == c.total);
    CHECK(whole((b - (-a)).to_dense()) == c.total);
    CHECK(whole((a * b).to_dense()) == c.both);
    CHECK(whole((a * numbers<T, D>(c.other, {m, n})).to_dense()) == c.both);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("SciPy's results", D, TEST_DEVICES) {
  for (const Case& c : cases) {
    check<float, D>(c);
    check<weft::half, D>(c);
    check<int, D>(c);
  }
}

TEST_CASE_TEMPLATE("arithmetic of one pattern, with numbers and with dense operands", D,
                   TEST_DEVICES) {
  const auto a = to_csr(tensor({{1.F, 0.F, 2.F}, {0.F, 3.F, 0.F}}).to(D{}));
  const auto values = [](const auto& x) { return x.values().to_vector(); };
  using V = std::vector<float>;
  CHECK(values(a * 2) == V{2, 4, 6});
  CHECK(values(2 * a) == V{2, 4, 6});
  CHECK(values(a / 2) == V{.5F, 1, 1.5F});
  CHECK(values(-a) == V{-1, -2, -3});
  CHECK(values(abs(-a)) == V{1, 2, 3});
  CHECK((a + a).pattern() == a.pattern());
  CHECK(values(a + a) == V{2, 4, 6});
  CHECK(values(a - a * 2) == V{-1, -2, -3});
  CHECK(values(a * a) == V{1, 4, 9});
  CHECK(values(a * tensor({{10.F}, {100.F}}).to(D{})) == V{10, 20, 300});
  CHECK(values(tensor({1.F, 2.F, 3.F}).to(D{}) * a) == V{1, 6, 6});
  CHECK(values(a / sum(a, axis(1)).eval().unsqueeze(1)) == V{1.F / 3, 2.F / 3, 1});
  CHECK(values(a.to_coo() * 3) == V{3, 6, 9});
  CHECK(values(a * full({}, 2.F, D{})) == V{2, 4, 6});
  CHECK((a * sparse_zeros<float>({2, 3}, D{})).nnz() == 0);
  CHECK(values(a + sparse_zeros<float>({2, 3}, D{})) == V{1, 2, 3});
  CHECK((a + ones({3}, D{})).eval().to_vector() == V{2, 1, 3, 1, 4, 1});
  CHECK((1.F * ones({2, 1}, D{}) - a).eval().to_vector() == V{0, 1, -1, 1, -2, 1});
  CHECK(sum(a).item() == 6);
  const auto large = coo(arange(1), arange(1), full<int>({1}, 1 << 30, D{}), {1, 1}).to_csr();
  CHECK(matmul(large, full<int>({1}, 4, D{})).item() == 0);  // integers wrap
  CHECK(mean(a, axis(1)).eval().to_vector() == V{1, 1});
  CHECK_SAYS("[multiply] a sparse matrix of shape (2, 3) and a dense operand of shape (2,)",
             a * ones({2}, D{}));
  CHECK_SAYS("[add] sparse matrices of shapes (2, 3) and (2, 2)", a + sparse_eye(2, D{}));
}

TEST_CASE_TEMPLATE("softmax over stored elements; products of sparse matrices without elements", D,
                   TEST_DEVICES) {
  const auto a = to_csr(tensor({{1.F, 0.F, 2.F}, {0.F, 0.F, 0.F}, {-300.F, 3.F, 3.F}}).to(D{}));
  const float high = 1 / (1 + std::exp(-1.F));
  const Tensor<float, Cpu> expected = tensor({1 - high, high, 0.F, .5F, .5F});
  CHECK(allclose(softmax(a).values().to(Cpu{}), expected));
  CHECK(allclose(softmax(a.t(), axis(0)).t().values().to(Cpu{}), expected));
  const auto nothing = sparse_zeros<float>({3, 4}, D{});
  CHECK(softmax(nothing).nnz() == 0);
  CHECK(matmul(a, nothing).shape() == Shape{3, 4});
  CHECK(matmul(nothing.t(), a).nnz() == 0);
  CHECK_SAYS("[matmul] sparse matrices of shapes (3, 4) and (3, 3): the first has 4 columns",
             matmul(nothing, a));
}

TEST_CASE_TEMPLATE("complex and double numbers", D, TEST_DEVICES) {
  using C = complex<double>;
  const auto x = tensor({{C(1, 2), C(0, 0)}, {C(0, -1), C(3, 0)}}).to(D{});
  const auto a = to_csr(x);
  CHECK(a.nnz() == 3);
  const Tensor<C, D> y = matmul(a, x);
  const Tensor<C, Cpu> here = y.to(Cpu{});
  CHECK(here.at(0, 0) == C(-3, 4));
  CHECK(here.at(1, 0) == C(2, -4));  // (0 - 1i)(1 + 2i) + 3 (0 - 1i)
  CHECK(here.at(1, 1) == C(9, 0));
  const auto s = sddmm(a, x, x).values().to(Cpu{});
  CHECK(s.at(0) == C(-3, 4));
  CHECK(s.at(1) == C(2, -4));
}

TEST_CASE_TEMPLATE("shapes that do not fit", D, TEST_DEVICES) {
  const auto a = sparse_eye(3, D{});
  CHECK_SAYS(
      "[matmul] a sparse matrix of shape (3, 3) and an operand of shape (2, 3), expected 3 rows",
      matmul(a, ones({2, 3}, D{})));
  CHECK_SAYS("expected a vector or a matrix", matmul(a, ones({1, 3, 3}, D{})));
  CHECK_SAYS(
      "[matmul] an operand of shape (3, 2) and a sparse matrix of shape (3, 3), expected 3 columns",
      matmul(ones({3, 2}, D{}), a));
  CHECK_SAYS("[sddmm] factors of shapes (3, 2) and (3, 2) for a sparse matrix of shape (3, 3)",
             sddmm(a, ones({3, 2}, D{}), ones({3, 2}, D{})));
  CHECK(matmul(a, ones({3, 0}, D{})).eval().shape() == Shape{3, 0});
  CHECK(matmul(sparse_zeros<float>({0, 3}, D{}), ones({3, 2}, D{})).eval().shape() == Shape{0, 2});
  CHECK(matmul(sparse_zeros<float>({2, 0}, D{}), ones({0, 2}, D{})).eval().to_vector() ==
        std::vector<float>(4, 0.F));
  CHECK(sddmm(a, ones({3, 0}, D{}), ones({0, 3}, D{})).values().to_vector() ==
        std::vector<float>(3, 0.F));
}
