// Zip archives with whatever fields a test wants them to have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace test {

inline std::string little(std::uint64_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i, value >>= 8) out += static_cast<char>(value & 0xFF);
  return out;
}

inline std::uint32_t crc(const std::string& bytes) {
  std::uint32_t state = 0xFFFFFFFF;
  for (const char c : bytes) {
    state ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (0xEDB88320 & (0U - (state & 1)));
  }
  return ~state;
}

/// A stored member, whose headers say what is set here.
struct Member {
  std::string name;
  std::string data;
  std::uint64_t flags = 0;
  std::uint64_t method = 0;
  std::uint64_t size = data.size();
  std::uint64_t compressed = data.size();
  std::uint32_t checksum = crc(data);
  std::uint64_t local_size = size;
  std::uint64_t local_checksum = checksum;
  std::string local_name = name;
  std::int64_t shift = 0;  // added to the place of the local header in the directory
  std::string extra = "";
};

/// What the record at the end says differently.
struct End {
  int count = 0;
  int size = 0;
  int start = 0;
  std::string comment = "";
  std::uint64_t disk = 0;
};

inline std::string archive(const std::vector<Member>& members, const End& end = {}) {
  std::string out;
  std::string directory;
  for (const Member& m : members) {
    directory += little(0x02014B50, 4) + little(20, 2) + little(20, 2) + little(m.flags, 2) +
                 little(m.method, 2) + little(0, 4) + little(m.checksum, 4) +
                 little(m.compressed, 4) + little(m.size, 4) + little(m.name.size(), 2) +
                 little(m.extra.size(), 2) + little(0, 10) +
                 little(out.size() + static_cast<std::uint64_t>(m.shift), 4) + m.name + m.extra;
    out += little(0x04034B50, 4) + little(20, 2) + little(m.flags, 2) + little(m.method, 2) +
           little(0, 4) + little(m.local_checksum, 4) + little(m.compressed, 4) +
           little(m.local_size, 4) + little(m.local_name.size(), 2) + little(0, 2) + m.local_name +
           m.data;
  }
  const auto count = static_cast<std::uint64_t>(static_cast<int>(members.size()) + end.count);
  const auto size = directory.size() + static_cast<std::uint64_t>(end.size);
  const auto start = out.size() + static_cast<std::uint64_t>(end.start);
  return out + directory + little(0x06054B50, 4) + little(end.disk, 2) + little(0, 2) +
         little(count, 2) + little(count, 2) + little(size, 4) + little(start, 4) +
         little(end.comment.size(), 2) + end.comment;
}

}  // namespace test
