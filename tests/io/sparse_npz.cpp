// SPDX-License-Identifier: Apache-2.0
#include <weft/io/sparse_npz.hpp>

#include "io/mutate.hpp"
#include "io/temporary.hpp"
#include "test.hpp"
#include "weft/sparse.hpp"

using namespace weft;

namespace {
/// What SciPy 1.17 has written by save_npz; scripts/make_sparse_vectors.py.
const std::string of_csr = test::hex(
#include "io/scipy_csr_reference.inc"
);
const std::string of_coo = test::hex(
#include "io/scipy_coo_reference.inc"
);
const std::string of_csc = test::hex(
#include "io/scipy_csc_reference.inc"
);
const std::string of_unsorted = test::hex(
#include "io/scipy_unsorted_reference.inc"
);
const std::string of_dia = test::hex(
#include "io/scipy_dia_reference.inc"
);
const std::vector<double> elements{0, 0, 0, -2, 4, 0, 0, 0, 0, 4.5, 0, 0};

template <class T>
Csr<T> load(const std::string& bytes, const NpzOptions& options = {}) {
  const test::TemporaryFolder folder;
  return load_csr<T>(test::write_bytes(folder / "x.npz", bytes), options);
}
}  // namespace

TEST_CASE("files of SciPy") {
  for (const std::string& bytes : {of_csr, of_coo, of_csc}) {
    CHECK(load<double>(bytes).to_dense().to_vector() == elements);
  }
  const auto a = load<float>(of_unsorted);
  CHECK(a.col_indices().to_vector() == std::vector<std::int32_t>{0, 3, 1});
  CHECK(a.values().to_vector() == std::vector<float>{2, 1, 3});
  const test::TemporaryFolder folder;
  const auto b = load_coo<double>(test::write_bytes(folder / "x.npz", of_coo));
  CHECK(b.nnz() == 4);
  CHECK(b.row_indices().to_vector() == std::vector<std::int32_t>{2, 0, 2, 1});
}

TEST_CASE("the bytes of a saved file are SciPy's") {
  const test::TemporaryFolder folder;
  const auto b = load_coo<double>(test::write_bytes(folder / "x.npz", of_coo));
  save_npz(folder / "coo.npz", b);
  CHECK(test::read_bytes(folder / "coo.npz") == of_coo);
  save_npz(folder / "csr.npz", b.to_csr());
  CHECK(load_csr<double>(folder / "csr.npz").to_dense().to_vector() == elements);
  save_npz(folder / "packed.npz", cast<float>(b.to_csr()), {.compress = true});
  CHECK(load_csr<float>(folder / "packed.npz").nnz() == 3);
}

TEST_CASE("files that are refused") {
  CHECK_SAYS("elements of type float64, expected float32", load<float>(of_csr));
  CHECK_SAYS("a sparse matrix of format 'dia', expected csr, csc or coo", load<double>(of_dia));
  CHECK_SAYS("arrays of more than 100 bytes", load<double>(of_csr, {.max_bytes = 100}));
  // Damage anywhere is an error of weft's, or leaves a matrix of the right shape.
  const test::TemporaryFolder folder;
  const auto write = [&](const StateDict& arrays, const std::string& format, int64_t rows = 2) {
    io::save_sparse(folder / "y.npz", format, arrays, {rows, 3}, AnyTensor(tensor({1.F, 2.F})), {});
    return load_csr<float>(folder / "y.npz");
  };
  const auto pair = [](const char* p, const Tensor<int>& x, const char* q, const Tensor<int>& y) {
    StateDict out;
    out.add(p, AnyTensor(x));
    out.add(q, AnyTensor(y));
    return out;
  };
  const Tensor<int> col = tensor({2, 0});
  CHECK(write(pair("indices", col, "indptr", tensor({0, 1, 2})), "csr").nnz() == 2);
  CHECK_SAYS("'indptr' of shape (3,) for 2 rows and 2 elements",
             write(pair("indices", col, "indptr", tensor({0, 3, 2})), "csr"));
  CHECK_SAYS("'indptr' of shape (2,)",
             write(pair("indices", col, "indptr", tensor({0, 2})), "csr"));
  CHECK_SAYS("[coo] column 3 of shape (2, 3)",
             write(pair("indices", tensor({0, 3}), "indptr", tensor({0, 1, 2})), "csr"));
  CHECK_SAYS("no vector 'indices' of int32 or int64", write(pair("a", col, "indptr", col), "csr"));
  CHECK_SAYS("[coo] -1 among the rows", write(pair("row", tensor({0, -1}), "col", col), "coo"));
  CHECK_SAYS("expected at most 2147479551 elements",
             write(pair("indices", col, "indptr", col), "csr", INT64_MAX));
  CHECK_SAYS("expected two sizes of at least 0",
             write(pair("indices", col, "indptr", col), "csr", -1));
  CHECK_SAYS("format 'abc'", write(pair("row", col, "col", col), "abc"));
}
