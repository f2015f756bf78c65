// Functions whose headers are not in weft/weft.hpp: without it each says which one to include.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/tensor.hpp"

// The functions themselves are better matches: these take any number of operands of any kind, and
// return a tensor so that there is only one error.

namespace weft {

namespace detail {
/// A worse match for an argument than its own type.
struct Anything {
  template <class X>
  Anything(const X&) {}
};
/// The same for what is often written in braces. Not everywhere: options in braces would be these
/// too.
struct AnyList {
  template <class X>
  AnyList(const X&) {}
  AnyList(std::initializer_list<AnyList>) {}
};
/// Options in braces of functions whose header is missing, by their names.
struct ConvNames {
  Anything stride = 0, padding = 0, dilation = 0, groups = 0;
};
struct AttentionNames {
  Anything mask = 0, causal = 0, dropout = 0, scale = 0, enable_gqa = 0, past = 0;
};

// `auto`, though the type is known: the compiler then instantiates them at once and reports this
// before other errors.
template <class... Xs>
auto needs_header_autograd() {
  static_assert(always_false<Xs...>, "weft: to use gradients include <weft/autograd.hpp>");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_explain() {
  static_assert(always_false<Xs...>, "weft: to use explain and profile include <weft/explain.hpp>");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_io() {
  static_assert(always_false<Xs...>,
                "weft: to read and write files include <weft/io.hpp>, or, if it is included, give "
                "the arguments that it takes: save_safetensors(path, nn::state_dict(model))");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_fft() {
  static_assert(always_false<Xs...>,
                "weft: for Fourier transforms and signals include <weft/fft.hpp>, or, if it is "
                "included, give the arguments that it takes");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_nn() {
  static_assert(always_false<Xs...>,
                "weft: losses and layers are in nn: include <weft/nn.hpp> and write nn::mse_loss");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_linalg() {
  static_assert(always_false<Xs...>,
                "weft: for linear algebra include <weft/linalg.hpp>, or, if it is included, give "
                "the arguments that it takes");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_statistics() {
  static_assert(always_false<Xs...>,
                "weft: for statistics include <weft/statistics.hpp>, or, if it is included, give "
                "the arguments that it takes");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_arrays() {
  static_assert(always_false<Xs...>,
                "weft: for array functions include <weft/arrays.hpp>, or, if it is included, give "
                "the arguments that it takes");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_special() {
  static_assert(always_false<Xs...>,
                "weft: for special functions include <weft/special.hpp>, or, if it is included, "
                "give the arguments that it takes");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_conv() {
  static_assert(always_false<Xs...>,
                "weft: for convolutions, pooling and resampling include <weft/conv.hpp>");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_attention() {
  static_assert(always_false<Xs...>,
                "weft: for scaled_dot_product_attention include <weft/attention.hpp>");
  return Tensor<float>{};
}
template <class... Xs>
auto needs_header_random() {
  static_assert(always_false<Xs...>,
                "weft: for distributions and choices include <weft/random.hpp> and write "
                "random::choice, random::multinomial");
  return Tensor<float>{};
}
}  // namespace detail

/// Says which header has it.
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto parameter(const Xs&...) { return detail::needs_header_autograd<Xs...>(); }
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto explain(const Xs&...) { return detail::needs_header_explain<Xs...>(); }
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto profile(const Xs&...) { return detail::needs_header_explain<Xs...>(); }
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto fft(const Xs&...) { return detail::needs_header_fft<Xs...>(); }
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto rfft(const Xs&...) { return detail::needs_header_fft<Xs...>(); }
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto convolve(const Xs&...) { return detail::needs_header_fft<Xs...>(); }
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto mse_loss(const Xs&...) { return detail::needs_header_nn<Xs...>(); }
template <class T = void>
auto load_npy(...) {
  return detail::needs_header_io<T>();
}
template <class T = void>
auto save_npy(detail::Anything, detail::Anything) {
  return detail::needs_header_io<T>();
}
template <class T = void>
auto load_npz(...) {
  return detail::needs_header_io<T>();
}
template <class T = void>
auto load_safetensors(...) {
  return detail::needs_header_io<T>();
}
template <class T = void>
auto save_safetensors(detail::Anything, detail::Anything) {
  return detail::needs_header_io<T>();
}

// A conversion of each operand makes these worse matches than any function that the header
// declares.
// clang-format off
template <class T = void> auto solve(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto inv(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto pinv(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto det(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto svd(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto qr(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto cholesky(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto eigh(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto cdist(detail::Anything, detail::Anything) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto lstsq(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_linalg<T>(); }
template <class T = void> auto median(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto quantile(detail::Anything, detail::AnyList = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto diff(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto cov(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto corrcoef(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto isin(detail::Anything, detail::AnyList = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto nanmean(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto nansum(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto trapezoid(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto histogram(detail::Anything, detail::Anything) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto interp(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_statistics<T>(); }
template <class T = void> auto at_indices(detail::Anything, detail::AnyList, detail::Anything = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto index_put(detail::Anything, detail::AnyList, detail::Anything) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto tril(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto triu(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto diag(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto eye(detail::Anything, detail::Anything, detail::Anything, detail::Anything = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto tile(detail::Anything, detail::AnyList = 0, detail::Anything = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto roll(detail::Anything, detail::AnyList = 0, detail::AnyList = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto one_hot(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto masked_fill(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto repeat_interleave(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_arrays<T>(); }
template <class T = void> auto erfinv(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_special<T>(); }
template <class T = void> auto gcd(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_special<T>(); }
template <class T = void> auto logaddexp(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_special<T>(); }
template <class T = void> auto nan_to_num(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_special<T>(); }
template <class T = void> auto floor_divide(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_special<T>(); }
template <class T = void> auto choice(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_random<T>(); }
template <class T = void> auto multinomial(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_random<T>(); }
template <class T = void> auto poisson(detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_random<T>(); }
template <class T = void> auto conv1d(detail::Anything, detail::Anything, detail::ConvNames = {}) { return detail::needs_header_conv<T>(); }
template <class T = void> auto conv1d(detail::Anything, detail::Anything, detail::Anything, detail::ConvNames = {}) { return detail::needs_header_conv<T>(); }
template <class T = void> auto conv2d(detail::Anything, detail::Anything, detail::ConvNames = {}) { return detail::needs_header_conv<T>(); }
template <class T = void> auto conv2d(detail::Anything, detail::Anything, detail::Anything, detail::ConvNames = {}) { return detail::needs_header_conv<T>(); }
template <class T = void> auto conv3d(detail::Anything, detail::Anything, detail::ConvNames = {}) { return detail::needs_header_conv<T>(); }
template <class T = void> auto conv3d(detail::Anything, detail::Anything, detail::Anything, detail::ConvNames = {}) { return detail::needs_header_conv<T>(); }
template <class T = void> auto max_pool2d(detail::Anything, detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_conv<T>(); }
template <class T = void> auto avg_pool2d(detail::Anything, detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_conv<T>(); }
template <class T = void> auto interpolate(detail::Anything, detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_conv<T>(); }
template <class T = void> auto unfold(detail::Anything, detail::Anything, detail::Anything = 0, detail::Anything = 0) { return detail::needs_header_conv<T>(); }
template <class T = void> auto scaled_dot_product_attention(detail::Anything, detail::Anything, detail::Anything, detail::AttentionNames = {}) { return detail::needs_header_attention<T>(); }
// clang-format on

}  // namespace weft
