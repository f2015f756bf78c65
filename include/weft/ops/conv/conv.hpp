// conv1d conv2d conv3d and conv_transpose1d conv_transpose2d conv_transpose3d.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/run.hpp"
#include "weft/ops/elementwise/cast.hpp"

namespace weft {

namespace conv {

/// The operations: their names in messages.
template <int Axes>
struct Convolution {
  using domain = op::Floating;
  static constexpr int axes = Axes;
  static constexpr bool transposed = false;
  static constexpr const char* text = Axes == 1 ? "conv1d" : Axes == 2 ? "conv2d" : "conv3d";
};
template <int Axes>
struct Transposed {
  using domain = op::Floating;
  static constexpr int axes = Axes;
  static constexpr bool transposed = true;
  static constexpr const char* text = Axes == 1   ? "conv_transpose1d"
                                      : Axes == 2 ? "conv_transpose2d"
                                                  : "conv_transpose3d";
};

/// Convolutions of Vars, in autograd/conv/conv.hpp; V is one of their types.
template <class V>
struct Recorded;

namespace detail {
template <class T, class D>
Tensor<T, D> compute(const char* operation, bool transposed, const Problem& p,
                     const Tensor<T, D>& x, const Tensor<T, D>& w, const Tensor<T, D>* bias) {
  if (!transposed) return results(operation, p, x, w, bias);
  const Tensor<T, D> y = images(operation, p, x, w);
  if (bias != nullptr && y.size() > 0) {
    Shape along{p.channels};
    for (int i = 0; i < p.axes; ++i) along.push_back(1);
    y.assign(y + bias->reshape(along));
  }
  return y;
}

template <class K, class... Vs>
auto run(const Problem& p, const Vs&... values) {
  if constexpr ((weft::detail::is_var<Vs> || ...)) {
    using First = weft::detail::FirstExpression<Vs...>;
    using V = Var<typename First::type::value_type, weft::detail::common_device_of<Vs...>>;
    return Recorded<V>::template run<K>(p, values...);
  } else {
    const auto call = [&](const auto& x, const auto& w, const auto&... bias) {
      using X = std::remove_cvref_t<decltype(x)>;
      const X* shift = nullptr;
      ((shift = &bias), ...);
      return compute(K::text, K::transposed, p, x, w, shift);
    };
    return call(values...);
  }
}

/// Operands that are expressions are evaluated, images without a batch are one of them.
template <class K, class Options, class X, class W, class... B>
auto convolve(const Options& options, const X& x, const W& w, const B&... bias) {
  using Check = weft::detail::OperandCheck<K, X, W, B...>;
  if constexpr (Check::report()) {
    static_assert(!is_dual<typename Check::element>,
                  "weft: convolutions have no Hessian-vector products: take gradients alone");
    const auto call = [&](const auto& images, const auto& filters, const auto&... shift) {
      const Problem p = [&] {
        if constexpr (K::transposed) {
          return plan_transposed(K::text, images.shape(), filters.shape(), K::axes, options);
        } else {
          return plan(K::text, images.shape(), filters.shape(), K::axes, options);
        }
      }();
      (check_bias(K::text, shift.shape(), K::transposed ? p.channels : p.filters), ...);
      return run<K>(p, images, filters, shift...);
    };
    const auto images = weft::detail::as_tensor(x);
    const auto filters = weft::detail::as_tensor(w);
    if (images.rank() == K::axes + 1) {
      return call(images.unsqueeze(0), filters, weft::detail::as_tensor(bias)...).squeeze(0);
    }
    return call(images, filters, weft::detail::as_tensor(bias)...);
  } else {
    return typename Check::first{};
  }
}
}  // namespace detail
}  // namespace conv

/// The convolution (cross-correlation, as in PyTorch) of x (batch, channel, length) with the
/// weight (filter, channel / groups, kernel), to (batch, filter, length). Evaluated at the call;
/// the result keeps the memory format of x. One image may come without the batch axis. Throws
/// ShapeError where sizes do not fit.
template <ExpressionLike X, ExpressionLike W>
auto conv1d(const X& x, const W& weight, const ConvOptions& options = {}) {
  return conv::detail::convolve<conv::Convolution<1>>(options, x, weight);
}
/// The same plus a bias (filter,).
template <ExpressionLike X, ExpressionLike W, ExpressionLike B>
auto conv1d(const X& x, const W& weight, const B& bias, const ConvOptions& options = {}) {
  return conv::detail::convolve<conv::Convolution<1>>(options, x, weight, bias);
}
/// As conv1d, for images (batch, channel, row, column) and a weight (filter, channel / groups, row,
/// column).
template <ExpressionLike X, ExpressionLike W>
auto conv2d(const X& x, const W& weight, const ConvOptions& options = {}) {
  return conv::detail::convolve<conv::Convolution<2>>(options, x, weight);
}
template <ExpressionLike X, ExpressionLike W, ExpressionLike B>
auto conv2d(const X& x, const W& weight, const B& bias, const ConvOptions& options = {}) {
  return conv::detail::convolve<conv::Convolution<2>>(options, x, weight, bias);
}
/// As conv1d, with three spatial axes.
template <ExpressionLike X, ExpressionLike W>
auto conv3d(const X& x, const W& weight, const ConvOptions& options = {}) {
  return conv::detail::convolve<conv::Convolution<3>>(options, x, weight);
}
template <ExpressionLike X, ExpressionLike W, ExpressionLike B>
auto conv3d(const X& x, const W& weight, const B& bias, const ConvOptions& options = {}) {
  return conv::detail::convolve<conv::Convolution<3>>(options, x, weight, bias);
}

/// The transposed convolution: what conv1d with these options passes back to its input for a
/// gradient x. The weight is (channel of x, filter / groups, kernel); the result has length
/// (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.
template <ExpressionLike X, ExpressionLike W>
auto conv_transpose1d(const X& x, const W& weight, const ConvTransposeOptions& options = {}) {
  return conv::detail::convolve<conv::Transposed<1>>(options, x, weight);
}
/// The same plus a bias (filter,).
template <ExpressionLike X, ExpressionLike W, ExpressionLike B>
auto conv_transpose1d(const X& x, const W& weight, const B& bias,
                      const ConvTransposeOptions& options = {}) {
  return conv::detail::convolve<conv::Transposed<1>>(options, x, weight, bias);
}
/// As conv_transpose1d, with two spatial axes.
template <ExpressionLike X, ExpressionLike W>
auto conv_transpose2d(const X& x, const W& weight, const ConvTransposeOptions& options = {}) {
  return conv::detail::convolve<conv::Transposed<2>>(options, x, weight);
}
template <ExpressionLike X, ExpressionLike W, ExpressionLike B>
auto conv_transpose2d(const X& x, const W& weight, const B& bias,
                      const ConvTransposeOptions& options = {}) {
  return conv::detail::convolve<conv::Transposed<2>>(options, x, weight, bias);
}
/// As conv_transpose1d, with three spatial axes.
template <ExpressionLike X, ExpressionLike W>
auto conv_transpose3d(const X& x, const W& weight, const ConvTransposeOptions& options = {}) {
  return conv::detail::convolve<conv::Transposed<3>>(options, x, weight);
}
template <ExpressionLike X, ExpressionLike W, ExpressionLike B>
auto conv_transpose3d(const X& x, const W& weight, const B& bias,
                      const ConvTransposeOptions& options = {}) {
  return conv::detail::convolve<conv::Transposed<3>>(options, x, weight, bias);
}

}  // namespace weft
