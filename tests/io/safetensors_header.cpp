// SPDX-License-Identifier: Apache-2.0
#include <weft/io/safetensors_header.hpp>

#include "io/mutate.hpp"
#include "test.hpp"

using weft::Shape;
using weft::io::SafetensorsHeader;

namespace {

/// A file with this length in front, this header and these data.
std::string whole(std::uint64_t length, const std::string& header, const std::string& data) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(length >> 8 * i);
  return out + header + data;
}
std::string with(const std::string& header, const std::string& data = "1234") {
  return whole(header.size(), header, data);
}
/// The entry of one tensor of four bytes, or its members given.
std::string entry(const std::string& members) { return with("{\"x\":{" + members + "}}"); }
std::string typed(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return entry("\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets);
}

SafetensorsHeader read(const std::string& bytes) {
  const test::TemporaryFolder folder;
  weft::io::InputFile file("load_safetensors", test::write_bytes(folder / "x.st", bytes));
  return weft::io::read_safetensors_header(file);
}

constexpr const char* u8 = R"("dtype":"U8","shape":[4],"data_offsets":[0,4])";

}  // namespace

TEST_CASE("headers") {
  const auto header = read(with(
      R"({"b":{"dtype":"U8","shape":[1,3],"data_offsets":[1,4]},"__metadata__":{"a":"1","é":""},)"
      R"( "a" : {"data_offsets":[0,1],"shape":[],"dtype":"BOOL"},)"
      R"("../../etc/x":{"dtype":"F64","shape":[0,7],"data_offsets":[1,1]}}   )"));
  REQUIRE(header.entries.size() == 3);
  CHECK(header.entries[0].name == "a");
  CHECK(header.entries[0].shape == Shape{});
  CHECK(header.entries[0].type->dtype == weft::Dtype::boolean);
  CHECK(header.entries[1].name == "../../etc/x");  // a name, never a path
  CHECK(header.entries[1].shape == Shape{0, 7});
  CHECK(header.entries[2].name == "b");
  CHECK(header.entries[2].begin == 1);
  CHECK(header.entries[2].end == 4);
  CHECK(header.metadata.at("a") == "1");
  CHECK(header.metadata.at("é") == "");
  CHECK(header.metadata.size() == 2);
  CHECK(read(with("{}", "")).entries.empty());
}

TEST_CASE("every element type of the format") {
  for (const auto& type : weft::io::safetensors_types) {
    const std::string bytes = std::to_string(type.bits);
    const auto header = read(with(R"({"x":{"dtype":")" + std::string(type.name) +
                                      R"(","shape":[2,4],"data_offsets":[0,)" + bytes + "]}}",
                                  std::string(static_cast<std::size_t>(type.bits), 'x')));
    CHECK(header.entries[0].type == &type);
    if (type.known) CHECK(element_size(type.dtype) * 8 == type.bits);
  }
  CHECK_SAYS("'x': unknown element type 'F33'", read(typed("\"F33\"", "[1]", "[0,4]")));
  CHECK_SAYS("unknown element type 'f32'", read(typed("\"f32\"", "[1]", "[0,4]")));
  CHECK_SAYS("unknown element type ''", read(typed("\"\"", "[1]", "[0,4]")));
  CHECK_SAYS("'x': shape (3,) of F4 does not fill whole bytes",
             read(typed("\"F4\"", "[3]", "[0,4]")));
}

TEST_CASE("lengths that lie") {
  CHECK_SAYS("[load_safetensors] ", read(""));
  CHECK_SAYS("x.st: not a safetensors file: 0 bytes, expected at least 8", read(""));
  CHECK_SAYS("not a safetensors file: 7 bytes", read("1234567"));
  CHECK_SAYS("a header of 18446744073709551615 bytes, expected at most 100000000",
             read(whole(UINT64_MAX, "{}", "")));
  CHECK_SAYS("a header of 9223372036854775808 bytes", read(whole(1ULL << 63, "{}", "")));
  CHECK_SAYS("a header of 100000001 bytes, expected at most", read(whole(100'000'001, "{}", "")));
  CHECK_SAYS("a header of 100000000 bytes, but only 2 follow", read(whole(100'000'000, "{}", "")));
  CHECK_SAYS("a header of 3 bytes, but only 2 follow", read(whole(3, "{}", "")));
  CHECK_SAYS("the header does not begin with '{'", read(whole(0, "", "")));
}

