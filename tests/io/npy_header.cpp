// SPDX-License-Identifier: Apache-2.0
#include <weft/io/npy_header.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::Dtype;
using weft::Shape;
using weft::io::NpyHeader;

namespace {

/// The header of a file with these bytes.
NpyHeader read(const std::string& bytes) {
  const test::TemporaryFolder folder;
  weft::io::InputFile file("load_npy", test::write_bytes(folder / "x.npy", bytes));
  return weft::io::read_npy_header(file);
}
NpyHeader read_header(const std::string& header, const std::string& data = "1234") {
  return read(test::npy(header, data));
}
std::string with_shape(const std::string& shape) {
  return test::npy("|u1", "False", shape, "1234");
}
std::string with_type(const std::string& descr) {
  return test::npy(descr, "False", "(4,)", "1234");
}
std::string with_version(char major, char minor, const std::string& length) {
  return std::string("\x93NUMPY") + major + minor + length;
}

}  // namespace

TEST_CASE("every element type, in both byte orders") {
  const bool little = std::endian::native == std::endian::little;
  for (const auto& type : weft::io::npy_types) {
    CAPTURE(type.kind);
    CAPTURE(type.bytes);
    for (const char* order : {"<", ">", "=", "|"}) {
      const std::string descr = order + (type.kind + std::to_string(type.bytes));
      const std::string bytes = test::npy(descr, "False", "(1,)", std::string(type.bytes, '\1'));
      if (*order == '|' && type.bytes > 1) {
        CHECK_SAYS(("element type '" + descr + "'").c_str(), read(bytes));
        continue;
      }
      const NpyHeader header = read(bytes);
      CHECK(header.dtype == type.dtype);
      CHECK(header.swapped == (type.bytes > 1 && *order == (little ? '>' : '<')));
      CHECK_FALSE(header.fortran_order);
      CHECK(header.shape == Shape{1});
    }
  }
}

TEST_CASE("spellings of the dictionary") {
  const Shape expected{2, 2};
  for (const char* header :
       {"{'descr':'|u1','fortran_order':True,'shape':(2,2)}",
        "{ 'shape' : ( 2 , 2 , ) , \"fortran_order\" : True , \"descr\" : \"|u1\" , } ",
        "{'fortran_order': True,\n 'shape': (2, 2),\n 'descr': '|u1'}\n"}) {
    const NpyHeader h = read_header(header);
    CHECK(h.shape == expected);
    CHECK(h.fortran_order);
    CHECK(h.dtype == Dtype::uint8);
  }
  CHECK(read(test::npy("|u1", "False", "()", "1")).shape == Shape{});
  CHECK(read(test::npy("|u1", "False", "(0, 7)", "")).shape == Shape{0, 7});
  CHECK(read(test::npy("|u1", "False", "(1, 1, 1, 1, 1, 1, 1, 4)", "1234")).shape.rank() == 8);
}

TEST_CASE("versions 2.0 and 3.0 have a length of four bytes") {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }\n";
  const std::string length{static_cast<char>(header.size()), 0, 0, 0};
  CHECK(read(with_version(2, 0, length) + header + "1234").shape == Shape{4});
  CHECK(read(with_version(3, 0, length) + header + "1234").shape == Shape{4});
}

TEST_CASE("what is no .npy file") {
  const std::string whole = with_shape("(4,)");
  CHECK_SAYS("x.npy: not a .npy file: 0 bytes, expected at least 10", read(""));
  CHECK_SAYS("not a .npy file: 9 bytes", read(whole.substr(0, 9)));
  CHECK_SAYS("no \\x93NUMPY at the start", read("PK\3\4" + whole));
  CHECK_SAYS("version 0.0 of the format, expected 1.0, 2.0 or 3.0",
             read(with_version(0, 0, "\1\1")));
  CHECK_SAYS("version 1.1", read(with_version(1, 1, "\1\1")));
  CHECK_SAYS("version 4.0", read(with_version(4, 0, "\1\1")));
  CHECK_SAYS("version 255.0", read(with_version('\xff', 0, "\1\1")));
}

