// SPDX-License-Identifier: Apache-2.0
#include <weft/core/word.hpp>

#include <type_traits>
#include <utility>

#include "test.hpp"

TEST_CASE("a word is unsigned and has as many bytes as were asked for") {
  const auto is_word = []<int... Bytes>(std::integer_sequence<int, Bytes...>) {
    return ((sizeof(weft::detail::word_t<Bytes>) == Bytes &&
             std::is_unsigned_v<weft::detail::word_t<Bytes>>)&&...);
  };
  CHECK(is_word(std::integer_sequence<int, 1, 2, 4, 8>{}));
}
