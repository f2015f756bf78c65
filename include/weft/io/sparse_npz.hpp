// load_csr, load_coo and save_npz of sparse matrices: SciPy's .npz files; needs zlib.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/io/npz.hpp"
#include "weft/ops/sparse/convert.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft {

namespace io {

/// The members of SciPy's files: arrays, and the name of the format.
struct SparseMembers {
  StateDict arrays;
  std::string format;
};

/// A byte string of rank 0, as numpy.save writes `b'csr'`.
inline std::string read_npy_word(ZipMember& member) {
  constexpr int64_t least = 10;
  if (member.size() < least || member.size() > 10000) {
    member.refuse(member.size(), " bytes, expected a string such as b'csr'");
  }
  std::string all(static_cast<std::size_t>(member.size()), '\0');
  member.read(all.data(), member.size());
  member.finish();
  const auto length = static_cast<unsigned char>(all[8]) +
                      256 * static_cast<std::size_t>(static_cast<unsigned char>(all[9]));
  const bool is_npy = all.compare(0, 7, "\x93NUMPY\x01") == 0 && least + length <= all.size();
  const std::string header = is_npy ? all.substr(least, length) : "";
  const std::string word = is_npy ? all.substr(least + length) : "";
  const std::string type = "'|S" + std::to_string(word.size()) + "'";
  if (header.find(type) == std::string::npos || header.find("()") == std::string::npos) {
    member.refuse("expected one string of bytes such as b'csr'");
  }
  return word;
}

/// The members of a .npz file of SciPy's.
inline SparseMembers read_sparse(const char* operation, const std::string& path,
                                 const NpzOptions& options) {
  const ZipFile zip(operation, path);
  SparseMembers out;
  int64_t total = 0;
  for (const ZipEntry& entry : zip.entries()) {
    if (__builtin_add_overflow(total, entry.size, &total) || total > options.max_bytes) {
      zip.file().refuse(
          "arrays of more than ", options.max_bytes,
          " bytes in all: set NpzOptions{.max_bytes = ...} for a file that you trust");
    }
    ZipMember member(zip, entry);
    if (entry.name == "format.npy") {
      out.format = read_npy_word(member);
    } else if (entry.name.ends_with(".npy")) {
      const AnyTensor x = weft::detail::read_npy(member);
      member.finish();
      out.arrays.add(entry.name.substr(0, entry.name.size() - 4), x.contiguous());
    }
  }
  if (out.format != "csr" && out.format != "csc" && out.format != "coo") {
    zip.file().refuse("a sparse matrix of format '", out.format, "', expected csr, csc or coo");
  }
  return out;
}

/// A vector of integers, int32 or int64, under a name.
inline Tensor<int64_t, Cpu> sparse_integers(const char* operation, const std::string& path,
                                            const StateDict& arrays, const char* name) {
  const AnyTensor* const x = arrays.find(name);
  if (x == nullptr || x->shape().rank() != 1 ||
      (x->dtype() != Dtype::int32 && x->dtype() != Dtype::int64)) {
    fail<FileError>(operation, path, ": no vector '", name, "' of int32 or int64");
  }
  if (x->dtype() == Dtype::int64) return x->get<int64_t>();
  return cast<int64_t>(x->get<std::int32_t>());
}

/// The row of each element by offsets, which are checked.
inline Tensor<int64_t, Cpu> expanded(const char* operation, const std::string& path,
                                     const Tensor<int64_t, Cpu>& offsets, int64_t rows,
                                     int64_t count) {
  const int64_t* const at = offsets.data();
  bool good = offsets.size() == rows + 1 && at[0] == 0 && at[rows] == count;
  for (int64_t r = 0; good && r < rows; ++r) good = at[r] <= at[r + 1];
  if (!good) {
    fail<FileError>(operation, path, ": 'indptr' of shape ", offsets.shape(), " for ", rows,
                    " rows and ", count, " elements, expected ascending offsets from 0 to ", count);
  }
  const Tensor<int64_t, Cpu> out = empty<int64_t>({count});
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t e = at[r]; e < at[r + 1]; ++e) out.data()[e] = r;
  }
  return out;
}

