// softmax, layer_norm, cross_entropy and their like of Vars, with gradients of one or two kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/rows/norm.hpp"
#include "weft/ops/compose.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/fuse.hpp"

namespace weft {

namespace autograd {

inline void set_row_targets(Operand*, const Pack<>&) {}
template <class Head, class... Tail>
void set_row_targets(Operand* operands, const Pack<Head, Tail...>& targets) {
  weft::detail::set_target(*operands, targets.head);
  set_row_targets(operands + 1, targets.tail);
}

struct SoftmaxRule {
  Axes axes;
  template <class G, class P, class X>
  void backward(const G& g, const G& y, const Pack<P>& dx, const X&) const {
    dx.head(y * (g - sum(g * y, axes, keepdims)));
  }
};

struct LogSoftmaxRule {
  Axes axes;
  template <class G, class P, class X>
  void backward(const G& g, const G& y, const Pack<P>& dx, const X&) const {
    dx.head(g - exp(y) * sum(g, axes, keepdims));
  }
};

/// Passes the gradients of what scales and shifts the elements of a row, all in one kernel. E is
/// the type that the expression e had with its Vars, the pulls' Vars.
template <class E, class G, class... Ps>
void pass_parameters(const without_vars_t<E>& e, const G& g, const Ps&... pulls) {
  if constexpr (has_var<E>) {
    Variable* edges[var_count<E>] = {};
    int n = 0;
    const auto take = [&]<class A>(const Pull<A>& pull) {
      for (int i = 0; i < var_count<A>; ++i) edges[n++] = pull.edges()[i];
    };
    (take(pulls), ...);
    Rule<E>::backward(e, edges, g);
  }
}

/// The mean of each row and 1 / its deviation come from the forward pass.
template <class C, class D>
struct LayerNormRule {
  Tensor<C, D> centre;  // (..., 1)
  Tensor<C, D> scale;   // (..., 1)

  template <class G, class X, class W, class B>
  void backward(const G& g, const G&, const Pack<Pull<X>, Pull<W>, Pull<B>>& d,
                const without_vars_t<X>& x, const without_vars_t<W>& w,
                const without_vars_t<B>& b) const {
    using T = typename G::value_type;
    if constexpr (are_norm_operands<T, X, W, B>()) {
      if (pass_norm("layer_norm", g, x, w, &centre, scale, d.head, d.tail.head, d.tail.tail.head))
        return;
    }
    const auto centred = cast<C>(x) - centre;
    if (d.head.wanted()) {
      const auto gw = cast<C>(g) * cast<C>(w);
      const auto along = mean(gw * centred, axis(-1), keepdims);
      d.head(scale * (gw - mean(gw, axis(-1), keepdims) - centred * square(scale) * along));
    }
    const auto h = centred * scale;
    using E = decltype(cast<T>(h * cast<C>(std::declval<const W&>()) +
                               cast<C>(std::declval<const B&>())));
    pass_parameters<E>(cast<T>(h * cast<C>(w) + cast<C>(b)), g, d.tail.head, d.tail.tail.head);
  }
};

template <class C, class D>
struct RmsNormRule {
  Tensor<C, D> scale;  // (..., 1)

  template <class G, class X, class W>
  void backward(const G& g, const G&, const Pack<Pull<X>, Pull<W>>& d, const without_vars_t<X>& x,
                const without_vars_t<W>& w) const {
    using T = typename G::value_type;
    if constexpr (are_norm_operands<T, X, W>()) {
      const Tensor<C, D>* const none = nullptr;
      if (pass_norm("rms_norm", g, x, w, none, scale, d.head, d.tail.head)) return;
    }
    if (d.head.wanted()) {
      const auto gw = cast<C>(g) * cast<C>(w);
      const auto along = mean(gw * cast<C>(x), axis(-1), keepdims);
      d.head(scale * (gw - cast<C>(x) * square(scale) * along));
    }
    const auto h = cast<C>(x) * scale;
    using E = decltype(cast<T>(h * cast<C>(std::declval<const W&>())));
    pass_parameters<E>(cast<T>(h * cast<C>(w)), g, d.tail.head);
  }
};

template <class C, class D, class I>
struct CrossEntropyRule {
  Tensor<C, D> logs;  // (..., 1): of each row's sum of exponentials
  I targets;          // (..., 1), not negative
  C factor = 1;       // of each row's loss in the value

