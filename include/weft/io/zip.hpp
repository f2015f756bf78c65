// ZipFile: the members of a zip archive, strictly validated; needs zlib.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "weft/io/inflate.hpp"

namespace weft::io {

/// A member of an archive, as the central directory and its local header agree on.
struct ZipEntry {
  std::string name;
  int method = 0;  ///< 0 stored, 8 deflate
  std::uint32_t crc = 0;
  int64_t compressed = 0;
  int64_t size = 0;
  int64_t header = 0;  ///< where its local header begins in the file
  int64_t data = 0;    ///< where its data begin
};

/// A zip archive without comments, spanning or encryption, whose members are stored or deflated, do
/// not overlap and have different names. ZIP64 is read.
class ZipFile {
 public:
  ZipFile(const char* operation, const std::string& path) : file_(operation, path) {
    read_directory();
    int64_t place = 0;
    std::vector<ZipEntry*> by_place;
    for (ZipEntry& entry : entries_) by_place.push_back(&entry);
    std::sort(by_place.begin(), by_place.end(),
              [](const ZipEntry* a, const ZipEntry* b) { return a->header < b->header; });
    for (ZipEntry* const entry : by_place) {
      if (entry->header < place) file_.refuse("'", entry->name, "' overlaps another member");
      read_local_header(*entry);
      place = entry->data + entry->compressed;
    }
  }

  const InputFile& file() const { return file_; }
  /// In the directory's order.
  const std::vector<ZipEntry>& entries() const { return entries_; }

 private:
  /// Little-endian numbers from a piece of the file.
  struct Bytes {
    std::vector<unsigned char> bytes;
    std::uint64_t number(std::size_t at, int width) const {
      std::uint64_t value = 0;
      for (int i = width - 1; i >= 0; --i)
        value = value << 8 | bytes[at + static_cast<unsigned>(i)];
      return value;
    }
    std::string text(std::size_t at, std::size_t count) const {
      return {bytes.begin() + static_cast<long>(at), bytes.begin() + static_cast<long>(at + count)};
    }
  };
  static constexpr std::uint64_t in_zip64 = 0xFFFFFFFF;

  Bytes piece(int64_t place, int64_t count) const {
    Bytes out{std::vector<unsigned char>(static_cast<std::size_t>(count))};
    file_.read_at(place, out.bytes.data(), count);
    return out;
  }
  int64_t checked(std::uint64_t number, const char* what) const {
    if (number > static_cast<std::uint64_t>(file_.size()) * 1033) {
      file_.refuse("damaged archive: ", what, " of ", number, " in a file of ", file_.size(),
                   " bytes");
    }
    return static_cast<int64_t>(number);
  }

  void read_directory() {
    constexpr int64_t length = 22;
    int64_t end = file_.size() - length;
    if (end < 0) file_.refuse("not a zip archive: ", file_.size(), " bytes");
    const Bytes record = piece(end, length);
    if (record.number(0, 4) != 0x06054B50 || record.number(20, 2) != 0) {
      file_.refuse("not a zip archive without a comment: no directory's end at the file's end");
    }
    std::uint64_t count = record.number(10, 2);
    std::uint64_t size = record.number(12, 4);
    std::uint64_t start = record.number(16, 4);
    bool parts = record.number(4, 4) != 0 || record.number(8, 2) != count;
    if (count == 0xFFFF || size == in_zip64 || start == in_zip64) {
      if (end < 20 + 56) file_.refuse("damaged archive: no ZIP64 record");
      const Bytes locator = piece(end - 20, 20);
      end = checked(locator.number(8, 8), "a place");
      if (locator.number(0, 4) != 0x07064B50 || end + 56 + 20 + length != file_.size()) {
        file_.refuse("damaged archive: no ZIP64 record before the directory's end");
      }
      const Bytes big = piece(end, 56);
      if (big.number(0, 4) != 0x06064B50 || big.number(4, 8) != 44) {
        file_.refuse("damaged archive: no ZIP64 record where the locator says");
      }
      count = big.number(32, 8);
      size = big.number(40, 8);
      start = big.number(48, 8);
      parts = big.number(16, 8) != 0 || big.number(24, 8) != count || locator.number(4, 4) != 0 ||
              locator.number(16, 4) != 1;
    }
    if (parts) file_.refuse("an archive in several parts, expected one");
    const int64_t first = checked(start, "a place");
    if (checked(size, "a directory") != end - first) {
      file_.refuse("damaged archive: a directory of ", size, " bytes from byte ", start,
                   ", expected it to end at ", end);
    }
    read_entries(piece(first, end - first), count);
    for (const ZipEntry& entry : entries_) {
      if (entry.header + 30 + entry.compressed > first) {
        file_.refuse("'", entry.name, "' reaches into the archive's directory");
      }
    }
  }

