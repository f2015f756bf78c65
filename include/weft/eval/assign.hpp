// Evaluation: expressions into new tensors, into rebound ones, and into views in place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/executor.hpp"
#include "weft/eval/gather.hpp"
#include "weft/eval/lower.hpp"
#include "weft/eval/name.hpp"
#include "weft/eval/rows.hpp"
#include "weft/eval/staged.hpp"

namespace weft::detail {

/// The device that an expression runs on: its operands' GPU, which must be one, or `wanted`.
template <class D>
WEFT_FEW_STEPS D place(const char* name, const Operand* operands, int n, D wanted) {
  if constexpr (std::is_same_v<D, Cuda>) {
    for (int i = 0; i < n; ++i) {
      if (operands[i].storage == nullptr) continue;
      const int ordinal = operands[i].storage->ordinal;
      if (wanted.ordinal >= 0 && wanted.ordinal != ordinal) {
        fail<DeviceError>(name, "operands on cuda:", wanted.ordinal, " and cuda:", ordinal,
                          ", expected one device: write x.to(Cuda{", wanted.ordinal, "})");
      }
      wanted.ordinal = ordinal;
    }
  }
  return wanted;
}

/// Whether E can be written into elements of type T on D.
template <class T, class D, class E>
concept Writable =
    !std::is_same_v<common_device_t<typename E::device_type, D>, NoDevice> &&
    (std::is_same_v<typename E::value_type, T> || std::is_same_v<E, Scalar<compute_t<T>>>);

/// An expression made ready to run: operands[0] is the target, still to be set.
template <class E>
struct Lowered {
  using types = typename Lowering<E>::types;
  static constexpr int n = operand_count<E> + 1;
  Operand operands[n];
  decltype(Lowering<E>::template lower<1>(std::declval<const E&>(), nullptr)) program;

  explicit Lowered(const E& e) : program(Lowering<E>::template lower<1>(e, operands)) {}

  bool conflicts_with_target() const { return any_conflict(operands, n, true); }
  template <class Out, class D>
  void run(const Shape& shape, D device) {
    using Runner = Executor<loops_of<D>>;
    if constexpr (is_included<D>()) {
      broadcast_operands(operands, n, shape);
      Runner::template for_each<Out, types>(name_of<E>(), device, shape, operands, program);
    }
  }
};

/// The same for a reduction of an expression without another one inside.
template <class R, class E>
  requires(!has_reduction<E>)
struct Lowered<Reduce<R, E>> {
  using types = typename Lowering<E>::types;
  static constexpr int n = operand_count<E> + 1;
  const Reduce<R, E>& e;
  Operand operands[n];
  decltype(Lowering<E>::template lower<1>(std::declval<const E&>(), nullptr)) program;

  explicit Lowered(const Reduce<R, E>& reduction)
      : e(reduction), program(Lowering<E>::template lower<1>(reduction.operand(), operands)) {}

