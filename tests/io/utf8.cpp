// SPDX-License-Identifier: Apache-2.0
#include <weft/io/utf8.hpp>

#include <string>

#include "test.hpp"

using weft::io::first_invalid_utf8;

TEST_CASE("what is UTF-8") {
  for (const std::string text :
       {"", "plain", "\xc2\x80\xdf\xbf", "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
        "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\x7f\x01"}) {
    CHECK(first_invalid_utf8(text) == text.size());
  }
  CHECK(first_invalid_utf8(std::string_view("a\0b", 3)) == 3);
}

TEST_CASE("what is not, and where it goes wrong") {
  for (const std::string bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2 ", "\xe0\x9f\xbf", "\xe0\xa0",
        "\xe0\xa0 ", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80",
        "\xf0\x90\x80 ", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe"}) {
    CHECK(first_invalid_utf8("ab" + bad) == 2);
    CHECK(first_invalid_utf8("ab" + bad + "c") == 2);
  }
}
