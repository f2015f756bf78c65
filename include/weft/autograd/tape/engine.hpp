// The engine: runs recorded statements backward, the latest first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "weft/autograd/tape/variable.hpp"
#include "weft/eval/program/statement_observer.hpp"

namespace weft::autograd {

/// One backward pass from a variable whose gradient is pending.
class Pass {
 public:
  /// Collects everything that the root was computed from. If targets are given, only their
  /// gradients are computed, otherwise all leaves' gradients.
  Pass(Variable* root, const std::vector<Variable*>& targets = {})
      : id_(__atomic_add_fetch(&last_id(), 1, __ATOMIC_RELAXED)) {
    collect(root);
    std::sort(computed_.begin(), computed_.end(), [](const auto& a, const auto& b) {
      return a->creator->sequence > b->creator->sequence;
    });
    activate(targets);
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  ~Pass() {
    for (const auto& x : computed_) x->discard();
    for (const Leaf& leaf : leaves_) {
      leaf.variable->discard();
      leaf.variable->active = leaf.active;
      leaf.variable->uses = leaf.uses;
    }
  }

  /// Sets the root's gradient.
  template <class T, class D>
  void seed(VariableOf<T, D>& root, const Tensor<T, D>& gradient) {
    root.give(Tensor<T, D>(root.is_direct() ? gradient.clone() : gradient));
    if (root.is_leaf()) root.complete();
  }

  /// Runs the statements in reverse order of creation, so that each comes after all that read its
  /// value.
  void run(bool retain) {
    for (const auto& x : computed_) {
      if (x->creator->released) {
        fail<ValueError>("backward", described(*x->creator),
                         " was passed a second time, and its operands are gone: write "
                         "backward(retain) for all passes but the last");
      }
    }
    for (const auto& x : computed_) {
      if (!x->active) continue;
      Node& node = *x->creator;
      if (x->is_pending()) {
        x->complete();
        if (x->passes) {
          node.check();
          node.is_last = !retain;
          if (weft::detail::installed_statement_observer() == nullptr) {
            node.backward();
          } else {
            observed_backward(node);
          }
          if (state::checks) check_numbers(node);
        }
      }
      x->discard();
      finish_inputs(node);
      if (!retain) node.release();
    }
  }

 private:
  /// A leaf, and its state in the pass that this one is nested in, if any.
  struct Leaf {
    Ref<Variable> variable;
    bool active;
    int uses;
  };

  static std::uint64_t& last_id() {
    static std::uint64_t id = 0;
    return id;
  }

  void collect(Variable* root) {
    std::vector<Variable*> open{root};
    root->visited = id_;
    while (!open.empty()) {
      Variable* x = open.back();
      open.pop_back();
      if (x->is_leaf()) {
        leaves_.push_back({Ref<Variable>(x), x->active, x->uses});
      } else {
        computed_.emplace_back(x);
      }
      x->active = false;
      x->uses = 0;
      if (x->is_leaf()) continue;
      for (int i = 0; i < x->creator->input_count(); ++i) {
        Variable* input = x->creator->input(i);
        if (input == nullptr || input->visited == id_) continue;
        input->visited = id_;
        open.push_back(input);
      }
    }
  }

  void activate(const std::vector<Variable*>& targets) {
    for (const Leaf& leaf : leaves_) {
      leaf.variable->active = targets.empty() && leaf.variable->requires_grad;
    }
    for (Variable* x : targets) x->active = x->visited == id_;
    for (auto x = computed_.rbegin(); x != computed_.rend(); ++x) {
      Node& node = *(*x)->creator;
      bool any = false;
      for (int i = 0; i < node.input_count(); ++i) {
        Variable* input = node.input(i);
        any = any || (input != nullptr && input->active);
      }
      (*x)->passes = any;
      (*x)->active = (*x)->active || any;
      for (int i = 0; any && i < node.input_count(); ++i) {
        if (Variable* input = node.input(i)) ++input->uses;
      }
    }
  }

  [[gnu::cold, gnu::noinline]] static void observed_backward(Node& node) {
    Text name = "backward of ";
    name += node.name();
    const weft::detail::ObservedStatement observed(name.c_str(), nullptr);
    node.backward();
  }

  [[gnu::cold, gnu::noinline]] static void check_numbers(const Node& node) {
    for (int i = 0; i < node.input_count(); ++i) {
      const Variable* input = node.input(i);
      if (input != nullptr && input->active && input->has_nan()) {
        fail<ValueError>("backward", "the gradient of operand ", i, " of ", described(node),
                         " has NaN in it");
      }
    }
  }

  /// Completes the leaves that received their last contribution from this node.
  static void finish_inputs(Node& node) {
    for (int i = 0; i < node.input_count(); ++i) {
      Variable* input = node.input(i);
      if (input != nullptr && --input->uses == 0 && input->is_leaf() && input->active) {
        input->complete();
      }
    }
  }

  std::uint64_t id_;
  std::vector<Ref<Variable>> computed_;
  std::vector<Leaf> leaves_;
};

}  // namespace weft::autograd
