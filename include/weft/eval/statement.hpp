// Statement: a lowered expression with its type erased, and the code that evaluates it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/executor.hpp"
#include "weft/eval/program/lower.hpp"
#include "weft/eval/program/overlap.hpp"
#include "weft/eval/program/statement_observer.hpp"
#include "weft/ops/conv/memory_format.hpp"
#include "weft/tensor/access.hpp"

namespace weft::detail {

/// The device that an expression runs on: its operands' GPU, which must be one, or `wanted`.
template <class D>
WEFT_OUTLINED D place(const char* name, const Operand* operands, int n, D wanted) {
  if constexpr (std::is_same_v<D, Cuda>) {
    for (int i = 0; i < n; ++i) {
      if (operands[i].storage == nullptr) continue;
      const int ordinal = operands[i].storage->ordinal;
      if (ordinal < 0) continue;  // a dry run's placeholder
      if (wanted.ordinal >= 0 && wanted.ordinal != ordinal) {
        fail<DeviceError>(name, "operands on cuda:", wanted.ordinal, " and cuda:", ordinal,
                          ", expected one device: write x.to(Cuda{", wanted.ordinal, "})");
      }
      wanted.ordinal = ordinal;
    }
  }
  return wanted;
}

template <class T, class D>
void set_target(Operand& target, const Tensor<T, D>& x) {
  target.set(x.data(), sizeof(T), x.shape(), x.strides(), x.storage());
}

/// A lowered expression with its type erased, so that evaluation is compiled once per element type
/// and device, not once per expression.
template <class D>
struct Statement {
  const char* operation;
  const Shape* shape;
  Operand* operands;  // the first is the target, still to be set
  int n;
  bool elementwise;
  D wanted;  // where it runs if no operand decides
  void* lowered;
  void (*run)(void* lowered, const Shape& shape, D device);
  bool computes = true;  // more than a copy, which is contiguous

  /// Evaluates into operands[0].
  void evaluate(const Shape& over, D device) const {
    const ObservedStatement observed(operation, &over);
    run(lowered, over, device);
  }
};

/// Whether all operands of the result's shape, at least one, are channels_last; next to a
/// contiguous one the result is contiguous.
WEFT_OUTLINED inline bool all_channels_last(const Operand* operands, int n, const Shape& shape) {
  if (shape.rank() < 3 || shape.rank() > 5) return false;
  bool found = false;
  for (int i = 0; i < n; ++i) {
    if (operands[i].rank != shape.rank() || operands[i].storage == nullptr) continue;
    Strides strides;
    bool same = true;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      same = same && operands[i].size[axis] == shape[axis];
      strides.push_back(operands[i].stride[axis]);
    }
    if (!same) continue;
    if (!is_channels_last(shape, strides)) return false;
    found = true;
  }
  return found;
}

/// New storage for the result: contiguous, unless the statement is element-wise and all its
/// operands are channels_last.
template <class T, class D>
Tensor<T, D> new_target(const Statement<D>& s, D device) {
  const bool last =
      s.elementwise && s.computes && all_channels_last(s.operands + 1, s.n - 1, *s.shape);
  return allocate_format<T, D>(*s.shape, device, last, s.operation);
}

/// The value of a statement, in new storage.
template <class T, class D>
WEFT_OUTLINED Tensor<T, D> run_into_new(const Statement<D>& s) {
  const D device = place<D>(s.operation, s.operands + 1, s.n - 1, s.wanted);
  Tensor<T, D> out = new_target<T>(s, device);
  set_target(s.operands[0], out);
  if (out.size() > 0) s.evaluate(*s.shape, out.device());
  return out;
}

/// True when nobody but the target and a temporary expression holding `inside` handles can see
/// the target's buffer, and it has room for exactly `size` elements.
template <class T, class D>
WEFT_OUTLINED bool may_reuse(const Tensor<T, D>& target, int64_t size, long inside) {
  if constexpr (can_run<D>()) {
    const StorageHandle& storage = Access::storage(target);
    return storage && !storage->borrowed && size > 0 && target.size() == size &&
           storage->bytes == size * static_cast<int64_t>(sizeof(T)) &&
           storage->data == target.data() && target.is_contiguous() &&
           Executor<loops_of<D>>::may_overwrite(storage.get(), storage.owners() - 1 - inside);
  }
  return false;
}

