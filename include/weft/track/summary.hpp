// TensorBoard's protocol buffers for scalars, histograms, images and texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/shape.hpp"
#include "weft/track/png.hpp"
#include "weft/track/protobuf.hpp"

// Field numbers as in tensorboard/compat/proto/{summary,tensor,types}.proto.
namespace weft::track {

namespace detail {
/// A Summary with the one Value.
inline Message summary_of(const Message& value) { return Message().message(1, value); }

/// The SummaryMetadata that says which of TensorBoard's plug-ins shows the value.
inline Message plugin(std::string_view name, std::string_view content = "") {
  Message data;
  data.bytes(1, name);
  if (!content.empty()) data.bytes(2, content);
  return Message().message(1, data);
}
}  // namespace detail

inline Message scalar_summary(std::string_view tag, float value) {
  return detail::summary_of(Message().bytes(1, tag).single(2, value));
}

/// A text, shown as Markdown.
inline Message text_summary(std::string_view tag, std::string_view text) {
  const Message shape = Message().message(2, Message().integer(1, 1));              // (1,)
  const Message tensor = Message().integer(1, 7).message(2, shape).bytes(8, text);  // DT_STRING
  const Message metadata = detail::plugin("text").integer(4, 2);  // DATA_CLASS_TENSOR
  return detail::summary_of(Message().bytes(1, tag).message(8, tensor).message(9, metadata));
}

/// The distribution of the finite values, in `bins` equal intervals from the smallest to the
/// largest.
inline Message histogram_summary(std::string_view tag, std::span<const double> values, int bins) {
  double least = INFINITY, most = -INFINITY, count = 0, sum = 0, squares = 0;
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    least = std::min(least, x);
    most = std::max(most, x);
    count += 1;
    sum += x;
    squares += x * x;
  }
  if (count == 0) least = most = 0;
  // Differences of large doubles overflow, and equal values need an interval of some width.
  const double half_width = std::max(most / 2 - least / 2, 1e-12 * std::abs(most) + 1e-12);
  const double step = 2 * half_width / bins;
  std::vector<double> limits, counts(static_cast<std::size_t>(bins), 0.0);
  for (int i = 1; i < bins; ++i) limits.push_back(least + i * step);
  limits.push_back(std::max(most, least + bins * step));
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    const double place = (x / 2 - least / 2) / half_width * bins;
    counts[static_cast<std::size_t>(std::clamp(place, 0.0, bins - 1.0))] += 1;
  }
  const Message histogram = Message()
                                .number(1, least)
                                .number(2, most)
                                .number(3, count)
                                .number(4, sum)
                                .number(5, squares)
                                .numbers(6, limits)
                                .numbers(7, counts);
  return detail::summary_of(Message().bytes(1, tag).message(5, histogram));
}

/// An image of rows from the top with `channels` bytes a pixel: 1 grey, 3 RGB, 4 RGBA.
inline Message image_summary(std::string_view tag, int64_t height, int64_t width, int channels,
                             std::string_view pixels) {
  const std::string png = png_bytes(static_cast<std::uint32_t>(width),
                                    static_cast<std::uint32_t>(height), channels, pixels);
  const Message image =
      Message().integer(1, height).integer(2, width).integer(3, channels).bytes(4, png);
  return detail::summary_of(Message().bytes(1, tag).message(4, image));
}

}  // namespace weft::track
