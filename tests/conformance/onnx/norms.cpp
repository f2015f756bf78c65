// ONNX's softmaxes and normalisations.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

/// The softmaxes of ONNX before version 13 run along all axes from `axis` on.
template <class F>
void along_rows(Call& c, F f) {
  c.visit<float, double, half, bfloat16>(0, [&](const auto& x) {
    using T = element_t<decltype(x)>;
    const bool old = c.version() < 13;
    const int64_t a = from_front(c.integer("axis", old ? 1 : -1), x.rank());
    if (!old) return c.out(f(x, axis(a)));
    int64_t rows = 1;
    for (int i = 0; i < a; ++i) rows *= x.shape()[i];
    c.out(Tensor<T>(f(x.reshape(rows, -1), axis(-1))).reshape(x.shape()));
  });
}

weft::Axes from_axis(int64_t first, int rank) {
  weft::Axes out;
  for (int64_t i = first; i < rank; ++i) out.push_back(i);
  return out;
}
weft::Axes all_but(std::initializer_list<int64_t> kept, int rank) {
  weft::Axes out;
  for (int64_t i = 0; i < rank; ++i) {
    if (std::find(kept.begin(), kept.end(), i) == kept.end()) out.push_back(i);
  }
  return out;
}

/// A vector along axis 1 of images.
Float channels(const Float& x, int rank) {
  Shape shape{x.size()};
  while (shape.rank() < rank - 1) shape.push_back(1);
  return x.reshape(shape);
}

void layer_normalization(Call& c) {
  const Float x = c.f32(0);
  const int64_t first = from_front(c.integer("axis", -1), x.rank());
  const float epsilon = c.real("epsilon", 1e-5F);
  const auto axes = from_axis(first, x.rank());
  const auto deviation = rsqrt(var(x, axes, weft::correction(0), keepdims) + epsilon);
  if (first == x.rank() - 1 && c.has(2)) {
    c.out(layer_norm(x, c.f32(1), c.f32(2), static_cast<double>(epsilon)));
  } else {
    const Float y = standardize(x, axes, static_cast<double>(epsilon)) * c.f32(1);
    c.out(c.has(2) ? Float(y + c.f32(2)) : y);
  }
  c.out(mean(x, axes, keepdims));
  c.out(deviation);
}

void rms_normalization(Call& c) {
  const Float x = c.f32(0);
  const int64_t first = from_front(c.integer("axis", -1), x.rank());
  const float epsilon = c.real("epsilon", 1e-5F);
  if (first == x.rank() - 1) {
    return c.out(rms_norm(x, c.f32(1), static_cast<double>(epsilon)));
  }
  c.out(x * rsqrt(mean(x * x, from_axis(first, x.rank()), keepdims) + epsilon) * c.f32(1));
}

void batch_normalization(Call& c) {
  const Float x = c.f32(0);
  const float epsilon = c.real("epsilon", 1e-5F);
  const bool training = c.integer("training_mode") != 0;
  Float centre = c.f32(3);
  Float spread = c.f32(4);
  const auto axes = all_but({1}, x.rank());
  if (training) {
    centre = mean(x, axes);
    spread = var(x, axes, weft::correction(0));
  }
  const auto wide = [&](const Float& v) { return channels(v, x.rank()); };
  c.out(wide(c.f32(1)) * (x - wide(centre)) * rsqrt(wide(spread) + epsilon) + wide(c.f32(2)));
  const float kept = c.real("momentum", .9F);
  c.out(c.f32(3) * kept + centre * (1 - kept));
  c.out(c.f32(4) * kept + spread * (1 - kept));
}

void group_normalization(Call& c, int64_t groups) {
  const Float x = c.f32(0);
  const double epsilon = static_cast<double>(c.real("epsilon", 1e-5F));
  const Float parts = x.reshape(x.size(0), groups, -1);
  const Float even = Float(standardize(parts, axis(-1), epsilon)).reshape(x.shape());
  c.out(channels(c.f32(1), x.rank()) * even + channels(c.f32(2), x.rank()));
}

void local_response(Call& c) {
  const Float x = c.f32(0);
  const int64_t size = c.integer("size");
  const float alpha = c.real("alpha", .0001F);
  const int64_t before = (size - 1) / 2;
  const Float squares = weft::pad(Float(x * x).transpose(1, -1), Shape{before, size - 1 - before});
  const Float sums = sum(weft::windows(squares, axis(-1), size), axis(-1)).eval().transpose(1, -1);
  c.out(x / pow(c.real("bias", 1) + alpha / static_cast<float>(size) * sums, c.real("beta", .75F)));
}

void lp_normalization(Call& c) {
  const Float x = c.f32(0);
  const auto along = axis(c.integer("axis", -1));
  const Float length = norm_p(x, static_cast<double>(c.integer("p", 2)), along, keepdims);
  c.out(where(length == 0, 0, x / length));
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["Softmax"] = [](Call& c) {
    along_rows(c, [](const auto& x, const weft::Axes& a) { return softmax(x, a); });
  };
  table["LogSoftmax"] = [](Call& c) {
    along_rows(c, [](const auto& x, const weft::Axes& a) { return log_softmax(x, a); });
  };
  table["Hardmax"] = [](Call& c) {
    const Float x = c.f32(0);
    const auto along = axis(from_front(c.integer("axis", -1), x.rank()));
    c.out(cast<float>(weft::index_along(x, along) == argmax(x, along, keepdims)));
  };
  table["LayerNormalization"] = layer_normalization;
  table["RMSNormalization"] = rms_normalization;
  table["BatchNormalization"] = batch_normalization;
  table["GroupNormalization"] = [](Call& c) { group_normalization(c, c.integer("num_groups")); };
  table["InstanceNormalization"] = [](Call& c) { group_normalization(c, c.shape(0)[1]); };
  table["LRN"] = local_response;
  table["LpNormalization"] = lp_normalization;
  table["MeanVarianceNormalization"] = [](Call& c) {
    c.out(standardize(c.f32(0), to_axes(c.integers("axes", {0, 2, 3})), 0.));
  };
});

}  // namespace conformance
