// ONNX's resizing and sampling of images: products with matrices of weights, and gathers.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

using Weights = std::vector<double>;

/// Keys' cubic convolution kernel.
double cubic(double x, double a) {
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

/// What the neighbours of a place count for, `ratio` in (0, 1] behind the one before it.
Weights neighbours(const Call& c, double ratio, double scale) {
  const std::string mode = c.word("mode", "nearest");
  const double a = c.number("cubic_coeff_a", -.75);
  if (mode == "nearest") {
    const std::string way = c.word("nearest_mode", "round_prefer_floor");
    bool behind = ratio == 1;
    if (!behind && way == "round_prefer_floor") behind = ratio > .5;
    if (!behind && way == "round_prefer_ceil") behind = ratio >= .5;
    if (!behind && way == "ceil") behind = true;
    return {behind ? 0. : 1., behind ? 1. : 0.};
  }
  Weights out;
  if (c.integer("antialias") == 0) {
    if (mode == "linear") return {1 - ratio, ratio};
    for (int i = -1; i < 3; ++i) out.push_back(cubic(i - ratio, a));
    return out;
  }
  scale = std::min(scale, 1.);
  const double reach = mode == "linear" ? 1 : 2;
  const int start = static_cast<int>(std::floor(-reach / scale)) + 1;
  double total = 0;
  for (int i = start; i < 2 - start; ++i) {
    const double x = (i - ratio) * scale;
    out.push_back(mode == "linear" ? std::max(0., 1 - std::fabs(x)) : cubic(x, a));
    total += out.back();
  }
  for (double& w : out) w /= total;
  return out;
}

/// How one axis is resized: which interval of it (roi), how much larger, to how many elements.
struct Resized {
  int64_t in;
  int64_t out;
  double scale;
  double from = 0;
  double to = 1;
};

double place_of(const std::string& way, const Resized& r, int64_t i) {
  const double x = static_cast<double>(i);
  const double in = static_cast<double>(r.in);
  const double wide = r.scale * in;
  if (way == "align_corners") return wide == 1 ? 0 : x * (in - 1) / (wide - 1);
  if (way == "asymmetric") return x / r.scale;
  if (way == "tf_crop_and_resize") {
    const double span = (r.to - r.from) * (in - 1);
    return (wide == 1 ? span / 2 : x * span / (wide - 1)) + r.from * (in - 1);
  }
  const double middle = (x + .5) / r.scale - .5;
  if (way == "pytorch_half_pixel") return wide == 1 ? -.5 : middle;
  if (way == "half_pixel_symmetric") {
    return in / 2 * (1 - static_cast<double>(r.out) / wide) + middle;
  }
  return middle;
}

/// x with its last axis resized, as a product with a matrix of weights (in, out).
Float resized(const Call& c, const Float& x, const Resized& r) {
  const std::string way = c.word("coordinate_transformation_mode", "half_pixel");
  std::vector<float> matrix(static_cast<std::size_t>(r.in * r.out), 0);
  std::vector<float> outside(static_cast<std::size_t>(r.out), 0);
  for (int64_t i = 0; i < r.out; ++i) {
    const double place = place_of(way, r, i);
    if (way == "tf_crop_and_resize" && (place < 0 || place > static_cast<double>(r.in - 1))) {
      outside[static_cast<std::size_t>(i)] = c.real("extrapolation_value", 0);
      continue;
    }
    const double below = std::floor(place);
    Weights w = neighbours(c, place == below ? 1 : place - below, r.scale);
    const auto n = static_cast<int64_t>(w.size());
    const double part = place - below;
    const int64_t shift = n % 2 == 0 ? (part == 0 ? -n / 2 : -n / 2 + 1)
                                     : (part <= .5 ? -(n - 1) / 2 : -(n - 1) / 2 + 1);
    const int64_t first = static_cast<int64_t>(below) + shift;
    if (c.integer("exclude_outside") != 0) {
      double total = 0;
      for (int64_t k = 0; k < n; ++k) {
        double& weight = w[static_cast<std::size_t>(k)];
        if (first + k < 0 || first + k >= r.in) weight = 0;
        total += weight;
      }
      for (double& weight : w) weight /= total == 0 ? 1 : total;
    }
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = std::clamp<int64_t>(first + k, 0, r.in - 1);
      matrix[static_cast<std::size_t>(at * r.out + i)] +=
          static_cast<float>(w[static_cast<std::size_t>(k)]);
    }
  }
  return matmul(x, weft::tensor(matrix, {r.in, r.out})) + weft::tensor(outside);
}

