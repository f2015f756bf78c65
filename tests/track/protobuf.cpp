// SPDX-License-Identifier: Apache-2.0
#include <weft/track/protobuf.hpp>

#include "test.hpp"

using weft::track::Message;
using namespace std::string_literals;

TEST_CASE("the examples of protobuf's description of its encoding") {
  CHECK((Message().integer(1, 150).data() == "\x08\x96\x01"));
  CHECK((Message().bytes(2, "testing").data() == "\x12\x07testing"));
  CHECK((Message().message(3, Message().integer(1, 150)).data() == "\x1a\x03\x08\x96\x01"));
}

TEST_CASE("numbers") {
  CHECK((Message().integer(1, 0).data() == "\x08\x00"s));
  CHECK((Message().integer(1, -1).data() == "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
  CHECK((Message().integer(16, 1).data() == "\x80\x01\x01"));
  CHECK((Message().number(1, 1.0).data() == "\x09\0\0\0\0\0\0\xf0\x3f"s));
  CHECK((Message().single(2, 0.5F).data() == "\x15\0\0\0\x3f"s));
  const double two[] = {1.0, 0.0};
  CHECK((Message().numbers(6, two).data() == "\x32\x10\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\0"s));
  CHECK((Message().numbers(6, {}).data() == "\x32\x00"s));
}

TEST_CASE("a long text has a long length") {
  const std::string text(300, 'x');
  CHECK((Message().bytes(1, text).data() == "\x0a\xac\x02" + text));
}
