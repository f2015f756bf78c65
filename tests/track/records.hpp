// The records of an event file, checked and taken apart, apart from the code that writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace test {

/// CRC-32C one bit at a time, masked.
inline std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t rest = ~0U;
  for (const char c : bytes) {
    rest ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) rest = rest & 1 ? rest >> 1 ^ 0x82F63B78U : rest >> 1;
  }
  rest = ~rest;
  return (rest >> 15 | rest << 17) + 0xA282EAD8U;
}

inline std::vector<std::string> records_of(const std::string& file) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < file.size();) {
    REQUIRE(at + 16 <= file.size());
    std::uint64_t size = 0;
    std::uint32_t check = 0;
    std::memcpy(&size, &file[at], 8);
    std::memcpy(&check, &file[at + 8], 4);
    CHECK(check == checksum(file.substr(at, 8)));
    REQUIRE(at + 16 + size <= file.size());
    out.push_back(file.substr(at + 12, size));
    std::memcpy(&check, &file[at + 12 + size], 4);
    CHECK(check == checksum(out.back()));
    at += 16 + size;
  }
  return out;
}

}  // namespace test
