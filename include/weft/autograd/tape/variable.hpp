// Variable and Node: what the copies of one Var share, and the recorded statement that computed it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "weft/autograd/tape/ref.hpp"
#include "weft/ops/conv/memory_format.hpp"
#include "weft/tensor/access.hpp"

namespace weft::autograd {

namespace state {
[[gnu::visibility("default")]] inline constinit thread_local bool records = true;
[[gnu::visibility("default")]] inline constinit thread_local bool checks = false;
[[gnu::visibility("default")]] inline constinit std::uint64_t last_sequence = 0;
}  // namespace state

struct Variable;

/// A recorded statement: what the reverse pass needs to know. The variable that it computed owns
/// it, and it owns those that it read.
struct Node : Counted {
  std::uint64_t sequence;      ///< later statements have higher numbers
  Variable* output = nullptr;  ///< not owned: whoever reaches the node came through it
  bool released = false;       ///< its operands were released after a backward pass
  bool is_last = false;        ///< the pass that runs releases them
  const char* file = nullptr;  ///< the statement's source file, if known
  unsigned line = 0;

  Node();
  /// The operations, for messages.
  virtual Text name() const = 0;
  virtual int input_count() const = 0;
  /// An operand's variable; null if it wants no gradient.
  virtual Variable* input(int index) const = 0;
  /// Throws if an operand was written in place since the forward pass.
  virtual void check() const = 0;
  /// Adds this statement's contributions to the inputs' gradients.
  virtual void backward() = 0;
  /// Releases the operands.
  virtual void release() = 0;
};

/// What the copies of one Var share, whatever its type.
struct Variable : Counted {
  bool requires_grad = false;
  bool retains = false;  ///< keeps its gradient though a statement computed it
  Ref<Node> creator;     ///< null for a leaf

  // State of the backward pass that is running.
  std::uint64_t visited = 0;  ///< the last pass that reached it
  bool active = false;        ///< this pass computes its gradient
  bool passes = false;        ///< and that of some operand of its creator
  int uses = 0;               ///< statements of this pass that still have to add to its gradient

  ~Variable() override;
  bool is_leaf() const { return !creator; }
  /// Whether this pass has produced a gradient for it yet.
  virtual bool is_pending() const = 0;
  /// The variable in whose gradient this one's is put.
  virtual const Variable* place_of_gradient() const = 0;
  /// Called once the gradient is complete: calls the hooks, and keeps it if it is to be kept.
  virtual void complete() = 0;
  /// Drops what the pass left behind.
  virtual void discard() = 0;
  /// Whether the gradient so far contains a NaN.
  virtual bool has_nan() const = 0;
};

/// A function to be called with a gradient.
template <class T, class D>
struct Hook : Counted {
  bool reads_gradient_only = false;  ///< so that it may run before the rest of its statement
  virtual Tensor<T, D> call(const Tensor<T, D>& gradient) = 0;
};
template <class F, class T, class D>
struct HookOf : Hook<T, D> {
  F f;
  explicit HookOf(F function) : f(static_cast<F&&>(function)) {}
  Tensor<T, D> call(const Tensor<T, D>& gradient) override {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, const Tensor<T, D>&>>) {
      f(gradient);
      return gradient;
    } else {
      return f(gradient);
    }
  }
};

/// Where a statement puts a gradient: into the elements of `buffer`, or added to them.
template <class T, class D>
struct Sink {
  Tensor<T, D> buffer;
  bool adds = false;
};

/// The place of a leaf that shares memory with others (see arena.hpp), in elements.
template <class T, class D>
struct Place : Counted {
  int64_t first = 0;      ///< of its elements, and of its gradient's
  int64_t next = 0;       ///< where the next leaf begins
  Tensor<T, D> gradient;  ///< where its gradient is put
  /// Called before a gradient is put there, for memory that is only allocated then.
  virtual void open() {}
};

/// How the gradient of a view is put into its operand's, so that no element is copied.
template <class T, class D>
struct InPlace {
  virtual ~InPlace() = default;
  /// The view of the operand's gradient; elements outside it are zero.
  virtual Sink<T, D> open() = 0;
};

/// What the copies of one Var<T, D> share.
template <class T, class D>
struct VariableOf final : Variable {
  Tensor<T, D> gradient;  // of a leaf, or retained
  bool has_gradient = false;
  bool channels_last = false;  // the value's format, which the gradient gets
  Ref<Place<T, D>> place;      // null for most
  Tensor<T, D> pending;        // of the pass that runs
  bool has_pending = false;
  InPlace<T, D>* view = nullptr;  // its creator, where that shows each element at most once
  bool in_place = false;          // part of its gradient is in the operand's
  std::vector<Ref<Hook<T, D>>> hooks;
  std::vector<Ref<Hook<T, D>>> accumulated_hooks;

  /// Takes the format of a value that a statement has computed; leaves have contiguous gradients,
  /// unless they were put into the other format (nn/memory_format.hpp).
  void note_format(const Tensor<T, D>& value) {
    if (!is_leaf()) channels_last = is_channels_last(value);
  }
  /// A leaf without hooks is written where its gradient stays.
  bool is_direct() const { return is_leaf() && hooks.empty(); }

