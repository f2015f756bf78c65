// Programs: an expression without its tensors, as loops and kernels run it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/core/dtype.hpp"
#include "weft/core/pack.hpp"
#include "weft/ops/elementwise/effects.hpp"

namespace weft {

namespace op {
template <class To>
struct cast;
}

/// The element type of an operand that has no memory: its elements are their own positions,
/// counted in addresses from `origin` (not from null, where address arithmetic is undefined).
struct IndexOperand {
  static constexpr long long origin = 1LL << 62;
};

namespace detail {
/// Bit i: operand i of these types has no memory.
template <class... Ts>
constexpr std::uint64_t positions_of(TypeList<Ts...>) {
  std::uint64_t bits = 0;
  int i = 0;
  ((bits |= std::uint64_t{std::is_same_v<Ts, IndexOperand>} << i++), ...);
  return bits;
}
}  // namespace detail

/// The type that an operand's element enters the program as.
template <class T>
struct Computed {
  using type = compute_t<T>;
};
template <>
struct Computed<IndexOperand> {
  using type = long long;
};

/// The value of operand I, of element type T.
template <int I, class T>
struct Arg {
  using type = typename Computed<T>::type;
  template <class Inputs>
  WEFT_HD WEFT_INLINE type operator()(const Inputs& inputs) const {
    return inputs.template get<I>();
  }
};

/// A number.
template <class T>
struct Constant {
  using type = T;
  T value;
  template <class Inputs>
  WEFT_HD WEFT_INLINE T operator()(const Inputs&) const {
    return value;
  }
};

/// op(values...), or inputs.apply(op, values...) if the loop's inputs compute it themselves (on the
/// CPU).
template <class Inputs, class Op, class... Vs>
WEFT_HD WEFT_INLINE auto applied([[maybe_unused]] const Inputs& inputs, const Op& op,
                                 Vs... values) {
#if !defined(__CUDA_ARCH__)
  if constexpr (requires { Inputs::applies; }) {
    return inputs.apply(op, values...);
  }
#endif
  return op.value(values...);
}

/// An operation on the values of other programs.
template <class Op, class... Ps>
struct Apply {
  using type = decltype(std::declval<const Op&>().value(std::declval<typename Ps::type>()...));
  Op op;
  Pack<Ps...> programs;

  template <class Inputs>
  WEFT_HD WEFT_INLINE type operator()(const Inputs& inputs) const {
    // One and two operands without a further function for each node of each expression.
    if constexpr (sizeof...(Ps) == 1) {
      return applied(inputs, op, programs.head(inputs));
    } else if constexpr (sizeof...(Ps) == 2) {
      return applied(inputs, op, programs.head(inputs), programs.tail.head(inputs));
    } else {
      return call(inputs, std::make_index_sequence<sizeof...(Ps)>{});
    }
  }

 private:
  template <class Inputs, std::size_t... I>
  WEFT_HD WEFT_INLINE type call(const Inputs& inputs, std::index_sequence<I...>) const {
    return applied(inputs, op, get<static_cast<int>(I)>(programs)(inputs)...);
  }
};

namespace detail {
/// Bit I for each operand I that a program reads.
template <class P>
inline constexpr std::uint64_t uses_of = 0;
template <int I, class T>
inline constexpr std::uint64_t uses_of<Arg<I, T>> = std::uint64_t{1} << I;
template <class Op, class... Ps>
inline constexpr std::uint64_t uses_of<Apply<Op, Ps...>> = (uses_of<Ps> | ... | 0);

/// Whether a program is an operand, as it is or converted.
template <class P>
inline constexpr bool is_operand = false;
template <int I, class T>
inline constexpr bool is_operand<Arg<I, T>> = true;
template <class To, class P>
inline constexpr bool is_operand<Apply<op::cast<To>, P>> = is_operand<P>;

}  // namespace detail

/// The effects of a program's operations, as bits.
template <class P>
inline constexpr unsigned effects_of = 0;
template <class Op, class... Ps>
inline constexpr unsigned effects_of<Apply<Op, Ps...>> = (Effects::of<Op>() | ... | effects_of<Ps>);

/// Whether a program draws random numbers; resolve_draws looks up the counter at which a graph's
/// draws start.
template <class P>
inline constexpr bool has_draws = (effects_of<P> & Effects::draws) != 0;

template <class P>
WEFT_HD void resolve_draws(P&) {}
template <class Head, class... Tail>
WEFT_HD void resolve_draws(Pack<Head, Tail...>& programs) {
  resolve_draws(programs.head);
  resolve_draws(programs.tail);
}
template <class Op, class... Ps>
WEFT_HD void resolve_draws(Apply<Op, Ps...>& program) {
  if constexpr (requires { program.op.draw.resolve(); }) program.op.draw.resolve();
  resolve_draws(program.programs);
}
/// Whether a program has side effects (gathers report bad indices, scatters write), so that it must
/// not run for lanes without an element.
template <class P>
inline constexpr bool has_effects = (effects_of<P> & Effects::acts) != 0;

/// Whether a program has operands that are read at computed places (ops/index/rearrange.hpp).
template <class P>
inline constexpr bool has_places = (effects_of<P> & Effects::places) != 0;

/// Whether a program calls a user's function, which may have side effects.
template <class P>
inline constexpr bool calls_user = (effects_of<P> & Effects::calls) != 0;

/// The value of a program as it is stored in elements of type T.
template <class T, class V>
WEFT_HD WEFT_INLINE T store_element(V value) {
  return static_cast<T>(value);
}

/// The element that a program's value is stored as. An outermost cast to that type is skipped,
/// since storing rounds the same way.
template <class T, class P, class Inputs>
WEFT_HD WEFT_INLINE T stored_value(const P& program, const Inputs& inputs) {
  return store_element<T>(program(inputs));
}
template <class T, class P, class Inputs>
  requires std::is_same_v<typename P::type, compute_t<T>> WEFT_HD WEFT_INLINE T
  stored_value(const Apply<op::cast<T>, P>& program, const Inputs& inputs) {
    return store_element<T>(get<0>(program.programs)(inputs));
  }

}  // namespace weft
