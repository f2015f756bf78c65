// The exceptions that weft throws, and how their messages are built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <initializer_list>

#include "weft/core/config.hpp"
#include "weft/core/text.hpp"

namespace weft {

/// Base of everything weft throws: `[operation] fact and values, what was expected`.
class Error : public std::exception {
 public:
  WEFT_INLINE explicit Error(Text what) noexcept : what_(static_cast<Text&&>(what)) {}
  Error(Error&&) noexcept = default;
  Error(const Error& other) noexcept : std::exception(other) {
    try {
      what_ = other.what_;
    } catch (...) {  // without memory for its text, an empty one rather than termination
    }
  }
  Error& operator=(Error other) noexcept {
    what_ = static_cast<Text&&>(other.what_);
    return *this;
  }
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  Text what_;
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

/// Memory could not be allocated; says how much was requested and how much is available.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

namespace detail {
/// One part of a message, whatever its type: what to append, and how.
class Part {
 public:
  WEFT_INLINE Part(const char* characters) : value_(characters), append_(append_characters) {}
  template <class T>
  WEFT_INLINE Part(const T& value) : value_(&value), append_(append_text<T>) {}

  void append_to(Text& message) const { append_(message, value_); }

 private:
  static void append_characters(Text& message, const void* value) {
    message += static_cast<const char*>(value);
  }
  template <class T>
  [[gnu::cold]] static void append_text(Text& message, const void* value) {
    using detail::text;
    message += text(*static_cast<const T*>(value));
  }

  const void* value_;
  void (*append_)(Text&, const void*);
};

/// The parts as one text.
WEFT_ONCE inline Text join(std::initializer_list<Part> parts) {
  Text message;
  for (const Part& part : parts) part.append_to(message);
  return message;
}

template <class E>
[[noreturn]] WEFT_ONCE void raise(std::initializer_list<Part> parts) {
  throw E(join(parts));
}
}  // namespace detail

/// Throws E with the message `[operation] part part ...`; parts are texts, numbers, bools and
/// whatever else has a `text(x)` function found by its namespace. Inlined, since a function for
/// each combination of parts would cost more compile time than the few instructions at the call.
template <class E = Error, class... Parts>
[[noreturn]] WEFT_INLINE void fail(const char* operation, const Parts&... parts) {
  detail::raise<E>({"[", operation, "] ", detail::Part(parts)...});
}

namespace detail {
/// The error of element_size (core/dtype.hpp) for Dtype::small.
template <class>
[[noreturn]] void no_element_size() {
  fail("element_size",
       "elements of type Small, expected numbers: write components(x), the view of "
       "its numbers");
}
}  // namespace detail

}  // namespace weft
