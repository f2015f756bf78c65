// SPDX-License-Identifier: Apache-2.0
#include <weft/track/event_file.hpp>

#include "io/temporary.hpp"
#include "test.hpp"
#include "track/records.hpp"

using namespace weft::track;

static std::string hex(const std::string& bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[c & 15];
  }
  return out;
}

// The bytes that TensorFlow's own writer has for the same events.
TEST_CASE("records byte for byte") {
  CHECK((hex(record(version_event(1.0).data())) ==
         "1800000000000000a37f4b2209000000000000f03f1a0d627261696e2e4576656e743a3286bf577a"));
  const Message loss = Message().message(1, Message().bytes(1, "loss").single(2, 0.5F));
  CHECK((hex(record(summary_event(2.0, 7, loss).data())) ==
         "1a00000000000000129bd82d09000000000000004010072a0d0a0b0a046c6f7373150000003fc33fc24a"));
}

TEST_CASE("files of one folder have names of their own and begin with the version") {
  const test::TemporaryFolder folder;
  EventFile a(folder / "run");
  EventFile b(folder / "run");
  CHECK((a.path() != b.path()));
  CHECK((a.path().find("/run/events.out.tfevents.") != std::string::npos));
  const auto records = test::records_of(test::read_bytes(a.path()));
  REQUIRE(records.size() == 1);
  CHECK((records[0].substr(9) == "\x1a\x0d"
                                 "brain.Event:2"));
  a.add(1, Message());
  a.flush();
  CHECK(test::records_of(test::read_bytes(a.path())).size() == 2);
}

TEST_CASE("a folder that cannot be made") {
  const test::TemporaryFolder folder;
  const std::string file = test::write_bytes(folder / "file", "");
  CHECK_SAYS("[EventWriter] ", EventFile(file));
  CHECK_SAYS("Not a directory", EventFile(file));
}