/// Chooses where `z = e` goes: z's own buffer where nobody can tell, else new storage in `out`.
/// Sets operands[0]; true for the former.
template <class T, class D>
bool choose_target(const Tensor<T, D>& z, const Statement<D>& s, D device, long inside,
                   Tensor<T, D>& out) {
  s.operands[0].set(z.data(), sizeof(T), *s.shape, contiguous_strides(*s.shape), z.storage());
  if (may_reuse(z, s.shape->size(), inside) &&
      (device.ordinal < 0 || device.ordinal == z.storage()->ordinal) &&
      !any_conflict(s.operands, s.n, s.elementwise)) {
    return true;
  }
  out = new_target<T>(s, device);
  set_target(s.operands[0], out);
  return false;
}

/// Makes z the value of a statement, where a temporary expression holds `inside` handles to z's
/// storage.
template <class T, class D>
WEFT_OUTLINED void run_into(Tensor<T, D>& z, const Statement<D>& s, long inside) {
  const D device = place<D>(s.operation, s.operands + 1, s.n - 1, s.wanted);
  Tensor<T, D> out;
  const bool reused = choose_target(z, s, device, inside, out);
  if (s.shape->size() > 0) s.evaluate(*s.shape, device);
  if (!reused) {
    z = static_cast<Tensor<T, D>&&>(out);
    return;
  }
  z.storage()->bump_version();
  if (!(z.shape() == *s.shape)) Access::set_shape(z, *s.shape);
}

/// How many operands after the target read `storage`.
WEFT_OUTLINED inline long count_owned(const Operand* operands, int n, const Storage* storage) {
  long count = 0;
  for (int i = 1; i < n; ++i) count += operands[i].storage == storage ? 1 : 0;
  return count;
}

/// Whether there are elements to write into a target to which `shape` must broadcast.
template <class T, class D>
WEFT_OUTLINED bool check_writable(const Tensor<T, D>& target, const Shape& shape,
                                  const char* operation) {
  if (!broadcasts_to(shape, target.shape())) {
    fail<ShapeError>(operation, "shape ", shape, " does not broadcast to the target's ",
                     target.shape());
  }
  if (target.size() == 0) return false;
  if (target.layout().has_overlap()) {
    fail<ShapeError>(operation, "the target of shape ", target.shape(), " and strides ",
                     target.strides(), " has elements that share memory: write to a clone()");
  }
  return true;
}

/// Writes into the target's elements: directly, or through a temporary if it `must_wait` or
/// conflicts with an operand.
template <class T, class D>
WEFT_OUTLINED void run_in_place(const Tensor<T, D>& target, const Statement<D>& s, bool must_wait) {
  set_target(s.operands[0], target);
  const D device = place<D>(s.operation, s.operands, s.n, D{});
  if (must_wait || any_conflict(s.operands, s.n, s.elementwise)) {
    const Tensor<T, D> value = Access::allocate<T, D>(*s.shape, device);
    set_target(s.operands[0], value);
    s.evaluate(*s.shape, device);
    return write(target, value, s.operation);
  }
  s.evaluate(target.shape(), device);
  target.storage()->bump_version();
}

/// A statement z = e whose operands are tensors of one type, before its operands are known: a
/// device's own part, the run, follows. Filling this in is all that is compiled per expression.
struct LeafStatement {
  const char* operation;
  const Shape* shape;
  int n;           // operands, the target included
  bool temporary;  // e expires: the handles in it are no owners of the target's storage
  Operand* operands = nullptr;
};

/// Lowers the leaves of such a statement; Run is what the device adds.
template <class D, class Run, class X>
Statement<D> leaf_statement(Run& run, const X* const* leaves, Operand* operands, D wanted) {
  construct(operands, run.n);  // none of them is a temporary, so there is nothing to destroy
  for (int i = 1; i < run.n; ++i) lower_leaf(*leaves[i - 1], operands[i]);
  run.operands = operands;
  return {run.operation, run.shape, operands, run.n, true, wanted, &run, Run::run};
}

/// run_into_new for a statement on leaves.
template <class T, class Run, class X, class D>
WEFT_OUTLINED Tensor<T, D> run_leaves_into_new(Run& run, const X* const* leaves, D wanted) {
  auto* operands =
      static_cast<Operand*>(__builtin_alloca(static_cast<std::size_t>(run.n) * sizeof(Operand)));
  return run_into_new<T>(leaf_statement(run, leaves, operands, wanted));
}

/// run_into for a statement on leaves.
template <class Run, class T, class D, class X>
WEFT_OUTLINED void run_leaves_into(Tensor<T, D>& z, Run& run, const X* const* leaves) {
  auto* operands =
      static_cast<Operand*>(__builtin_alloca(static_cast<std::size_t>(run.n) * sizeof(Operand)));
  const Statement<D> s = leaf_statement(run, leaves, operands, D{});
  run_into(z, s, run.temporary ? count_owned(operands, run.n, z.storage()) : 0);
}

}  // namespace weft::detail