  bool conflicts_with_target() const { return any_conflict(operands, n, false); }
  template <class Out, class D>
  void run(const Shape& shape, D device) {
    using Runner = Reducer<loops_of<D>>;
    if constexpr (is_included<D>() && can_reduce<loops_of<D>>()) {
      if (!(shape == e.shape())) {
        fail<ShapeError>(R::text, "target of shape ", shape, " for ", e.shape());
      }
      Shape kept;
      Shape reduced;
      split_axes(e.operand().shape(), e.axes(), operands, n, kept, reduced);
      Runner::template reduce<Out, types>(name_of<Reduce<R, E>>(), e.reducer(), device, kept,
                                          reduced, operands, program);
    }
  }
};

template <class T, class D>
void set_target(Operand& target, const Tensor<T, D>& x) {
  target.set(x.data(), sizeof(T), x.shape(), x.strides(), x.storage());
}

/// What is told of a matrix product that is only planned.
struct PlannedProduct {
  Shape left;
  Shape right;
  const char* type;
  int64_t itemsize;
  double operations;
};

/// Takes the place of evaluating parts of an expression first, while it is only planned; `product`
/// is null unless the part is one.
struct Staging {
  StorageHandle (*take)(Staging*, const Name&, const Shape&, int64_t bytes,
                        const PlannedProduct* product);
};
[[gnu::visibility("default")]] inline constinit thread_local Staging* staging = nullptr;

/// A product as it is planned, after those of its operands that are evaluated before.
template <class D, class E>
PlannedProduct planned_product(const E& e) {
  const auto evaluate = [](const auto& x) {
    using X = std::remove_cvref_t<decltype(x)>;
    if constexpr (!is_tensor<X>) materialize_on<typename X::value_type, D>(x, D{});
  };
  evaluate(e.left());
  evaluate(e.right());
  return {e.left().shape(), e.right().shape(), name(dtype_of<typename E::value_type>),
          sizeof(typename E::value_type), e.operations()};
}

template <class T, class D, class E>
Tensor<T, D> materialize_on(const E& e, D wanted) {
  if (staging != nullptr) {
    const int64_t bytes = e.size() * static_cast<int64_t>(sizeof(T));
    StorageHandle nowhere;
    if constexpr (requires { e.operations(); }) {
      const PlannedProduct product = planned_product<D>(e);
      nowhere = staging->take(staging, name_of<E>(), e.shape(), bytes, &product);
    } else {
      nowhere = staging->take(staging, name_of<E>(), e.shape(), bytes, nullptr);
    }
    T* const data = static_cast<T*>(nowhere->data);
    return Access::make<T, D>(static_cast<StorageHandle&&>(nowhere), data, e.shape(),
                              contiguous_strides(e.shape()));
  }
  Lowered<E> lowered(e);
  const D device = place<D>(name_of<E>().operation, lowered.operands + 1, lowered.n - 1, wanted);
  Tensor<T, D> out = Access::allocate<T, D>(e.shape(), device);
  set_target(lowered.operands[0], out);
  if (out.size() > 0) lowered.template run<T>(e.shape(), out.device());
  return out;
}

template <class T, class E, class D>
Tensor<T, D> on(const E& e, D device) {
  return materialize_on<T, D>(e, device);
}

/// True when nobody but the target and a temporary expression holding `inside` handles can see
/// the target's buffer, and it has room for exactly `size` elements.
template <class T, class D>
WEFT_FEW_STEPS bool may_reuse(const Tensor<T, D>& target, int64_t size, long inside) {
  if constexpr (is_included<D>()) {
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
WEFT_FEW_STEPS bool choose_target(const Tensor<T, D>& z, const Shape& shape, D device, long inside,
                                  bool elementwise, Operand* operands, int n, Tensor<T, D>& out) {
  operands[0].set(z.data(), sizeof(T), shape, contiguous_strides(shape), z.storage());
  if (may_reuse(z, shape.size(), inside) &&
      (device.ordinal < 0 || device.ordinal == z.storage()->ordinal) &&
      !any_conflict(operands, n, elementwise)) {
    return true;
  }
  out = Access::allocate<T, D>(shape, device);
  set_target(operands[0], out);
  return false;
}

/// Makes z the tensor whose value was computed by choose_target's choice.
template <class T, class D>
WEFT_FEW_STEPS void take_value(Tensor<T, D>& z, const Shape& shape, bool reused,
                               Tensor<T, D>& out) {
  if (reused) {
    z.storage()->bump_version();
    if (!(z.shape() == shape)) Access::set_shape(z, shape);
  } else {
    z = static_cast<Tensor<T, D>&&>(out);
  }
}

/// Whether `z = e` may go in place wherever an operand has the same element at each index.
template <class E>
inline constexpr bool is_elementwise = !requires(const E& e) {
  e.reducer();
}
&&!Staged<E>;

/// A tensor in an expression that dies whose memory the result can have; null if there is none.
template <class T, class D, class E>
const Tensor<T, D>* find_donor(const E& e, const Shape& shape) {
  const Tensor<T, D>* donor = nullptr;
  for_each_leaf(e, [&](const auto& x) {
    if constexpr (std::is_same_v<decltype(x), const Tensor<T, D>&>) {
      if (donor == nullptr && x.storage() != nullptr && x.shape() == shape &&
          __atomic_load_n(&x.storage()->owners, __ATOMIC_RELAXED) == 1) {
        donor = &x;
      }
    }
  });
  return donor;
}

template <class T, class D, class E>
Tensor<T, D> materialize(E&& e) {
  using Expr = std::remove_cvref_t<E>;
  if constexpr (std::is_rvalue_reference_v<E&&> && !std::is_const_v<E> && !is_tensor<Expr> &&
                leaf_count < Expr >> 0 && is_elementwise<Expr>) {
    const Tensor<T, D>* const donor = staging == nullptr ? find_donor<T, D>(e, e.shape()) : nullptr;
    if (donor != nullptr) {
      // A temporary operand's buffer becomes the result's, as in `z = e` where z is an operand.
      Tensor<T, D> z = *donor;
      rebind(z, static_cast<E&&>(e));
      return z;
    }
  }
  return materialize_on<T, D>(e, D{});
}

template <class T, class D, class E>
void rebind(Tensor<T, D>& target, E&& e) {
  using Expr = std::remove_cvref_t<E>;
  const Shape shape = e.shape();
  const long inside = std::is_rvalue_reference_v<E&&> ? count_handles(e, target.storage()) : 0;
  Lowered<Expr> lowered(e);
  D wanted{};
  if constexpr (std::is_same_v<typename Expr::device_type, AnyDevice>) wanted = target.device();
  const D device = place<D>(name_of<Expr>().operation, lowered.operands + 1, lowered.n - 1, wanted);
  Tensor<T, D> out;
  const bool reused = choose_target(target, shape, device, inside, is_elementwise<Expr>,
                                    lowered.operands, lowered.n, out);
  if (shape.size() > 0) lowered.template run<T>(shape, device);
  take_value(target, shape, reused, out);
}

template <class T, class D, class E>
void write(const Tensor<T, D>& target, const E& e, const char* operation) {
  if constexpr (NumberLike<E> && !Expression<E>) {
    static_assert(element_fits<T, E>,
                  "weft: a floating number does not go into an integer tensor, nor a complex one "
                  "into a real tensor: convert the number first");
    if constexpr (element_fits<T, E>) {
      write(target, Scalar<compute_t<T>>{load_element(fit<T>(operation, e))}, operation);
    }
  } else if constexpr (!Writable<T, D, E>) {
    can_become<T, D, E>();
  } else {
    if (!broadcasts_to(e.shape(), target.shape())) {
      fail<ShapeError>(operation, "shape ", e.shape(), " does not broadcast to the target's ",
                       target.shape());
    }
    if (target.size() == 0) return;
    if (target.layout().has_overlap()) {
      fail<ShapeError>(operation, "the target of shape ", target.shape(), " and strides ",
                       target.strides(), " has elements that share memory: write to a clone()");
    }
    Lowered<E> lowered(e);
    set_target(lowered.operands[0], target);
    const D device = place<D>(operation, lowered.operands, lowered.n, D{});
    if (lowered.conflicts_with_target() || !takes_target(e, target)) {
      const Tensor<T, D> value = Access::allocate<T, D>(e.shape(), device);
      set_target(lowered.operands[0], value);
      lowered.template run<T>(e.shape(), device);
      write(target, value, operation);
      return;
    }
    lowered.template run<T>(target.shape(), device);
    target.storage()->bump_version();
  }
}

template <class R, class E>
template <int B>
auto Lowering<Reduce<R, E>>::lower(const Reduce<R, E>& e, Operand* operands) -> Arg<B, value> {
  using D = std::conditional_t<std::is_same_v<typename E::device_type, AnyDevice>, Cpu,
                               typename E::device_type>;
  Tensor<value, D> result = materialize_on<value, D>(e, D{});
  operands[B].set(result.data(), sizeof(value), result.shape(), result.strides(), result.storage());
  operands[B].keep = Access::storage(result);
  return {};
}

}  // namespace weft::detail
