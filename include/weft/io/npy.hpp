// load_npy and save_npy: tensors as NumPy's .npy files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/eval/transfer.hpp"
#include "weft/io/byte_order.hpp"
#include "weft/io/npy_header.hpp"
#include "weft/tensor/any_tensor.hpp"

namespace weft {

/// Saves the value of a tensor or expression, on any device, as `path`. The file is written
/// atomically.
template <ExpressionLike E>
void save_npy(const std::string& path, const E& e) {
  using T = typename E::value_type;
  static_assert(!is_small<T>, "weft: .npy holds numbers, not Small: write components(x)");
  static_assert(is_small<T> || io::npy_bytes(dtype_of<T>) > 0,
                "weft: .npy has no bfloat16: write cast<float>(x)");
  const Tensor<T, Cpu> x = e.eval().to(Cpu{}).contiguous();
  const std::string header = io::npy_header(dtype_of<T>, x.shape());
  io::OutputFile file("save_npy", path);
  file.write(header.data(), static_cast<int64_t>(header.size()));
  file.write(x.data(), x.size() * static_cast<int64_t>(sizeof(T)));
  file.commit();
}

namespace detail {
/// What is left of `file` as a tensor of any type, or of the one given. Reads either byte order and
/// either index order; the latter shows in the strides.
template <class Input>
AnyTensor read_npy(Input& file, const Dtype* expected = nullptr) {
  const io::NpyHeader header = io::read_npy_header(file);
  if (expected != nullptr && header.dtype != *expected) {
    file.refuse("elements of type ", header.dtype, ", expected ", *expected,
                ": load that type and cast");
  }
  Shape shape;
  Shape reversed;
  for (int i = 0, n = header.shape.rank(); i < n; ++i) {
    shape.push_back(header.shape[header.fortran_order ? n - 1 - i : i]);
    reversed.push_back(n - 1 - i);
  }
  const AnyTensor x = AnyTensor::empty(header.dtype, shape);
  auto* bytes = static_cast<unsigned char*>(x.data());
  file.read(bytes, x.bytes());
  if (header.swapped) {
    const bool pairs = header.dtype == Dtype::complex64 || header.dtype == Dtype::complex128;
    const int parts = pairs ? 2 : 1;
    io::swap_bytes(bytes, x.size() * parts, element_size(header.dtype) / parts);
  }
  if (header.dtype == Dtype::boolean) {
    for (int64_t i = 0; i < x.size(); ++i) bytes[i] = bytes[i] != 0;
  }
  return header.fortran_order ? x.permute(reversed) : x;
}
}  // namespace detail

/// No element type: says which there are.
template <class T>
  requires(!Element<T>)
Tensor<float, Cpu> load_npy(const std::string&) {
  detail::is_element<T>();
  return {};
}
/// Not in this order: says so.
template <ExpressionLike E>
void save_npy(const E&, const std::string&) {
  static_assert(detail::always_false<E>,
                "weft: save_npy takes the path first: write save_npy(\"x.npy\", x)");
}

/// The tensor in a .npy file, whose elements must have type T: there is no silent conversion. Reads
/// either byte order and either index order; the result is row-major.
template <Element T>
Tensor<T, Cpu> load_npy(const std::string& path) {
  static_assert(io::npy_bytes(dtype_of<T>) > 0,
                "weft: .npy has no bfloat16: load another type and cast");
  io::InputFile file("load_npy", path);
  constexpr Dtype expected = dtype_of<T>;
  return detail::read_npy(file, &expected).template get<T>().contiguous();
}

}  // namespace weft