TEST_CASE("lengths of the header that lie") {
  CHECK_SAYS("a header of 118 bytes, but only 0 follow", read(with_version(1, 0, {118, 0})));
  CHECK_SAYS("a header of 118 bytes, but only 3 follow",
             read(with_version(1, 0, {118, 0}) + "{'d"));
  CHECK_SAYS("a header of 65535 bytes, expected at most 10000",
             read(with_version(1, 0, "\xff\xff")));
  CHECK_SAYS("the file ends after 10 bytes", read(with_version(2, 0, {118, 0})));
  CHECK_SAYS("a header of 4294967295 bytes, expected at most 10000",
             read(with_version(2, 0, "\xff\xff\xff\xff")));
  CHECK_SAYS("a header of 2147483648 bytes",
             read(with_version(3, 0, std::string{0, 0, 0, '\x80'})));
  CHECK_SAYS("does not end with a newline", read(with_version(1, 0, {0, 0})));
  CHECK_SAYS("does not end with a newline", read(with_version(1, 0, {4, 0}) + "{  }1234"));
}

TEST_CASE("element types that weft does not have") {
  for (const char* descr :
       {"",        "<",   "<f",   "f4",   "u1",   "<f3",          "<f16",    "<i16", "<f44", "<f4 ",
        "<f-4",    "<c4", "<c32", "<b4",  "|O",   "|O8",          "<U3",     "|S5",  "<V2",  "|V4",
        "<M8[ns]", "<m8", "!f4",  " <f4", "<ixy", "<i4294967300", "(2,)<f4", "|i4",  "|f8"}) {
    const std::string said = "element type '" + std::string(descr) + "', expected";
    CHECK_SAYS(said.c_str(), read(with_type(descr)));
  }
  CHECK_SAYS("malformed header at its character 10, expected the element type as a string",
             read_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"));
  CHECK_SAYS("expected a plain character", read(with_type("<\\x664")));
  CHECK_SAYS("expected a plain character", read(with_type(std::string("<f4\0", 4))));
  CHECK_SAYS("expected a plain character", read(with_type("\xc3\xa9")));
}

TEST_CASE("shapes that are none") {
  for (const char* shape :
       {"3", "(3", "(3)", "3,", "[3]", "(,)", "(3,,)", "(3 4)", "(-1,)", "(+3,)", "(3.0,)",
        "(1e3,)", "(0x3,)", "('3',)", "(None,)", "((3,),)", "", "(3,)(4,)"}) {
    CAPTURE(shape);
    CHECK_SAYS("malformed header at its character", read(with_shape(shape)));
  }
  CHECK_SAYS("expected a tuple as in (3,)", read(with_shape("(4)")));
  CHECK_SAYS("expected a size of at least 0", read(with_shape("(-4,)")));
  CHECK_SAYS("expected a size below 2^63", read(with_shape("(9223372036854775808,)")));
  CHECK_SAYS("expected a size below 2^63", read(with_shape("(18446744073709551620,)")));
  CHECK_SAYS("expected a size below 2^63", read(with_shape("(" + std::string(5000, '9') + ",)")));
  CHECK_SAYS("more than 8 dimensions", read(with_shape("(1, 1, 1, 1, 1, 1, 1, 1, 4)")));
}

TEST_CASE("sizes whose product wraps, and files that ask for more than they hold") {
  CHECK_SAYS(
      "4 bytes of data, expected 9223372036854775807 for shape (9223372036854775807,) of uint8",
      read(with_shape("(9223372036854775807,)")));
  CHECK_SAYS("the bytes of shape (4294967296, 4294967296) do not fit in 63 bits",
             read(with_shape("(4294967296, 4294967296)")));
  CHECK_SAYS("do not fit in 63 bits", read(with_shape("(2, 9223372036854775807)")));
  CHECK_SAYS("do not fit in 63 bits",
             read(with_shape("(4611686018427387904, 4611686018427387904, 0)")));
  CHECK_SAYS("do not fit in 63 bits",
             read(test::npy("<f8", "False", "(1152921504606846977,)", "12345678")));
  CHECK_SAYS("4 bytes of data, expected 4294967296", read(with_shape("(4294967296,)")));
  CHECK_SAYS("x.npy: 4 bytes of data, expected 5 for shape (5,) of uint8",
             read(with_shape("(5,)")));
  CHECK_SAYS("4 bytes of data, expected 3", read(with_shape("(3,)")));
  CHECK_SAYS("4 bytes of data, expected 0", read(with_shape("(0, 9)")));
  CHECK_SAYS("0 bytes of data, expected 1", read(test::npy("|u1", "False", "()", "")));
}

TEST_CASE("dictionaries that are none") {
  const std::string descr = "'descr': '|u1'";
  const std::string order = "'fortran_order': False";
  const std::string shape = "'shape': (4,)";
  const std::string whole = descr + ", " + order + ", " + shape;
  CHECK_SAYS("the header has no key 'descr'", read_header("{" + order + ", " + shape + "}"));
  CHECK_SAYS("the header has no key 'fortran_order'",
             read_header("{" + descr + ", " + shape + "}"));
  CHECK_SAYS("the header has no key 'shape'", read_header("{" + descr + ", " + order + "}"));
  CHECK_SAYS("the header has no key 'descr'", read_header("{}"));
  for (const std::string& again : {descr, order, shape}) {
    CHECK_SAYS("appears twice in the header", read_header("{" + whole + ", " + again + "}"));
  }
  CHECK_SAYS("unknown key 'extra' in the header", read_header("{" + whole + ", 'extra': 1}"));
  for (const std::string& bad : std::initializer_list<std::string>{
           "", whole, "{" + whole, whole + "}", "{" + whole + "}}", "{" + whole + "} x",
           "{" + whole + ",,}", "{," + whole + "}", "{" + descr + " " + order + ", " + shape + "}",
           "[" + whole + "]", "{'descr' '|u1'}", "{descr: '|u1'}", "{'descr", "{'descr': '|u1",
           "{'descr': '|u1', 'fortran_order': 0, " + shape + "}",
           "{'descr': '|u1', 'fortran_order': 'False', " + shape + "}", std::string(200, '{'),
           "{" + whole + "}" + std::string(1, '\0')}) {
    CAPTURE(bad);
    CHECK_SAYS("malformed header at its character", read_header(bad));
  }
}

TEST_CASE("no change of one byte and no shortened file does harm") {
  const std::string whole = test::npy("<f4", "False", "(1,)", "1234");
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  int read_well = 0;
  const auto attempt = [&](const std::string& bytes) {
    try {
      weft::io::InputFile file("load_npy", test::write_bytes(path, bytes));
      const NpyHeader header = weft::io::read_npy_header(file);
      read_well += header.count() * weft::io::npy_bytes(header.dtype) == 4;
    } catch (const weft::FileError&) {
    }
  };
  for (std::size_t length = 0; length < whole.size(); ++length) attempt(whole.substr(0, length));
  CHECK(read_well == 0);
  for (std::size_t at = 0; at < 70; ++at) {
    for (int byte = static_cast<int>(at % 5); byte < 256; byte += 5) {
      std::string changed = whole;
      changed[at] = static_cast<char>(byte);
      attempt(changed);
    }
  }
  CHECK(read_well > 14);
}

TEST_CASE("headers are written as NumPy writes them") {
  const std::string header = weft::io::npy_header(Dtype::uint8, {3});
  CHECK(header.size() == 128);
  CHECK(header == test::npy("|u1", "False", "(3,)", ""));
  for (const auto& type : weft::io::npy_types) {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{1, 0, 2}, Shape{1, 2, 3, 4, 5, 6, 7, 0}}) {
      const std::string text = weft::io::npy_header(type.dtype, shape);
      CHECK(text.size() % 64 == 0);
      const NpyHeader h = read(text + std::string(shape.size() * type.bytes, '\0'));
      CHECK(h.dtype == type.dtype);
      CHECK(h.shape == shape);
      CHECK_FALSE(h.swapped);
    }
  }
}
