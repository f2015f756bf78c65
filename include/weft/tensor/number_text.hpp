// The texts of a tensor's elements, brought to one width by NumPy's rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

#include "weft/core/dtype.hpp"
#include "weft/core/lazy_vector.hpp"
#include "weft/core/text.hpp"

namespace weft::detail {

/// The text of a number in two parts, so that columns align at the point.
struct NumberText {
  Text left;   // sign and integer digits, or all of NaN, infinity and integers
  Text right;  // the point and what follows
};

inline Text padded(const Text& text, std::size_t width, bool at_right = false) {
  const Text spaces(text.size() < width ? width - text.size() : 0, ' ');
  return at_right ? text + spaces : spaces + text;
}

/// How NumPy writes a set of floating numbers: all with an exponent if the largest is 1e8 or more,
/// the smallest below 1e-4 or their ratio above 1000; otherwise each with as few decimals as
/// distinguish it from its neighbours of type T, at most `precision`.
template <class T>
class FloatTexts {
 public:
  FloatTexts(const lazy_vector<T, double>& values, int precision)
      : precision_(precision < 0    ? 0
                   : precision > 17 ? 17
                                    : precision) {
    double smallest = 0;
    double largest = 0;
    for (double x : values) {
      const double a = x < 0 ? -x : x;
      if (a == 0 || a - a != 0) continue;
      if (smallest == 0 || a < smallest) smallest = a;
      if (a > largest) largest = a;
    }
    exponent_ = largest >= 1e8 || (smallest > 0 && (smallest < 1e-4 || largest / smallest > 1000));
    if (exponent_) {  // all get as many digits as the one that needs most
      int digits = 0;
      for (double x : values) {
        if (x - x == 0) digits = max(digits, digits_of(x));
      }
      precision_ = digits;
    }
  }

  /// x with its sign; a '+' is written only if `plus` is set.
  NumberText operator()(double x, bool plus) const {
    const bool negative = __builtin_signbit(x) != 0 && x == x;
    const Text sign = negative ? "-" : plus ? "+" : "";
    if (x != x) return {sign + "nan", ""};
    if (x - x != 0) return {sign + "inf", ""};
    const Text text = print(negative ? -x : x, exponent_ ? precision_ : digits_of(x));
    std::size_t point = 0;
    while (point < text.size() && text[point] >= '0' && text[point] <= '9') ++point;
    const bool has_point = point < text.size() && text[point] != 'e';  // the locale's
    const char* const rest = text.c_str() + point + (has_point ? 1 : 0);
    return {sign + Text(text.c_str(), point), Text(".") + rest};
  }

 private:
  static int max(int a, int b) { return a > b ? a : b; }

  Text print(double x, int digits) const {
    char text[400];
    std::snprintf(text, sizeof text, exponent_ ? "%.*e" : "%.*f", digits, x);
    return text;
  }
  /// The fewest decimals from which T reads x back, without trailing zeros.
  int digits_of(double x) const {
    for (int digits = 0; digits < precision_; ++digits) {
      if (static_cast<double>(static_cast<T>(std::strtod(print(x, digits).c_str(), nullptr))) ==
          x) {
        return digits;
      }
    }
    const Text text = print(x, precision_);
    std::size_t last = 0;
    while (last < text.size() && text[last] != 'e') ++last;
    int digits = precision_;
    while (digits > 0 && text[--last] == '0') --digits;
    return digits;
  }

  int precision_;
  bool exponent_ = false;
};

/// One part of complex numbers, or all of real ones, aligned.
template <class T>
lazy_vector<T, Text> float_texts(const lazy_vector<T, double>& values, int precision, bool align,
                                 bool plus, const char* suffix) {
  const FloatTexts<T> format(values, precision);
  lazy_vector<T, NumberText> parts;
  std::size_t left = 0;
  std::size_t right = 0;
  for (double x : values) {
    parts.push_back(format(x, plus));
    const NumberText& p = parts.back();
    if (p.right.empty()) continue;
    left = p.left.size() > left ? p.left.size() : left;
    right = p.right.size() > right ? p.right.size() : right;
  }
  std::size_t width = left + right;
  for (const NumberText& p : parts) width = p.left.size() > width ? p.left.size() : width;
  lazy_vector<T, Text> out;
  for (const NumberText& p : parts) {
    if (!align) {
      out.push_back(p.left + p.right + suffix);
    } else if (p.right.empty()) {
      out.push_back(padded(p.left, width) + suffix);
    } else {
      out.push_back(padded(p.left, width - right) +
                    padded(p.right + suffix, right + Text(suffix).size(), true));
    }
  }
  return out;
}

/// The texts of `n` elements, of equal width where `align` is set.
template <class T>
lazy_vector<T, Text> number_texts(const T* data, int64_t n, int precision, bool align) {
  if constexpr (is_complex<T>) {
    using R = real_t<T>;
    lazy_vector<T, double> re;
    lazy_vector<T, double> im;
    for (int64_t i = 0; i < n; ++i) {
      re.push_back(static_cast<double>(data[i].re));
      im.push_back(static_cast<double>(data[i].im));
    }
    lazy_vector<T, Text> out = float_texts<R>(re, precision, align, false, "");
    const lazy_vector<T, Text> imaginary = float_texts<R>(im, precision, align, true, "j");
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += imaginary[i];
    return out;
  } else if constexpr (is_floating<T>) {
    lazy_vector<T, double> values;
    for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<double>(data[i]));
    return float_texts<T>(values, precision, align, false, "");
  } else {
    lazy_vector<T, Text> out;
    std::size_t width = 0;
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (is_bool<T>) {
        out.push_back(data[i] ? "true" : "false");
      } else {
        out.push_back(detail::text(data[i]));
      }
      width = out.back().size() > width ? out.back().size() : width;
    }
    for (Text& text : out) text = padded(text, align ? width : 0);
    return out;
  }
}

}  // namespace weft::detail
