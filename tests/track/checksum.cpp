// SPDX-License-Identifier: Apache-2.0
#include <weft/track/checksum.hpp>

#include <string>

#include "test.hpp"

using namespace weft::track;

TEST_CASE("checksums of the nine digits, which every description of them gives") {
  static_assert(crc32c("123456789") == 0xE3069283U);
  static_assert(crc32("123456789") == 0xCBF43926U);
  CHECK(crc32c("") == 0);
  CHECK(crc32("") == 0);
}

TEST_CASE("RFC 3720's examples") {
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AAU);
  CHECK(crc32c(std::string(32, '\xFF')) == 0x62A8AB43U);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  CHECK(crc32c(rising) == 0x46DD794EU);
}

TEST_CASE("the mask can be undone") {
  const std::uint32_t turned = masked_crc32c("123456789") - 0xA282EAD8U;
  CHECK(((turned >> 17) | (turned << 15)) == 0xE3069283U);
}
