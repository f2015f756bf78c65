// Recording: the node that an evaluated expression leaves for the backward pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "weft/autograd/expression/kept.hpp"
#include "weft/autograd/mode.hpp"

namespace weft::autograd {

/// Nodes that have read N Vars.
template <int N>
struct NodeOf : Node {
  Ref<Variable> edges[N > 0 ? N : 1];

  int input_count() const override { return N; }
  Variable* input(int index) const override { return edges[index].get(); }
  bool wants_any() const {
    for (const auto& edge : edges) {
      if (edge) return true;
    }
    return false;
  }
  void drop_edges() {
    for (auto& edge : edges)
      edge = Ref<Variable>();  // clang 14 never destroys a parameter made of {}
    released = true;
  }
  /// The variables, in the form that rules take.
  struct Edges {
    Variable* variables[N > 0 ? N : 1];
  };
  Edges raw() const {
    Edges out;
    for (int i = 0; i < N; ++i) out.variables[i] = edges[i].get();
    return out;
  }
};

/// Throws if a tensor was written in place after the node's statement read it.
template <class T, class D>
void check_unwritten(const Tensor<T, D>& x, const Node& node) {
  if (!weft::detail::Access::is_current(x)) {
    fail<ValueError>("backward", "an operand of ", described(node), ", of shape ", x.shape(),
                     ", was written in place after the statement read it, and its gradient needs "
                     "the old values: write into a clone()");
  }
}

/// The node of `Var y = e`.
template <class E, class T, class D>
class Statement final : public NodeOf<var_count<E>> {
 public:
  explicit Statement(without_vars_t<E>&& e, const KeptValue<E, D>& kept = {})
      : e_(static_cast<without_vars_t<E>&&>(e)), kept_(kept) {}

  Text name() const override {
    return weft::detail::text(weft::detail::name_of<without_vars_t<E>>());
  }
  void check() const override {
    weft::detail::for_each_leaf(*e_, [&](const auto& x) { check_unwritten(x, *this); });
  }
  void backward() override {
    const auto raw = this->raw();
    const Tensor<T, D> gradient = static_cast<VariableOf<T, D>*>(this->output)->pending;
    if constexpr (keeps_value<E>) {
      if (kept_) return Rule<E>::backward(*e_, raw.variables, gradient, kept_.value);
    }
    Rule<E>::backward(*e_, raw.variables, gradient);
  }
  void release() override {
    e_.reset();
    kept_ = {};
    this->drop_edges();
  }

 private:
  std::optional<without_vars_t<E>> e_;
  [[no_unique_address]] KeptValue<E, D> kept_;
};

/// A variable for what a node computes; it owns the node.
template <class T, class D>
Ref<VariableOf<T, D>> computed_by(Ref<Node> node) {
  Ref<VariableOf<T, D>> out(new VariableOf<T, D>);
  out->requires_grad = true;
  node->output = out.get();
  out->creator = static_cast<Ref<Node>&&>(node);
  return out;
}

/// Whether a Var in an expression requires a gradient.
template <class E>
bool any_requires_grad(const E& e) {
  bool any = false;
  for_each_var(e, [&](const auto& x, int) { any = any || x.requires_grad(); });
  return any;
}

/// The variable of `Var y = e`; `plain` is e without its Vars. Null where the statement is not
/// recorded.
template <class T, class D, class E, class P>
Ref<VariableOf<T, D>> record_statement(const E& e, P&& plain, const char* file, unsigned line,
                                       const KeptValue<E, D>& kept = {}) {
  Ref<VariableOf<T, D>> none;
  if (!is_grad_enabled()) return none;
  Ref<Statement<E, T, D>> node(new Statement<E, T, D>(static_cast<P&&>(plain), kept));
  for_each_var(e, [&](const auto& x, int i) {
    if (x.requires_grad()) node->edges[i] = Ref<Variable>(x.variable().get());
  });
  node->file = file;
  node->line = line;
  return node->wants_any() ? computed_by<T, D>(Ref<Node>(node.get())) : none;
}

}  // namespace weft::autograd
