// SPDX-License-Identifier: Apache-2.0
#include <weft/core/text.hpp>

#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "test.hpp"

using weft::Text;

static_assert(std::is_nothrow_move_constructible_v<Text> &&
              std::is_nothrow_move_assignable_v<Text>);
static_assert(std::is_convertible_v<Text, std::string> && std::is_convertible_v<std::string, Text>);
static_assert(std::is_convertible_v<Text, std::string_view>);
static_assert(!std::is_convertible_v<Text, bool> && !std::is_convertible_v<Text, const char*>);
static_assert(!std::is_convertible_v<std::vector<char>, Text>);

TEST_CASE("a text grows, and ends with a null") {
  Text t;
  CHECK(t.empty());
  CHECK(t.size() == 0);
  CHECK(std::string(t.c_str()).empty());
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    const char c = static_cast<char>('a' + i % 26);
    t += c;
    all += c;
    REQUIRE(t.c_str()[t.size()] == '\0');
  }
  CHECK(t == all);
  t += "xyz";
  t.append("12345", 2).append(3, '-').pop_back();
  CHECK(t == all + "xyz12--");
  CHECK(t[1] == 'b');
  CHECK(std::string(t.begin(), t.end()) == all + "xyz12--");
}

TEST_CASE("a text may be appended to itself") {
  Text t = "ab";
  for (int i = 0; i < 6; ++i) t += t;
  std::string all;
  for (int i = 0; i < 64; ++i) all += "ab";
  CHECK(t == all);
}

TEST_CASE("copies are their own, and moved ones are empty") {
  Text a = "one";
  Text b = a;
  b += '!';
  CHECK(a == "one");
  CHECK(b == "one!");
  Text c = static_cast<Text&&>(b);
  CHECK(c == "one!");
  CHECK(b.empty());  // NOLINT(bugprone-use-after-move): what is left is tested
  b = c;
  c = "two";
  CHECK(b == "one!");
  CHECK(c == "two");
  c = *&c;
  CHECK(c == "two");
  CHECK(Text().c_str()[0] == '\0');
  CHECK(Text(Text()).empty());
}

TEST_CASE("texts, C strings and std::string mix") {
  const Text t = "two";
  const std::string s = t;
  const std::string_view v = t;
  CHECK(s == "two");
  CHECK(v.size() == 3);
  CHECK(t == s);
  CHECK(s == t);
  CHECK(v == t);
  CHECK("two" == t);
  CHECK(t != "twa");
  CHECK(t != Text("tw"));
  CHECK(Text(std::string("a\0b", 3)).size() == 3);
  CHECK("one " + t + " " + s + std::string("!") == "one two two!");
  std::string all = "one ";
  all += t;
  CHECK(all == "one two");
  all = t;
  CHECK(all == "two");
  const std::string copy(t);
  CHECK(copy == s);
}

TEST_CASE("a text prints to streams") {
  std::ostringstream out;
  out << Text("one") << ' ' << Text() << 2;
  CHECK(out.str() == "one 2");
}

TEST_CASE("numbers as texts") {
  using weft::detail::text;
  CHECK(text(true) == "true");
  CHECK(text(-12) == "-12");
  CHECK(text(INT64_MIN) == "-9223372036854775808");
  CHECK(text(UINT64_MAX) == "18446744073709551615");
  CHECK(text(0.5) == "0.5");
  CHECK(text(-1.0 / 3) == "-0.333333333");
  CHECK(text(-1.7976931348623157e308) == "-1.79769313e+308");
}
