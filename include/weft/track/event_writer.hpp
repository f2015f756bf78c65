// EventWriter: scalars, histograms, images, texts and hyper-parameters for TensorBoard.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/factory.hpp"
#include "weft/track/event_file.hpp"
#include "weft/track/hparams_summary.hpp"
#include "weft/track/value.hpp"

namespace weft::track {

namespace detail {
/// The elements of a tensor, an expression or a Var on the CPU, in row-major order.
template <class X>
auto elements(const X& x) {
  if constexpr (requires { x.detach(); }) {
    return x.detach().to(Cpu{}).contiguous();
  } else {
    return Tensor<typename X::value_type, typename X::device_type>(x).to(Cpu{}).contiguous();
  }
}
}  // namespace detail

/// Writes an event file in `folder`, in which TensorBoard (`tensorboard --logdir folder`) shows the
/// run. The members are named as in PyTorch's SummaryWriter; `step` is the horizontal axis. Values
/// are copied to the CPU at the call, which waits for a GPU. One thread at a time; throws FileError
/// if the file cannot be written.
class EventWriter {
 public:
  explicit EventWriter(const std::string& folder) : file_(folder) {}

  /// A number, or a tensor, expression or Var with one element.
  template <class X>
  void add_scalar(std::string_view tag, const X& value, int64_t step) {
    file_.add(step, scalar_summary(tag, static_cast<float>(Value(value).number())));
  }

  /// A histogram of elements of any real type and shape; infinities and NaN are ignored.
  template <class X>
  void add_histogram(std::string_view tag, const X& x, int64_t step, int bins = 64) {
    if (bins < 1) fail<ValueError>("add_histogram", bins, " bins, expected at least 1");
    std::vector<double> values;
    for (const auto element : detail::elements(x).to_vector()) {
      values.push_back(static_cast<double>(element));
    }
    file_.add(step, histogram_summary(tag, values, bins));
  }

  /// An image of shape (height, width), or (channel, height, width) with 1, 3 or 4 channels; uint8,
  /// or floating-point from 0 to 1, clamped to that range, with NaN black.
  template <class X>
  void add_image(std::string_view tag, const X& image, int64_t step) {
    auto x = detail::elements(image);
    if (x.rank() == 2) x = x.unsqueeze(0);
    const bool fits = x.rank() == 3 && (x.size(0) == 1 || x.size(0) == 3 || x.size(0) == 4);
    if (!fits || x.size() == 0 || x.size(1) > 65535 || x.size(2) > 65535) {
      fail<ShapeError>("add_image", "shape ", image.shape(),
                       ", expected (height, width) or (channel, height, width) of 1, 3 or 4 "
                       "channels and up to 65535 rows and columns");
    }
    std::string pixels;
    for (const auto value : x.permute({1, 2, 0}).to_vector()) pixels += byte_of(value);
    file_.add(step, image_summary(tag, x.size(1), x.size(2), static_cast<int>(x.size(0)), pixels));
  }

  /// A batch of images (image, channel, height, width) side by side, `columns` a row.
  template <class X>
  void add_images(std::string_view tag, const X& images, int64_t step, int64_t columns = 8) {
    const auto x = detail::elements(images);
    if (x.rank() != 4 || x.size() == 0 || columns < 1) {
      fail<ShapeError>("add_images", "shape ", x.shape(), " in ", columns, " columns, ",
                       "expected (image, channel, height, width) and at least 1");
    }
    const int64_t n = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3);
    columns = std::min(columns, n);
    const int64_t rows = (n + columns - 1) / columns;
    auto sheet = zeros<typename std::remove_cvref_t<decltype(x)>::value_type>(
        {c, rows * (h + 1) - 1, columns * (w + 1) - 1});
    for (int64_t i = 0; i < n; ++i) {
      const int64_t top = i / columns * (h + 1), left = i % columns * (w + 1);
      sheet(all, slice(top, top + h), slice(left, left + w)).assign(x[i]);
    }
    add_image(tag, sheet, step);
  }

  /// A text, shown as Markdown; to_string(explain(e)) between two lines of "```" is one.
  void add_text(std::string_view tag, std::string_view text, int64_t step) {
    file_.add(step, text_summary(tag, text));
  }

  /// The hyper-parameters of this run, and its metrics, which are also written as scalars.
  void add_hparams(const Fields& parameters, const Fields& metrics, int64_t step = 0) {
    std::vector<std::string> tags;
    for (const auto& metric : metrics) tags.push_back(metric.first);
    for (const Message& summary : hparams_summaries(parameters, tags, wall_time())) {
      file_.add(0, summary);
    }
    for (const auto& [tag, value] : metrics) add_scalar(tag, value.number(), step);
    flush();
  }

  /// Writes what is still in memory, as do the destructor and, after two seconds, the next call of
  /// a member.
  void flush() { file_.flush(); }
  const std::string& path() const { return file_.path(); }

 private:
  template <class T>
  static char byte_of(T value) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      return static_cast<char>(value);
    } else {
      static_assert(is_floating<T>, "weft: an image is of uint8, or floating from 0 to 1");
      const auto x = static_cast<float>(value);
      return static_cast<char>(
          static_cast<unsigned char>(x > 0 ? (x < 1 ? x * 255 + 0.5F : 255) : 0));
    }
  }

  EventFile file_;
};

}  // namespace weft::track
