// SPDX-License-Identifier: Apache-2.0
#include <weft/track/log_file.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::track::LogFile;

TEST_CASE("what was appended is there after flush and at the end") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "new/folder/log";
  {
    LogFile file("log", path);
    file.append("one ");
    file.flush();
    CHECK((test::read_bytes(path) == "one "));
    LogFile other = std::move(file);
    other.append("two");
    CHECK((other.path() == path));
  }
  CHECK((test::read_bytes(path) == "one two"));
}

TEST_CASE("a file that is there begins anew, or goes on where asked to") {
  const test::TemporaryFolder folder;
  const std::string path = test::write_bytes(folder / "log", "old ");
  LogFile("log", path, true).append("new");
  CHECK((test::read_bytes(path) == "old new"));
  LogFile("log", path).append("other");
  CHECK((test::read_bytes(path) == "other"));
}

TEST_CASE("what cannot be written says so") {
  const test::TemporaryFolder folder;
  const std::string file = test::write_bytes(folder / "file", "");
  CHECK_SAYS("/file/x: Not a directory", LogFile("log", file + "/x"));
  LogFile full("log", "/dev/full");
  full.append("x");
  CHECK_SAYS("[log] /dev/full: No space left on device", full.flush());
}
