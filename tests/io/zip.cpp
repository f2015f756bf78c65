// SPDX-License-Identifier: Apache-2.0
#include <weft/io/zip.hpp>

#include "io/archive.hpp"
#include "io/mutate.hpp"
#include "test.hpp"

using test::archive;
using test::Member;
using weft::io::ZipFile;
using weft::io::ZipMember;

namespace {
/// The content of all members, each after its name.
std::string content(const std::string& path) {
  const ZipFile zip("load", path);
  std::string out;
  for (const auto& entry : zip.entries()) {
    ZipMember member(zip, entry);
    std::string bytes(static_cast<std::size_t>(member.size()), '\0');
    member.read(bytes.data(), member.size());
    member.finish();
    out += entry.name + "=" + bytes + ";";
  }
  return out;
}
std::string unpack(const std::string& bytes) {
  const test::TemporaryFolder folder;
  return content(test::write_bytes(folder / "x.zip", bytes));
}
}  // namespace

TEST_CASE("stored members") {
  CHECK(unpack(archive({{"a", "hello"}, {"b/c", ""}, {"../d", "x"}})) == "a=hello;b/c=;../d=x;");
  CHECK(unpack(archive({})) == "");
  // Sizes and checksum after the data: the local header has none.
  CHECK(unpack(archive(
            {{.name = "a", .data = "1", .flags = 8, .local_size = 0, .local_checksum = 0}})) ==
        "a=1;");
  // A size in the ZIP64 field.
  CHECK(
      unpack(archive({{.name = "a",
                       .data = "1234",
                       .size = 0xFFFFFFFF,
                       .checksum = test::crc("1234"),
                       .local_size = 4,
                       .extra = test::little(1, 2) + test::little(8, 2) + test::little(4, 8)}})) ==
      "a=1234;");
}

TEST_CASE("what is no archive") {
  CHECK_SAYS("[load] ", unpack(""));
  CHECK_SAYS("x.zip: not a zip archive: 0 bytes", unpack(""));
  CHECK_SAYS("no directory's end at the file's end", unpack(std::string(100, 'x')));
  CHECK_SAYS("no directory's end at the file's end", unpack(archive({{"a", "1"}}).substr(0, 60)));
  CHECK_SAYS("not a zip archive without a comment",
             unpack(archive({{"a", "1"}}, {.comment = "c"})));
  // A second end in the comment of the first one.
  CHECK_SAYS("expected it to end at",
             unpack(archive({{"a", "1"}}, {.comment = archive({{"b", "2"}})})));
  CHECK_SAYS("expected it to end at", unpack("prefix" + archive({{"a", "1"}})));
  CHECK_SAYS("no directory's end", unpack(archive({{"a", "1"}}) + "x"));
}

TEST_CASE("a directory that lies") {
  CHECK_SAYS("damaged archive: 1 members, expected 2", unpack(archive({{"a", "1"}}, {.count = 1})));
  CHECK_SAYS("damaged archive: 2 members, expected 1",
             unpack(archive({{"a", "1"}, {"b", "1"}}, {.count = -1})));
  CHECK_SAYS("expected it to end at", unpack(archive({{"a", "1"}}, {.size = 1})));
  CHECK_SAYS("expected it to end at", unpack(archive({{"a", "1"}}, {.start = 1})));
  CHECK_SAYS("no entry at byte 0", unpack(archive({{"a", "1"}}, {.size = -1, .start = 1})));
  CHECK_SAYS("an entry is longer than the directory",
             unpack(archive({{"abc", "1"}}, {.size = 0, .start = 0}).replace(34 + 28, 1, "\x09")));
  CHECK_SAYS("in several parts", unpack(archive({{"a", "1"}}, {.disk = 1})));
  CHECK_SAYS("no ZIP64 record", unpack(archive({}, {.count = 0xFFFF})));
  CHECK_SAYS("the name 'a' appears twice", unpack(archive({{"a", "1"}, {"a", "2"}})));
}

TEST_CASE("members that lie") {
  CHECK_SAYS("'a' is encrypted", unpack(archive({{.name = "a", .data = "1", .flags = 1}})));
  CHECK_SAYS("'a' is compressed by method 12, expected 0 (stored) or 8 (deflate)",
             unpack(archive({{.name = "a", .data = "1", .method = 12}})));
  CHECK_SAYS("'a' claims 2 bytes from 1", unpack(archive({{.name = "a", .data = "1", .size = 2}})));
  CHECK_SAYS("'a': its checksum is wrong",
             unpack(archive({{.name = "a", .data = "1", .checksum = 5}})));
  CHECK_SAYS("'a': its local header differs",
             unpack(archive({{.name = "a", .data = "1", .local_size = 7}})));
  CHECK_SAYS("'a': its local header differs",
             unpack(archive({{.name = "a", .data = "1", .local_checksum = 7}})));
  CHECK_SAYS("'a': its local header differs",
             unpack(archive({{.name = "a", .data = "1", .local_name = "b"}})));
  CHECK_SAYS("'a': no local header at byte 1",
             unpack(archive({{.name = "a", .data = "1", .shift = 1}})));
  CHECK_SAYS("'b' overlaps another member",
             unpack(archive({{"a", "1"}, {.name = "b", .data = "1", .shift = -32}})));
  CHECK_SAYS("'a' reaches into the archive's directory",
             unpack(archive({{.name = "a", .data = "1", .shift = 50}})));
  CHECK_SAYS("damaged archive: a size of 4294967295 in a file of",
             unpack(archive({{.name = "a", .data = "1", .size = 0xFFFFFFFF}})));
  CHECK_SAYS("damaged archive: a size of 18446744073709551615",
             unpack(archive({{.name = "a",
                              .data = "1",
                              .size = 0xFFFFFFFF,
                              .extra = test::little(1, 2) + test::little(8, 2) +
                                       test::little(UINT64_MAX, 8)}})));
  CHECK_SAYS("'a': a damaged extra field",
             unpack(archive({{.name = "a", .data = "1", .extra = test::little(1, 2) + "\x09\1"}})));
}

TEST_CASE("bombs") {
  CHECK_SAYS("'a' claims 5000 bytes from 1",
             unpack(archive({{.name = "a", .data = "1", .method = 8, .size = 5000}})));
  const std::string ten("\x33\x30\x80\x01\x00", 5);  // "0000000000", deflated
  const auto packed = [&](std::uint64_t size) {
    return archive({{.name = "a",
                     .data = ten,
                     .method = 8,
                     .size = size,
                     .checksum = test::crc("0000000000")}});
  };
  CHECK(unpack(packed(10)) == "a=0000000000;");
  CHECK_SAYS("there are more of them than expected", unpack(packed(9)));
  CHECK_SAYS("'a': 10 bytes, expected 11", unpack(packed(11)));
}

TEST_CASE("a member that is not read to its end") {
  const test::TemporaryFolder folder;
  const ZipFile zip("load", test::write_bytes(folder / "x.zip", archive({{"a", "12345"}})));
  ZipMember member(zip, zip.entries()[0]);
  char bytes[3];
  member.read(bytes, 3);
  CHECK(member.left() == 2);
  CHECK_SAYS("'a': it ends after 5 bytes, expected 3 from byte 3", member.read(bytes, 3));
  CHECK_SAYS("'a': 2 bytes were not read", member.finish());
}

TEST_CASE("damaged archives") {
  const std::string bytes = archive({{"a", "hello"}, {"b/c", ""}, {"d", "x"}});
  const double refused = test::mutate("x.zip", bytes, content);
  CHECK(refused > 7.0 / 15);
}
