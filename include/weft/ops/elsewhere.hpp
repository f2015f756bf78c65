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
                "weft: for Fourier transforms and signals include <weft/fft.hpp>");
}
template <class... Xs>
constexpr void needs_header_nn() {
  static_assert(always_false<Xs...>,
                "weft: losses and layers are in nn: include <weft/nn.hpp> and write nn::mse_loss");
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

}  // namespace weft
