// HeaderText: the text of a file's header and how far it has been read, shared by its parsers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "weft/io/file.hpp"

namespace weft::io {

/// Reads a header token by token; throws, with the position, at anything unexpected.
template <class Input>
class HeaderText {
 public:
  /// `spaces` may stand between tokens; messages count in `unit`s.
  HeaderText(const Input& file, std::string_view text, std::string_view spaces, const char* unit)
      : file_(file), text_(text), spaces_(spaces), unit_(unit) {}

 protected:
  void space() {
    while (at_ < text_.size() && spaces_.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool accept(char c) {
    space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) unexpected(std::string{'\'', c, '\''});
  }
  /// The digits here as a number; without any, it is 0 and nothing is read.
  int64_t digits(const char* wanted) {
    space();
    const std::size_t first = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, int64_t{text_[at_] - '0'}, &value)) {
        at_ = first;
        unexpected(wanted);
      }
    }
    return value;
  }
  [[noreturn]] void unexpected(const std::string& wanted) const {
    file_.refuse("malformed header at its ", unit_, " ", at_, ", expected ", wanted);
  }

  const Input& file_;
  std::string_view text_;
  std::size_t at_ = 0;

 private:
  std::string_view spaces_;
  const char* unit_;
};

}  // namespace weft::io
