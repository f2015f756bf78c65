// GzipInput: a file's bytes in order, decompressed if it is a .gz file; needs zlib.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "weft/io/inflate.hpp"

namespace weft::io {

/// A file that may be compressed by gzip, as its first bytes tell; its content is read in the same
/// way.
class GzipInput {
 public:
  GzipInput(const char* operation, const std::string& path) : file_(operation, path) {
    unsigned char start[2] = {};
    if (file_.size() >= 2) file_.read_at(0, start, 2);
    if (start[0] == 0x1F && start[1] == 0x8B) {
      inflater_ = std::make_unique<Inflater>(file_, 0, file_.size(), Inflater::Format::gzip);
    }
  }

  bool is_compressed() const { return inflater_ != nullptr; }

  /// The next bytes, all of them; throws if there are fewer. Check can_hold() before allocating
  /// memory for what a header claims.
  void read(void* to, int64_t bytes) {
    const int64_t got = inflater_ != nullptr ? inflater_->read(to, bytes) : read_plain(to, bytes);
    if (got != bytes) {
      file_.refuse("the content ends after ", read_ + got, " bytes, expected ", bytes,
                   " from byte ", read_);
    }
    read_ += bytes;
  }

  /// Whether a file of this size can contain this many more bytes.
  bool can_hold(int64_t bytes) const {
    return inflater_ != nullptr ? can_inflate_to(file_.size(), bytes)
                                : bytes <= file_.size() - read_;
  }

  /// Throws unless the content ends here and, where it was compressed, its checksum is right.
  void expect_end() {
    if (inflater_ != nullptr) return inflater_->expect_end();
    if (read_ != file_.size()) {
      file_.refuse(file_.size() - read_, " bytes more than the ", read_, " expected");
    }
  }

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    file_.refuse(parts...);
  }

 private:
  int64_t read_plain(void* to, int64_t bytes) {
    const int64_t left = file_.size() - read_;
    const int64_t count = bytes < left ? bytes : left;
    file_.read_at(read_, to, count);
    return count;
  }

  InputFile file_;
  std::unique_ptr<Inflater> inflater_;
  int64_t read_ = 0;
};

}  // namespace weft::io
