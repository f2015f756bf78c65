// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/sparse/convert.hpp>
#include <weft/ops/sparse/coo.hpp>
#include <weft/ops/sparse/csr.hpp>
#include <weft/ops/sparse/make.hpp>
#include <weft/ops/sparse/pattern.hpp>
#include <weft/ops/sparse/print.hpp>

#include <sstream>

#include "test.hpp"
#include "weft/sparse.hpp"

using namespace weft;

namespace {

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

/// A matrix with an empty row, an empty column, and a stored element in each corner but one.
template <class D>
Csr<float, D> sample(D device) {
  return csr(tensor({0, 2, 2, 3, 5}).to(device), tensor({0, 3, 1, 0, 1}).to(device),
             tensor({1.F, 2.F, 3.F, 4.F, 5.F}).to(device), {4, 4});
}
const Floats sample_elements{1, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0, 4, 5, 0, 0};

}  // namespace

TEST_CASE_TEMPLATE("a matrix by rows: what it says of itself", D, TEST_DEVICES) {
  const auto a = sample(D{});
  CHECK(a.shape() == Shape{4, 4});
  CHECK(a.rows() == 4);
  CHECK(a.columns() == 4);
  CHECK(a.rank() == 2);
  CHECK(a.nnz() == 5);
  CHECK(a.dtype() == Dtype::float32);
  CHECK(a.pattern()->longest == 2);
  CHECK(a.crow_indices().to_vector() == Ints{0, 2, 2, 3, 5});
  CHECK(a.row_indices().to_vector() == Ints{0, 0, 2, 3, 3});
  CHECK(a.to_dense().to_vector() == sample_elements);
  CHECK(a.row(-1).col_indices.to_vector() == Ints{0, 1});
  CHECK(a.row(0).values.to_vector() == Floats{1, 2});
  CHECK(a.row(1).values.size() == 0);
  CHECK_SAYS("[row] index 4, expected -4 to 3", a.row(4));
  CHECK(a.diagonal().to_vector() == Floats{1, 0, 0, 0});
  CHECK(a.diagonal(3).to_vector() == Floats{2});
  CHECK(a.diagonal(-2).to_vector() == Floats{0, 5});
  CHECK(a.diagonal(4).size() == 0);
  CHECK_SAYS("[diagonal] diagonal -5", a.diagonal(-5));
  if constexpr (std::is_same_v<D, Cpu>) {
    CHECK(a.at(0, 3) == 2);
    CHECK(a.at(-1, -3) == 5);
    CHECK(a.at(1, 1) == 0);
    CHECK_SAYS("[at] column 4, expected -4 to 3", a.at(0, 4));
  }
  const auto there = a.to(Cpu{});
  CHECK(there.to_dense().to_vector() == sample_elements);
  CHECK(there.to(D{}).to_dense().to_vector() == sample_elements);
  const auto doubled = cast<double>(a);
  CHECK(doubled.dtype() == Dtype::float64);
  CHECK(doubled.pattern() == a.pattern());
  const Csr<float, D> nothing;
  CHECK(nothing.shape() == Shape{0, 0});
  CHECK(nothing.nnz() == 0);
  CHECK(Csr<float, D>(sparse_zeros<float>({2, 3}, D{})).to_dense().to_vector() == Floats(6, 0.F));
}

TEST_CASE_TEMPLATE("the transposed matrix, its pattern computed once", D, TEST_DEVICES) {
  const auto a = sample(D{});
  const auto b = a.t();
  CHECK(b.to_dense().to_vector() == a.to_dense().t().contiguous().to_vector());
  CHECK(b.crow_indices().to_vector() == Ints{0, 2, 4, 4, 5});
  CHECK(a.t().pattern() == b.pattern());
  CHECK(b.t().to_dense().to_vector() == sample_elements);
  const auto wide = sparse_zeros<float>({2, 3}, D{}).t();
  CHECK(wide.shape() == Shape{3, 2});
  CHECK(wide.nnz() == 0);
}

