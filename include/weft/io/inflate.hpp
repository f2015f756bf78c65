// Inflater: a part of a file decompressed piece by piece; needs zlib.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !__has_include(<zlib.h>)
#error "weft: .gz and .npz files need zlib (Debian: zlib1g-dev) and -lz, in CMake weft::zlib"
#endif
#include <zlib.h>

#include <vector>

#include "weft/io/file.hpp"

namespace weft::io {

/// Deflate compresses no data to less than a 1,032nd; larger claims are refused before memory is
/// allocated.
constexpr bool can_inflate_to(int64_t compressed, int64_t bytes) {
  return bytes / 1032 <= compressed;
}

/// The bytes of a file from `begin` to `end`, decompressed: one raw deflate stream, or one or more
/// gzip members, whose checksums zlib compares.
class Inflater {
 public:
  enum class Format { raw, gzip };

  Inflater(const InputFile& file, int64_t begin, int64_t end, Format format)
      : file_(file), place_(begin), end_(end), format_(format), buffer_(1 << 16) {
    if (inflateInit2(&stream_, format == Format::gzip ? 16 + MAX_WBITS : -MAX_WBITS) != Z_OK) {
      fail<OutOfMemory>("inflate", "no memory to decompress ", file.path());
    }
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// The next bytes; fewer than asked for only where the data end.
  int64_t read(void* to, int64_t bytes) {
    auto* at = static_cast<unsigned char*>(to);
    int64_t got = 0;
    while (got < bytes && !finished_) {
      if (stream_.avail_in == 0) refill();
      const int64_t chunk = bytes - got < (1 << 30) ? bytes - got : 1 << 30;
      stream_.next_out = at + got;
      stream_.avail_out = static_cast<unsigned>(chunk);
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      const int64_t made = chunk - static_cast<int64_t>(stream_.avail_out);
      got += made;
      if (status == Z_STREAM_END) {
        next_member();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        refuse(stream_.msg != nullptr ? stream_.msg : "a dictionary is asked for");
      } else if (made == 0 && stream_.avail_in == 0 && place_ == end_) {
        refuse("they end too early");
      }
    }
    return got;
  }

  /// Throws unless all compressed bytes were used and nothing more comes out of them.
  void expect_end() {
    unsigned char extra;
    if (read(&extra, 1) != 0) refuse("there are more of them than expected");
    if (stream_.avail_in > 0 || place_ < end_) refuse("other bytes follow them");
  }

 private:
  [[noreturn]] void refuse(const char* reason) const {
    file_.refuse("damaged compressed data before byte ", place_, ": ", reason);
  }

  void refill() {
    const int64_t left = end_ - place_;
    const auto size = static_cast<int64_t>(buffer_.size());
    const int64_t count = left < size ? left : size;
    file_.read_at(place_, buffer_.data(), count);
    place_ += count;
    stream_.next_in = buffer_.data();
    stream_.avail_in = static_cast<unsigned>(count);
  }

  /// gzip members may follow each other; what they hold is then one after the other, too.
  void next_member() {
    if (stream_.avail_in == 0) refill();
    if (format_ == Format::raw || stream_.avail_in == 0) {
      finished_ = true;
    } else if (*stream_.next_in != 0x1F || inflateReset(&stream_) != Z_OK) {
      refuse("other bytes follow them");
    }
  }

  const InputFile& file_;
  int64_t place_;
  int64_t end_;
  Format format_;
  bool finished_ = false;
  std::vector<unsigned char> buffer_;
  z_stream stream_ = {};
};

}  // namespace weft::io
