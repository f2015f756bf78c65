// ONNX's pools: by weft's functions where they have the options, else as reductions of windows.
// SPDX-License-Identifier: Apache-2.0
#include "../window.hpp"

namespace conformance {

namespace {

weft::Axes spatial(int rank) {
  weft::Axes out;
  for (int i = 2; i < rank; ++i) out.push_back(i);
  return out;
}

template <class T>
void max_pool(Call& c, const Tensor<T>& x) {
  const Windows w(c, x.shape(), {});
  weft::MaxPoolOptions o;
  o.stride = per_axis(w.stride);
  o.dilation = per_axis(w.dilation);
  o.ceil_mode = c.integer("ceil_mode") != 0;
  if constexpr (std::is_same_v<T, float>) {
    if (w.before == w.after && w.small_border()) {
      o.padding = per_axis(w.before);
      const auto kernel = per_axis(w.kernel);
      const auto finish = [&](const auto& pooled) {
        c.out(pooled.values);
        if (c.results() < 2) return;
        // ONNX counts through the whole tensor, with the spatial axes perhaps in reverse order.
        const Shape& s = x.shape();
        Int place = pooled.indices;
        int64_t image = 1;
        for (int i = 2; i < s.rank(); ++i) image *= s[i];
        if (c.integer("storage_order") != 0) {
          Int turned = weft::zeros_like(place);
          int64_t step = 1;
          int64_t rest = image;
          for (int i = 2; i < s.rank(); ++i) {
            rest /= s[i];
            turned = turned + place / rest % s[i] * step;
            step *= s[i];
          }
          place = turned;
        }
        Shape ahead{s[0], s[1]};
        while (ahead.rank() < s.rank()) ahead.push_back(1);
        c.out(place + weft::arange<int64_t>(0, s[0] * s[1], 1, Cpu{}).reshape(ahead) * image);
      };
      if (w.axes == 1) return finish(weft::max_pool1d_with_indices(x, kernel, o));
      if (w.axes == 2) return finish(weft::max_pool2d_with_indices(x, kernel, o));
      return finish(weft::max_pool3d_with_indices(x, kernel, o));
    }
  }
  if (c.results() > 1) c.reject("with indices and this border");
  const T least = std::is_integral_v<T> ? T(0) : static_cast<T>(-INFINITY);
  c.out(max(w.seen(x, least), w.taps()));
}

void average_pool(Call& c) {
  const Float x = c.f32(0);
  const Windows w(c, x.shape(), {});
  const bool whole = c.integer("count_include_pad") != 0;
  if (w.before == w.after && w.small_border() && w.dilation == w.all(1)) {
    weft::AvgPoolOptions o;
    o.stride = per_axis(w.stride);
    o.padding = per_axis(w.before);
    o.ceil_mode = c.integer("ceil_mode") != 0;
    o.count_include_pad = whole;
    const auto kernel = per_axis(w.kernel);
    if (w.axes == 1) return c.out(weft::avg_pool1d(x, kernel, o));
    if (w.axes == 2) return c.out(weft::avg_pool2d(x, kernel, o));
    return c.out(weft::avg_pool3d(x, kernel, o));
  }
  // Ones where an element counts: everywhere in the border, or in the image only.
  const Float one = weft::ones_like(x);
  const Float counted = whole ? w.seen(w.padded(one, 1.F).clone(), 0.F) : w.seen(one, 0.F);
  if (whole) {
    Windows bare = w;
    bare.before = bare.after = w.all(0);
    c.out(sum(w.seen(x, 0.F), w.taps()) / sum(bare.seen(w.padded(one, 1.F), 0.F), w.taps()));
  } else {
    c.out(sum(w.seen(x, 0.F), w.taps()) / sum(counted, w.taps()));
  }
}

void lp_pool(Call& c) {
  const Float x = c.f32(0);
  const Windows w(c, x.shape(), {});
  const auto p = static_cast<float>(c.integer("p", 2));
  c.out(pow(sum(pow(abs(w.seen(x, 0.F)), p), w.taps()), 1 / p));
}

void max_unpool(Call& c) {
  const Float x = c.f32(0);
  const Int places = c.get<int64_t>(1);
  Shape small = x.shape();
  const auto kernel = c.integers("kernel_shape");
  const auto stride = c.integers("strides", std::vector<int64_t>(kernel.size(), 1));
  const auto pads = c.integers("pads", std::vector<int64_t>(2 * kernel.size(), 0));
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    int64_t& size = small[static_cast<int>(i) + 2];
    size = (size - 1) * stride[i] - pads[i] - pads[i + kernel.size()] + kernel[i];
  }
  const Float y = weft::zeros(small);
  put(y, places, x);
  if (!c.has(2)) return c.out(y);
  const Float all = weft::zeros(to_shape(c.list(2)));
  Float part = all;
  for (int i = 0; i < small.rank(); ++i) part = part.narrow(i, 0, small[i]);
  part.assign(y);
  c.out(all);
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["MaxPool"] = [](Call& c) {
    c.visit<float, uint8_t>(0, [&](const auto& x) { max_pool(c, x); });
  };
  table["AveragePool"] = average_pool;
  table["LpPool"] = lp_pool;
  table["MaxUnpool"] = max_unpool;
  table["GlobalAveragePool"] = [](Call& c) {
    const Float x = c.f32(0);
    c.out(mean(x, spatial(x.rank()), keepdims));
  };
  table["GlobalMaxPool"] = [](Call& c) {
    const Float x = c.f32(0);
    c.out(max(x, spatial(x.rank()), keepdims));
  };
});

}  // namespace conformance