TEST_CASE("what is no header") {
  CHECK_SAYS("malformed header at its byte 1, expected a key", read(with("{")));
  CHECK_SAYS("the header does not begin with '{'", read(with(" {}", "")));
  CHECK_SAYS("the header does not begin with '{'", read(with("\xef\xbb\xbf{}", "")));
  CHECK_SAYS("the header does not begin with '{'", read(with("[]", "")));
  CHECK_SAYS("the header is not UTF-8 at its byte 2",
             read(with("{\"\xff\":{" + std::string(u8) + "}}")));
  CHECK_SAYS("expected spaces to the end of the header", read(with("{}x", "")));
  CHECK_SAYS("expected spaces to the end of the header", read(with(std::string("{}\0", 3), "")));
  CHECK_SAYS("expected '{'", read(with(R"({"x":[]})")));
  CHECK_SAYS("expected '{'", read(with(R"({"x":null})")));
  CHECK_SAYS("expected a character other than U+0000",
             read(with(R"({"a\u0000":{)" + std::string(u8) + "}}")));
  CHECK_SAYS("expected a character other than U+0000 and halves of surrogate pairs",
             read(with(R"({"\ud800":{)" + std::string(u8) + "}}")));
}

TEST_CASE("nesting of any depth is refused where it begins") {
  const std::string deep(1'000'000, '[');
  CHECK_SAYS("at its byte 5, expected '{'", read(with("{\"x\":" + deep)));
  CHECK_SAYS("expected a whole number", read(typed("\"U8\"", deep, "[0,4]")));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"x\":";
  CHECK_SAYS("unknown key 'x'", read(with(objects)));
}

TEST_CASE("members of an entry") {
  CHECK_SAYS("'x': no key 'dtype'", read(entry(R"("shape":[4],"data_offsets":[0,4])")));
  CHECK_SAYS("'x': no key 'shape'", read(entry(R"("dtype":"U8","data_offsets":[0,4])")));
  CHECK_SAYS("'x': no key 'data_offsets'", read(entry(R"("dtype":"U8","shape":[4])")));
  CHECK_SAYS("'x': the key 'dtype' appears twice",
             read(entry(R"("dtype":"F32",)" + std::string(u8))));
  CHECK_SAYS("'x': the key 'shape' appears twice",
             read(entry(std::string(u8) + R"(,"shape":[4])")));
  CHECK_SAYS("'x': unknown key 'strides', expected dtype, shape, data_offsets",
             read(entry(std::string(u8) + R"(,"strides":[1])")));
  CHECK_SAYS("expected the element type as a string", read(typed("8", "[4]", "[0,4]")));
  CHECK_SAYS("the name 'x' appears twice",
             read(with("{\"x\":{" + std::string(u8) + "},\"x\":{" + std::string(u8) + "}}")));
  CHECK_SAYS("the name 'x' appears twice",  // the same name, written in another way
             read(with("{\"x\":{" + std::string(u8) + "},\"\\u0078\":{" + std::string(u8) + "}}")));
  CHECK_SAYS("a name of 4097 bytes, expected at most 4096",
             read(with("{\"" + std::string(4097, 'x') + "\":{" + u8 + "}}")));
}

TEST_CASE("metadata") {
  CHECK_SAYS("expected a string", read(with(R"({"__metadata__":{"a":1}})", "")));
  CHECK_SAYS("expected a string", read(with(R"({"__metadata__":{"a":null}})", "")));
  CHECK_SAYS("expected '{'", read(with(R"({"__metadata__":"a"})", "")));
  CHECK_SAYS("the key 'a' appears twice in __metadata__",
             read(with(R"({"__metadata__":{"a":"1","a":"1"}})", "")));
  CHECK_SAYS("the name '__metadata__' appears twice",
             read(with(R"({"__metadata__":{},"__metadata__":{}})", "")));
}

