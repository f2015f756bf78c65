// ONNX's sampling of images at coordinates: gathers of neighbours, each times its weight.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

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

/// This file's operators.
static const Group group([](Table& table) {
  table["GridSample"] = grid_sample;
  table["AffineGrid"] = affine_grid;
  table["DeformConv"] = deform_conv;
  table["RoiAlign"] = roi_align;
});

}  // namespace conformance
