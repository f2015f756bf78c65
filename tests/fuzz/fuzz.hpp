// What the fuzz targets share: the input as a file, and what may come out of a reader.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <weft/tensor/any_tensor.hpp>
#include <weft/weft.hpp>

namespace fuzz {

/// The bytes as a regular file in memory, under a path.
class File {
 public:
  File(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("fuzz", 0)) {
    for (std::size_t at = 0; at < size;) {
      const auto count = write(descriptor_, data + at, size - at);
      if (count <= 0) std::abort();
      at += static_cast<std::size_t>(count);
    }
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

/// Reads; a weft::Error is an answer like another, anything else ends the program. Every element
/// that comes out is touched by `use`.
template <class Read>
int read(const Read& read) {
  try {
    read();
  } catch (const weft::Error& error) {
    if (error.what()[0] != '[') std::abort();  // each says which operation it was
  }
  return 0;
}

/// Touches every element, so that a sanitizer sees where they lie.
inline void use(const weft::AnyTensor& x) {
  const weft::AnyTensor packed = x.contiguous();
  const auto* bytes = static_cast<const volatile char*>(packed.data());
  for (weft::int64_t i = 0; i < packed.bytes(); i += 64) (void)bytes[i];
  if (packed.bytes() > 0) (void)bytes[packed.bytes() - 1];
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