  void read_entries(const Bytes& directory, std::uint64_t count) {
    std::size_t at = 0;
    std::set<std::string> names;
    while (at < directory.bytes.size()) {
      if (directory.bytes.size() - at < 46 || directory.number(at, 4) != 0x02014B50) {
        file_.refuse("damaged archive: no entry at byte ", at, " of its directory");
      }
      const std::size_t name = directory.number(at + 28, 2);
      const std::size_t extra = directory.number(at + 30, 2);
      const std::size_t comment = directory.number(at + 32, 2);
      if (directory.bytes.size() - at - 46 < name + extra + comment) {
        file_.refuse("damaged archive: an entry is longer than the directory");
      }
      ZipEntry entry;
      entry.name = directory.text(at + 46, name);
      const std::uint64_t flags = directory.number(at + 8, 2);
      entry.method = static_cast<int>(directory.number(at + 10, 2));
      entry.crc = static_cast<std::uint32_t>(directory.number(at + 16, 4));
      std::uint64_t numbers[] = {directory.number(at + 24, 4), directory.number(at + 20, 4),
                                 directory.number(at + 42, 4)};
      read_extra(entry.name, directory, at + 46 + name, extra, numbers, 3);
      entry.size = checked(numbers[0], "a size");
      entry.compressed = checked(numbers[1], "a compressed size");
      entry.header = checked(numbers[2], "a place");
      if ((flags & 1) != 0 || (flags & 0x40) != 0) {
        file_.refuse("'", entry.name, "' is encrypted, which is not read");
      }
      if (entry.method != 0 && entry.method != 8) {
        file_.refuse("'", entry.name, "' is compressed by method ", entry.method,
                     ", expected 0 (stored) or 8 (deflate)");
      }
      if (entry.method == 0 ? entry.size != entry.compressed
                            : !can_inflate_to(entry.compressed, entry.size)) {
        file_.refuse("'", entry.name, "' claims ", entry.size, " bytes from ", entry.compressed);
      }
      if (!names.insert(entry.name).second) {
        file_.refuse("the name '", entry.name, "' appears twice");
      }
      entries_.push_back(entry);
      at += 46 + name + extra + comment;
    }
    if (entries_.size() != count) {
      file_.refuse("damaged archive: ", entries_.size(), " members, expected ", count);
    }
  }

  /// Replaces those numbers that say "in the ZIP64 field" by what that field says.
  void read_extra(const std::string& name, const Bytes& bytes, std::size_t at, std::size_t length,
                  std::uint64_t* numbers, int count) const {
    const std::size_t end = at + length;
    while (end - at >= 4) {
      const std::uint64_t id = bytes.number(at, 2);
      const std::size_t size = bytes.number(at + 2, 2);
      at += 4;
      if (size > end - at) file_.refuse("'", name, "': a damaged extra field");
      std::size_t field = at;
      for (int i = 0; id == 1 && i < count; ++i) {
        if (numbers[i] != in_zip64 || at + size - field < 8) continue;
        numbers[i] = bytes.number(field, 8);
        field += 8;
      }
      at += size;
    }
    if (at != end) file_.refuse("'", name, "': a damaged extra field");
  }

  /// Finds the data, and compares the local header, which some readers trust, with the directory.
  void read_local_header(ZipEntry& entry) const {
    const Bytes header = piece(entry.header, 30);
    const auto name = static_cast<int64_t>(header.number(26, 2));
    const auto extra = static_cast<int64_t>(header.number(28, 2));
    entry.data = entry.header + 30 + name + extra;
    if (header.number(0, 4) != 0x04034B50) {
      file_.refuse("'", entry.name, "': no local header at byte ", entry.header);
    }
    if (entry.data + entry.compressed > file_.size()) {
      file_.refuse("'", entry.name, "' reaches beyond the file");
    }
    const Bytes rest = piece(entry.header + 30, name + extra);
    std::uint64_t sizes[] = {header.number(22, 4), header.number(18, 4)};
    read_extra(entry.name, rest, static_cast<std::size_t>(name), static_cast<std::size_t>(extra),
               sizes, 2);
    const bool later = (header.number(6, 2) & 8) != 0;  // sizes and checksum follow the data
    const bool same = header.number(8, 2) == static_cast<std::uint64_t>(entry.method) &&
                      rest.text(0, static_cast<std::size_t>(name)) == entry.name &&
                      (later || (header.number(14, 4) == entry.crc &&
                                 sizes[0] == static_cast<std::uint64_t>(entry.size) &&
                                 sizes[1] == static_cast<std::uint64_t>(entry.compressed)));
    if (!same) file_.refuse("'", entry.name, "': its local header differs from the directory");
  }

  InputFile file_;
  std::vector<ZipEntry> entries_;
};

/// The bytes of a member, in order, with the functions of an InputFile.
class ZipMember {
 public:
  ZipMember(const ZipFile& zip, const ZipEntry& entry) : zip_(zip), entry_(entry) {
    if (entry.method != 0) {
      inflater_ = std::make_unique<Inflater>(zip.file(), entry.data, entry.data + entry.compressed,
                                             Inflater::Format::raw);
    }
  }

  int64_t size() const { return entry_.size; }
  int64_t left() const { return entry_.size - read_; }

  void read(void* to, int64_t bytes) {
    if (bytes > left()) {
      refuse("it ends after ", size(), " bytes, expected ", bytes, " from byte ", read_);
    }
    if (inflater_ == nullptr) {
      zip_.file().read_at(entry_.data + read_, to, bytes);
    } else if (const int64_t got = inflater_->read(to, bytes); got != bytes) {
      refuse(read_ + got, " bytes, expected ", size());
    }
    read_ += bytes;
    crc_ = static_cast<std::uint32_t>(
        crc32_z(crc_, static_cast<const unsigned char*>(to), static_cast<std::size_t>(bytes)));
  }

  /// Throws unless all bytes were read and are those whose checksum the archive has.
  void finish() {
    if (left() != 0) refuse(left(), " bytes were not read");
    if (inflater_ != nullptr) inflater_->expect_end();
    if (crc_ != entry_.crc) refuse("its checksum is wrong");
  }

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    zip_.file().refuse("'", entry_.name, "': ", parts...);
  }

 private:
  const ZipFile& zip_;
  const ZipEntry& entry_;
  std::unique_ptr<Inflater> inflater_;
  int64_t read_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace weft::io
