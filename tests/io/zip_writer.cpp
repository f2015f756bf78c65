// SPDX-License-Identifier: Apache-2.0
#include <weft/io/zip_writer.hpp>

#include <weft/io/zip.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::io::ZipFile;
using weft::io::ZipMember;
using weft::io::ZipWriter;

TEST_CASE("what is written is read again") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.zip";
  std::string noise(300'000, '\0');
  unsigned state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const std::string zeros(200'000, '\0');
  {
    ZipWriter zip("save", path);
    zip.add("stored", "start ", noise.data(), 300'000, false);
    zip.add("packed/\xc3\xa9", "start ", zeros.data(), 200'000, true);
    zip.add("noise", "", noise.data(), 300'000, true);
    zip.add("empty", "", nullptr, 0, true);
    CHECK_SAYS("No such file", weft::io::InputFile("load", path));
    zip.commit();
  }
  const ZipFile zip("load", path);
  REQUIRE(zip.entries().size() == 4);
  const std::string expected[] = {"start " + noise, "start " + zeros, noise, ""};
  for (std::size_t i = 0; i < 4; ++i) {
    ZipMember member(zip, zip.entries()[i]);
    std::string bytes(static_cast<std::size_t>(member.size()), 'x');
    member.read(bytes.data(), member.size());
    member.finish();
    CHECK((bytes == expected[i]));
  }
  CHECK(zip.entries()[1].name == "packed/\xc3\xa9");
  CHECK(zip.entries()[1].compressed < 1000);
  CHECK(zip.entries()[0].method == 0);
}

TEST_CASE("more members than fit into the old format") {
  const test::TemporaryFolder folder;
  ZipWriter zip("save", folder / "x.zip");
  for (int i = 0; i < 70'000; ++i) zip.add(std::to_string(i), "", "x", 1, false);
  zip.commit();
  const ZipFile back("load", folder / "x.zip");
  CHECK(back.entries().size() == 70'000);
  CHECK(back.entries().back().name == "69999");
}
