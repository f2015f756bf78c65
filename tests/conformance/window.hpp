// ONNX's strides, dilations and paddings, as convolutions and pools have them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call.hpp"

namespace conformance {

inline weft::PerAxis per_axis(const std::vector<int64_t>& x) {
  if (x.size() == 1) return {x[0]};
  if (x.size() == 2) return {x[0], x[1]};
  if (x.size() == 3) return {x[0], x[1], x[2]};
  throw NotExpressible("windows along " + std::to_string(x.size()) + " axes");
}

/// How a kernel goes over images, a number for each spatial axis.
struct Windows {
  Windows(const Call& c, const Shape& x, const Shape& weight)
      : axes(x.rank() - 2),
        stride(c.integers("strides", all(1))),
        dilation(c.integers("dilations", all(1))),
        kernel(c.integers("kernel_shape")) {
    const auto n = static_cast<std::size_t>(axes);
    for (int i = 2; kernel.size() < n; ++i) kernel.push_back(weight[i]);
    const auto pads = c.integers("pads", std::vector<int64_t>(2 * n, 0));
    before.assign(pads.begin(), pads.begin() + axes);
    after.assign(pads.begin() + axes, pads.end());
    const std::string automatic = c.word("auto_pad", "NOTSET");
    const bool ceil = c.integer("ceil_mode") != 0;
    for (std::size_t i = 0; i < n; ++i) {
      const int64_t in = x[static_cast<int>(i) + 2];
      const int64_t reach = dilation[i] * (kernel[i] - 1) + 1;
      if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        const int64_t out = (in + stride[i] - 1) / stride[i];
        const int64_t total = std::max<int64_t>(0, (out - 1) * stride[i] + reach - in);
        before[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
        after[i] = total - before[i];
      }
      const int64_t room = in + before[i] + after[i] - reach;
      int64_t count = (room + (ceil ? stride[i] - 1 : 0)) / stride[i] + 1;
      // A window that would start behind the image and its front border does not count.
      if (ceil && (count - 1) * stride[i] >= in + before[i]) --count;
      size.push_back(count);
    }
  }

  std::vector<int64_t> all(int64_t x) const {
    return std::vector<int64_t>(static_cast<std::size_t>(axes), x);
  }

  /// Whether no border is wider than half of the kernel, which weft's pools and PyTorch's ask for.
  bool small_border() const {
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      if (2 * before[i] > kernel[i]) return false;
    }
    return true;
  }

  /// The images with their borders.
  template <class T>
  Tensor<T> padded(Tensor<T> x, T fill) const {
    for (int i = 0; i < axes; ++i) {
      const auto k = static_cast<std::size_t>(i);
      x = Tensor<T>(weft::pad(x.transpose(i + 2, -1), Shape{before[k], after[k]},
                              weft::PadMode::constant, fill))
              .transpose(i + 2, -1)
              .clone();
    }
    return x;
  }

  /// What the kernel sees at each place of padded images: (batch, channel, place, tap, place, tap,
  /// ...); places behind the border see `fill`.
  template <class T>
  Tensor<T> seen(Tensor<T> x, T fill) const {
    x = padded(x, fill);
    for (int i = axes - 1; i >= 0; --i) {
      const auto k = static_cast<std::size_t>(i);
      const int64_t most = (size[k] - 1) * stride[k] + dilation[k] * (kernel[k] - 1) + 1;
      if (most > x.size(i + 2)) {
        x = Tensor<T>(weft::pad(x.transpose(i + 2, -1), Shape{0, most - x.size(i + 2)},
                                weft::PadMode::constant, fill))
                .transpose(i + 2, -1)
                .clone();
      }
      const Int places = weft::arange<int64_t>(0, size[k], 1, Cpu{}).unsqueeze(1) * stride[k] +
                         weft::arange<int64_t>(0, kernel[k], 1, Cpu{}).unsqueeze(0) * dilation[k];
      x = Tensor<T>(take(x, places, axis(i + 2)));
    }
    return x;
  }
  weft::Axes taps() const {
    weft::Axes out;
    for (int i = 0; i < axes; ++i) out.push_back(2 * i + 3);
    return out;
  }

  int axes;
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  std::vector<int64_t> kernel;
  std::vector<int64_t> before;
  std::vector<int64_t> after;
  std::vector<int64_t> size;  ///< places
};

}  // namespace conformance
