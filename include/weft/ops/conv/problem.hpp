// conv::Problem: sizes of a convolution, checked; conv::Planes: where images lie in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/memory_format.hpp"
#include "weft/ops/conv/options.hpp"

namespace weft::conv {

/// A convolution of images (batch, channel, z, y, x) with filters. With fewer spatial axes, the
/// first ones have size 1.
struct Problem {
  int axes = 2;  // spatial axes that the tensors have
  int64_t images = 0;
  int64_t channels = 0;
  int64_t filters = 0;
  int64_t groups = 1;
  int64_t in[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  int64_t padding[3] = {0, 0, 0};
  int64_t dilation[3] = {1, 1, 1};

  friend bool operator==(const Problem&, const Problem&) = default;
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t places() const { return out[0] * out[1] * out[2]; }
  int64_t depth() const { return channels / groups * taps(); }
  Shape image_shape() const { return shape(images, channels, in); }
  Shape result_shape() const { return shape(images, filters, out); }
  Shape weight_shape() const { return shape(filters, channels / groups, kernel); }
  /// Whether each result reads one place of the images, its own.
  bool is_pointwise() const {
    for (int i = 0; i < 3; ++i) {
      if (kernel[i] != 1 || stride[i] != 1 || padding[i] != 0) return false;
    }
    return true;
  }
  /// Whether each filter reads one channel.
  bool is_depthwise() const { return groups == channels && channels > 1; }
  /// Multiplications and additions.
  double operations() const {
    return 2. * static_cast<double>(images) * static_cast<double>(filters) *
           static_cast<double>(places()) * static_cast<double>(depth());
  }

 private:
  Shape shape(int64_t first, int64_t second, const int64_t* sizes) const {
    Shape all{first, second};
    for (int i = 3 - axes; i < 3; ++i) all.push_back(sizes[i]);
    return all;
  }
};

/// A place in a batch of images.
struct Place {
  int n = 0;
  int c = 0;
  int z = 0;
  int y = 0;
  int x = 0;
};

/// One channel of one image.
struct Plane {
  unsigned n = 0;
  unsigned c = 0;
};

/// A batch of images (batch, channel, z, y, x) whose places are visited; `last`: channels first of
/// all, as they lie in memory.
struct Volume {
  int64_t images = 0;
  int64_t channels = 0;
  int64_t size[3] = {1, 1, 1};
  bool last = false;
  int64_t count() const { return images * channels * size[0] * size[1] * size[2]; }
};

/// The elements of a tensor of shape (batch, channel, ...).
template <class T>
struct Planes {
  T* data = nullptr;
  int64_t n = 0;
  int64_t c = 0;
  int64_t z = 0;
  int64_t y = 0;
  int64_t x = 0;

