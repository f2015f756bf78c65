// What the outputs of a row program share with its last reduction, computed once and kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/row_grid.hpp"
#include "weft/cuda/row_hoist.hpp"

namespace weft::cuda::detail {

using weft::detail::uses_of;

/// A program without the numbers of its operands and reductions: what may have the same value has
/// the same pattern.
template <class P>
struct Pattern {
  using type = P;
};
template <int I, class T>
struct Pattern<Arg<I, T>> {
  using type = Arg<0, T>;
};
template <int I, class T>
struct Pattern<Reduced<I, T>> {
  using type = Reduced<0, T>;
};
template <class Op, class... Ps>
struct Pattern<Apply<Op, Ps...>> {
  using type = Apply<Op, typename Pattern<Ps>::type...>;
};

/// The value that the last reduction's program left behind.
struct Left {
  using type = float;
  template <class Inputs>
  WEFT_HD float operator()(const Inputs& inputs) const {
    return inputs.left();
  }
};

}  // namespace weft::cuda::detail

namespace weft::detail {
/// A bit that no operand has: the value changes along the row.
template <>
inline constexpr std::uint64_t uses_of<cuda::detail::Left> = std::uint64_t{1} << 63;
}  // namespace weft::detail

namespace weft::cuda::detail {

/// Whether a reduction's program is worth being kept: more than an operand, and a float.
template <class Program>
inline constexpr bool can_leave = requires(const Program& p) {
  p.programs;
}
&&std::is_same_v<typename Program::type, float>;

template <class P, class Shared>
inline constexpr bool is_left = std::is_same_v<typename Pattern<P>::type, Shared>;

/// Whether a part of P has the pattern `Shared`.
template <class P, class Shared>
inline constexpr bool has_left = is_left<P, Shared>;
template <class Op, class... Ps, class Shared>
inline constexpr bool has_left<Apply<Op, Ps...>, Shared> = is_left<Apply<Op, Ps...>, Shared> ||
                                                           (has_left<Ps, Shared> || ...);

#if defined(__CUDACC__)

/// P with `Left` in place of its parts that have the pattern `Shared`.
template <class Shared, class P>
__device__ __forceinline__ auto with_left(const P& program);
template <class Shared, class Op, class... Ps, std::size_t... I>
__device__ __forceinline__ auto with_left_inside(const Apply<Op, Ps...>& program,
                                                 std::index_sequence<I...>) {
  const auto parts =
      pack_of(with_left<Shared>(weft::get<static_cast<int>(I)>(program.programs))...);
  return Apply<Op, decltype(with_left<Shared>(std::declval<const Ps&>()))...>{program.op, parts};
}
template <class Shared, class Op, class... Ps>
__device__ __forceinline__ auto with_left_apply(const Apply<Op, Ps...>& program) {
  return with_left_inside<Shared>(program, std::make_index_sequence<sizeof...(Ps)>{});
}
template <class Shared, class P>
__device__ __forceinline__ auto with_left(const P& program) {
  if constexpr (is_left<P, Shared>) {
    return Left{};
  } else if constexpr (has_left<P, Shared>) {
    return with_left_apply<Shared>(program);
  } else {
    return program;
  }
}

#endif

/// The operands that a program reads once parts of it are left over.
template <class P, class Shared>
inline constexpr std::uint64_t uses_beside = is_left<P, Shared> ? 0 : uses_of<P>;
template <class Op, class... Ps, class Shared>
inline constexpr std::uint64_t uses_beside<Apply<Op, Ps...>, Shared> =
    is_left<Apply<Op, Ps...>, Shared> ? 0 : (uses_beside<Ps, Shared> | ... | 0);

/// Whether programs of one pattern have the same value: the same operands, reductions and numbers.
class SameValue {
 public:
  SameValue(const RowLoops& grid, const RowOperand* operand) : grid_(grid), operand_(operand) {}

  template <int I, int J, class T>
  bool operator()(const Arg<I, T>&, const Arg<J, T>&) const {
    return is_same_operand(grid_, operand_[I], operand_[J]);
  }
  template <int I, int J, class T>
  bool operator()(const Reduced<I, T>&, const Reduced<J, T>&) const {
    return I == J || number(I) == number(J);
  }
  template <class T>
  bool operator()(const Constant<T>& a, const Constant<T>& b) const {
    return weft::detail::same_bytes(a.value, b.value);
  }
  template <class Op, class... Ps, class... Qs>
  bool operator()(const Apply<Op, Ps...>& a, const Apply<Op, Qs...>& b) const {
    return weft::detail::same_bytes(a.op, b.op) && (*this)(a.programs, b.programs);
  }
  template <class... Ps, class... Qs>
  bool operator()(const Pack<Ps...>& a, const Pack<Qs...>& b) const {
    if constexpr (sizeof...(Ps) == 0) {
      return true;
    } else {
      return (*this)(a.head, b.head) && (*this)(a.tail, b.tail);
    }
  }
  template <class P, class Q>
  bool operator()(const P&, const Q&) const {
    return false;
  }

 private:
  int number(int r) const { return grid_.mode[r] == RowMode::same ? grid_.same[r] : r; }

  const RowLoops& grid_;
  const RowOperand* operand_;
};

/// Whether all parts of a program that have the pattern of `left` have its value.
template <class Shared, class Left, class P>
bool has_same_left(const SameValue& same, const Left& left, const P& program) {
  if constexpr (is_left<P, Shared>) {
    return same(left, program);
  } else if constexpr (has_left<P, Shared>) {
    return has_same_left<Shared>(same, left, program.programs);
  } else {
    return true;
  }
}
template <class Shared, class Left, class... Ps>
bool has_same_left(const SameValue& same, const Left& left, const Pack<Ps...>& programs) {
  if constexpr (sizeof...(Ps) == 0) {
    return true;
  } else {
    return has_same_left<Shared>(same, left, programs.head) &&
           has_same_left<Shared>(same, left, programs.tail);
  }
}

/// What a row program's outputs share with its last reduction, by type.
template <class Program>
struct Reuse;
template <class... Rs, class... Ps>
struct Reuse<RowProgram<Pack<Rs...>, Pack<Ps...>>> {
  static constexpr int last = sizeof...(Rs) - 1;
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;
  using LastProgram = std::remove_cvref_t<
      decltype(weft::get<last>(std::declval<const Program&>().reductions).program)>;
  using Shared = typename Pattern<LastProgram>::type;
  static constexpr bool possible = can_leave<LastProgram> && (has_left<Ps, Shared> || ...);
  static constexpr std::uint64_t beside = (uses_beside<Ps, Shared> | ...);
  static constexpr std::uint64_t uses = beside | uses_of<Left>;

  /// Whether the shared parts have the same value in this task.
  static bool same(const void* opaque, const RowLoops& grid, const RowOperand* operand) {
    const auto& program = *static_cast<const Program*>(opaque);
    return grid.target < 0 && grid.mode[last] == RowMode::compute &&
           has_same_left<Shared>(SameValue(grid, operand),
                                 weft::get<last>(program.reductions).program, program.outputs);
  }
};

}  // namespace weft::cuda::detail
