// SPDX-License-Identifier: Apache-2.0
#include <weft/track/event_writer.hpp>

#include "io/temporary.hpp"
#include "test.hpp"
#include "track/records.hpp"

using namespace weft;
using track::EventWriter;

// scripts and tests/tensorboard read such files with TensorBoard itself.
TEST_CASE_TEMPLATE("each kind is one event with its step", D, TEST_DEVICES) {
  const test::TemporaryFolder folder;
  const D device;
  std::string path;
  const Tensor x = tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}, device);
  {
    EventWriter writer(folder / "run");
    path = writer.path();
    writer.add_scalar("loss", sum(x), 1);
    writer.add_scalar("rate", 0.1, 1);
    writer.add_histogram("x", x * 2.0F, 2);
    writer.add_image("image", x / 4.0F, 3);
    writer.add_images("images", ones<std::uint8_t>({3, 3, 2, 2}, device), 3, 2);
    writer.add_text("text", "**bold**", 4);
    writer.add_hparams({{"lr", 0.1}}, {{"accuracy", 0.9}}, 5);
  }
  const auto records = test::records_of(test::read_bytes(path));
  REQUIRE(records.size() == 1 + 6 + 3 + 1);
  const auto holds = [&](std::size_t i, const std::string& bytes) {
    return records[i].find(bytes) != std::string::npos;
  };
  CHECK(holds(1, std::string("\x0a\x04loss\x15\0\0\x20\x41", 11)));
  CHECK((records[2].substr(9, 2) == "\x10\x01"));
  CHECK(holds(3, std::string("\0\0\0\0\0\0\0\x40\x11\0\0\0\0\0\0\x20\x40", 17)));  // from 2 to 8
  CHECK(holds(4, std::string("\0\x40\x80\0\xbf\xff", 6)));  // two rows of two grey pixels
  CHECK(holds(5, "\x08\x05\x10\x05\x18\x03"));
  CHECK(holds(6, "**bold**"));
  CHECK((records[10].substr(9, 2) == "\x10\x05"));
}

TEST_CASE("[nogpu] images of other shapes and wrong arguments") {
  const test::TemporaryFolder folder;
  EventWriter writer(folder / "run");
  CHECK_SAYS("[add_image] shape (2, 4, 4), expected (height, width)",
             writer.add_image("x", zeros({2, 4, 4}), 0));
  CHECK_SAYS("[add_image] shape (0, 4)", writer.add_image("x", zeros({0, 4}), 0));
  CHECK_SAYS("[add_images] shape (4, 4) in 8 columns", writer.add_images("x", zeros({4, 4}), 0));
  CHECK_SAYS("[add_histogram] 0 bins, expected at least 1",
             writer.add_histogram("x", zeros({4}), 0, 0));
  CHECK_SAYS("expected one element", writer.add_scalar("x", zeros({4}), 0));
}

TEST_CASE("[nogpu] floating pixels outside of 0 to 1 are clamped") {
  const test::TemporaryFolder folder;
  EventWriter writer(folder / "run");
  writer.add_image("x", tensor({{-1.0F, 2.0F, NAN}}), 0);
  writer.flush();
  const auto records = test::records_of(test::read_bytes(writer.path()));
  CHECK((records[1].find(std::string("\0\0\xff\0", 4)) != std::string::npos));
}
