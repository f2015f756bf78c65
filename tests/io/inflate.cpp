// SPDX-License-Identifier: Apache-2.0
#include <weft/io/inflate.hpp>

#include "io/mutate.hpp"
#include "test.hpp"

using weft::io::Inflater;
using weft::io::InputFile;

namespace {
/// What Python's gzip has made of the bytes 0 to 255, four times; scripts/make_format_tests.py.
const std::string reference = test::hex(
#include "io/gzip_reference.inc"
);

std::string unpack(const std::string& bytes, Inflater::Format format = Inflater::Format::gzip,
                   std::int64_t piece = 1000) {
  const test::TemporaryFolder folder;
  const InputFile file("load", test::write_bytes(folder / "x.gz", bytes));
  Inflater inflater(file, 0, file.size(), format);
  std::string out;
  std::string buffer(static_cast<std::size_t>(piece), '\0');
  while (true) {
    const std::int64_t got = inflater.read(buffer.data(), piece);
    out.append(buffer, 0, static_cast<std::size_t>(got));
    if (got < piece) break;
  }
  inflater.expect_end();
  return out;
}
std::string expected() {
  std::string out;
  for (int i = 0; i < 1024; ++i) out += static_cast<char>(i);
  return out;
}
}  // namespace

TEST_CASE("what gzip has packed") {
  for (const std::int64_t piece : {1, 7, 512, 1024, 5000}) {
    CHECK(unpack(reference, Inflater::Format::gzip, piece) == expected());
  }
  const std::string raw = reference.substr(10, reference.size() - 18);
  CHECK(unpack(raw, Inflater::Format::raw) == expected());
}

TEST_CASE("members one after the other") {
  CHECK(unpack(reference + reference + reference) == expected() + expected() + expected());
  CHECK_SAYS("other bytes follow them", unpack(reference + "x"));
  CHECK_SAYS("other bytes follow them", unpack(reference + std::string(5, '\0')));
  CHECK_SAYS("damaged compressed data", unpack(reference + "\x1f\x8b"));
  const std::string raw = reference.substr(10, reference.size() - 18);
  CHECK_SAYS("other bytes follow them", unpack(raw + raw, Inflater::Format::raw));
}

TEST_CASE("what is damaged") {
  CHECK_SAYS("[load] ", unpack(""));
  CHECK_SAYS("x.gz: damaged compressed data before byte 0: they end too early", unpack(""));
  CHECK_SAYS("they end too early", unpack(reference.substr(0, reference.size() - 1)));
  CHECK_SAYS("incorrect header check", unpack("not gzip at all"));
  std::string checksum = reference;
  checksum[checksum.size() - 7] ^= 1;
  CHECK_SAYS("incorrect data check", unpack(checksum));
  std::string length = reference;
  length[length.size() - 1] ^= 1;
  CHECK_SAYS("incorrect length check", unpack(length));
}

TEST_CASE("an end that comes too late") {
  const test::TemporaryFolder folder;
  const InputFile file("load", test::write_bytes(folder / "x.gz", reference));
  Inflater inflater(file, 0, file.size(), Inflater::Format::gzip);
  std::string some(10, '\0');
  CHECK(inflater.read(some.data(), 10) == 10);
  CHECK_SAYS("there are more of them than expected", inflater.expect_end());
}

TEST_CASE("a bomb is limited by its own size") {
  CHECK(weft::io::can_inflate_to(1, 1032));
  CHECK(weft::io::can_inflate_to(0, 0));
  CHECK_FALSE(weft::io::can_inflate_to(10, 1032 * 11));
  CHECK_FALSE(weft::io::can_inflate_to(1000, INT64_MAX));
}

TEST_CASE("damaged files") {
  const double refused = test::mutate("x.gz", reference, [](const std::string& path) {
    const InputFile file("load", path);
    Inflater inflater(file, 0, file.size(), Inflater::Format::gzip);
    std::string buffer(2000, '\0');
    inflater.read(buffer.data(), 2000);
    inflater.expect_end();
  });
  CHECK(refused > 10.0 / 15);
}
