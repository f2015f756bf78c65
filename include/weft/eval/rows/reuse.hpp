// What the outputs of a row program share with its last reduction, computed once and kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/program.hpp"

namespace weft::detail {

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

/// The value, of type T, that the last reduction's program left behind.
template <class T>
struct Reused {
  using type = T;
  template <class Inputs>
  WEFT_HD WEFT_INLINE T operator()(const Inputs& inputs) const {
    return inputs.left();
  }
};
/// A bit that no operand has: the value changes along the row.
template <class T>
inline constexpr std::uint64_t uses_of<Reused<T>> = std::uint64_t{1} << 63;

template <class P, class Shared>
inline constexpr bool is_left = std::is_same_v<typename Pattern<P>::type, Shared>;

/// Whether a part of P has the pattern `Shared`.
template <class P, class Shared>
inline constexpr bool has_left = is_left<P, Shared>;
template <class Op, class... Ps, class Shared>
inline constexpr bool has_left<Apply<Op, Ps...>, Shared> = is_left<Apply<Op, Ps...>, Shared> ||
                                                           (has_left<Ps, Shared> || ...);

/// P with `Left` in place of its parts that have the pattern `Shared`.
template <class Shared, class P>
WEFT_HD WEFT_INLINE auto with_left(const P& program);
template <class Shared, class Op, class... Ps, std::size_t... I>
WEFT_HD WEFT_INLINE auto with_left_inside(const Apply<Op, Ps...>& program,
                                          std::index_sequence<I...>) {
  const auto parts =
      pack_of(with_left<Shared>(weft::get<static_cast<int>(I)>(program.programs))...);
  return Apply<Op, decltype(with_left<Shared>(std::declval<const Ps&>()))...>{program.op, parts};
}
template <class Shared, class Op, class... Ps>
WEFT_HD WEFT_INLINE auto with_left_apply(const Apply<Op, Ps...>& program) {
  return with_left_inside<Shared>(program, std::make_index_sequence<sizeof...(Ps)>{});
}
template <class Shared, class P>
WEFT_HD WEFT_INLINE auto with_left(const P& program) {
  if constexpr (is_left<P, Shared>) {
    return Reused<typename P::type>{};
  } else if constexpr (has_left<P, Shared>) {
    return with_left_apply<Shared>(program);
  } else {
    return program;
  }
}

/// The operands that a program reads once parts of it are left over.
template <class P, class Shared>
inline constexpr std::uint64_t uses_beside = is_left<P, Shared> ? 0 : uses_of<P>;
template <class Op, class... Ps, class Shared>
inline constexpr std::uint64_t uses_beside<Apply<Op, Ps...>, Shared> =
    is_left<Apply<Op, Ps...>, Shared> ? 0 : (uses_beside<Ps, Shared> | ... | 0);

/// Whether programs of one pattern have the same value: the same operands, reductions and numbers.
/// `Row` says whether operands I and J are the same, and which reduction is the first of those that
/// equal R: same_operand(I, J), number(R).
template <class Row>
class SameValue {
 public:
  explicit SameValue(const Row& row) : row_(row) {}

  template <int I, int J, class T>
  bool operator()(const Arg<I, T>&, const Arg<J, T>&) const {
    return row_.same_operand(I, J);
  }
  template <int I, int J, class T>
  bool operator()(const Reduced<I, T>&, const Reduced<J, T>&) const {
    return I == J || row_.number(I) == row_.number(J);
  }
  template <class T>
  bool operator()(const Constant<T>& a, const Constant<T>& b) const {
    return same_bytes(a.value, b.value);
  }
  template <class Op, class... Ps, class... Qs>
  bool operator()(const Apply<Op, Ps...>& a, const Apply<Op, Qs...>& b) const {
    return same_bytes(a.op, b.op) && (*this)(a.programs, b.programs);
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
  const Row& row_;
};

/// Whether all parts of a program that have the pattern of `left` have its value.
template <class Shared, class Same, class Kept, class P>
bool has_same_left(const Same& same, const Kept& left, const P& program) {
  if constexpr (is_left<P, Shared>) {
    return same(left, program);
  } else if constexpr (has_left<P, Shared>) {
    return has_same_left<Shared>(same, left, program.programs);
  } else {
    return true;
  }
}
template <class Shared, class Same, class Kept, class... Ps>
bool has_same_left(const Same& same, const Kept& left, const Pack<Ps...>& programs) {
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
  /// Whether the last reduction's program is worth being kept: more than an operand, and read.
  static constexpr bool possible = requires(const LastProgram& p) { p.programs; }
  &&(has_left<Ps, Shared> || ...);
  static constexpr std::uint64_t beside = (uses_beside<Ps, Shared> | ...);
  static constexpr std::uint64_t uses = beside | uses_of<Reused<typename LastProgram::type>>;

  /// Whether the shared parts have the same value; see SameValue.
  template <class Row>
  static bool same(const void* opaque, const Row& row) {
    const auto& program = *static_cast<const Program*>(opaque);
    return has_same_left<Shared>(SameValue<Row>(row), weft::get<last>(program.reductions).program,
                                 program.outputs);
  }
};

}  // namespace weft::detail
