// Value: what a log stores under a name: a number, a bool or a string.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tensor/tensor.hpp"

namespace weft::track {

/// What holds a number besides numbers themselves: a tensor, an expression or a Var.
template <class X>
concept OneNumber = requires(const X& x) {
  x.item();
}
|| (Expression<X> && !TensorLike<X>);

/// The number itself; throws ShapeError if there are several. On a GPU this waits for it.
template <class X>
auto number_of(const X& x) {
  if constexpr (std::is_arithmetic_v<X>) {
    return x;
  } else if constexpr (requires { x.item(); }) {
    return x.item();
  } else {
    return Tensor<typename X::value_type, typename X::device_type>(x).item();
  }
}

/// A number, a bool or a string in a log.
class Value {
 public:
  enum class Kind { boolean, integer, number, text };

  Value(bool value)
      : kind_(Kind::boolean), integer_(value ? 1 : 0), text_(value ? "true" : "false") {}
  template <class X>
    requires(std::is_arithmetic_v<X> && !std::same_as<X, bool>)
  Value(X value) : kind_(std::is_integral_v<X> ? Kind::integer : Kind::number) {
    if constexpr (std::is_integral_v<X>) integer_ = static_cast<std::int64_t>(value);
    number_ = static_cast<double>(value);
    char digits[48];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;  // the shortest
    text_.assign(digits, end);
  }
  Value(const char* text) : kind_(Kind::text), text_(text) {}
  Value(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
  Value(std::string_view text) : kind_(Kind::text), text_(text) {}
  /// The number in a tensor, an expression or a Var with one element.
  template <OneNumber X>
  Value(const X& x) : Value(plain(number_of(x))) {}

  Kind kind() const { return kind_; }
  /// Numbers with the fewest digits that give the same number when read.
  const std::string& text() const { return text_; }
  double number() const { return kind_ == Kind::boolean ? static_cast<double>(integer_) : number_; }

 private:
  template <class T>
  static auto plain(T x) {
    if constexpr (std::is_arithmetic_v<T>) {
      return x;
    } else {
      return static_cast<float>(x);  // a half type
    }
  }

  Kind kind_;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
};

/// Named values, in order: `{{"step", 10}, {"loss", 0.25}}`.
using Fields = std::vector<std::pair<std::string, Value>>;

}  // namespace weft::track