  Planes() = default;
  template <class U, class D>
  explicit Planes(const Tensor<U, D>& t) : data(t.data()) {
    const int rank = t.rank();
    n = t.strides()[0];
    c = t.strides()[1];
    x = rank > 2 ? t.strides()[rank - 1] : 0;
    y = rank > 3 ? t.strides()[rank - 2] : 0;
    z = rank > 4 ? t.strides()[rank - 3] : 0;
  }
  WEFT_HD T* at(int64_t image, int64_t channel, int64_t iz, int64_t iy, int64_t ix) const {
    return data + image * n + channel * c + iz * z + iy * y + ix * x;
  }
  /// Whether channels lie next to each other, and places do not.
  bool are_channels_adjacent() const { return c == 1 && x != 1; }
  WEFT_HD T* at(const Place& p) const { return at(p.n, p.c, p.z, p.y, p.x); }
  WEFT_HD T* at(const Plane& p) const {
    return data + static_cast<int64_t>(p.n) * n + static_cast<int64_t>(p.c) * c;
  }
  /// From the first element of a plane to another of it.
  WEFT_HD int64_t within(int64_t iz, int64_t iy, int64_t ix) const {
    return iz * z + iy * y + ix * x;
  }
  WEFT_HD int64_t within(const Place& p) const { return within(p.z, p.y, p.x); }
};

/// The volume of a tensor of shape (batch, channel, ...).
template <class T, class D>
Volume volume_of(const Tensor<T, D>& x) {
  Volume out{x.shape()[0], x.shape()[1], {1, 1, 1}, is_channels_last(x)};
  for (int i = 2; i < x.rank(); ++i) out.size[i + 5 - x.rank() - 2] = x.shape()[i];
  return out;
}

namespace detail {
WEFT_OUTLINED inline void check_ranks(const char* operation, const Shape& x, const Shape& w,
                                      int axes, bool transposed) {
  if (x.rank() == axes + 2 && w.rank() == axes + 2) return;
  fail<ShapeError>(operation, "an input of shape ", x, " and a weight of shape ", w,
                   ", expected (batch, channel, ...) and ",
                   transposed ? "(channel, filter, ...)" : "(filter, channel, ...)", " with ", axes,
                   axes == 1 ? " spatial axis" : " spatial axes");
}

WEFT_OUTLINED inline void check_bias(const char* operation, const Shape& bias, int64_t filters) {
  if (bias.rank() == 1 && bias[0] == filters) return;
  fail<ShapeError>(operation, "a bias of shape ", bias, ", expected (", filters,
                   ",): one for each filter");
}
}  // namespace detail

/// The convolution of images of shape x with filters (filter, channel / groups, ...). Throws
/// ShapeError or ValueError if they do not fit.
WEFT_OUTLINED inline Problem plan(const char* operation, const Shape& x, const Shape& w, int axes,
                                  const ConvOptions& o) {
  detail::check_ranks(operation, x, w, axes, false);
  check_axes(operation, "stride", o.stride, axes, 1);
  check_axes(operation, "dilation", o.dilation, axes, 1);
  check_axes(operation, "padding", o.padding.each, axes, 0);
  if (o.groups < 1) fail<ValueError>(operation, o.groups, " groups, expected at least 1");
  Problem p;
  p.axes = axes;
  p.images = x[0];
  p.channels = x[1];
  p.filters = w[0];
  p.groups = o.groups;
  if (p.channels % p.groups != 0 || p.filters % p.groups != 0) {
    fail<ShapeError>(operation, p.channels, " channels and ", p.filters, " filters in ", p.groups,
                     " groups, expected both divisible by the groups");
  }
  if (w[1] != p.channels / p.groups) {
    fail<ShapeError>(operation, "an input of shape ", x, " and a weight of shape ", w, " with ",
                     p.groups, " groups, expected a weight for ", p.channels / p.groups,
                     " channels");
  }
  for (int i = 0; i < axes; ++i) {
    const int at = 3 - axes + i;
    p.in[at] = x[2 + i];
    p.kernel[at] = w[2 + i];
    p.stride[at] = o.stride[i];
    p.dilation[at] = o.dilation[i];
    const int64_t reach = p.dilation[at] * (p.kernel[at] - 1);
    if (o.padding.keeps_size && p.stride[at] != 1) {
      fail<ValueError>(operation, "padding that keeps the size with stride ", p.stride[at],
                       ", expected stride 1");
    }
    p.padding[at] = o.padding.keeps_size ? reach / 2 : o.padding.each[i];
    const int64_t around = o.padding.keeps_size ? reach : 2 * p.padding[at];
    const int64_t room = p.in[at] + around - reach - 1;
    if (room < 0 || p.kernel[at] < 1) {
      fail<ShapeError>(operation, "a kernel that reaches over ", reach + 1, " of ",
                       p.in[at] + around, " places along spatial axis ", i,
                       " of an input of shape ", x, " and a weight of shape ", w,
                       ", expected one that fits");
    }
    p.out[at] = room / p.stride[at] + 1;
  }
  return p;
}

/// The convolution whose gradient gives conv_transpose: its images are the result, its results x.
/// Filters are (channel of x, filter / groups, ...).
WEFT_OUTLINED inline Problem plan_transposed(const char* operation, const Shape& x, const Shape& w,
                                             int axes, const ConvTransposeOptions& o) {
  detail::check_ranks(operation, x, w, axes, true);
  check_axes(operation, "stride", o.stride, axes, 1);
  check_axes(operation, "dilation", o.dilation, axes, 1);
  check_axes(operation, "padding", o.padding, axes, 0);
  check_axes(operation, "output_padding", o.output_padding, axes, 0);
  if (o.groups < 1) fail<ValueError>(operation, o.groups, " groups, expected at least 1");
  Problem p;
  p.axes = axes;
  p.images = x[0];
  p.filters = x[1];
  p.groups = o.groups;
  p.channels = w[1] * o.groups;
  if (w[0] != x[1] || x[1] % o.groups != 0) {
    fail<ShapeError>(operation, "an input of shape ", x, " and a weight of shape ", w, " in ",
                     o.groups, " groups, expected a weight of first size ", x[1],
                     ", divisible by the groups");
  }
  for (int i = 0; i < axes; ++i) {
    const int at = 3 - axes + i;
    p.out[at] = x[2 + i];
    p.kernel[at] = w[2 + i];
    p.stride[at] = o.stride[i];
    p.dilation[at] = o.dilation[i];
    p.padding[at] = o.padding[i];
    if (o.output_padding[i] >= o.stride[i] && o.output_padding[i] >= o.dilation[i]) {
      fail<ValueError>(operation, "output_padding ", o.output_padding[i],
                       ", expected less than the stride ", o.stride[i], " or the dilation ",
                       o.dilation[i]);
    }
    p.in[at] = (p.out[at] - 1) * p.stride[at] - 2 * p.padding[at] +
               p.dilation[at] * (p.kernel[at] - 1) + o.output_padding[i] + 1;
    if (p.in[at] < 1 || p.kernel[at] < 1) {
      fail<ShapeError>(operation, "a result of size ", p.in[at], " along spatial axis ", i,
                       " of an input of shape ", x, " and a weight of shape ", w,
                       ", expected at least 1");
    }
  }
  return p;
}

}  // namespace weft::conv