/// By weft's own function, where it has the mode; empty elsewhere.
Float interpolated(const Call& c, const Float& x, const std::vector<Resized>& axes) {
  const std::string way = c.word("coordinate_transformation_mode", "half_pixel");
  const std::string mode = c.word("mode", "nearest");
  weft::InterpolateOptions o;
  if (mode == "nearest") {
    if (way != "asymmetric" || c.word("nearest_mode") != "floor") return {};
  } else {
    if (way != "half_pixel" && way != "align_corners") return {};
    o.mode = mode == "linear" ? weft::Interpolation::linear : weft::Interpolation::cubic;
  }
  o.align_corners = way == "align_corners";
  if (x.rank() != 4 || c.integer("antialias") != 0 || c.integer("exclude_outside") != 0 ||
      c.number("cubic_coeff_a", -.75) != -.75) {
    return {};
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const Resized& r = axes[i];
    if (i < 2 && r.in != r.out) return {};
    if (std::fabs(r.scale * static_cast<double>(r.in) - static_cast<double>(r.out)) > 1e-6)
      return {};
  }
  o.size = {axes[2].out, axes[3].out};
  return weft::interpolate(x, o);
}

void resize(Call& c) {
  Float x = c.f32(0);
  const auto rank = static_cast<std::size_t>(x.rank());
  std::vector<int64_t> along = c.integers("axes");
  for (std::size_t i = 0; along.empty() && i < rank;) {
    for (; i < rank; ++i) along.push_back(static_cast<int64_t>(i));
  }
  std::vector<Resized> axes;
  for (std::size_t i = 0; i < rank; ++i)
    axes.push_back({x.size(static_cast<int64_t>(i)), x.size(static_cast<int64_t>(i)), 1});
  const int scales_at = c.count() == 2 ? 1 : 2;
  const bool sized = c.has(3) && c.value(3).tensor.size() > 0;
  const std::vector<double> scales = sized ? Weights{} : numbers(c.value(scales_at));
  const std::vector<int64_t> sizes = sized ? c.list(3) : std::vector<int64_t>{};
  const std::vector<double> roi = c.count() > 2 && c.has(1) ? numbers(c.value(1)) : Weights{};
  const std::string policy = c.word("keep_aspect_ratio_policy", "stretch");
  double common = 0;
  for (std::size_t i = 0; i < along.size(); ++i) {
    Resized& r = axes[static_cast<std::size_t>(from_front(along[i], x.rank()))];
    if (sized) {
      r.out = sizes[i];
      r.scale = static_cast<double>(r.out) / static_cast<double>(r.in);
      common = i == 0                    ? r.scale
               : policy == "not_smaller" ? std::max(common, r.scale)
                                         : std::min(common, r.scale);
    } else {
      r.scale = scales[i];
      r.out = static_cast<int64_t>(r.scale * static_cast<double>(r.in));
    }
    if (!roi.empty()) {
      r.from = roi[i];
      r.to = roi[i + along.size()];
    }
  }
  if (sized && policy != "stretch") {
    for (int64_t a : along) {
      Resized& r = axes[static_cast<std::size_t>(from_front(a, x.rank()))];
      r.scale = common;
      r.out = static_cast<int64_t>(common * static_cast<double>(r.in) + .5);
    }
  }
  if (roi.empty()) {
    const Float whole = interpolated(c, x, axes);
    if (whole.size() > 0) return c.out(whole);
  }
  for (int64_t i = 0; i < x.rank(); ++i) {
    const Resized& r = axes[static_cast<std::size_t>(i)];
    if (r.in == r.out && std::fabs(r.scale - 1) < 1e-9 && r.from == 0 && r.to == 1) continue;
    x = resized(c, x.transpose(i, -1).clone(), r).transpose(i, -1).clone();
  }
  c.out(x);
}