TEST_CASE_TEMPLATE("triplets in any order, of one place added", D, TEST_DEVICES) {
  const auto a =
      coo(tensor({3, 0, 3, 0, 2, 3}).to(D{}), tensor<std::int64_t>({1, 3, 0, 0, 1, 1}).to(D{}),
          tensor({2.F, 2.F, 4.F, 1.F, 3.F, 3.F}).to(D{}), {4, 4});
  CHECK(a.nnz() == 6);
  CHECK(a.shape() == Shape{4, 4});
  CHECK(a.to_dense().to_vector() == sample_elements);
  CHECK(a.t().to_dense().t().contiguous().to_vector() == sample_elements);
  const auto merged = a.coalesce();
  CHECK(merged.nnz() == 5);
  CHECK(merged.row_indices().to_vector() == Ints{0, 0, 2, 3, 3});
  CHECK(merged.col_indices().to_vector() == Ints{0, 3, 1, 0, 1});
  CHECK(merged.values().to_vector() == Floats{1, 2, 3, 4, 5});
  CHECK(a.to_csr().crow_indices().to_vector() == Ints{0, 2, 2, 3, 5});
  CHECK(a.to_csr().to_coo().values().to_vector() == merged.values().to_vector());
  CHECK(a.to(Cpu{}).coalesce().values().to_vector() == merged.values().to_vector());
  CHECK(cast<double>(a).dtype() == Dtype::float64);
  CHECK(Coo<float, D>().to_csr().nnz() == 0);
  // Integers too, and elements that are sorted already stay where they are.
  const auto k = coo(tensor({0, 0, 1}).to(D{}), tensor({1, 1, 0}).to(D{}),
                     tensor<std::int64_t>({5, 7, 1}).to(D{}), {2, 2});
  CHECK(k.to_dense().to_vector() == std::vector<std::int64_t>{0, 12, 1, 0});
  CHECK(merged.coalesce().values().data() == merged.values().data());
}

TEST_CASE_TEMPLATE("from a dense matrix and back", D, TEST_DEVICES) {
  const auto x = tensor(sample_elements, {4, 4}).to(D{});
  CHECK(to_csr(x).crow_indices().to_vector() == Ints{0, 2, 2, 3, 5});
  CHECK(to_csr(x.t()).to_dense().to_vector() == x.t().contiguous().to_vector());
  CHECK(to_coo(x * 2).values().to_vector() == Floats{2, 4, 6, 8, 10});
  CHECK(to_csr(to_coo(x)).nnz() == 5);
  CHECK(to_csr(zeros({3, 0}, D{})).shape() == Shape{3, 0});
  CHECK_SAYS("[to_csr] shape (4,), expected a matrix", to_csr(zeros({4}, D{})));
}

TEST_CASE_TEMPLATE("matrices to start from", D, TEST_DEVICES) {
  CHECK(sparse_eye<double>(2, D{}).to_dense().to_vector() == std::vector<double>{1, 0, 0, 1});
  CHECK(sparse_diag(tensor({1.F, 2.F}).to(D{}), 1).to_dense().to_vector() ==
        Floats{0, 1, 0, 0, 0, 2, 0, 0, 0});
  CHECK(sparse_diag(tensor({5.F}).to(D{}), -1).to_dense().to_vector() == Floats{0, 0, 5, 0});
  const auto one = tensor({-1.F}).to(D{});
  const auto two = tensor({2.F, 3.F, 4.F}).to(D{});
  const auto a = sparse_diags<float, D>({{0, two}, {-1, one}, {2, tensor({7.F}).to(D{})}}, {3, 3});
  CHECK(a.to_dense().to_vector() == Floats{2, 0, 7, -1, 3, 0, 0, -1, 4});
  CHECK_SAYS(
      "[sparse_diags] values of shape (3,) for diagonal 1 of shape (3, 3), expected a vector of 2",
      sparse_diags<float, D>({{1, two}}, {3, 3}));
}

