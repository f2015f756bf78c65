#include "weft/data/letters.hpp"

#include <algorithm>
#include <iterator>

#include "test.hpp"

using namespace weft;

TEST_CASE("the tables are in order, so that they can be searched") {
  const auto& letters = data::detail::plain_letters;
  CHECK(std::is_sorted(std::begin(letters), std::end(letters),
                       [](const auto& a, const auto& b) { return a.letter < b.letter; }));
  CHECK(letters[0].letter == 0xC0);
  CHECK(letters[0].plain == 'a');
  const auto& signs = data::detail::punctuation;
  CHECK(std::is_sorted(std::begin(signs), std::end(signs),
                       [](const auto& a, const auto& b) { return a.last < b.first; }));
}