// Sampling at coordinates.

struct Way {
  std::string mode;
  std::string padding;
  bool align = false;
};

/// Coordinates mirrored at both ends until they are within.
Float reflected(const Float& x, float low, float high) {
  const float span = high - low;
  if (span == 0) return weft::zeros_like(x);
  const Float away = abs(x - low);
  const Float turns = floor(away / span);
  const Float rest = away - turns * span;
  return where(remainder(turns, 2) == 0, low + rest, high - rest);
}

/// The weighted elements of images (batch, channel, place) around coordinates, one (batch, point)
/// for each axis of the shape: each of the taps (batch, channel, point).
std::vector<Float> taps_of(const Float& x, const Shape& shape, std::vector<Float> at,
                           const Way& way) {
  struct Tap {
    Int place;
    Float weight;
  };
  std::vector<Tap> taps{
      {Int(weft::zeros<int64_t>(at[0].shape())), Float(weft::ones(at[0].shape()))}};
  for (int i = 0; i < shape.rank(); ++i) {
    Float& v = at[static_cast<std::size_t>(i)];
    const auto size = static_cast<float>(shape[i]);
    const float low = way.align ? 0 : -.5F;
    const float high = way.align ? size - 1 : size - .5F;
    if (way.mode == "nearest") v = round(v);
    if (way.padding == "border") v = clamp(v, 0, size - 1);
    if (way.padding == "reflection") v = where(v < low || v > high, reflected(v, low, high), v);
    const Float below = floor(v);
    const Float part = v - below;
    const bool smooth = way.mode == "cubic";
    std::vector<Tap> next;
    for (int k = smooth ? -1 : 0; k < (smooth ? 3 : way.mode == "nearest" ? 1 : 2); ++k) {
      const Float d = abs(part - static_cast<float>(k));
      Float weight = 1 - d;
      if (way.mode == "nearest") weight = weft::ones_like(d);
      if (smooth) {
        constexpr float a = -.75F;
        weight = where(d <= 1, ((a + 2) * d - (a + 3)) * d * d + 1,
                       ((a * d - 5 * a) * d + 8 * a) * d - 4 * a);
      }
      Float place = way.mode == "nearest" ? v : Float(below + static_cast<float>(k));
      if (way.padding == "zeros") {
        weight = where(place >= 0 && place <= size - 1, weight, 0);
      } else if (way.padding == "reflection") {
        place = trunc(where(place < low || place > high, reflected(place, low, high), place));
      }
      const Int index = cast<int64_t>(clamp(place, 0, size - 1));
      for (const Tap& t : taps) {
        next.push_back({Int(t.place * shape[i] + index), Float(t.weight * weight)});
      }
    }
    taps = next;
  }
  std::vector<Float> out;
  for (const Tap& t : taps) {
    out.push_back(
        take_along_axis(x, t.place.unsqueeze(1).expand({x.size(0), x.size(1), t.place.size(1)}),
                        axis(2)) *
        t.weight.unsqueeze(1));
  }
  return out;
}

Float total(const std::vector<Float>& parts) {
  Float sum = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
  return sum;
}

Shape spatial(const Float& x) {
  Shape out;
  for (int i = 2; i < x.rank(); ++i) out.push_back(x.shape()[i]);
  return out;
}

