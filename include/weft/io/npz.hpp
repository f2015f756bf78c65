// load_npz and save_npz: named tensors as NumPy's .npz archives; needs zlib.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/io/npy.hpp"
#include "weft/io/utf8.hpp"
#include "weft/io/zip.hpp"
#include "weft/io/zip_writer.hpp"
#include "weft/tensor/state_dict.hpp"

namespace weft {

struct NpzOptions {
  int64_t max_bytes = int64_t{1} << 36;  ///< what all tensors of a file may have at most
};

/// The tensors of a .npz file, under their names without `.npy`, on the CPU.
inline StateDict load_npz(const std::string& path, NpzOptions options = {}) {
  const io::ZipFile zip("load_npz", path);
  int64_t total = 0;
  for (const io::ZipEntry& entry : zip.entries()) {
    if (__builtin_add_overflow(total, entry.size, &total) || total > options.max_bytes) {
      zip.file().refuse(
          "tensors of more than ", options.max_bytes,
          " bytes in all: set NpzOptions{.max_bytes = ...} for a file that you trust");
    }
  }
  StateDict out;
  for (const io::ZipEntry& entry : zip.entries()) {
    if (!entry.name.ends_with(".npy")) {
      zip.file().refuse("a member '", entry.name, "', expected names that end in .npy");
    }
    io::ZipMember member(zip, entry);
    const AnyTensor x = detail::read_npy(member);
    member.finish();
    out.add(entry.name.substr(0, entry.name.size() - 4), x.contiguous());
  }
  return out;
}

struct NpzSaving {
  bool compress = false;
};

/// Saves tensors on any device as `path`, like numpy.savez or numpy.savez_compressed. The file is
/// written atomically.
inline void save_npz(const std::string& path, const StateDict& dict, NpzSaving options = {}) {
  for (const auto& [name, tensor] : dict) {
    if (io::npy_bytes(tensor.dtype()) == 0) {
      fail<FileError>("save_npz", path, ": '", name, "' has elements of type ", tensor.dtype(),
                      ", which .npy does not have: write cast<float>(x)");
    }
    if (name.size() > 0xFFFF - 4 || io::first_invalid_utf8(name) < name.size()) {
      fail<FileError>("save_npz", path, ": a name of ", name.size(),
                      " bytes, expected at most 65531 of UTF-8");
    }
  }
  io::ZipWriter zip("save_npz", path);
  for (const auto& [name, tensor] : dict) {
    const AnyTensor packed = tensor.cpu().contiguous();
    zip.add(name + ".npy", io::npy_header(packed.dtype(), packed.shape()), packed.data(),
            packed.bytes(), options.compress);
  }
  zip.commit();
}

}  // namespace weft