TEST_CASE_TEMPLATE("indices that are wrong", D, TEST_DEVICES) {
  const auto make = [](std::initializer_list<int> crow, std::initializer_list<int> col,
                       const Shape& shape) {
    const auto n = static_cast<int64_t>(col.size());
    return csr(tensor(crow).to(D{}), tensor(col).to(D{}), ones({n}, D{}), shape);
  };
  CHECK_SAYS("[csr] column 4 in row 1, expected 0 to 3", make({0, 1, 2}, {3, 4}, {2, 4}));
  CHECK_SAYS("[csr] column -1 in row 0", make({0, 1, 1}, {-1}, {2, 4}));
  CHECK_SAYS("[csr] columns 3 and 1 in row 1, expected ascending ones",
             make({0, 1, 3}, {3, 3, 1}, {2, 4}));
  CHECK_SAYS("[csr] columns 1 and 1 in row 0", make({0, 2}, {1, 1}, {1, 4}));
  CHECK_SAYS("[csr] row offsets 2 and 1 of row 1 of 2", make({0, 2, 1}, {0, 1}, {2, 4}));
  CHECK_SAYS("[csr] row offsets 1 and 2 of row 0 of 1", make({1, 2}, {0, 1}, {1, 4}));
  CHECK_SAYS("[csr] row offsets 0 and 1 of row 0 of 1", make({0, 1}, {0, 1}, {1, 4}));
  CHECK_SAYS("[csr] 1 elements of no rows", make({0}, {0}, {0, 4}));
  CHECK_SAYS("[csr] row offsets of shape (2,) for 2 rows", make({0, 1}, {0}, {2, 4}));
  CHECK_SAYS("[csr] shape (2, 4, 1), expected two sizes", make({0, 0, 0}, {}, {2, 4, 1}));
  CHECK_SAYS("[csr] 0 elements of shape (1, 2147483647), expected at most 2147479551 elements",
             make({0, 0}, {}, {1, INT32_MAX}));
  CHECK_SAYS("[csr] values of shape (2,) and columns of shape (1,)",
             csr(tensor({0, 1}).to(D{}), tensor({0}).to(D{}), ones({2}, D{}), {1, 1}));
  CHECK_SAYS("[csr] 4294967296 among the columns, expected less than 2^31",
             csr(tensor({0, 1}).to(D{}), tensor<std::int64_t>({1LL << 32}).to(D{}), ones({1}, D{}),
                 {1, 1}));
  CHECK_SAYS("[csr] columns of shape (1, 1), expected a vector",
             csr(tensor({0, 1}).to(D{}), tensor({{0}}).to(D{}), ones({1}, D{}), {1, 1}));
  const auto triplet = [](int row, int column) {
    return coo(tensor({row}).to(D{}), tensor({column}).to(D{}), ones({1}, D{}), {2, 3});
  };
  CHECK_SAYS("[coo] row 2 of shape (2, 3), expected 0 to 1", triplet(2, 0));
  CHECK_SAYS("[coo] column -1 of shape (2, 3), expected 0 to 2", triplet(0, -1));
  CHECK_SAYS("[coo] rows of shape (1,), columns of shape (2,)",
             coo(tensor({0}).to(D{}), tensor({0, 1}).to(D{}), ones({1}, D{}), {2, 3}));
  CHECK_SAYS("[csr] values of shape (4,) for 5 elements", sample(D{}).with_values(ones({4}, D{})));
  // Not looked at where the caller knows better.
  CHECK(
      csr(tensor({0, 2}).to(D{}), tensor({1, 0}).to(D{}), ones({2}, D{}), {1, 2}, {.check = false})
          .pattern()
          ->longest == -1);
}

TEST_CASE_TEMPLATE("as text", D, TEST_DEVICES) {
  std::ostringstream out;
  out << sample(D{});
  std::string head = "csr((4, 4), 5 elements, float32, ";
  if constexpr (std::is_same_v<D, Cpu>) {
    CHECK(out.str() ==
          head + "cpu)\n  (0, 0)  1.\n  (0, 3)  2.\n  (2, 1)  3.\n  (3, 0)  4.\n  (3, 1)  5.");
  } else {
    CHECK(out.str().rfind(head + "cuda:0)\n  (0, 0)  1.\n", 0) == 0);
  }
  const std::string many = to_string(sparse_eye(2000, D{}));
  CHECK(many.find("  (2, 2)  1.\n  ...\n  (1997, 1997)  1.") != std::string::npos);
  const std::string triplets = to_string(sample(D{}).to_coo());
  CHECK(triplets.rfind("coo((4, 4), 5 elements", 0) == 0);
}
