// SPDX-License-Identifier: Apache-2.0
#include <weft/io/byte_order.hpp>

#include <string>

#include "test.hpp"

TEST_CASE("bytes are reversed number by number") {
  const auto swapped = [](std::string bytes, int width) {
    weft::io::swap_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                         static_cast<std::int64_t>(bytes.size()) / width, width);
    return bytes;
  };
  CHECK(swapped("abcdefgh", 1) == "abcdefgh");
  CHECK(swapped("abcdefgh", 2) == "badcfehg");
  CHECK(swapped("abcdefgh", 4) == "dcbahgfe");
  CHECK(swapped("abcdefgh", 8) == "hgfedcba");
  CHECK(swapped("", 4) == "");
}