  template <class G, class X>
  void backward(const G& g, const G&, const Pack<Pull<X>>& d, const without_vars_t<X>& x) const {
    const auto place = generated({x.shape()[x.rank() - 1]}, op::affine<std::int32_t>{0, 1});
    const auto hit = cast<C>(place == targets);
    const auto share = lift(weft::detail::ShiftedExp<without_vars_t<X>>{}, cast<C>(x) - logs);
    d.head((share - hit) * (cast<C>(g) * factor));
  }
};

/// Several expressions with reductions along the same rows, each with its own shape, in one kernel.
template <class... Es>
auto rows_of(const Es&... es) {
  using weft::detail::Access;
  using D = weft::detail::common_device_of<Es...>;
  using Loops = weft::detail::loops_of<D>;
  weft::detail::Rows<Es...> rows(es...);
  const auto name = weft::detail::name_of<Fused<Es...>>();
  const D device = weft::detail::place<D>("rows", rows.operands + sizeof...(Es),
                                          rows.n - static_cast<int>(sizeof...(Es)), D{});
  Pack<Tensor<typename Es::value_type, D>...> out{
      make_pack(Access::allocate<typename Es::value_type, D>(es.shape(), device)...)};
  set_row_targets(rows.operands, out);
  if constexpr (weft::detail::is_included<D>() && weft::detail::can_run_rows<Loops>()) {
    if (!rows.template run<TypeList<typename Es::value_type...>, Loops>(name, device)) {
      out = make_pack(weft::detail::materialize_on<typename Es::value_type, D>(es, device)...);
    }
  }
  return out;
}

}  // namespace autograd

/// As softmax of tensors; its gradient is computed from the result, in one kernel.
template <Differentiable X>
auto softmax(const X& e, const Axes& axes = axis(-1)) {
  const auto x = autograd::hoist_opaque(e);
  const Tensor y = softmax(autograd::without_vars(x), axes);
  return autograd::computed("softmax", autograd::SoftmaxRule{axes}, y, x);
}

/// As log_softmax of tensors.
template <Differentiable X>
auto log_softmax(const X& e, const Axes& axes = axis(-1)) {
  const auto x = autograd::hoist_opaque(e);
  const Tensor y = log_softmax(autograd::without_vars(x), axes);
  return autograd::computed("log_softmax", autograd::LogSoftmaxRule{axes}, y, x);
}

/// As layer_norm of tensors; the gradients take one kernel for x and one for weight and bias.
template <ExpressionLike X, ExpressionLike W, ExpressionLike B>
  requires(Differentiable<X> || Differentiable<W> || Differentiable<B>)
auto layer_norm(const X& e, const W& weight, const B& bias, double epsilon = 1e-5) {
  detail::check_beside_rows("layer_norm", "a weight", e.shape(), weight.shape());
  detail::check_beside_rows("layer_norm", "a bias", e.shape(), bias.shape());
  const auto x = autograd::hoist_opaque(e);
  using T = typename X::value_type;
  using C = compute_t<T>;
  const auto w = autograd::settle(weight);
  const auto b = autograd::settle(bias);
  const auto plain = autograd::without_vars(x);
  const auto centre = mean(cast<C>(plain), axis(-1), keepdims);
  const auto centred = cast<C>(plain) - centre;
  const auto scale = rsqrt(mean(square(centred), axis(-1), keepdims) + static_cast<C>(epsilon));
  const auto rows = autograd::rows_of(cast<T>(centred * scale * cast<C>(autograd::without_vars(w)) +
                                              cast<C>(autograd::without_vars(b))),
                                      centre, scale);
  using D = typename std::remove_cvref_t<decltype(rows.head)>::device_type;
  const autograd::LayerNormRule<C, D> rule{rows.tail.head, rows.tail.tail.head};
  return autograd::computed("layer_norm", rule, rows.head, x, w, b);
}

/// As rms_norm of tensors.
template <ExpressionLike X, ExpressionLike W>
  requires(Differentiable<X> || Differentiable<W>)
auto rms_norm(const X& e, const W& weight, double epsilon = 1e-6) {
  detail::check_beside_rows("rms_norm", "a weight", e.shape(), weight.shape());
  const auto x = autograd::hoist_opaque(e);
  using T = typename X::value_type;
  using C = compute_t<T>;
  const auto w = autograd::settle(weight);
  const auto plain = autograd::without_vars(x);
  const auto scale =
      rsqrt(mean(square(cast<C>(plain)), axis(-1), keepdims) + static_cast<C>(epsilon));
  const auto rows = autograd::rows_of(
      cast<T>(cast<C>(plain) * scale * cast<C>(autograd::without_vars(w))), scale);
  using D = typename std::remove_cvref_t<decltype(rows.head)>::device_type;
  const autograd::RmsNormRule<C, D> rule{rows.tail.head};
  return autograd::computed("rms_norm", rule, rows.head, x, w);
}

namespace autograd {
/// f(rows, rule) with each row's loss, an expression, and the rule for its gradient.
template <class X, class I, class F>
auto with_row_losses(const X& x, const I& targets, const F& f) {
  using C = compute_t<typename X::value_type>;
  weft::detail::check_targets("cross_entropy", x.shape(), targets.shape());
  const Tensor logs = logsumexp(cast<C>(x), axis(-1), keepdims);
  using D = typename decltype(logs)::device_type;
  const auto index = targets.reshape(weft::detail::with_last_axis(targets.shape()));
  const Tensor<std::int32_t, D> places = cast<std::int32_t>(index);
  using Rule = CrossEntropyRule<C, D, Tensor<std::int32_t, D>>;
  const auto picked = weft::detail::gather_axis<gathering::cross_entropy>(x, index, axis(-1));
  return f(logs - cast<C>(picked), Rule{logs, places});
}
}  // namespace autograd

/// As cross_entropy_rows of tensors: each row's loss, computed from the logarithm of its sum of
/// exponentials, which is kept for the gradient.
template <Differentiable X, ExpressionLike I>
auto cross_entropy_rows(const X& e, const I& targets) {
  using T = typename X::value_type;
  const auto logits = autograd::hoist_opaque(e);
  return autograd::with_row_losses(autograd::without_vars(logits), targets,
                                   [&](const auto& rows, const auto& rule) {
                                     const Tensor y = cast<T>(rows);
                                     return autograd::computed("cross_entropy", rule, y, logits);
                                   });
}

namespace autograd {
/// The mean of the rows' losses of x, a Var or an expression.
template <class X, class I>
auto mean_loss_of(const X& x, const I& targets) {
  using T = typename X::value_type;
  return with_row_losses(without_vars(x), targets, [&](const auto& rows, auto rule) {
    rule.factor = static_cast<compute_t<T>>(1 / static_cast<double>(rows.size()));
    if constexpr (std::is_same_v<T, compute_t<T>>) {
      const Tensor y = mean(rows);  // one reduction, with kernels of its own
      return computed("cross_entropy", rule, y, x);
    } else {
      const Tensor y = cast<T>(mean(rows));
      return computed("cross_entropy", rule, y, x);
    }
  });
}
/// The same for a network's results and the classes of a batch, which weft::lib holds.
template <class T, class D, class I>
Var<T, D> mean_cross_entropy(const Var<T, D>& x, const Tensor<I, D>& targets) {
  return mean_loss_of(x, targets);
}
}  // namespace autograd

/// Their mean: the loss of a classifier. Half types are averaged in float.
template <Differentiable X, ExpressionLike I>
auto cross_entropy(const X& e, const I& targets) {
  const auto logits = autograd::hoist_opaque(e);
  if constexpr (requires { autograd::mean_cross_entropy(logits, targets); }) {
    return autograd::mean_cross_entropy(logits, targets);
  } else {
    return autograd::mean_loss_of(logits, targets);
  }
}

}  // namespace weft
