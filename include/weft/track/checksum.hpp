// Checksums of files: the CRC-32C of TensorBoard records, and the CRC-32 of PNG.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::track {

namespace detail {
/// The remainders of x^8 times each byte by `polynomial`, whose bits are reversed.
constexpr std::array<std::uint32_t, 256> crc_table(std::uint32_t polynomial) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1U) != 0 ? polynomial : 0U);
    table[byte] = rest;
  }
  return table;
}

inline constexpr auto castagnoli = crc_table(0x82F63B78U);
inline constexpr auto ethernet = crc_table(0xEDB88320U);

constexpr std::uint32_t crc(const std::array<std::uint32_t, 256>& table, std::string_view bytes) {
  std::uint32_t rest = 0xFFFFFFFFU;
  for (const char c : bytes)
    rest = table[(rest ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (rest >> 8);
  return ~rest;
}
}  // namespace detail

/// CRC-32C (RFC 3720, appendix B.4).
constexpr std::uint32_t crc32c(std::string_view bytes) {
  return detail::crc(detail::castagnoli, bytes);
}

/// CRC-32C rotated and shifted, as record files store it: data may themselves contain checksums.
constexpr std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t c = crc32c(bytes);
  return ((c >> 15) | (c << 17)) + 0xA282EAD8U;
}

/// CRC-32 (ISO 3309), as in PNG files.
constexpr std::uint32_t crc32(std::string_view bytes) {
  return detail::crc(detail::ethernet, bytes);
}

}  // namespace weft::track