TEST_CASE("places of the data") {
  CHECK_SAYS("5 bytes of data, expected 4 for the tensors of the header",
             read(with("{\"x\":{" + std::string(u8) + "}}", "12345")));
  CHECK_SAYS("3 bytes of data, expected 4", read(with("{\"x\":{" + std::string(u8) + "}}", "123")));
  CHECK_SAYS("4 bytes of data, expected 0", read(with("{}", "1234")));
  const auto two = [](const std::string& a, const std::string& b, int size = 2) {
    const std::string shape = std::to_string(size);
    return with(R"({"a":{"dtype":"U8","shape":[)" + shape + R"(],"data_offsets":)" + a +
                R"(},"b":{"dtype":"U8","shape":[)" + shape + R"(],"data_offsets":)" + b + "}}");
  };
  CHECK(read(two("[2,4]", "[0,2]")).entries[0].name == "b");
  CHECK_SAYS("'b' begins at byte 1 of the data, expected 2", read(two("[0,2]", "[1,3]")));
  CHECK_SAYS("'b' begins at byte 3 of the data, expected 2", read(two("[0,2]", "[3,5]")));
  CHECK_SAYS("begins at byte 0 of the data, expected 4", read(two("[0,4]", "[0,4]", 4)));
  CHECK_SAYS("'a' begins at byte 1 of the data, expected 0", read(two("[1,3]", "[3,5]")));
  CHECK_SAYS("'x' ends at byte 0, before it begins at 4", read(typed("\"U8\"", "[4]", "[4,0]")));
  CHECK_SAYS("expected a whole number", read(typed("\"U8\"", "[4]", "[-1,3]")));
  CHECK_SAYS("expected a whole number", read(typed("\"U8\"", "[4]", "[0.0,4]")));
  CHECK_SAYS("expected a whole number", read(typed("\"U8\"", "[4]", "[0,4e0]")));
  CHECK_SAYS("expected a whole number", read(typed("\"U8\"", "[4]", "[\"0\",4]")));
  CHECK_SAYS("expected '['", read(typed("\"U8\"", "[4]", "\"0,4\"")));
  CHECK_SAYS("'x': 1 data_offsets, expected 2", read(typed("\"U8\"", "[4]", "[4]")));
  CHECK_SAYS("'x': 3 data_offsets, expected 2", read(typed("\"U8\"", "[4]", "[0,4,4]")));
}

TEST_CASE("shapes that do not fit their bytes, or 63 bits") {
  CHECK_SAYS("'x' has 4 bytes, expected 3 for shape (3,) of U8",
             read(typed("\"U8\"", "[3]", "[0,4]")));
  CHECK_SAYS("expected 8 for shape (2,) of F32", read(typed("\"F32\"", "[2]", "[0,4]")));
  CHECK_SAYS("'x' has 4 bytes, expected 0 for shape (0,)", read(typed("\"U8\"", "[0]", "[0,4]")));
  CHECK_SAYS("expected a number below 2^63",
             read(typed("\"U8\"", "[2,18446744073709551614]", "[0,4]")));
  CHECK_SAYS("'x': the bits of shape (2, 9223372036854775807) do not fit in 63 bits",
             read(typed("\"U8\"", "[2,9223372036854775807]", "[0,4]")));
  CHECK_SAYS("do not fit in 63 bits", read(typed("\"U8\"", "[4294967296,4294967296]", "[0,4]")));
  CHECK_SAYS("do not fit in 63 bits", read(typed("\"F64\"", "[288230376151711744]", "[0,4]")));
  CHECK_SAYS("'x': more than 8 dimensions", read(typed("\"U8\"", "[1,1,1,1,1,1,1,1,4]", "[0,4]")));
  CHECK_SAYS("expected a whole number", read(typed("\"U8\"", "[-4]", "[0,4]")));
}

TEST_CASE("more tensors than anybody has") {
  std::string header = "{";
  for (int i = 0; i <= 1'000'000; ++i) {
    header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  CHECK_SAYS("more than 1000000 tensors", read(with(header + "}", "")));
}

TEST_CASE("damaged files") {
  const std::string bytes = with(
      R"({"__metadata__":{"k":"v\u0041"},"b":{"dtype":"U8","shape":[1,3],"data_offsets":[1,4]},)"
      R"("a":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}} )");
  const double refused = test::mutate("x.st", bytes, [](const std::string& path) {
    weft::io::InputFile file("load_safetensors", path);
    weft::io::read_safetensors_header(file);
  });
  CHECK(refused > 10.0 / 15);
}
