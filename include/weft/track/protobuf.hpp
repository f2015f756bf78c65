// Message: a protocol buffer, written field by field.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace weft::track {

/// The bytes of a protocol buffer in the wire format; fields are appended in the order of the
/// calls, even if they have their default values.
class Message {
 public:
  /// int32, int64, bool or an enum.
  Message& integer(int field, std::int64_t value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& number(int field, double value) {
    tag(field, 1);
    fixed(std::bit_cast<std::uint64_t>(value), 8);
    return *this;
  }
  Message& single(int field, float value) {
    tag(field, 5);
    fixed(std::bit_cast<std::uint32_t>(value), 4);
    return *this;
  }
  /// A string, bytes, or a message within this one.
  Message& bytes(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return bytes(field, value.bytes_); }
  /// A packed repeated double.
  Message& numbers(int field, std::span<const double> values) {
    tag(field, 2);
    varint(8 * values.size());
    for (const double value : values) fixed(std::bit_cast<std::uint64_t>(value), 8);
    return *this;
  }

  const std::string& data() const { return bytes_; }

 private:
  void tag(int field, int wire_type) {
    varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(wire_type));
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void fixed(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i, value >>= 8) bytes_ += static_cast<char>(value & 0xFF);
  }

  std::string bytes_;
};

}  // namespace weft::track
