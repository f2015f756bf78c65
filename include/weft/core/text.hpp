// Text: an owned sequence of characters for messages and printing; <string> compiles slowly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "weft/core/config.hpp"

namespace weft {

class Text;

namespace detail {
/// std::string, std::string_view and their like.
template <class S>
concept StringLike = requires(const S& s) {
  typename S::traits_type;
  { s.data() } -> std::convertible_to<const char*>;
  { s.size() } -> std::convertible_to<std::size_t>;
};
}  // namespace detail

/// Characters that end with a null. Converts to and from std::string and std::string_view, and
/// prints to any stream that takes C strings.
class Text {
 public:
  Text() = default;
  Text(const char* characters) { append(characters, std::strlen(characters)); }
  Text(const char* characters, std::size_t count) { append(characters, count); }
  Text(std::size_t count, char c) { append(count, c); }
  template <detail::StringLike S>
  Text(const S& s) : Text(s.data(), s.size()) {}

  Text(const Text& other) : Text(other.c_str(), other.size_) {}
  Text(Text&& other) noexcept : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
    other.data_ = nullptr;
    other.size_ = other.capacity_ = 0;
  }
  Text& operator=(Text other) noexcept {
    std::free(data_);
    data_ = other.data_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.data_ = nullptr;
    return *this;
  }
  ~Text() { std::free(data_); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const char* c_str() const { return data_ != nullptr ? data_ : ""; }
  const char* data() const { return c_str(); }
  const char* begin() const { return c_str(); }
  const char* end() const { return c_str() + size_; }
  char operator[](std::size_t i) const { return c_str()[i]; }

  template <class S>
    requires requires(const char* characters, std::size_t count) { S(characters, count); }
  operator S() const { return S(c_str(), size_); }

  WEFT_ONCE Text& append(const char* characters, std::size_t count) {
    char* old = nullptr;  // kept until the end: the characters may be this text's own
    if (size_ + count >= capacity_) {
      const std::size_t capacity = 2 * (size_ + count) + 16;
      char* const grown = static_cast<char*>(std::malloc(capacity));
      if (grown == nullptr) throw std::bad_alloc();
      if (size_ > 0) std::memcpy(grown, data_, size_);
      old = data_;
      data_ = grown;
      capacity_ = capacity;
    }
    if (count > 0) std::memcpy(data_ + size_, characters, count);
    size_ += count;
    data_[size_] = '\0';
    std::free(old);
    return *this;
  }
  WEFT_ONCE Text& append(std::size_t count, char c) {
    while (count-- > 0) append(&c, 1);
    return *this;
  }
  void pop_back() { data_[--size_] = '\0'; }

  Text& operator+=(const Text& other) { return append(other.c_str(), other.size_); }
  Text& operator+=(const char* other) { return append(other, std::strlen(other)); }
  Text& operator+=(char c) { return append(&c, 1); }
  friend Text operator+(Text a, const Text& b) {
    a += b;
    return a;
  }

  friend bool operator==(const Text& a, const Text& b) {
    return a.size_ == b.size_ && std::memcmp(a.c_str(), b.c_str(), a.size_) == 0;
  }
  friend bool operator==(const Text& a, const char* b) { return std::strcmp(a.c_str(), b) == 0; }
  template <detail::StringLike S>
  friend bool operator==(const Text& a, const S& b) {
    return a.size_ == b.size() && std::memcmp(a.c_str(), b.data(), a.size_) == 0;
  }

  template <class S, std::same_as<Text> T>
    requires requires(S& stream, const char* characters) { stream << characters; }
  friend S& operator<<(S& stream, const T& text) {
    stream << text.c_str();
    return stream;
  }

 private:
  char* data_ = nullptr;  // null while nothing was ever appended
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

namespace detail {
inline Text text(const char* s) { return s; }
inline const Text& text(const Text& s) { return s; }
inline Text text(bool b) { return b ? "true" : "false"; }

/// A number by printf's rules.
template <class T>
WEFT_ONCE Text formatted(const char* format, T value) {
  char digits[32];
  return Text(digits,
              static_cast<std::size_t>(std::snprintf(digits, sizeof digits, format, value)));
}
inline Text text(long long v) { return formatted("%lld", v); }
inline Text text(unsigned long long v) { return formatted("%llu", v); }
inline Text text(int v) { return text(static_cast<long long>(v)); }
inline Text text(long v) { return text(static_cast<long long>(v)); }
inline Text text(unsigned long v) { return text(static_cast<unsigned long long>(v)); }
inline Text text(unsigned v) { return text(static_cast<unsigned long long>(v)); }
inline Text text(double v) { return formatted("%.9g", v); }
}  // namespace detail

}  // namespace weft