void grid_sample(Call& c) {
  const Float x = c.f32(0);
  const Float grid = c.f32(1);  // (batch, ..., axis), the last axis of the image first
  std::string mode = c.word("mode", "linear");
  if (mode == "bilinear") mode = "linear";
  if (mode == "bicubic") mode = "cubic";
  const Way way{mode, c.word("padding_mode", "zeros"), c.integer("align_corners") != 0};
  const Shape shape = spatial(x);
  Shape out{x.size(0), x.size(1)};
  for (int i = 1; i + 1 < grid.rank(); ++i) out.push_back(grid.shape()[i]);
  std::vector<Float> at;
  for (int i = 0; i < shape.rank(); ++i) {
    const Float n = grid.narrow(-1, shape.rank() - 1 - i, 1).reshape(x.size(0), -1);
    const auto size = static_cast<float>(shape[i]);
    at.push_back(way.align ? Float((n + 1) / 2 * (size - 1)) : Float(((n + 1) * size - 1) / 2));
  }
  c.out(total(taps_of(x.reshape(x.size(0), x.size(1), -1), shape, at, way)).reshape(out));
}

void affine_grid(Call& c) {
  const Float theta = c.f32(0);  // (batch, axes, axes + 1)
  const auto size = c.list(1);
  const int64_t axes = theta.size(1);
  const bool align = c.integer("align_corners") != 0;
  Shape shape;
  for (int64_t i = 0; i < axes; ++i) shape.push_back(size[static_cast<std::size_t>(i) + 2]);
  std::vector<Float> base;
  for (int64_t i = axes - 1; i >= 0; --i) {
    const auto n = static_cast<float>(shape[static_cast<int>(i)]);
    const Float at = cast<float>(weft::index_along(shape, axis(i)));
    base.push_back(align ? Float(at * (2 / (n - 1)) - 1) : Float((2 * at + 1) / n - 1));
  }
  base.push_back(weft::ones(shape));
  const Float points = weft::stack(base, axis(-1)).eval().reshape(shape.size(), axes + 1);
  Shape out{theta.size(0)};
  for (int64_t n : shape) out.push_back(n);
  out.push_back(axes);
  c.out(matmul(points, theta.transpose(1, 2)).eval().reshape(out));
}

void deform_conv(Call& c) {
  const Float x = c.f32(0);
  const Float weight = c.f32(1);
  const Float offset = c.f32(2);
  if (x.rank() != 4) c.reject("of images of this rank");
  const int64_t groups = c.integer("group", 1);
  const int64_t sets = c.integer("offset_group", 1);
  const auto dilation = c.integers("dilations", {1, 1});
  const auto stride = c.integers("strides", {1, 1});
  const auto pads = c.integers("pads", {0, 0, 0, 0});
  const int64_t batch = x.size(0);
  const int64_t rows = weight.size(2);
  const int64_t columns = weight.size(3);
  const int64_t taps = rows * columns;
  const int64_t height = offset.size(2);
  const int64_t width = offset.size(3);
  const int64_t points = taps * height * width;
  // Where each tap of each place looks: (batch, set, rows, columns, 2, height, width) moved.
  const Float moved = offset.reshape({batch, sets, rows, columns, 2, height, width});
  const auto coordinate = [&](std::size_t which) {
    const Shape shape{rows, columns, height, width};
    const Int tap = weft::index_along(shape, axis(static_cast<int64_t>(which)));
    const Int place = weft::index_along(shape, axis(static_cast<int64_t>(which) + 2));
    const Float still = cast<float>(tap * dilation[which] + place * stride[which] - pads[which]);
    return Float(still + moved.narrow(4, static_cast<int64_t>(which), 1).squeeze(4));
  };
  const Float y = coordinate(0);  // (batch, set, rows, columns, height, width)
  const Float z = coordinate(1);
  std::vector<Float> columns_of;
  const int64_t channels = x.size(1) / sets;
  for (int64_t s = 0; s < sets; ++s) {
    const Float part = x.narrow(1, s * channels, channels).reshape(batch, channels, -1);
    Float seen = total(taps_of(part, spatial(x),
                               {Float(y.narrow(1, s, 1).reshape(batch, points)),
                                Float(z.narrow(1, s, 1).reshape(batch, points))},
                               {"linear", "zeros", true}));
    if (c.has(4)) {
      seen = seen * c.f32(4).narrow(1, s * taps, taps).reshape(batch, 1, points);
    }
    columns_of.push_back(seen.reshape(batch, channels, taps, height * width));
  }
  const Float all = weft::cat(columns_of, axis(1));  // (batch, channel, tap, place)
  const int64_t each = x.size(1) / groups;
  const int64_t filters = weight.size(0) / groups;
  const Float rows_of = all.reshape(batch, groups, each * taps, height * width);
  const Float flat = weight.reshape(groups, filters, each * taps);
  Float out = matmul(flat, rows_of).eval().reshape(batch, weight.size(0), height, width);
  if (c.has(3)) out = out + c.f32(3).reshape(-1, 1, 1);
  c.out(out);
}

