// The rules for what becomes a tensor, is written to one or indexes one, as error messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/expression.hpp"
#include "weft/tensor/storage.hpp"
#include "weft/tensor/var_traits.hpp"

/// Each function here returns true, or causes a single compile error whose first line is the rule
/// that is broken. A caller that tests it with `if constexpr` adds no further errors.
namespace weft::detail {

/// Whether tensors can hold elements of type T.
template <class T>
constexpr bool is_element() {
  constexpr bool holds = Element<T>;
  static_assert(holds,
                "weft: this type is not an element type: those are bool, std::int8_t to int64_t, "
                "std::uint8_t to uint64_t, half, bfloat16, float, double and complex of these two");
  return holds;
}

/// T itself; naming it checks that tensors can hold elements of that type.
template <class T, bool = is_element<T>()>
struct ElementType {
  using type = T;
};

/// Whether E, on its device and with its element type, can become a Tensor<T, D>.
template <class T, class D, class E>
constexpr bool can_become() {
  using From = typename E::device_type;
  constexpr bool device = !std::is_same_v<common_device_t<From, D>, NoDevice>;
  constexpr bool element = std::is_same_v<typename E::value_type, std::remove_const_t<T>>;
  static_assert(device || !is_cuda<From> || is_cuda<D>,
                "weft: data on Cuda does not become a tensor on Cpu implicitly: write "
                "x.to(Cpu{}), or e.eval().to(Cpu{}) for an expression");
  static_assert(device || is_cuda<From> || !is_cuda<D>,
                "weft: data on Cpu does not become a tensor on Cuda implicitly: write "
                "x.to(Cuda{}), or e.eval().to(Cuda{}) for an expression");
  static_assert(device || !is_cuda<From> || !is_cuda<D>,
                "weft: data on CudaAt<M> does not become a tensor on CudaAt<N> implicitly: write "
                "x.to(CudaAt<N>{})");
  static_assert(!device || element,
                "weft: element types do not convert silently: write cast<T>(x)");
  static_assert(
      !device || !element || !has_var<E>,
      "weft: an expression with a Var becomes a Var: write Var y = ..., or x.detach() for "
      "a Var's values without gradients");
  return device && element && !has_var<E>;
}

/// Whether a Tensor<To> can share the elements of a Tensor<From>.
template <class To, class From>
constexpr bool can_share() {
  constexpr bool shares = std::is_const_v<To> || !std::is_const_v<From>;
  static_assert(shares, "weft: a Tensor<const T> does not become a Tensor<T>: write x.clone()");
  return shares;
}

/// Whether an X can be written into the elements of a Tensor<T>.
template <class T, class X>
constexpr bool can_write() {
  constexpr bool value = !MistakenOperand<X>;
  static_assert(!std::is_const_v<T>,
                "weft: a Tensor<const T> is read-only: write x.clone() for one of your own");
  static_assert(value || std::is_const_v<T>,
                "weft: a tensor takes expressions and numbers of an element type: write tensor(v) "
                "for a container, borrow(p, shape) for a pointer");
  static_assert(
      !has_var<X>,
      "weft: an expression with a Var cannot be written into a Tensor: write x.detach() for "
      "a Var's values without gradients");
  return value && !std::is_const_v<T> && !has_var<X>;
}

/// Rejects what is assigned to a named tensor, or passed to its constructor, and is no expression.
template <class X>
constexpr bool is_value() {
  static_assert(
      !NumberLike<X>,
      "weft: a number cannot be assigned to a named tensor: write x.fill(v) to change its "
      "elements, x = full_like(x, v) for new ones");
  static_assert(NumberLike<X> || !std::is_base_of_v<Int64s, X>,
                "weft: a shape is not a tensor: write zeros<T>({2, 3}), empty<T>({2, 3}) or, for "
                "elements, tensor<T>({2, 3})");
  static_assert(NumberLike<X> || std::is_base_of_v<Int64s, X>,
                "weft: a tensor is made from expressions: write tensor(v) for a container, "
                "borrow(p, shape) for a pointer");
  return false;
}

/// The element type of a tensor that is made from a number or a container: naming it says what to
/// write.
template <class X>
  requires(NumberLike<X> || (MistakenOperand<X> && !std::is_base_of_v<Int64s, X>))
constexpr auto element_of_mistake() {
  constexpr bool number = NumberLike<X>;
  constexpr bool other = !number;
  static_assert(
      other,
      "weft: tensors are made by functions: write tensor(v) for one number, full({2, 3}, v) "
      "for several");
  static_assert(
      number,
      "weft: tensors are made by functions: write tensor(v) for a container, borrow(p, shape) "
      "for a pointer");
  return 0.0F;
}

/// Whether I is one index of the first axis.
template <class I>
constexpr bool is_index() {
  static_assert(std::is_integral_v<I>,
                "weft: x[i] takes one integer: write x(i, all), x(slice(a, b)), x(newaxis)");
  return std::is_integral_v<I>;
}

/// Whether the CPU reaches the elements of tensors on D.
template <class D>
constexpr bool is_reachable() {
  constexpr bool cpu = std::is_same_v<D, Cpu>;
  static_assert(cpu,
                "weft: elements of a Cuda tensor are not reachable from the CPU: write x.item(), "
                "x(i, j).item() or x.to(Cpu{})");
  return cpu;
}

/// Whether the header with D's memory and kernels is included.
template <class D>
constexpr bool is_included() {
  constexpr bool here = requires { sizeof(Memory<D>); };
  static_assert(here || !is_cuda<D>, "weft: to use tensors on Cuda include <weft/cuda.hpp>");
  static_assert(here || is_cuda<D>, "weft: to use tensors on Cpu include <weft/weft.hpp>");
  return here;
}

/// Whether E compares the elements of a tensor with a number, as in `if (x(i, j) > 3)`.
template <class E>
inline constexpr bool compares_number = false;

[[noreturn]] WEFT_ONCE inline void refuse_truth(const char* operation, const Shape& shape) {
  fail<ShapeError>(operation, "a comparison of shape ", shape,
                   " is not true or false, expected one element: write all(e).item() or "
                   "any(e).item()");
}

/// Whether E stands for true or false, as in `if (x == y)`.
template <class E>
constexpr bool is_truth_value() {
  static_assert(always_false<E>,
                "weft: an expression has many elements, and is not true or false by itself: write "
                "all(e).item(), any(e).item() or equal(x, y); for one element x(i, j).item() > v");
  return false;
}

/// Whether an expression has a Var in it.
template <class E>
constexpr bool needs_var() {
  static_assert(has_var<E>,
                "weft: only Vars have gradients: make one with Var x = parameter(tensor) and "
                "compute with it");
  return has_var<E>;
}

/// Rejects an assignment to an expression.
template <class E>
constexpr void is_target() {
  static_assert(always_false<E>,
                "weft: an expression has no elements to write to: write Tensor x = e first");
}

/// Rejects an expression that is used as a number.
template <class E, class N>
constexpr N is_number() {
  static_assert(always_false<E>,
                "weft: an expression becomes a number by e.item(), which throws unless it has one "
                "element; only reductions over all axes (sum(x), not sum(x, axis(0))) convert");
  return {};
}

/// Whether To is a device.
template <class To>
constexpr bool is_device() {
  constexpr bool device = Device<To>;
  static_assert(device,
                "weft: x.to(device) takes Cpu{}, Cuda{} or CudaAt<N>{}: write cast<T>(x) for "
                "another element type");
  return device;
}

}  // namespace weft::detail
