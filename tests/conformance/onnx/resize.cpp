// ONNX's resizing of images: by weft's function where it has the mode, else products with matrices
// of weights. SPDX-License-Identifier: Apache-2.0
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

}  // namespace

static const Group group([](Table& table) {
  table["Resize"] = resize;
  table["Upsample"] = [](Call& c) {
    Float x = c.f32(0);
    const auto scales = c.list(1);
    for (std::size_t i = 0; i < scales.size(); ++i) {
      x = weft::repeat_interleave(x, scales[i], axis(static_cast<int64_t>(i)));
    }
    c.out(x);
  };
});

}  // namespace conformance
