// SPDX-License-Identifier: Apache-2.0
#include <weft/data/csv.hpp>

#include <cmath>

#include "io/mutate.hpp"
#include "test.hpp"

using weft::Shape;
using weft::data::CsvOptions;
using weft::data::CsvTable;
using Texts = std::vector<std::string>;

namespace {
CsvTable load(const std::string& text, CsvOptions options = {}) {
  const test::TemporaryFolder folder;
  return weft::data::load_csv(test::write_bytes(folder / "x.csv", text), options);
}
template <class T>
T one(const std::string& field) {
  return load("x\n" + field + "\n").column<T>("x").item();
}
}  // namespace

TEST_CASE("columns by name") {
  const CsvTable table = load("name,age,height\nAda,36,1.65\nAlan,41, 1.79 \n");
  CHECK(table.rows() == 2);
  CHECK(table.names() == Texts{"name", "age", "height"});
  CHECK(table.texts("name") == Texts{"Ada", "Alan"});
  CHECK(table.column<std::uint8_t>("age").to_vector() == std::vector<std::uint8_t>{36, 41});
  CHECK(table.column<double>("height").to_vector() == std::vector<double>{1.65, 1.79});
  const auto m = table.matrix<float>({"height", "age"});
  CHECK(m.shape() == Shape{2, 2});
  CHECK(m.to_vector() == std::vector<float>{1.65F, 36, 1.79F, 41});
  CHECK_SAYS("no column 'size', there are: name, age, height", table.column<float>("size"));
}

TEST_CASE("without a header, other separators, all columns") {
  const CsvTable table = load("1;2;3\r\n4;5;6", {.separator = ';', .header = false});
  CHECK(table.names() == Texts{"0", "1", "2"});
  CHECK(table.matrix<std::int32_t>().to_vector() == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  CHECK(load("", {.header = false}).rows() == 0);
  CHECK(load("a,b\n").rows() == 0);
  CHECK(load("a,b\n").matrix<float>().shape() == Shape{0, 2});
  CHECK(load("\xEF\xBB\xBFx\n\n1\n\r\n2\n\n").column<int>("x").to_vector() ==
        std::vector<int>{1, 2});
}

TEST_CASE("quoted fields") {
  const CsvTable table =
      load("\"a,b\",\"c \"\"d\"\"\"\n\"1\",\"two\nlines\"\n\"\",\"\"\r\n3,\"x\"");
  CHECK(table.names() == Texts{"a,b", "c \"d\""});
  CHECK(table.texts("a,b") == Texts{"1", "", "3"});
  CHECK(table.texts("c \"d\"") == Texts{"two\nlines", "", "x"});
  CHECK_SAYS("x.csv: line 2: a quotation mark that is never closed", load("a\n\"1\n2\n"));
  CHECK_SAYS("x.csv: line 2: text after a closing quotation mark", load("a\n\"1\"2\n"));
  CHECK_SAYS("x.csv: line 3: a quotation mark inside a field", load("a\n1\n1\"2\"\n"));
}

TEST_CASE("rows that do not fit") {
  CHECK_SAYS("[load_csv] ", load("a,b\n1\n"));
  CHECK_SAYS("x.csv: line 2: 1 fields, expected 2", load("a,b\n1\n"));
  CHECK_SAYS("line 5: 3 fields, expected 2", load("a,b\n1,\"2\n\"\n\n1,2,3\n"));
  CHECK_SAYS("line 2: 2 fields, expected 1", load("1\n1,2", {.header = false}));
  CHECK_SAYS("no header: the file is empty", load(""));
  CHECK_SAYS("no header: the file is empty", load("\n\n"));
  CHECK_SAYS("the column 'a' appears twice in the header", load("a,b,a\n"));
}

TEST_CASE("numbers are exact or refused") {
  CHECK(one<std::int64_t>("-9223372036854775808") == INT64_MIN);
  CHECK(one<std::uint64_t>("18446744073709551615") == UINT64_MAX);
  CHECK(one<int>("+5") == 5);
  CHECK(one<float>("1e-3") == 1e-3F);
  CHECK(one<float>("\t-.5 ") == -0.5F);
  CHECK(std::isnan(one<float>("nan")));
  CHECK(one<double>("-inf") == -INFINITY);
  CHECK(one<weft::half>("65504") == weft::half(65504));
  CHECK(one<weft::half>("inf") == weft::half(INFINITY));
  CHECK(one<bool>("true"));
  CHECK_FALSE(one<bool>("0"));
  CHECK_SAYS("x.csv: line 2, column 'x': '256', which does not fit in uint8",
             one<std::uint8_t>("256"));
  CHECK_SAYS("'9223372036854775808', which does not fit in int64",
             one<std::int64_t>("9223372036854775808"));
  CHECK_SAYS("'1e400', which does not fit in float64", one<double>("1e400"));
  CHECK_SAYS("'1e39', which does not fit in float32", one<float>("1e39"));
  CHECK_SAYS("'70000', which does not fit in float16", one<weft::half>("70000"));
  for (const char* text : {"abc", "1.5", "1x", "0x10", "--1", "+-1", "1 2", "+", "\"\"", "1,5"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(one<int>(text), weft::FileError);
  }
  CHECK_SAYS("'1.5', expected a number of type int32", one<int>("1.5"));
  CHECK_SAYS("'-1', expected a number of type uint8", one<std::uint8_t>("-1"));
  CHECK_SAYS("'2', expected a number of type bool", one<bool>("2"));
  CHECK_SAYS("line 3, column 'b': '', expected a number of type float32",
             load("a,b\n1,2\n1,\n").column<float>("b"));
  CHECK(std::isnan(load("a,b\n1,\n", {.empty_is_nan = true}).column<float>("b").item()));
  CHECK_SAYS("expected a number of type int32",
             load("a,b\n1,\n", {.empty_is_nan = true}).column<int>("b"));
}

TEST_CASE("categories") {
  const auto [numbers, texts] = load("x\nred\nblue\nred\n").categories("x");
  CHECK(texts == Texts{"blue", "red"});
  CHECK(numbers.to_vector() == std::vector<std::int64_t>{1, 0, 1});
}

TEST_CASE("damaged files") {
  const double refused =
      test::mutate("x.csv", "a,\"b\"\n1,\"2\"\n3,4.5\r\n", [](const std::string& path) {
        const CsvTable table = weft::data::load_csv(path);
        for (const std::string& name : table.names()) {
          table.texts(name);
          table.column<float>(name);
        }
      });
  CHECK(refused > 0.15);
}
