// SPDX-License-Identifier: Apache-2.0
#include <weft/track/png.hpp>

#include "test.hpp"

using namespace weft::track;
using namespace std::string_literals;

// Made by CPython 3.11's zlib.compress(data, 0), which stores as well.
TEST_CASE("stored blocks as zlib has them") {
  CHECK((detail::zlib_stored("abc") == "\x78\x01\x01\x03\x00\xfc\xff"
                                       "abc"
                                       "\x02\x4d\x01\x27"s));
  CHECK((detail::zlib_stored("") == "\x78\x01\x01\x00\x00\xff\xff\x00\x00\x00\x01"s));
  const std::string two = detail::zlib_stored(std::string(65536, 'x'));
  CHECK(two.size() == 2 + 5 + 65535 + 5 + 1 + 4);
  CHECK((two.substr(2, 5) == "\x00\xff\xff\x00\x00"s));
  CHECK((two.substr(7 + 65535, 5) == "\x01\x01\x00\xfe\xff"s));
}

TEST_CASE("a picture of two red pixels, byte for byte") {
  const std::string png = png_bytes(2, 1, 3, "\xff\0\0\xff\0\0"s);
  const std::string expected =
      "\x89PNG\r\n\x1a\n"
      "\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x01\x08\x02\0\0\0\x7b\x40\xe8\xdd"
      "\0\0\0\x12IDAT\x78\x01\x01\x07\x00\xf8\xff\0\xff\0\0\xff\0\0\x08\xfe\x01\xff"s;
  CHECK((png.substr(0, expected.size()) == expected));
  CHECK((png.substr(png.size() - 12) == "\0\0\0\0IEND\xae\x42\x60\x82"s));
}

TEST_CASE("each number of channels has its colour type") {
  const char types[] = {0, 4, 2, 6};
  for (int channels = 1; channels <= 4; ++channels) {
    const std::string png = png_bytes(1, 2, channels, std::string(8, 'x'));
    CHECK(png[25] == types[channels - 1]);
  }
}
