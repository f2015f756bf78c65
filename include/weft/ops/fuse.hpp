// fuse and tie: several expressions that one kernel computes, into new tensors or in place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "weft/ops/elementwise/map.hpp"

namespace weft {

template <Expression... Es>
class Fused;

namespace detail {
// Defined in eval/fuse.hpp.
template <class D, class... Es>
Pack<Tensor<typename Es::value_type, D>...> materialize_fused(const Pack<Es...>& expressions);
template <class... Targets, class... Es>
void write_fused(const Pack<Targets...>& targets, const Pack<Es...>& expressions);
// Defined in autograd/fuse.hpp.
template <class... Es>
auto fused_vars(const Es&... expressions);

/// Whether Xs can be computed together; if not, one compile error with the rule.
template <class... Xs>
constexpr bool can_fuse() {
  constexpr bool expressions = (ExpressionLike<Xs> && ...);
  static_assert(expressions,
                "weft: fuse takes tensors and expressions: write full_like(x, v) for a number");
  if constexpr (expressions) {
    constexpr bool device = !std::is_same_v<common_device_of<std::remove_cvref_t<Xs>...>, NoDevice>;
    static_assert(device,
                  "weft: one expression is on Cpu and another on Cuda, or on another CudaAt<N>; "
                  "fuse runs on one device: write x.to(Cuda{}) or x.to(Cpu{})");
    return device;
  }
  return false;
}

template <class X>
inline constexpr int fused_count = -1;
template <class... Es>
inline constexpr int fused_count<Fused<Es...>> = sizeof...(Es);

/// Whether an X is what tie() of some targets takes.
template <class X, int Targets>
constexpr bool can_tie() {
  static_assert(fused_count<X> >= 0,
                "weft: tie takes what fuse gives: write tie(x, y) = fuse(e1, e2)");
  static_assert(fused_count<X> < 0 || fused_count<X> == Targets,
                "weft: tie(...) = fuse(...) takes as many tensors as expressions");
  return fused_count<X> == Targets;
}

/// Whether all E can be written into the elements of the tensors.
template <class... Targets, class... Es>
constexpr bool can_write_all(const Pack<Targets...>*, const Pack<Es...>*) {
  return (true && ... &&
          (can_become<typename Targets::value_type, typename Targets::device_type, Es>() &&
           can_write<std::remove_pointer_t<decltype(std::declval<Targets>().data())>, Es>()));
}

/// The result of what was refused, so that there is only one error.
struct Refused {
  template <class X>
  void operator=(const X&) const {}
};

template <class... Xs>
Pack<operand_t<float, Xs>...> fused_operands(Xs&&... xs) {
  return {AsOperand<float, void>{}, static_cast<Xs&&>(xs)...};
}
}  // namespace detail

/// Several expressions of one shape that are computed together: what fuse() gives. It holds its
/// operands, and runs when it is assigned to tie(...) or unpacked by `auto [a, b] = fuse(...)`.
template <Expression... Es>
class Fused {
 public:
  static constexpr const char* text = "fuse";
  using device_type = std::conditional_t<std::is_same_v<detail::common_device_of<Es...>, AnyDevice>,
                                         Cpu, detail::common_device_of<Es...>>;
  using values = Pack<Tensor<typename Es::value_type, device_type>...>;

  explicit Fused(Pack<Es...> expressions) : kept(static_cast<Pack<Es...>&&>(expressions)) {}
  Fused(const Fused& other) : kept(other.expressions()) {}
  Fused& operator=(const Fused&) = delete;
  ~Fused() { release(); }

  /// The expressions; throws if they were unpacked.
  const Pack<Es...>& expressions() const {
    if (!held_) fail<ValueError>("fuse", "the expressions have already been unpacked");
    return kept;
  }

  /// The value of expression I, which this object holds. The first call computes all values, and so
  /// does a second call for the same I. On a temporary, as in structured bindings, it also releases
  /// the operands.
  template <std::size_t I>
  auto& get() const& {
    return value<static_cast<int>(I)>();
  }
  template <std::size_t I>
  auto&& get() const&& {  // by reference: nvcc 13 breaks on a value
    auto& result = value<static_cast<int>(I)>();
    release();
    return static_cast<std::remove_reference_t<decltype(result)>&&>(result);
  }

 private:
  template <int I>
  auto& value() const {
    if ((ready_ >> I & 1U) == 0) {
      values_ = detail::materialize_fused<device_type>(expressions());
      ready_ = (1U << sizeof...(Es)) - 1;
    }
    ready_ &= ~(1U << I);
    return weft::get<I>(values_);
  }
  void release() const {
    if (held_) kept.~Pack<Es...>();
    held_ = false;
  }

  union {
    mutable Pack<Es...> kept;
  };
  mutable bool held_ = true;
  mutable unsigned ready_ = 0;  // a bit for each value that was not requested yet
  mutable values values_;
};

/// Computes several expressions of one shape in one pass, on CUDA in one kernel: write
/// `auto [a, b] = fuse(e1, e2)` for new tensors, `tie(x, y) = fuse(e1, e2)` to write into tensors.
/// All expressions see the values that their operands had before. Of Vars `auto [a, b]` are Vars,
/// computed at the call; each has its own backward pass.
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto fuse(Xs&&... xs) {
  static_assert(sizeof...(Xs) <= 16, "weft: fuse takes at most 16 expressions");
  if constexpr (!detail::can_fuse<Xs...>()) {
    return;
  } else if constexpr ((detail::has_var<std::remove_cvref_t<Xs>> || ...)) {
    return detail::fused_vars(detail::node(xs)...);
  } else {
    return Fused<detail::operand_t<float, Xs>...>(detail::fused_operands(static_cast<Xs&&>(xs)...));
  }
}

/// The targets of `tie(x, y) = fuse(e1, e2)`.
template <class... Targets>
class Tied {
 public:
  explicit Tied(const Targets&... targets) : targets_(make_pack(targets...)) {}
  void operator=(const Tied&) = delete;

  template <class X>
  void operator=(const X& x) const {
    if constexpr (detail::can_tie<X, sizeof...(Targets)>()) {
      using Expressions = std::remove_cvref_t<decltype(x.expressions())>;
      constexpr const Pack<Targets...>* to = nullptr;
      constexpr const Expressions* from = nullptr;
      if constexpr (detail::can_write_all(to, from)) {
        detail::write_fused(targets_, x.expressions());
      }
    }
  }

 private:
  Pack<Targets...> targets_;
};

/// Tensors and views that `tie(x, y) = fuse(e1, e2)` writes in place; each has its expression's
/// shape. `tie(x, y) = fuse(y, x)` swaps.
template <class... Ts, class... Ds>
  requires(sizeof...(Ts) > 0)
auto tie(Tensor<Ts, Ds>&... targets) {  // more special than std::tie
  return Tied<Tensor<Ts, Ds>...>(targets...);
}
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto tie(Xs&&... targets) {
  constexpr bool tensors = (TensorLike<Xs> && ...);
  static_assert(tensors, "weft: tie takes tensors and views of them to write to");
  if constexpr (tensors) {
    return Tied<std::remove_cvref_t<Xs>...>(targets...);
  } else {
    return detail::Refused{};
  }
}

}  // namespace weft

template <class... Es>
struct std::tuple_size<weft::Fused<Es...>> {
  static constexpr std::size_t value = sizeof...(Es);
};
template <std::size_t I, class... Es>
struct std::tuple_element<I, weft::Fused<Es...>> {
  using type = std::remove_reference_t<decltype(weft::get<static_cast<int>(I)>(
      std::declval<typename weft::Fused<Es...>::values&>()))>;
};