void roi_align(Call& c) {
  const Float x = c.f32(0);
  const Float regions = c.f32(1);
  const auto batch = c.list(2);
  const bool half_pixel = c.word("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  const bool largest = c.word("mode", "avg") == "max";
  const int64_t size[2] = {c.integer("output_height", 1), c.integer("output_width", 1)};
  const int64_t ratio = c.integer("sampling_ratio");
  const float scale = c.real("spatial_scale", 1);
  const Shape shape = spatial(x);
  std::vector<Float> out;
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const Float region = regions(static_cast<int64_t>(r));
    // Along rows and columns: the coordinates of all samples, bin by bin.
    Float at[2];
    int64_t count[2];
    for (int i = 0; i < 2; ++i) {
      const float start = region.at(1 - i) * scale - (half_pixel ? .5F : 0);
      const float stop = region.at(3 - i) * scale - (half_pixel ? .5F : 0);
      const float length = half_pixel ? stop - start : std::max(stop - start, 1.F);
      const float bin = length / static_cast<float>(size[i]);
      count[i] = ratio > 0 ? ratio : static_cast<int64_t>(std::ceil(bin));
      at[i] =
          start + (weft::arange<float>(0, static_cast<float>(size[i] * count[i]), 1, Cpu{}) + .5F) *
                      (bin / static_cast<float>(count[i]));
    }
    const int64_t h = size[0] * count[0];
    const int64_t w = size[1] * count[1];
    const Float y = at[0].unsqueeze(1).expand({h, w}).clone().reshape(1, -1);
    const Float z = at[1].unsqueeze(0).expand({h, w}).clone().reshape(1, -1);
    const Tensor<bool> inside = y >= -1 && y <= static_cast<float>(shape[0]) && z >= -1 &&
                                z <= static_cast<float>(shape[1]);
    const Float image = x.narrow(0, batch[r], 1).reshape(1, x.size(1), -1);
    const auto taps = taps_of(image, shape, {y, z}, {"linear", "border", true});
    Float seen = taps[0];
    for (std::size_t t = 1; t < taps.size(); ++t) {
      seen = largest ? Float(maximum(seen, taps[t])) : Float(seen + taps[t]);
    }
    const Float bins =
        where(inside, seen, 0).eval().reshape({x.size(1), size[0], count[0], size[1], count[1]});
    out.push_back(largest ? Float(max(bins, axis(2, 4))) : Float(mean(bins, axis(2, 4))));
  }
  c.out(weft::stack(out));
}

}  // namespace

void add_sampling(Table& table) {
  table["Resize"] = resize;
  table["Upsample"] = [](Call& c) {
    Float x = c.f32(0);
    const auto scales = c.list(1);
    for (std::size_t i = 0; i < scales.size(); ++i) {
      x = weft::repeat_interleave(x, scales[i], axis(static_cast<int64_t>(i)));
    }
    c.out(x);
  };
  table["GridSample"] = grid_sample;
  table["AffineGrid"] = affine_grid;
  table["DeformConv"] = deform_conv;
  table["RoiAlign"] = roi_align;
}

}  // namespace conformance