  /// Where to put a gradient of the given shape; the first one of a pass finds new memory. For
  /// writers with any strides, that of a view is what it shows of its operand's.
  Sink<T, D> open(const Shape& shape, D device, bool any_strides = false);
  bool opens_inside() const {
    const Variable* const x = view == nullptr ? nullptr : viewed();
    return x != nullptr && x->active && hooks.empty() && !retains && !state::checks;
  }
  /// Of a view: its operand, until its creator is released.
  const Variable* viewed() const { return this->creator->input(0); }
  /// Makes the elements of `value` the gradient, which may share them.
  void set_gradient(const Tensor<T, D>& value);
  /// The same for an existing gradient that nobody else will write.
  void give(Tensor<T, D>&& value);

  bool is_pending() const override { return has_pending || in_place; }
  const Variable* place_of_gradient() const override {
    return opens_inside() ? viewed()->place_of_gradient() : this;
  }
  void complete() override;
  /// Completes a leaf whose last contribution has arrived while its statement still owes others
  /// theirs: so sending gradients to other devices can start before a product that overlaps it.
  void complete_early() {
    if (!can_complete_early()) return;
    uses = 0;  // the pass does not complete it again
    complete();
  }
  bool can_complete_early() const {
    if (!is_leaf() || !active || uses != 1 || accumulated_hooks.empty() || state::checks)
      return false;
    for (const auto& hook : accumulated_hooks) {
      if (!hook->reads_gradient_only) return false;
    }
    return true;
  }
  void discard() override {
    pending = {};
    has_pending = in_place = false;
  }
  bool has_nan() const override;
};

// Not inline: weft::lib holds them.
template <class T, class D>
Sink<T, D> VariableOf<T, D>::open(const Shape& shape, D device, bool any_strides) {
  if (any_strides && opens_inside()) {
    in_place = true;
    return view->open();
  }
  Tensor<T, D>& buffer = is_direct() ? gradient : pending;
  bool& filled = is_direct() ? has_gradient : has_pending;
  if (filled) {
    buffer.storage()->bump_version();
    return {buffer, true};
  }
  if (is_direct() && place) {
    place->open();
    buffer = place->gradient;
    buffer.storage()->bump_version();
  } else {
    buffer = weft::detail::allocate_format<T, D>(shape, device, channels_last);
  }
  filled = true;
  return {buffer, false};
}
template <class T, class D>
void VariableOf<T, D>::set_gradient(const Tensor<T, D>& value) {
  if (place) {
    place->open();
    place->gradient.assign(value);
    gradient = place->gradient;
  } else {
    gradient = value;
  }
  has_gradient = true;
}
template <class T, class D>
void VariableOf<T, D>::give(Tensor<T, D>&& value) {
  Tensor<T, D>& buffer = is_direct() ? gradient : pending;
  bool& filled = is_direct() ? has_gradient : has_pending;
  if (filled) {
    buffer += value;
  } else if (is_direct() && place) {
    set_gradient(value);
  } else {
    buffer = is_direct() ? weft::detail::in_format(value, channels_last)
                         : static_cast<Tensor<T, D>&&>(value);
    filled = true;
  }
}
template <class T, class D>
void VariableOf<T, D>::complete() {
  if (!is_direct() && has_pending) {
    for (const auto& hook : hooks) pending = hook->call(pending);
    if (is_leaf() || retains) {
      if (has_gradient) {
        gradient += pending;
      } else {
        set_gradient(place ? pending : pending.clone());
      }
    }
    if (is_leaf()) discard();
  }
  for (const auto& hook : accumulated_hooks) hook->call(gradient);
}
template <class T, class D>
bool VariableOf<T, D>::has_nan() const {
  const Tensor<T, D>& x = is_direct() ? gradient : pending;
  if (!(is_direct() ? has_gradient : has_pending)) return false;
  for (const T& value : x.to_vector()) {
    if (load_element(value) != load_element(value)) return true;
  }
  return false;
}

/// "mul(float, float) at model.cpp:12"
[[gnu::cold, gnu::noinline]] inline Text described(const Node& node) {
  Text out = node.name();
  if (node.file != nullptr) {
    out += " at ";
    out += node.file;
    out += ':';
    out += weft::detail::text(node.line);
  }
  return out;
}

inline Node::Node() : sequence(__atomic_add_fetch(&state::last_sequence, 1, __ATOMIC_RELAXED)) {}

/// Drops a node, then, one by one, what only it held: recursion along a long chain of statements
/// would overflow the stack.
[[gnu::noinline]] inline void destroy_iteratively(Ref<Node>&& node) {
  thread_local std::vector<Ref<Node>>* open = nullptr;
  if (open != nullptr) {
    open->push_back(static_cast<Ref<Node>&&>(node));
    return;
  }
  std::vector<Ref<Node>> pending_nodes;
  open = &pending_nodes;
  pending_nodes.push_back(static_cast<Ref<Node>&&>(node));
  while (!pending_nodes.empty()) {
    const Ref<Node> next = static_cast<Ref<Node>&&>(pending_nodes.back());
    pending_nodes.pop_back();
  }
  open = nullptr;
}

inline Variable::~Variable() {
  if (creator) destroy_iteratively(static_cast<Ref<Node>&&>(creator));
}

}  // namespace weft::autograd
