// ZipWriter: a zip archive, stored or deflated, written atomically; needs zlib.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "weft/io/inflate.hpp"

namespace weft::io {

/// Writes the members of an archive one after the other, and its directory, as Python's zipfile
/// does; the file appears whole or not at all.
class ZipWriter {
 public:
  ZipWriter(const char* operation, const std::string& path) : file_(operation, path) {}

  /// A member whose content is the two pieces.
  void add(const std::string& name, const std::string& start, const void* data, int64_t bytes,
           bool compress) {
    const auto size = static_cast<int64_t>(start.size()) + bytes;
    auto crc = crc32_z(0, reinterpret_cast<const unsigned char*>(start.data()), start.size());
    crc = crc32_z(crc, static_cast<const unsigned char*>(data), static_cast<std::size_t>(bytes));
    const std::string packed = compress ? deflated(start, data, bytes) : "";
    const int64_t stored = compress ? static_cast<int64_t>(packed.size()) : size;
    const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return c > 0; });

    // Version 4.5, the sizes in a ZIP64 field always, UTF-8 names marked, the date 1980-01-01.
    const std::string common = number(ascii ? 0 : 0x800, 2) + number(compress ? 8 : 0, 2) +
                               number(0x210000, 4) + number(crc, 4);
    const std::string length = number(name.size(), 2);
    const std::string local = number(0x04034B50, 4) + number(45, 2) + common +
                              number(0xFFFFFFFF, 4) + number(0xFFFFFFFF, 4) + length +
                              number(20, 2) + name + number(1, 2) + number(16, 2) +
                              number(size, 8) + number(stored, 8);
    std::string extra;
    const auto limited = [&extra](int64_t value) {
      constexpr int64_t limit = 0x7FFFFFFF;
      if (value > limit) extra += number(value, 8);
      return number(value > limit ? 0xFFFFFFFF : value, 4);
    };
    const std::string full = limited(size);
    const std::string sizes = limited(stored) + full;
    const std::string place = limited(place_);
    if (!extra.empty()) extra = number(1, 2) + number(extra.size(), 2) + extra;
    directory_ += number(0x02014B50, 4) + number(45, 1) + number(3, 1) + number(45, 2) + common +
                  sizes + length + number(extra.size(), 2) + number(0, 6) + number(0600U << 16, 4) +
                  place + name + extra;
    ++count_;

    write(local);
    if (compress) {
      write(packed);
    } else {
      write(start);
      file_.write(data, bytes);
      place_ += bytes;
    }
  }

  void commit() {
    const int64_t start = place_;
    const auto size = static_cast<int64_t>(directory_.size());
    write(directory_);
    const bool big = count_ > 0xFFFF || start > 0x7FFFFFFF || size > 0x7FFFFFFF;
    if (big) {
      const int64_t record = place_;
      write(number(0x06064B50, 4) + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
            number(count_, 8) + number(count_, 8) + number(size, 8) + number(start, 8));
      write(number(0x07064B50, 4) + number(0, 4) + number(record, 8) + number(1, 4));
    }
    const auto count = number(big ? 0xFFFF : count_, 2);
    write(number(0x06054B50, 4) + number(0, 4) + count + count +
          number(big ? 0xFFFFFFFF : size, 4) + number(big ? 0xFFFFFFFF : start, 4) + number(0, 2));
    file_.commit();
  }

 private:
  template <class N>
  static std::string number(N value, int width) {
    std::string out;
    auto left = static_cast<std::uint64_t>(value);
    for (int i = 0; i < width; ++i, left >>= 8) out += static_cast<char>(left & 0xFF);
    return out;
  }

  static std::string deflated(const std::string& start, const void* data, int64_t bytes) {
    z_stream stream = {};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      fail<OutOfMemory>("deflate", "no memory to compress");
    }
    std::string out;
    std::vector<unsigned char> buffer(1 << 16);
    const auto feed = [&](const void* from, int64_t count, bool last) {
      auto* at = static_cast<unsigned char*>(const_cast<void*>(from));
      do {
        const int64_t chunk = count < (1 << 30) ? count : 1 << 30;
        count -= chunk;
        stream.next_in = at;
        stream.avail_in = static_cast<unsigned>(chunk);
        at += chunk;
        do {
          stream.next_out = buffer.data();
          stream.avail_out = static_cast<unsigned>(buffer.size());
          ::deflate(&stream, last && count == 0 ? Z_FINISH : Z_NO_FLUSH);
          out.append(reinterpret_cast<const char*>(buffer.data()),
                     buffer.size() - stream.avail_out);
        } while (stream.avail_out == 0);
      } while (count > 0);
    };
    feed(start.data(), static_cast<int64_t>(start.size()), false);
    feed(data, bytes, true);
    deflateEnd(&stream);
    return out;
  }

  void write(const std::string& bytes) {
    file_.write(bytes.data(), static_cast<int64_t>(bytes.size()));
    place_ += static_cast<int64_t>(bytes.size());
  }

  OutputFile file_;
  std::string directory_;
  int64_t place_ = 0;
  int64_t count_ = 0;
};

}  // namespace weft::io
