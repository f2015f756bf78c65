// Functions with their own gradients: custom(f, vjp, x...), and the basis of weft's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "weft/autograd/expression/row_pull.hpp"
#include "weft/autograd/var.hpp"

namespace weft {

namespace autograd {

/// Receives the gradient of one argument, an expression of type E, from the function's rule.
template <class E>
class Pull {
 public:
  Pull(const without_vars_t<E>& e, Variable* const* edges) : e_(e), edges_(edges) {}

  /// Whether the gradient is wanted.
  bool wanted() const { return any_active(edges_, var_count<E>); }
  Variable* const* edges() const { return edges_; }
  /// The gradient: a tensor or an expression of the argument's shape.
  template <class G>
  void operator()(const G& gradient) const {
    if constexpr (has_var<E>) {
      if (!wanted()) return;
      if (!(gradient.shape() == e_.shape())) {
        fail<ShapeError>("custom", "a gradient of shape ", gradient.shape(),
                         " for an argument of shape ", e_.shape());
      }
      if constexpr (is_cuda<weft::detail::loops_of<typename E::device_type>>) {
        if (pull_rows<E>(e_, edges_, gradient)) return;
      }
      pass_to<E>(e_, edges_, [&](const auto& sink) { store(sink, gradient); });
    }
  }

 private:
  const without_vars_t<E>& e_;
  Variable* const* edges_;
};

/// The node of y = f(arguments), where the arguments' types are Es:
///   void f.backward(gradient, y, Pack of pulls, arguments...)
/// Where y is needed for the gradient alone, its memory is free before the rest is computed:
///   f.take_result(gradient, y)                       // gives the gradient of what follows
///   void f.backward(gradient, Pack of pulls, arguments...)
template <class F, class T, class D, class... Es>
class Function final : public NodeOf<(0 + ... + var_count<Es>)> {
 public:
  Function(const char* operation, const F& f, const Tensor<T, D>& y, const Es&... args)
      : operation_(operation),
        kept_(Kept{f, weft::detail::Access::operand(y),
                   make_pack(without_vars_t<Es>(operand(without_vars(args)))...)}) {
    int first = 0;
    (add_edges(args, first), ...);
  }

  Text name() const override { return operation_; }
  void check() const override {
    check_unwritten(kept_->y, *this);
    weft::detail::for_each_leaf(kept_->args, [&](const auto& x) { check_unwritten(x, *this); });
  }
  void backward() override { backward(std::index_sequence_for<Es...>{}); }
  void release() override {
    kept_.reset();
    this->drop_edges();
  }

 private:
  struct Kept {
    F f;
    Tensor<T, D> y;
    Pack<without_vars_t<Es>...> args;
  };

  /// A tensor's handle, which notices later writes, as an expression's leaves already do.
  template <class X>
  static decltype(auto) operand(const X& x) {
    if constexpr (TensorLike<X>) {
      return weft::detail::Access::operand(x);
    } else {
      return (x);
    }
  }
  template <class E>
  void add_edges(const E& e, int& first) {
    for_each_var(e, [&](const auto& x, int i) {
      if (x.requires_grad()) this->edges[first + i] = Ref<Variable>(x.variable().get());
    });
    first += var_count<E>;
  }
  template <std::size_t... I>
  void backward(std::index_sequence<I...>) {
    const auto raw = this->raw();
    const int counts[] = {var_count<Es>..., 0};
    const auto first = [&](std::size_t i) {
      int sum = 0;
      for (std::size_t k = 0; k < i; ++k) sum += counts[k];
      return raw.variables + sum;
    };
    const Tensor<T, D> gradient = static_cast<VariableOf<T, D>*>(this->output)->pending;
    const auto pulls = make_pack(Pull<Es>(get<static_cast<int>(I)>(kept_->args), first(I))...);
    if constexpr (requires { kept_->f.take_result(gradient, kept_->y); }) {
      const Tensor<T, D> g = kept_->f.take_result(gradient, kept_->y);
      if (this->is_last) {
        kept_->y = Tensor<T, D>();
        this->released = true;  // for a pass after one that an exception ended
      }
      kept_->f.backward(g, pulls, get<static_cast<int>(I)>(kept_->args)...);
    } else {
      kept_->f.backward(gradient, kept_->y, pulls, get<static_cast<int>(I)>(kept_->args)...);
    }
  }

  const char* operation_;
  std::optional<Kept> kept_;
};

/// A Var with the value y that the function computed from the arguments; recorded if one of them
/// requires a gradient.
template <class F, class T, class D, class... Es>
Var<T, D> computed(const char* operation, const F& f, const Tensor<T, D>& y, const Es&... args) {
  if (!is_grad_enabled()) return Var<T, D>(y);
  using Recorded = Function<F, T, D, Es...>;
  Ref<Recorded> node(new Recorded(operation, f, y, args...));
  if (!node->wants_any()) return Var<T, D>(y);
  return Var<T, D>(y, computed_by<T, D>(Ref<Node>(node.get())));
}

/// A user's pair of functions.
template <class Vjp>
struct CustomRule {
  Vjp vjp;

  template <class G, class... Pulls, class... Xs>
  void backward(const G& gradient, const G& y, const Pack<Pulls...>& pulls, const Xs&... xs) const {
    auto gradients = vjp(gradient, y, xs...);
    if constexpr (requires { std::tuple_size<decltype(gradients)>::value; }) {
      static_assert(std::tuple_size_v<decltype(gradients)> == sizeof...(Pulls),
                    "weft: custom(f, vjp, x...) needs one gradient for each of its arguments");
      give(pulls, gradients, std::index_sequence_for<Pulls...>{});
    } else {
      static_assert(sizeof...(Pulls) == 1,
                    "weft: custom(f, vjp, x...) needs one gradient for each of its arguments: "
                    "return std::tuple(...)");
      pulls.head(gradients);
    }
  }

 private:
  template <class Pulls, class Gradients, std::size_t... I>
  static void give(const Pulls& pulls, const Gradients& gradients, std::index_sequence<I...>) {
    (weft::get<static_cast<int>(I)>(pulls)(std::get<I>(gradients)), ...);
  }
};

/// A Var or tensor unchanged; an expression that contains a Var, as a Var of its own.
template <class X>
auto settle(const X& x) {
  if constexpr (is_var<X> || !has_var<X>) {
    return x;
  } else {
    return Var(x);
  }
}
}  // namespace autograd

/// y = f(x...) with a gradient that the caller defines. f takes the arguments' values as tensors
/// and returns a tensor; vjp(g, y, x...), which also takes the gradient of y, returns the gradients
/// of the arguments: a tensor or expression for one argument, std::tuple(...) for several.
template <class F, class Vjp, ExpressionLike... Xs>
  requires(sizeof...(Xs) > 0)
auto custom(const F& f, const Vjp& vjp, const Xs&... xs) {
  const auto apply = [&](const auto&... settled) {
    const Tensor y = f(autograd::without_vars(settled)...);
    return autograd::computed("custom", autograd::CustomRule<Vjp>{vjp}, y, settled...);
  };
  return apply(autograd::settle(xs)...);
}

}  // namespace weft
