// Transforms of images and labels as plain callables: to_float, Normalize, RandomCrop, one_hot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "weft/core/random/generator.hpp"
#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/eval/transfer.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft::data {

/// Bytes 0 to 255 as floats 0 to 1, of any shape and on any device; an expression.
struct ToFloat {
  template <TensorLike X>
  auto operator()(const X& x) const {
    static_assert(std::is_same_v<typename X::value_type, std::uint8_t>,
                  "weft: to_float scales bytes: write cast<float>(x) for other types");
    return cast<float>(x) / 255.0F;
  }
};
inline constexpr ToFloat to_float;

/// (x - mean) / std for each channel of images (channels, height, width) or batches of them.
template <Device D = Cpu>
class Normalize {
 public:
  /// One mean and one standard deviation for each channel.
  Normalize(const std::vector<float>& mean, const std::vector<float>& std, D device = {})
      : mean_(channels(mean, device)), std_(channels(std, device)) {
    if (mean.size() != std.size()) {
      fail<ShapeError>("Normalize", mean.size(), " means and ", std.size(),
                       " standard deviations, expected as many");
    }
    for (const float s : std) {
      if (!(s > 0)) fail<ValueError>("Normalize", "a standard deviation of ", double{s});
    }
  }

  Tensor<float, D> operator()(const Tensor<float, D>& x) const {
    if (x.rank() < 3 || x.size(-3) != mean_.size()) {
      fail<ShapeError>("Normalize", "images of shape ", x.shape(), ", expected (", mean_.size(),
                       ", height, width) or batches of these");
    }
    return (x - mean_) / std_;
  }

 private:
  static Tensor<float, D> channels(const std::vector<float>& values, D device) {
    return tensor(values, {-1, 1, 1}, device);
  }

  Tensor<float, D> mean_;  // (channels, 1, 1)
  Tensor<float, D> std_;
};

/// A window of the image (channels, height, width), or (height, width), at a random position, after
/// padding it with `padding` zeros on each side.
struct RandomCrop {
  int64_t height;
  int64_t width;
  int64_t padding = 0;

  template <class T>
  Tensor<std::remove_const_t<T>> operator()(const Tensor<T>& x, Generator& generator) const {
    const int64_t rows = x.rank() < 2 ? 0 : x.size(-2);
    const int64_t columns = x.rank() < 2 ? 0 : x.size(-1);
    if (height < 1 || width < 1 || padding < 0 || height > rows + 2 * padding ||
        width > columns + 2 * padding) {
      fail<ShapeError>("RandomCrop", "a window of ", height, " x ", width, " with padding ",
                       padding, " in images of shape ", x.shape());
    }
    const Draw draw = generator.draw();
    const int64_t top = below(draw.bits64(0), rows + 2 * padding - height + 1) - padding;
    const int64_t left = below(draw.bits64(1), columns + 2 * padding - width + 1) - padding;

    Shape shape = x.shape();
    shape[x.rank() - 2] = height;
    shape[x.rank() - 1] = width;
    auto out = zeros<std::remove_const_t<T>>(shape);
    const int64_t first_row = std::max<int64_t>(top, 0);
    const int64_t first_column = std::max<int64_t>(left, 0);
    const int64_t some_rows = std::min(top + height, rows) - first_row;
    const int64_t some_columns = std::min(left + width, columns) - first_column;
    if (some_rows > 0 && some_columns > 0) {
      out.narrow(-2, first_row - top, some_rows)
          .narrow(-1, first_column - left, some_columns)
          .assign(x.narrow(-2, first_row, some_rows).narrow(-1, first_column, some_columns));
    }
    return out;
  }

 private:
  /// A number from 0 to n - 1; the bias, at most n / 2^64, cannot be noticed.
  static int64_t below(std::uint64_t bits, int64_t n) {
    return static_cast<int64_t>(bits % static_cast<std::uint64_t>(n));
  }
};

/// The image (..., width) mirrored, with this probability.
struct RandomHorizontalFlip {
  double probability = 0.5;

  template <class T>
  Tensor<T> operator()(const Tensor<T>& x, Generator& generator) const {
    if (!(probability >= 0 && probability <= 1)) {
      fail<ValueError>("RandomHorizontalFlip", "a probability of ", probability);
    }
    const bool flip = static_cast<double>(generator.draw().bits32(0)) < probability * 4294967296.0;
    return flip ? x.flip(-1) : x;
  }
};

/// A new last axis of `classes` elements, 1 at the label and 0 elsewhere, as floats; labels have
/// any integer type and shape, on any device. Throws IndexError, on the CPU, if a label is not
/// below `classes`.
class OneHot {
 public:
  explicit OneHot(int64_t classes) : classes_(classes) {
    if (classes < 1) fail<ValueError>("one_hot", classes, " classes, expected at least 1");
  }

  template <TensorLike X>
  Tensor<float, typename X::device_type> operator()(const X& labels) const {
    static_assert(is_integer<typename X::value_type>, "weft: labels are integers");
    if constexpr (std::is_same_v<typename X::device_type, Cpu>) {
      for (const auto label : labels.to_vector()) check(static_cast<int64_t>(label));
    }
    const Tensor<int64_t, typename X::device_type> each =
        arange<int64_t>(classes_, labels.device());
    return cast<float>(cast<int64_t>(labels.unsqueeze(-1)) == each);
  }
  /// The vector of one label.
  template <std::integral I>
  Tensor<float> operator()(I label) const {
    check(static_cast<int64_t>(label));
    auto out = zeros({classes_});
    out.data()[label] = 1;
    return out;
  }

 private:
  void check(int64_t label) const {
    if (label < 0 || label >= classes_) {
      fail<IndexError>("one_hot", "label ", label, ", expected 0 to ", classes_ - 1);
    }
  }

  int64_t classes_;
};

/// OneHot(classes)(labels).
template <class X>
auto one_hot(const X& labels, int64_t classes) {
  return OneHot(classes)(labels);
}

}  // namespace weft::data
