// The options of convolutions: numbers for each spatial axis, padding, groups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/shape.hpp"

namespace weft {

/// A number for each spatial axis, or one for all: 3 or {3, 5}.
class PerAxis {
 public:
  constexpr PerAxis(int64_t all) : values_{all}, count_(1) {}
  constexpr PerAxis(std::initializer_list<int64_t> each) {
    for (int64_t value : each) {
      if (count_ < 3) values_[count_] = value;
      ++count_;
    }
  }

  constexpr int count() const { return count_; }
  /// The number of spatial axis i.
  constexpr int64_t operator[](int i) const { return values_[count_ == 1 ? 0 : i]; }
  friend constexpr bool operator==(const PerAxis&, const PerAxis&) = default;

 private:
  int64_t values_[3] = {};
  int count_ = 0;
};

/// Throws ShapeError unless there are as many numbers as axes, or one, and all are at least
/// `least`.
WEFT_OUTLINED inline void check_axes(const char* operation, const char* name, const PerAxis& x,
                                     int axes, int64_t least) {
  if (x.count() != 1 && x.count() != axes) {
    fail<ShapeError>(operation, name, " of ", x.count(), " numbers, expected 1 or ", axes);
  }
  for (int i = 0; i < axes; ++i) {
    if (x[i] < least) fail<ValueError>(operation, name, " ", x[i], ", expected at least ", least);
  }
}

/// How many zeros surround an image: numbers, or as many as keep its size.
struct Padding {
  PerAxis each = 0;
  bool keeps_size = false;

  constexpr Padding() = default;
  constexpr Padding(int64_t all) : each(all) {}
  constexpr Padding(const PerAxis& numbers) : each(numbers) {}
  constexpr Padding(std::initializer_list<int64_t> numbers) : each(numbers) {}

  /// As much as keeps the size, with one more after than before if it is odd; strides must be 1.
  static const Padding same;
  /// None.
  static const Padding valid;
};
inline constexpr Padding Padding::valid{};
inline constexpr Padding Padding::same = [] {
  Padding out;
  out.keeps_size = true;
  return out;
}();

/// How a kernel moves over an image.
struct ConvOptions {
  PerAxis stride = 1;
  Padding padding = 0;
  PerAxis dilation = 1;
  int64_t groups = 1;  ///< channels and filters in as many parts, each seeing its own
};

/// The same for what a convolution's gradient does with an image.
struct ConvTransposeOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;
  PerAxis output_padding = 0;  ///< rows that the result has more at its end
  PerAxis dilation = 1;
  int64_t groups = 1;
};

}  // namespace weft