template <class T>
Coo<T> load_sparse(const char* operation, const std::string& path, const NpzOptions& options) {
  const SparseMembers file = read_sparse(operation, path, options);
  const auto integers = [&](const char* name) {
    return sparse_integers(operation, path, file.arrays, name);
  };
  const Tensor<int64_t, Cpu> sizes = integers("shape");
  if (sizes.size() != 2 || sizes.data()[0] < 0 || sizes.data()[1] < 0) {
    fail<FileError>(operation, path, ": a shape of ", sizes.size(),
                    " numbers, expected two sizes of at least 0");
  }
  const Shape shape{sizes.data()[0], sizes.data()[1]};
  sparse::check_sizes(operation, shape, 0);
  const AnyTensor* const data = file.arrays.find("data");
  if (data == nullptr || data->shape().rank() != 1) {
    fail<FileError>(operation, path, ": no vector 'data'");
  }
  if (data->dtype() != dtype_of<T>) {
    fail<FileError>(operation, path, ": elements of type ", data->dtype(), ", expected ",
                    dtype_of<T>, ": load that type and cast");
  }
  const Tensor<T, Cpu> values = data->template get<T>();
  if (file.format == "coo") return coo(integers("row"), integers("col"), values, shape);
  const bool by_rows = file.format == "csr";
  const Tensor<int64_t, Cpu> inner = integers("indices");
  const Tensor<int64_t, Cpu> outer =
      expanded(operation, path, integers("indptr"), shape[by_rows ? 0 : 1], values.size());
  return coo(by_rows ? outer : inner, by_rows ? inner : outer, values, shape);
}

/// Writes the members in SciPy's order.
inline void save_sparse(const std::string& path, const std::string& format, const StateDict& arrays,
                        const Shape& shape, const AnyTensor& values, const NpzSaving& options) {
  ZipWriter zip("save_npz", path);
  const auto add = [&](const std::string& name, const AnyTensor& x) {
    zip.add(name + ".npy", npy_header(x.dtype(), x.shape()), x.data(), x.bytes(), options.compress);
  };
  for (const auto& [name, x] : arrays) add(name, x);
  std::string word = npy_header(Dtype::boolean, {});
  word.replace(word.find("|b1"), 3, "|S" + std::to_string(format.size()));
  zip.add("format.npy", word, format.data(), static_cast<int64_t>(format.size()), options.compress);
  add("shape", AnyTensor(Tensor<int64_t>(tensor({shape[0], shape[1]}))));
  add("data", values);
  add("_is_array", AnyTensor(Tensor<bool>(full<bool>({}, true))));
  zip.commit();
}

}  // namespace io

/// The matrix in a .npz file that scipy.sparse.save_npz wrote, in format csr, csc or coo, whose
/// elements must have type T: there is no silent conversion. Indices are sorted, and duplicates
/// summed.
template <Element T>
Csr<T> load_csr(const std::string& path, const NpzOptions& options = {}) {
  return io::load_sparse<T>("load_csr", path, options).to_csr();
}
/// The same as triplets, in the file's order.
template <Element T>
Coo<T> load_coo(const std::string& path, const NpzOptions& options = {}) {
  return io::load_sparse<T>("load_coo", path, options);
}

/// Saves a sparse matrix on any device as `path`, as scipy.sparse.save_npz does for a csr_array or
/// coo_array. The file is written atomically.
template <SparseLike A>
void save_npz(const std::string& path, const A& a, const NpzSaving& options = {}) {
  using T = typename A::value_type;
  static_assert(io::npy_bytes(dtype_of<T>) > 0, "weft: .npz has no bfloat16: write cast<float>(x)");
  const auto here = [](const auto& x) { return AnyTensor(x.to(Cpu{}).contiguous()); };
  StateDict arrays;
  if constexpr (CsrLike<A>) {
    arrays.add("indices", here(a.col_indices()));
    arrays.add("indptr", here(a.crow_indices()));
  } else {
    arrays.add("row", here(a.row_indices()));
    arrays.add("col", here(a.col_indices()));
  }
  io::save_sparse(path, CsrLike<A> ? "csr" : "coo", arrays, a.shape(), here(a.detach().values()),
                  options);
}

}  // namespace weft
