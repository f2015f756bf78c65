// A strict parser for the subset of JSON in file headers, and strings written as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/io/header_text.hpp"

namespace weft::io {

/// Reads objects, arrays, strings and whole numbers where the caller expects them, and throws, with
/// the position, at anything else. So there is no nesting beyond the caller's own, a number is
/// exact or refused (as 1.0, 1e3 and -0 are), and every key is seen, including duplicates.
class JsonReader : HeaderText<InputFile> {
 public:
  /// The text must be valid UTF-8.
  JsonReader(const InputFile& file, std::string_view text)
      : HeaderText(file, text, " \n\r\t", "byte") {}

  /// Calls f(key) for each member of an object; f reads the value.
  template <class F>
  void object(const F& f) {
    expect('{');
    if (accept('}')) return;
    do {
      space();
      const std::string key = string("a key");
      expect(':');
      f(key);
    } while (accept(','));
    expect('}');
  }

  /// Calls f() for each element of an array; f reads it.
  template <class F>
  void array(const F& f) {
    expect('[');
    if (accept(']')) return;
    do f();
    while (accept(','));
    expect(']');
  }

  std::string string(const char* wanted) {
    space();
    if (at_ == text_.size() || text_[at_] != '"') unexpected(wanted);
    ++at_;
    std::string out;
    while (true) {
      if (at_ == text_.size()) unexpected("the end of a string");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) unexpected("no control character in a string");
      if (c == '\\') {
        escape(out);
      } else {
        out += c;
        ++at_;
      }
    }
    ++at_;
    return out;
  }

  /// A whole number from 0 to 2^63 - 1.
  int64_t number() {
    space();
    const std::size_t first = at_;
    const int64_t value = digits("a number below 2^63");
    const bool fraction = at_ < text_.size() && (text_[at_] == '.' || (text_[at_] | 32) == 'e');
    if (at_ == first || fraction || (text_[first] == '0' && at_ - first > 1)) {
      at_ = first;
      unexpected("a whole number of at least 0");
    }
    return value;
  }

  /// Only spaces are left.
  void end() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ != text_.size()) unexpected("spaces to the end of the header");
  }

 private:
  void escape(std::string& out) {
    const std::size_t start = at_++;
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = letters.find(c); c != '\0' && i != std::string_view::npos) {
      out += meanings[i];
      ++at_;
      return;
    }
    if (c != 'u') unexpected("a known escape");
    std::uint32_t code = hex();
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      ++at_;
      const std::uint32_t low = hex();
      if (low >= 0xDC00 && low < 0xE000) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    at_ = code == 0 || (code >= 0xD800 && code < 0xE000) ? start : at_;
    if (at_ == start) unexpected("a character other than U+0000 and halves of surrogate pairs");
    append_utf8(out, code);
  }

  /// The number in uXXXX.
  std::uint32_t hex() {
    ++at_;
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      const bool digit = c >= '0' && c <= '9';
      const bool letter = (c | 32) >= 'a' && (c | 32) <= 'f';
      if (!digit && !letter) unexpected("a hexadecimal digit");
      code = code * 16 + static_cast<std::uint32_t>(digit ? c - '0' : (c | 32) - 'a' + 10);
    }
    return code;
  }

  static void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | code >> 6);
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | code >> 12);
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xF0 | code >> 18);
      tail(12);
      tail(6);
      tail(0);
    }
  }
};

/// The text in quotation marks, escaped where JSON needs it; it must be valid UTF-8.
inline std::string json_string(std::string_view text) {
  constexpr std::string_view special = "\"\\\b\f\n\r\t";
  constexpr std::string_view letters = "\"\\bfnrt";
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (const std::size_t i = special.find(c); i != std::string_view::npos) {
      (out += '\\') += letters[i];
    } else if (code < 0x20) {
      ((out += "\\u00") += digits[code >> 4]) += digits[code & 15];
    } else {
      out += c;
    }
  }
  return out += '"';
}

}  // namespace weft::io
