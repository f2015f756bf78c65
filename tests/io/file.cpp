// SPDX-License-Identifier: Apache-2.0
#include <weft/io/file.hpp>

#include <sys/resource.h>

#include <csignal>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::io::InputFile;
using weft::io::OutputFile;

namespace {
void save(const std::string& path, const std::string& bytes) {
  OutputFile file("save", path);
  file.write(bytes.data(), static_cast<std::int64_t>(bytes.size()));
  file.commit();
}
}  // namespace

TEST_CASE("a file is read in order, up to its end and no further") {
  const test::TemporaryFolder folder;
  InputFile file("load", test::write_bytes(folder / "x", "abcdef"));
  char bytes[6] = {};
  file.read(bytes, 4);
  CHECK(std::string(bytes, 4) == "abcd");
  CHECK(file.size() == 6);
  CHECK(file.left() == 2);
  CHECK_SAYS("x: the file ends after 6 bytes, expected 3 from byte 4", file.read(bytes, 3));
  file.read(bytes, 2);
  file.read(nullptr, 0);
  CHECK(file.left() == 0);
}

TEST_CASE("what cannot be read is named") {
  const test::TemporaryFolder folder;
  CHECK_SAYS("missing: No such file or directory", InputFile("load", folder / "missing"));
  CHECK_SAYS("[load] /: not a regular file", InputFile("load", "/"));
  CHECK_SAYS("[load] /dev/zero: not a regular file", InputFile("load", "/dev/zero"));
  CHECK_THROWS_AS(InputFile("load", folder / "missing"), weft::FileError);
}

TEST_CASE("a file that shrinks while it is read is an error") {
  const test::TemporaryFolder folder;
  const std::string path = test::write_bytes(folder / "x", std::string(100000, 'x'));
  InputFile file("load", path);
  std::filesystem::resize_file(path, 10);
  std::string bytes(100000, ' ');
  CHECK_SAYS("the file ends", file.read(bytes.data(), 100000));
}

TEST_CASE("a file appears whole or not at all") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x";
  save(path, "old");
  {
    OutputFile file("save", path);
    file.write("new", 3);
    CHECK(folder.files() == 2);
  }
  CHECK(test::read_bytes(path) == "old");
  CHECK(folder.files() == 1);
  save(path, "new");
  CHECK(test::read_bytes(path) == "new");
  CHECK(folder.files() == 1);
}

TEST_CASE("a link stays a link, and its target is replaced") {
  const test::TemporaryFolder folder;
  save(folder / "target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  save(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(test::read_bytes(folder / "target") == "new");
}

TEST_CASE("what cannot be written is named") {
  const test::TemporaryFolder folder;
  CHECK_SAYS("missing/x: No such file or directory", save(folder / "missing/x", ""));
  CHECK_SAYS("[save] /dev/null: not a regular file", save("/dev/null", "x"));
  CHECK_SAYS("not a regular file", save(folder / ".", "x"));
}

TEST_CASE("a disk that is full leaves the old file and nothing else") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x";
  save(path, "old");
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto message = test::message([&] { save(path, std::string(100000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message == doctest::Contains("x: File too large"));
  CHECK(test::read_bytes(path) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("bytes at any place") {
  const test::TemporaryFolder folder;
  weft::io::InputFile file("read", test::write_bytes(folder / "x", "0123456789"));
  char bytes[4] = {};
  file.read(bytes, 1);
  file.read_at(6, bytes, 3);
  CHECK(std::string(bytes) == "678");
  CHECK(file.left() == 9);
  file.read(bytes, 2);
  CHECK(std::string(bytes, 2) == "12");
  file.read_at(10, bytes, 0);
  CHECK_SAYS("the file ends before byte 10, expected 1 more", file.read_at(8, bytes, 3));
}
