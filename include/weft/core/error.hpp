// The exceptions that weft throws, and how their sentences are put together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>
#include <initializer_list>
#include <string>

#include "weft/core/config.hpp"

namespace weft {

/// Base of everything weft throws: `[operation] fact and values, what was expected`.
class Error : public std::exception {
 public:
  explicit Error(std::string what) : what_(static_cast<std::string&&>(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// Shapes, axes or sizes that do not fit together.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// An index, axis or slice outside its range.
class IndexError : public Error {
 public:
  using Error::Error;
};

/// A value that its target cannot hold, or an argument outside its domain.
class ValueError : public Error {
 public:
  using Error::Error;
};

/// A device that is missing, mixed up or failing.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Memory that could not be had; says how much was asked for and how much there is.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

namespace detail {
inline std::string text(const char* s) { return s; }
inline std::string text(const std::string& s) { return s; }
inline std::string text(bool b) { return b ? "true" : "false"; }
[[gnu::cold, gnu::noinline]] inline std::string text(long long v) { return std::to_string(v); }
[[gnu::cold, gnu::noinline]] inline std::string text(unsigned long long v) {
  return std::to_string(v);
}
inline std::string text(int v) { return text(static_cast<long long>(v)); }
inline std::string text(long v) { return text(static_cast<long long>(v)); }
inline std::string text(unsigned long v) { return text(static_cast<unsigned long long>(v)); }
inline std::string text(unsigned v) { return text(static_cast<unsigned long long>(v)); }
inline std::string text(double v) {
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.9g", v);
  return digits;
}

/// One part of a message, whatever its type: what to append, and how.
class Part {
 public:
  Part(const char* characters) : value_(characters), append_(append_characters) {}
  template <class T>
  Part(const T& value) : value_(&value), append_(append_text<T>) {}

  void append_to(std::string& message) const { append_(message, value_); }

 private:
  static void append_characters(std::string& message, const void* value) {
    message += static_cast<const char*>(value);
  }
  template <class T>
  [[gnu::cold]] static void append_text(std::string& message, const void* value) {
    using detail::text;
    message += text(*static_cast<const T*>(value));
  }

  const void* value_;
  void (*append_)(std::string&, const void*);
};

/// The parts as one text.
[[gnu::cold]] inline std::string join(std::initializer_list<Part> parts) {
  std::string message;
  for (const Part& part : parts) part.append_to(message);
  return message;
}
}  // namespace detail

/// Throws E with the message `[operation] part part ...`; parts are texts, numbers, bools and
/// whatever else has a `text(x)` function found by its namespace.
template <class E = Error, class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const char* operation, const Parts&... parts) {
  throw E(detail::join({"[", operation, "] ", detail::Part(parts)...}));
}

}  // namespace weft
