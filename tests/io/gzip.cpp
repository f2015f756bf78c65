// SPDX-License-Identifier: Apache-2.0
#include <weft/io/gzip.hpp>

#include "io/mutate.hpp"
#include "test.hpp"

using weft::io::GzipInput;

namespace {
const std::string reference = test::hex(
#include "io/gzip_reference.inc"
);
}  // namespace

TEST_CASE("compressed or not, the content is the same") {
  const test::TemporaryFolder folder;
  std::string plain;
  for (int i = 0; i < 1024; ++i) plain += static_cast<char>(i);
  for (const std::string& bytes : {reference, plain}) {
    GzipInput file("load", test::write_bytes(folder / "x", bytes));
    CHECK(file.is_compressed() == (bytes != plain));
    std::string content(1024, 'x');
    file.read(content.data(), 24);
    CHECK(file.can_hold(1000));
    CHECK_FALSE(file.can_hold(1'000'000));
    file.read(content.data() + 24, 1000);
    CHECK((content == plain));
    CHECK_NOTHROW(file.expect_end());
    CHECK_SAYS("x: the content ends after 1024 bytes, expected 1 from byte 1024",
               file.read(content.data(), 1));
  }
}

TEST_CASE("more content than expected") {
  const test::TemporaryFolder folder;
  char bytes[8];
  GzipInput packed("load", test::write_bytes(folder / "x", reference));
  packed.read(bytes, 8);
  CHECK_SAYS("there are more of them than expected", packed.expect_end());
  GzipInput plain("load", test::write_bytes(folder / "y", "0123456789"));
  plain.read(bytes, 8);
  CHECK_SAYS("[load] ", plain.expect_end());
  CHECK_SAYS("y: 2 bytes more than the 8 expected", plain.expect_end());
  CHECK_SAYS("y: said", plain.refuse("said"));
  GzipInput tiny("load", test::write_bytes(folder / "z", "\x1f"));
  CHECK_FALSE(tiny.is_compressed());
}
