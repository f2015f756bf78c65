// conv1d conv2d conv3d and conv_transpose1d conv_transpose2d conv_transpose3d.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/run.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/tensor/members.hpp"

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
/// The value; with `cut` no less than 0, in the same pass if there is one.
template <class T, class D>
Tensor<T, D> compute(const char* operation, bool transposed, const Problem& p,
                     const Tensor<T, D>& x, const Tensor<T, D>& w, const Tensor<T, D>* bias,
                     bool cut) {
  if (!transposed) return results(operation, p, x, w, bias, cut);
  const Tensor<T, D> y = images(operation, p, x, w);
  finish(p.channels, y, bias, cut);
  return y;
}
}  // namespace detail

/// The result of a convolution. It is computed once, when its value is first needed, so that a
/// `relu` applied to it can be part of the same call. V is a Tensor or a Var.
template <class K, class V>
class Convolved : public NodeMembers<Convolved<K, V>> {
 public:
  using value_type = typename V::value_type;
  using device_type = typename V::device_type;
  using node_type = V;
  static constexpr bool is_expression = true;
  static constexpr bool is_convolution = true;
  static constexpr const char* text = K::text;

  /// `single`: x was one image without a batch axis, and the value has none either.
  Convolved(const Problem& p, bool single, const V& x, const V& w, const V* bias)
      : problem_(p), single_(single), biased_(bias != nullptr), x_(x), w_(w) {
    if (biased_) bias_ = *bias;
    shape_ = K::transposed ? p.image_shape() : p.result_shape();
    if (!single) return;
    Shape inner;
    for (int i = 1; i < shape_.rank(); ++i) inner.push_back(shape_[i]);
    shape_ = inner;
  }

  using NodeMembers<Convolved>::shape;
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return node().strides(); }
  device_type device() const { return x_.device(); }
  bool is_contiguous() const { return node().is_contiguous(); }

  /// The value.
  const V& node() const {
    if (!known_) {
      value_ = compute(false);
      known_ = true;
    }
    return value_;
  }
  // A Var is made by its own constructor: with two ways, x = conv(x) would be ambiguous.
  operator const V&() const requires(!weft::detail::is_var<V>) { return node(); }
  bool requires_grad() const requires(weft::detail::is_var<V>) { return node().requires_grad(); }
  V eval() const { return node(); }
  /// relu of the value: in the call that computes it, if that has not happened yet.
  V cut() const {
    if (known_) return V(weft::relu(value_));
    return compute(true);
  }

 private:
  V compute(bool cut) const {
    const V y = [&] {
      if constexpr (weft::detail::is_var<V>) {
        return Recorded<V>::template run<K>(problem_, cut, x_, w_, biased_ ? &bias_ : nullptr);
      } else {
        return detail::compute(K::text, K::transposed, problem_, x_, w_, biased_ ? &bias_ : nullptr,
                               cut);
      }
    }();
    return single_ ? y.squeeze(0) : y;
  }

  Problem problem_;
  bool single_;
  bool biased_;
  V x_;
  V w_;
  V bias_;
  Shape shape_;
  mutable bool known_ = false;
  mutable V value_;
};

namespace detail {
/// Evaluates operands that are expressions, and gives an image without a batch axis one.
template <class K, class Options, class X, class W, class... B>
auto convolve(const Options& options, const X& x, const W& w, const B&... bias) {
  using Check = weft::detail::OperandCheck<K, X, W, B...>;
  if constexpr (Check::report()) {
    using T = typename Check::element;
    static_assert(!is_dual<T>, "weft: convolutions have gradients, but no Hessian-vector products");
    using First = typename Check::first;
    using D =
        std::conditional_t<std::is_same_v<weft::detail::common_device_of<X, W, B...>, AnyDevice>,
                           typename First::device_type, weft::detail::common_device_of<X, W, B...>>;
    using V = std::conditional_t<(weft::detail::has_var<X> || weft::detail::has_var<W> ||
                                  (weft::detail::has_var<B> || ...)),
                                 Var<T, D>, Tensor<T, D>>;
    const auto value = [](const auto& e) { return V(weft::detail::as_tensor(e)); };
    const V images = value(x);
    const V filters = value(w);
    const V shift[] = {value(bias)..., V()};
    const bool single = images.rank() == K::axes + 1;
    const V batch = single ? V(images.unsqueeze(0)) : images;
    const Problem p = [&] {
      if constexpr (K::transposed) {
        return plan_transposed(K::text, batch.shape(), filters.shape(), K::axes, options);
      } else {
        return plan(K::text, batch.shape(), filters.shape(), K::axes, options);
      }
    }();
    constexpr bool biased = sizeof...(B) > 0;
    if (biased) check_bias(K::text, shift[0].shape(), K::transposed ? p.channels : p.filters);
    return Convolved<K, V>(p, single, batch, filters, biased ? shift : nullptr);
  } else {
    return typename Check::first{};
  }
}
}  // namespace detail
}  // namespace conv

namespace detail {
template <class K, class V>
inline constexpr LeafCounts leaves_of<conv::Convolved<K, V>> = leaves_of<V>;
}  // namespace detail

/// What a convolution function gives, before its value is requested.
template <class X>
concept ConvolutionLike = ExpressionLike<X> && requires {
  requires std::remove_cvref_t<X>::is_convolution;
};

/// relu(conv2d(x, w, b)), as one call if the library has one for both.
template <ConvolutionLike X>
auto relu(X&& x) {
  return x.cut();
}

/// The convolution (cross-correlation, as in PyTorch) of x (batch, channel, length) with the weight
/// (filter, channel / groups, kernel), to (batch, filter, length). Operands are evaluated at the
/// call, the convolution when its value is first used, together with a relu of it; the result keeps
/// the memory format of x. The batch axis may be omitted for a single image. Throws ShapeError if
/// sizes do not fit.
template <ExpressionLike X, ExpressionLike W>
auto conv1d(const X& x, const W& weight, const ConvOptions& options = {}) {
  return conv::detail::convolve<conv::Convolution<1>>(options, x, weight);
}
/// conv1d plus a bias (filter,).
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

/// The transposed convolution: the gradient that conv1d with these options passes to its input for
/// an output gradient x. The weight is (channel of x, filter / groups, kernel); the result has
/// length (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.
template <ExpressionLike X, ExpressionLike W>
auto conv_transpose1d(const X& x, const W& weight, const ConvTransposeOptions& options = {}) {
  return conv::detail::convolve<conv::Transposed<1>>(options, x, weight);
}
/// conv_transpose1d plus a bias (filter,).
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

WEFT_MODEL(StandIn<conv::Convolved<conv::Transposed<1>, Tensor<float, Cpu>>>);

}  // namespace weft
