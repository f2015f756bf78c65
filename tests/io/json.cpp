// SPDX-License-Identifier: Apache-2.0
#include <weft/io/json.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::io::json_string;
using weft::io::JsonReader;

namespace {

/// f(reader) over this text.
template <class F>
auto read(const std::string& text, const F& f) {
  const test::TemporaryFolder folder;
  const weft::io::InputFile file("read", test::write_bytes(folder / "x", ""));
  JsonReader reader(file, text);
  auto value = f(reader);
  reader.end();
  return value;
}
std::string string(const std::string& text) {
  return read(text, [](JsonReader& r) { return r.string("a string"); });
}
std::int64_t number(const std::string& text) {
  return read(text, [](JsonReader& r) { return r.number(); });
}
/// The keys and numbers of {"key": [1, 2], ...}, one after the other.
std::string object(const std::string& text) {
  return read(text, [](JsonReader& r) {
    std::string out;
    r.object([&](const std::string& key) {
      out += key + "=";
      r.array([&] { out += std::to_string(r.number()) + " "; });
    });
    return out;
  });
}

}  // namespace

TEST_CASE("objects and arrays") {
  CHECK(object("{}") == "");
  CHECK(object(" { } ") == "");
  CHECK(object(R"({"a":[],"b":[1]})") == "a=b=1 ");
  CHECK(object("{ \"a\" :\t[ 1 ,\r\n2 ] , \"a\": [3]}   ") == "a=1 2 a=3 ");
  CHECK_SAYS("[read] ", object(""));
  CHECK_SAYS("malformed header at its byte 0, expected '{'", object(""));
  CHECK_SAYS("at its byte 1, expected a key", object("{"));
  CHECK_SAYS("at its byte 9, expected a key", object(R"({"a":[1],})"));
  CHECK_SAYS("at its byte 8, expected '}'", object(R"({"a":[1])"));
  CHECK_SAYS("at its byte 4, expected ':'", object(R"({"a"[1]})"));
  CHECK_SAYS("at its byte 5, expected '['", object(R"({"a":{}})"));
  CHECK_SAYS("at its byte 8, expected a whole number", object(R"({"a":[1,]})"));
  CHECK_SAYS("at its byte 8, expected ']'", object(R"({"a":[1 2]})"));
  CHECK_SAYS("expected spaces to the end", object("{} {}"));
  CHECK_SAYS("at its byte 2, expected spaces to the end", object("{}\n"));
  CHECK_SAYS("expected a whole number", object(R"({"a":[[1]]})"));
}

TEST_CASE("numbers are exact or refused") {
  CHECK(number("0") == 0);
  CHECK(number("9223372036854775807") == INT64_MAX);
  CHECK_SAYS("expected a number below 2^63", number("9223372036854775808"));
  CHECK_SAYS("expected a number below 2^63", number("18446744073709551616"));
  for (const char* text : {"", "-0", "-1", "+1", "1.0", "1e3", "1E3", "01", "00", "0.", "null",
                           "true", "\"1\"", "NaN", ".5", "0e0"}) {
    CAPTURE(text);
    CHECK_SAYS("at its byte 0, expected a whole number of at least 0", number(text));
  }
  CHECK_SAYS("expected spaces to the end", number("0x1"));
}

TEST_CASE("strings and their escapes") {
  CHECK(string("\"\"") == "");
  CHECK(string("\"a b/\xc3\xa9\"") == "a b/\xc3\xa9");
  CHECK(string(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(string(R"("\u0041\u00e9\u20AC\ud83d\ude00\u0001")") ==
        "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x01");
  CHECK_SAYS("expected a string", string("'a'"));
  CHECK_SAYS("expected the end of a string", string("\"a"));
  CHECK_SAYS("at its byte 2, expected no control character", string("\"a\n\""));
  CHECK_SAYS("expected no control character", string(std::string("\"\0\"", 3)));
  CHECK_SAYS("expected a known escape", string(R"("\x41")"));
  CHECK_SAYS("expected a known escape", string("\"\\"));
  CHECK_SAYS("expected a known escape", string(std::string("\"\\\0\"", 4)));
  CHECK_SAYS("expected a hexadecimal digit", string(R"("\u00g1")"));
  CHECK_SAYS("expected a hexadecimal digit", string(R"("\u00)"));
  for (const char* text : {R"("a\u0000")", R"("a\ud800")", R"("a\ud800\u0041")", R"("a\udc00")",
                           R"("a\ud800\ud800")", R"("a\udbff")"}) {
    CAPTURE(text);
    CHECK_SAYS("at its byte 2, expected a character other than U+0000 and halves", string(text));
  }
}

TEST_CASE("what is written as JSON is read again") {
  CHECK(json_string("a\"\\\b\f\n\r\t\x01\x1f/\xc3\xa9\x7f") ==
        "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/\xc3\xa9\x7f\"");
  std::string text;
  for (int c = 1; c < 128; ++c) text += static_cast<char>(c);
  CHECK(string(json_string(text)) == text);
}
