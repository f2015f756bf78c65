// ONNX's convolutions, and what goes with them.
// SPDX-License-Identifier: Apache-2.0
#include "../window.hpp"

namespace conformance {

namespace {

template <class... Args>
Float convolved(int axes, const Args&... args) {
  switch (axes) {
    case 1:
      return weft::conv1d(args...);
    case 2:
      return weft::conv2d(args...);
    case 3:
      return weft::conv3d(args...);
    default:
      throw NotExpressible("convolutions along " + std::to_string(axes) + " axes");
  }
}
template <class... Args>
Float transposed(int axes, const Args&... args) {
  switch (axes) {
    case 1:
      return weft::conv_transpose1d(args...);
    case 2:
      return weft::conv_transpose2d(args...);
    case 3:
      return weft::conv_transpose3d(args...);
    default:
      throw NotExpressible("convolutions along " + std::to_string(axes) + " axes");
  }
}

/// A vector along the channels of images.
Float along_channels(const Float& x, int rank) {
  Shape shape{1, x.size()};
  while (shape.rank() < rank) shape.push_back(1);
  return x.reshape(shape);
}

Float convolution(Call& c, const Float& x, const Float& weight) {
  const Windows w(c, x.shape(), weight.shape());
  const bool even = w.before == w.after;
  weft::ConvOptions o;
  o.stride = per_axis(w.stride);
  o.dilation = per_axis(w.dilation);
  o.groups = c.integer("group", 1);
  if (even) o.padding = weft::Padding(per_axis(w.before));
  return convolved(w.axes, even ? x : w.padded(x, 0.F), weight, o);
}

void conv(Call& c) {
  if (c.dtype(0) == weft::Dtype::float16) {
    const Float y = convolution(c, cast<float>(c.get<half>(0)), cast<float>(c.get<half>(1)));
    const Float sum =
        c.has(2) ? Float(y + along_channels(cast<float>(c.get<half>(2)), y.rank())) : y;
    return c.out(cast<half>(sum));
  }
  const Float y = convolution(c, c.f32(0), c.f32(1));
  c.out(c.has(2) ? Float(y + along_channels(c.f32(2), y.rank())) : y);
}

void conv_integer(Call& c) {
  const auto shifted = [&](int i, int zero) {
    const Float x = cast<float>(c.get<uint8_t>(i));
    if (!c.has(zero)) return x;
    const Float z = cast<float>(c.get<uint8_t>(zero));  // one for all, or one for each filter
    return Float(x - (z.size() == 1 ? z.reshape(Shape{}) : z.reshape(-1, 1, 1, 1)));
  };
  c.out(cast<int32_t>(convolution(c, shifted(0, 2), shifted(1, 3))));
}

void qlinear_conv(Call& c) {
  const Float x = (cast<float>(c.get<uint8_t>(0)) - cast<float>(c.get<uint8_t>(2))) * c.f32(1);
  const Float w = (cast<float>(c.get<uint8_t>(3)) - cast<float>(c.get<uint8_t>(5))) * c.f32(4);
  const Float y = convolution(c, x, w);
  c.out(cast<uint8_t>(clamp(round(y / c.f32(6)) + cast<float>(c.get<uint8_t>(7)), 0, 255)));
}

void conv_transpose(Call& c) {
  const Float x = c.f32(0);
  const Float weight = c.f32(1);
  const int axes = x.rank() - 2;
  const auto n = static_cast<std::size_t>(axes);
  const auto ones = std::vector<int64_t>(n, 1);
  const auto zeros = std::vector<int64_t>(n, 0);
  const auto stride = c.integers("strides", ones);
  const auto dilation = c.integers("dilations", ones);
  const auto more = c.integers("output_padding", zeros);
  auto pads = c.integers("pads", std::vector<int64_t>(2 * n, 0));
  const std::string automatic = c.word("auto_pad", "NOTSET");
  auto sizes = c.integers("output_shape");
  weft::ConvTransposeOptions o;
  o.stride = per_axis(stride);
  o.dilation = per_axis(dilation);
  o.groups = c.integer("group", 1);
  Float y = transposed(axes, x, weight, o);
  for (std::size_t i = 0; i < n; ++i) {
    const auto a = static_cast<int64_t>(i) + 2;
    const int64_t full = y.size(a) + more[i];
    if (!sizes.empty() || automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      const int64_t size = sizes.empty() ? x.size(a) * stride[i] : sizes[sizes.size() - n + i];
      const int64_t total = full - size;
      pads[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      if (!sizes.empty() && automatic != "SAME_UPPER") pads[i] = total - (total - total / 2);
      pads[i + n] = total - pads[i];
    }
    y = Float(weft::pad(y.transpose(a, -1), Shape{-pads[i], more[i] - pads[i + n]}))
            .transpose(a, -1)
            .clone();
  }
  c.out(c.has(2) ? Float(y + along_channels(c.f32(2), y.rank())) : y);
}

void causal_conv(Call& c) {
  const std::string activation = c.word("activation", "none");
  c.visit<float, half>(0, [&](const auto& x) {
    using T = element_t<decltype(x)>;
    const auto weight = c.get<T>(1);
    const int64_t before = weight.size(2) - 1;
    const Tensor<T> past =
        c.has(3) ? c.get<T>(3) : Tensor<T>(weft::zeros<T>({x.size(0), x.size(1), before}));
    const Tensor<T> padded = cat(past, x, axis(2));
    Tensor<T> y = weft::conv1d(padded, weight, {.groups = x.size(1)});
    if (c.has(2)) y = y + c.get<T>(2).reshape(1, -1, 1);
    c.out(activation == "none" ? y : Tensor<T>(silu(y)));
    c.out(padded.narrow(2, padded.size(2) - before, before));
  });
}

/// The reverse of unfold, for any number of spatial axes: every tap's plane added at its places.
void col2im(Call& c) {
  const Float columns = c.f32(0);  // (batch, channel * taps, place)
  const auto image = c.list(1);
  const auto block = c.list(2);
  const std::size_t n = image.size();
  const auto dilation = c.integers("dilations", std::vector<int64_t>(n, 1));
  const auto stride = c.integers("strides", std::vector<int64_t>(n, 1));
  const auto pads = c.integers("pads", std::vector<int64_t>(2 * n, 0));
  Shape padded;
  std::vector<int64_t> places;
  int64_t taps = 1;
  for (std::size_t i = 0; i < n; ++i) {
    padded.push_back(image[i] + pads[i] + pads[i + n]);
    places.push_back((padded[static_cast<int>(i)] - dilation[i] * (block[i] - 1) - 1) / stride[i] +
                     1);
    taps *= block[i];
  }
  // The row-major position of each tap at each place: (taps, places).
  Int position = weft::zeros<int64_t>({1, 1});
  for (std::size_t i = 0; i < n; ++i) {
    const Int one = weft::arange<int64_t>(block[i]).unsqueeze(1) * dilation[i] +
                    weft::arange<int64_t>(places[i]).unsqueeze(0) * stride[i];
    const Int joined = position.unsqueeze(1).unsqueeze(3) * padded[static_cast<int>(i)] +
                       one.unsqueeze(0).unsqueeze(2);
    position = joined.reshape(position.size(0) * block[i], position.size(1) * places[i]);
  }
  const int64_t batch = columns.size(0);
  const int64_t channels = columns.size(1) / taps;
  const Float images = weft::zeros({batch * channels, padded.size()});
  index_add(images, axis(1), position.flatten(), columns.reshape(batch * channels, -1));
  Shape whole{batch, channels};
  for (int64_t size : padded) whole.push_back(size);
  Float y = images.reshape(whole);
  for (std::size_t i = 0; i < n; ++i) y = y.narrow(static_cast<int64_t>(i) + 2, pads[i], image[i]);
  c.out(y.clone());
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["Conv"] = conv;
  table["ConvInteger"] = conv_integer;
  table["QLinearConv"] = qlinear_conv;
  table["ConvTranspose"] = conv_transpose;
  table["CausalConvWithState"] = causal_conv;
  table["Col2Im"] = col2im;
});

}  // namespace conformance
