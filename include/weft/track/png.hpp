// png_bytes: an image as a PNG file, without a library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/track/checksum.hpp"

namespace weft::track {

namespace detail {
inline std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
  return out;
}

inline std::string png_chunk(const std::string& name, std::string_view data) {
  const std::string body = name + std::string(data);
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(crc32(body));
}

/// A zlib stream of blocks that are not compressed (RFC 1950, 1951).
inline std::string zlib_stored(std::string_view data) {
  constexpr std::size_t most = 65535;
  std::string out = "\x78\x01";
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  do {
    const std::string_view block = data.substr(0, most);
    data.remove_prefix(block.size());
    const auto size = static_cast<unsigned>(block.size());
    out += static_cast<char>(data.empty() ? 1 : 0);
    for (const unsigned half : {size, ~size}) {
      out += static_cast<char>(half & 0xFF);
      out += static_cast<char>(half >> 8 & 0xFF);
    }
    out += block;
  } while (!data.empty());
  return out + big_endian(b << 16 | a);
}
}  // namespace detail

/// A PNG file of 8 bits a channel. `pixels` are rows from the top, each of `width` pixels of
/// `channels` bytes: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. They are stored, not compressed.
inline std::string png_bytes(std::uint32_t width, std::uint32_t height, int channels,
                             std::string_view pixels) {
  constexpr char colours[] = {0, 0, 4, 2, 6};
  const std::string header = detail::big_endian(width) + detail::big_endian(height) + '\x08' +
                             colours[channels] + std::string(3, '\0');
  const std::size_t row = std::size_t{width} * static_cast<std::size_t>(channels);
  std::string lines;
  lines.reserve((row + 1) * height);
  for (std::uint32_t y = 0; y < height; ++y) {
    lines += '\0';  // the row as it is, not as differences
    lines += pixels.substr(y * row, row);
  }
  return "\x89PNG\r\n\x1a\n" + detail::png_chunk("IHDR", header) +
         detail::png_chunk("IDAT", detail::zlib_stored(lines)) + detail::png_chunk("IEND", "");
}

}  // namespace weft::track
