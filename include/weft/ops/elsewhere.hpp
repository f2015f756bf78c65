// Functions whose headers are not in weft/weft.hpp: without it each says which one to include.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/tensor.hpp"

// The functions themselves are better matches: these take any number of operands, or anything, and
// give a tensor so that there is one error.

namespace weft {

namespace detail {
/// A worse match for an argument than its own type.
struct Anything {
  template <class X>
  Anything(const X&) {}
};
/// Options in braces of functions whose header is missing, by their names.
struct ConvNames {
  Anything stride = 0, padding = 0, dilation = 0, groups = 0;
};
struct AttentionNames {
  Anything mask = 0, causal = 0, dropout = 0, scale = 0, enable_gqa = 0, past = 0;
};

template <class... Xs>
constexpr void needs_header_autograd() {
  static_assert(always_false<Xs...>, "weft: to use gradients include <weft/autograd.hpp>");
}
template <class... Xs>
constexpr void needs_header_explain() {
  static_assert(always_false<Xs...>, "weft: to use explain and profile include <weft/explain.hpp>");
}
template <class... Xs>
constexpr void needs_header_io() {
  static_assert(always_false<Xs...>, "weft: to read and write files include <weft/io.hpp>");
}
template <class... Xs>
constexpr void needs_header_fft() {
  static_assert(always_false<Xs...>,
                "weft: for Fourier transforms and signals include <weft/fft.hpp>, and if "
                "you did, it takes no such arguments");
}
template <class... Xs>
constexpr void needs_header_nn() {
  static_assert(always_false<Xs...>,
                "weft: losses and layers are in nn: include <weft/nn.hpp> and write nn::mse_loss");
}
template <class... Xs>
constexpr void needs_header_linalg() {
  static_assert(always_false<Xs...>,
                "weft: for linear algebra include <weft/linalg.hpp>, and if "
                "you did, it takes no such arguments");
}
template <class... Xs>
constexpr void needs_header_statistics() {
  static_assert(always_false<Xs...>,
                "weft: for statistics include <weft/statistics.hpp>, and if "
                "you did, it takes no such arguments");
}
template <class... Xs>
constexpr void needs_header_arrays() {
  static_assert(always_false<Xs...>,
                "weft: for array functions include <weft/arrays.hpp>, and if "
                "you did, it takes no such arguments");
}
template <class... Xs>
constexpr void needs_header_special() {
  static_assert(always_false<Xs...>,
                "weft: for special functions include <weft/special.hpp>, and if "
                "you did, it takes no such arguments");
}
template <class... Xs>
constexpr void needs_header_conv() {
  static_assert(always_false<Xs...>,
                "weft: for convolutions, pooling and resampling include <weft/conv.hpp>");
}
template <class... Xs>
constexpr void needs_header_attention() {
  static_assert(always_false<Xs...>,
                "weft: for scaled_dot_product_attention include <weft/attention.hpp>");
}
template <class... Xs>
constexpr void needs_header_random() {
  static_assert(
      always_false<Xs...>,
      "weft: for distributions and choices include <weft/random.hpp> and write random::choice");
}
}  // namespace detail

/// Says which header has it.
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
Tensor<float> parameter(const Xs&...) {
  detail::needs_header_autograd<Xs...>();
  return {};
}
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
Tensor<float> explain(const Xs&...) {
  detail::needs_header_explain<Xs...>();
  return {};
}
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
Tensor<float> profile(const Xs&...) {
  detail::needs_header_explain<Xs...>();
  return {};
}
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
Tensor<float> fft(const Xs&...) {
  detail::needs_header_fft<Xs...>();
  return {};
}
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
Tensor<float> rfft(const Xs&...) {
  detail::needs_header_fft<Xs...>();
  return {};
}
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
Tensor<float> convolve(const Xs&...) {
  detail::needs_header_fft<Xs...>();
  return {};
}
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
Tensor<float> mse_loss(const Xs&...) {
  detail::needs_header_nn<Xs...>();
  return {};
}
template <class T = void>
Tensor<float> load_npy(...) {
  detail::needs_header_io<T>();
  return {};
}
template <class T = void>
Tensor<float> save_npy(detail::Anything, detail::Anything) {
  detail::needs_header_io<T>();
  return {};
}
template <class T = void>
Tensor<float> load_npz(...) {
  detail::needs_header_io<T>();
  return {};
}
template <class T = void>
Tensor<float> load_safetensors(...) {
  detail::needs_header_io<T>();
  return {};
}
template <class T = void>
Tensor<float> save_safetensors(detail::Anything, detail::Anything) {
  detail::needs_header_io<T>();
  return {};
}

// A conversion of each operand makes these worse matches than any function that the header
// declares.
// clang-format off
template <class T = void> Tensor<float> solve(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_linalg<T>(); return {}; }
template <class T = void> Tensor<float> inv(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_linalg<T>(); return {}; }
template <class T = void> Tensor<float> pinv(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_linalg<T>(); return {}; }
template <class T = void> Tensor<float> det(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_linalg<T>(); return {}; }
template <class T = void> Tensor<float> svd(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_linalg<T>(); return {}; }
template <class T = void> Tensor<float> qr(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_linalg<T>(); return {}; }
template <class T = void> Tensor<float> cholesky(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_linalg<T>(); return {}; }
template <class T = void> Tensor<float> eigh(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_linalg<T>(); return {}; }
template <class T = void> Tensor<float> lstsq(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_linalg<T>(); return {}; }
template <class T = void> Tensor<float> median(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> quantile(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> diff(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> cov(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> corrcoef(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> isin(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> nanmean(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> nansum(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> trapezoid(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> interp(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_statistics<T>(); return {}; }
template <class T = void> Tensor<float> tril(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_arrays<T>(); return {}; }
template <class T = void> Tensor<float> triu(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_arrays<T>(); return {}; }
template <class T = void> Tensor<float> diag(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_arrays<T>(); return {}; }
template <class T = void> Tensor<float> tile(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_arrays<T>(); return {}; }
template <class T = void> Tensor<float> roll(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_arrays<T>(); return {}; }
template <class T = void> Tensor<float> one_hot(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_arrays<T>(); return {}; }
template <class T = void> Tensor<float> masked_fill(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_arrays<T>(); return {}; }
template <class T = void> Tensor<float> repeat_interleave(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_arrays<T>(); return {}; }
template <class T = void> Tensor<float> erfinv(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_special<T>(); return {}; }
template <class T = void> Tensor<float> gcd(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_special<T>(); return {}; }
template <class T = void> Tensor<float> logaddexp(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_special<T>(); return {}; }
template <class T = void> Tensor<float> nan_to_num(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_special<T>(); return {}; }
template <class T = void> Tensor<float> floor_divide(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_special<T>(); return {}; }
template <class T = void> Tensor<float> choice(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_random<T>(); return {}; }
template <class T = void> Tensor<float> multinomial(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_random<T>(); return {}; }
template <class T = void> Tensor<float> poisson(detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_random<T>(); return {}; }
template <class T = void> Tensor<float> conv1d(detail::Anything, detail::Anything, detail::ConvNames = {}) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> conv1d(detail::Anything, detail::Anything, detail::Anything, detail::ConvNames = {}) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> conv2d(detail::Anything, detail::Anything, detail::ConvNames = {}) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> conv2d(detail::Anything, detail::Anything, detail::Anything, detail::ConvNames = {}) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> conv3d(detail::Anything, detail::Anything, detail::ConvNames = {}) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> conv3d(detail::Anything, detail::Anything, detail::Anything, detail::ConvNames = {}) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> max_pool2d(detail::Anything, detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> avg_pool2d(detail::Anything, detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> interpolate(detail::Anything, detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> unfold(detail::Anything, detail::Anything, detail::Anything = 0, detail::Anything = 0) { detail::needs_header_conv<T>(); return {}; }
template <class T = void> Tensor<float> scaled_dot_product_attention(detail::Anything, detail::Anything, detail::Anything, detail::AttentionNames = {}) { detail::needs_header_attention<T>(); return {}; }
// clang-format on

}  // namespace weft
