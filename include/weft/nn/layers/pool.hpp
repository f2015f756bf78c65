// Pooling, unpooling, Upsample, PixelShuffle and padding as modules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/lp_pool.hpp"
#include "weft/autograd/conv/pool.hpp"
#include "weft/autograd/conv/resample.hpp"
#include "weft/autograd/conv/unpool.hpp"
#include "weft/nn/fields.hpp"
#include "weft/ops/shape/pad.hpp"

namespace weft::nn {

/// max_pool1d with a kernel and its options: MaxPool1d{3, {.stride = 2, .padding = 1}}.
struct MaxPool1d {
  PerAxis kernel = 2;
  MaxPoolOptions options = {};
  auto fields() { return nn::fields("kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x) const { return max_pool1d(x, kernel, options); }
};
/// avg_pool1d with a kernel and its options.
struct AvgPool1d {
  PerAxis kernel = 2;
  AvgPoolOptions options = {};
  auto fields() { return nn::fields("kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x) const { return avg_pool1d(x, kernel, options); }
};
/// adaptive_avg_pool1d to a size.
struct AdaptiveAvgPool1d {
  PerAxis size = 1;
  auto fields() { return nn::fields("size", size); }
  auto operator()(const ExpressionLike auto& x) const { return adaptive_avg_pool1d(x, size); }
};
/// adaptive_max_pool1d to a size.
struct AdaptiveMaxPool1d {
  PerAxis size = 1;
  auto fields() { return nn::fields("size", size); }
  auto operator()(const ExpressionLike auto& x) const { return adaptive_max_pool1d(x, size); }
};
/// max_pool2d with a kernel and its options: MaxPool2d{3, {.stride = 2, .padding = 1}}.
struct MaxPool2d {
  PerAxis kernel = 2;
  MaxPoolOptions options = {};
  auto fields() { return nn::fields("kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x) const { return max_pool2d(x, kernel, options); }
};
/// avg_pool2d with a kernel and its options.
struct AvgPool2d {
  PerAxis kernel = 2;
  AvgPoolOptions options = {};
  auto fields() { return nn::fields("kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x) const { return avg_pool2d(x, kernel, options); }
};
/// adaptive_avg_pool2d to a size.
struct AdaptiveAvgPool2d {
  PerAxis size = 1;
  auto fields() { return nn::fields("size", size); }
  auto operator()(const ExpressionLike auto& x) const { return adaptive_avg_pool2d(x, size); }
};
/// adaptive_max_pool2d to a size.
struct AdaptiveMaxPool2d {
  PerAxis size = 1;
  auto fields() { return nn::fields("size", size); }
  auto operator()(const ExpressionLike auto& x) const { return adaptive_max_pool2d(x, size); }
};
/// max_pool3d with a kernel and its options: MaxPool3d{3, {.stride = 2, .padding = 1}}.
struct MaxPool3d {
  PerAxis kernel = 2;
  MaxPoolOptions options = {};
  auto fields() { return nn::fields("kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x) const { return max_pool3d(x, kernel, options); }
};
/// avg_pool3d with a kernel and its options.
struct AvgPool3d {
  PerAxis kernel = 2;
  AvgPoolOptions options = {};
  auto fields() { return nn::fields("kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x) const { return avg_pool3d(x, kernel, options); }
};
/// adaptive_avg_pool3d to a size.
struct AdaptiveAvgPool3d {
  PerAxis size = 1;
  auto fields() { return nn::fields("size", size); }
  auto operator()(const ExpressionLike auto& x) const { return adaptive_avg_pool3d(x, size); }
};
/// adaptive_max_pool3d to a size.
struct AdaptiveMaxPool3d {
  PerAxis size = 1;
  auto fields() { return nn::fields("size", size); }
  auto operator()(const ExpressionLike auto& x) const { return adaptive_max_pool3d(x, size); }
};

/// lp_pool1d with a power, a kernel and its options: LPPool1d{2, 3, {.stride = 2}}.
struct LPPool1d {
  double power = 2;
  PerAxis kernel = 2;
  LpPoolOptions options = {};
  auto fields() { return nn::fields("power", power, "kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x) const {
    return lp_pool1d(x, power, kernel, options);
  }
};
/// max_unpool1d of an input and the indices of the pooling that it takes back.
struct MaxUnpool1d {
  PerAxis kernel = 2;
  MaxUnpoolOptions options = {};
  auto fields() { return nn::fields("kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& indices) const {
    return max_unpool1d(x, indices, kernel, options);
  }
};
/// lp_pool2d with a power, a kernel and its options: LPPool2d{2, 3, {.stride = 2}}.
struct LPPool2d {
  double power = 2;
  PerAxis kernel = 2;
  LpPoolOptions options = {};
  auto fields() { return nn::fields("power", power, "kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x) const {
    return lp_pool2d(x, power, kernel, options);
  }
};
/// max_unpool2d of an input and the indices of the pooling that it takes back.
struct MaxUnpool2d {
  PerAxis kernel = 2;
  MaxUnpoolOptions options = {};
  auto fields() { return nn::fields("kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& indices) const {
    return max_unpool2d(x, indices, kernel, options);
  }
};
/// lp_pool3d with a power, a kernel and its options: LPPool3d{2, 3, {.stride = 2}}.
struct LPPool3d {
  double power = 2;
  PerAxis kernel = 2;
  LpPoolOptions options = {};
  auto fields() { return nn::fields("power", power, "kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x) const {
    return lp_pool3d(x, power, kernel, options);
  }
};
/// max_unpool3d of an input and the indices of the pooling that it takes back.
struct MaxUnpool3d {
  PerAxis kernel = 2;
  MaxUnpoolOptions options = {};
  auto fields() { return nn::fields("kernel", kernel, "options", options); }
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& indices) const {
    return max_unpool3d(x, indices, kernel, options);
  }
};

/// interpolate with its options: Upsample{{.scale = 2}}.
struct Upsample {
  InterpolateOptions options = {};
  auto fields() { return nn::fields("options", options); }
  auto operator()(const ExpressionLike auto& x) const { return interpolate(x, options); }
};
struct PixelShuffle {
  int64_t factor = 2;
  auto fields() { return nn::fields("factor", factor); }
  auto operator()(const ExpressionLike auto& x) const { return pixel_shuffle(x, factor); }
};
struct PixelUnshuffle {
  int64_t factor = 2;
  auto fields() { return nn::fields("factor", factor); }
  auto operator()(const ExpressionLike auto& x) const { return pixel_unshuffle(x, factor); }
};
/// pad with the given borders, last axis first.
struct Pad {
  Shape around;
  PadMode mode = PadMode::constant;
  double value = 0;
  auto fields() { return nn::fields("around", around, "mode", mode, "value", value); }
  auto operator()(const ExpressionLike auto& x) const { return pad(x, around, mode, value); }
};

WEFT_MODEL(
    Module<MaxPool1d>&& Module<AvgPool1d>&& Module<AdaptiveAvgPool1d>&& Module<AdaptiveMaxPool1d>&&
        Module<MaxPool2d>&& Module<AvgPool2d>&& Module<AdaptiveAvgPool2d>&&
            Module<AdaptiveMaxPool2d>&& Module<MaxPool3d>&& Module<AvgPool3d>&&
                Module<AdaptiveAvgPool3d>&& Module<AdaptiveMaxPool3d>&& Module<Upsample>&&
                    Module<PixelShuffle>&& Module<PixelUnshuffle>&& Module<Pad>);

WEFT_MODEL(Module<LPPool1d>&& Module<MaxUnpool1d>&& Module<LPPool2d>&& Module<MaxUnpool2d>&&
               Module<LPPool3d>&& Module<MaxUnpool3d>);

}  // namespace weft::nn
