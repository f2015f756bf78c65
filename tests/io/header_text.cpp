// SPDX-License-Identifier: Apache-2.0
#include <weft/io/header_text.hpp>

#include <sstream>
#include <stdexcept>

#include "test.hpp"

namespace {
struct Refuses {
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    std::ostringstream out;
    (out << ... << parts);
    throw std::runtime_error(out.str());
  }
};

struct Reader : weft::io::HeaderText<Refuses> {
  Reader(const Refuses& file, std::string_view text) : HeaderText(file, text, " \n", "byte") {}
  using HeaderText::accept;
  using HeaderText::digits;
  using HeaderText::expect;
};
}  // namespace

TEST_CASE("tokens stand between spaces") {
  const Refuses file;
  Reader reader(file, " {\n42 ,7}");
  reader.expect('{');
  CHECK(!reader.accept(','));
  CHECK(reader.digits("a number") == 42);
  CHECK(reader.accept(','));
  CHECK(reader.digits("a number") == 7);
  CHECK(reader.digits("a number") == 0);  // there are none
  CHECK_THROWS_WITH(reader.expect(']'), "malformed header at its byte 8, expected ']'");
  reader.expect('}');
  CHECK(!reader.accept('}'));
}

TEST_CASE("a number that does not fit is refused where it begins") {
  const Refuses file;
  Reader fits(file, "9223372036854775807");
  CHECK(fits.digits("less") == INT64_MAX);
  Reader large(file, " 9223372036854775808");
  CHECK_THROWS_WITH(large.digits("a number below 2^63"),
                    "malformed header at its byte 1, expected a number below 2^63");
  Reader tab(file, "\t1");  // no space here
  CHECK(!tab.accept('1'));
}
