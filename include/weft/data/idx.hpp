// load_idx and load_mnist: the files of the MNIST family, plain or .gz; needs zlib.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <filesystem>

#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/data/labeled_images.hpp"
#include "weft/io/byte_order.hpp"
#include "weft/io/gzip.hpp"

namespace weft::data {

namespace detail {
/// The code of an element type in the third byte of the file.
template <class T>
constexpr int idx_code() {
  constexpr int code = std::is_same_v<T, std::uint8_t>   ? 0x08
                       : std::is_same_v<T, std::int8_t>  ? 0x09
                       : std::is_same_v<T, std::int16_t> ? 0x0B
                       : std::is_same_v<T, std::int32_t> ? 0x0C
                       : std::is_same_v<T, float>        ? 0x0D
                       : std::is_same_v<T, double>       ? 0x0E
                                                         : 0;
  static_assert(code != 0, "weft: idx files have uint8, int8, int16, int32, float and double");
  return code;
}
}  // namespace detail

/// The tensor in an idx file, whose elements must have type T; a .gz file is recognised by its
/// content. The format: http://yann.lecun.com/exdb/mnist (two zeros, the type, the rank, big-endian
/// sizes).
template <Element T>
Tensor<T, Cpu> load_idx(const std::string& path) {
  io::GzipInput file("load_idx", path);
  unsigned char start[4];
  file.read(start, 4);
  if (start[0] != 0 || start[1] != 0) {
    file.refuse("not an idx file: it begins with bytes ", int{start[0]}, " and ", int{start[1]},
                ", expected 0 and 0");
  }
  constexpr int code = detail::idx_code<T>();
  if (start[2] != code) {
    file.refuse("elements of type code ", int{start[2]}, ", expected ", code, " for ", dtype_of<T>);
  }
  const int rank = start[3];
  if (rank < 1 || rank > max_rank) {
    file.refuse(rank, " dimensions, expected 1 to ", max_rank);
  }
  Shape shape;
  int64_t bytes = sizeof(T);
  bool overflow = false;
  for (int i = 0; i < rank; ++i) {
    unsigned char size[4];
    file.read(size, 4);
    shape.push_back(int64_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3]);
    overflow |= __builtin_mul_overflow(bytes, shape[i], &bytes);
  }
  if (overflow || !file.can_hold(bytes)) {
    file.refuse("shape ", shape, " of ", dtype_of<T>, ", which is more than the file can hold");
  }
  auto out = empty<T>(shape);
  file.read(out.data(), bytes);
  file.expect_end();
  if constexpr (std::endian::native == std::endian::little && sizeof(T) > 1) {
    io::swap_bytes(reinterpret_cast<unsigned char*>(out.data()), out.size(), sizeof(T));
  }
  return out;
}

/// Images (n, height, width) and labels (n,) of two idx files of bytes, checked against each other.
inline LabeledImages load_mnist(const std::string& images, const std::string& labels,
                                int64_t classes = 10) {
  LabeledImages out;
  out.images = load_idx<std::uint8_t>(images);
  const auto bytes = load_idx<std::uint8_t>(labels);
  if (out.images.rank() != 3) {
    fail<FileError>("load_mnist", images, ": images of shape ", out.images.shape(),
                    ", expected (n, height, width)");
  }
  if (bytes.rank() != 1 || bytes.size() != out.images.size(0)) {
    fail<FileError>("load_mnist", labels, ": labels of shape ", bytes.shape(), " for ",
                    out.images.size(0), " images");
  }
  out.labels = cast<int64_t>(bytes);
  detail::check_labels("load_mnist", labels, out.labels, classes);
  return out;
}

/// The training or the test part in a folder with the usual names (train-images-idx3-ubyte ...),
/// each with or without .gz: MNIST, Fashion-MNIST, KMNIST.
inline LabeledImages load_mnist(const std::string& folder, bool train) {
  const auto find = [&](const char* part) {
    const std::string path = folder + "/" + (train ? "train" : "t10k") + part;
    return std::filesystem::exists(path + ".gz") ? path + ".gz" : path;
  };
  return load_mnist(find("-images-idx3-ubyte"), find("-labels-idx1-ubyte"));
}

}  // namespace weft::data
