// The part that a row program's outputs share with its last reduction, computed once and kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/pattern.hpp"

namespace weft::detail {

/// The value, of type T, that the last reduction's program left behind.
template <class T>
struct Reused {
  using type = T;
  template <class Inputs>
  WEFT_HD WEFT_INLINE T operator()(const Inputs& inputs) const {
    return inputs.left();
  }
};
/// The value, of type T, of a part that a kernel computes before the reductions.
template <class T>
struct Kept {
  using type = T;
  template <class Inputs>
  WEFT_HD WEFT_INLINE T operator()(const Inputs& inputs) const {
    return inputs.kept();
  }
};
/// Bits that no operand has, since these values vary along the row.
template <class T>
inline constexpr std::uint64_t uses_of<Reused<T>> = std::uint64_t{1} << 63;
template <class T>
inline constexpr std::uint64_t uses_of<Kept<T>> = std::uint64_t{1} << 62;
template <class T>
inline constexpr std::uint64_t pattern_number<Kept<T>> = mixed(4, type_number<T>());

template <class P, std::uint64_t Number>
inline constexpr bool is_part = false;
template <class Op, class... Ps, std::uint64_t Number>
inline constexpr bool is_part<Apply<Op, Ps...>, Number> =
    pattern_number<Apply<Op, Ps...>> == Number;

/// Whether a part of P has the pattern of this number.
template <class P, std::uint64_t Number>
inline constexpr bool has_part = false;
template <class Op, class... Ps, std::uint64_t Number>
inline constexpr bool has_part<Apply<Op, Ps...>, Number> = is_part<Apply<Op, Ps...>, Number> ||
                                                           (has_part<Ps, Number> || ...);

/// P with Leaf<type> in place of its parts that have the pattern of this number.
template <template <class> class Leaf, std::uint64_t Number, class P>
WEFT_HD WEFT_INLINE auto with_leaf(const P& program);
template <template <class> class Leaf, std::uint64_t Number, class Op, class... Ps,
          std::size_t... I>
WEFT_HD WEFT_INLINE auto with_leaf_inside(const Apply<Op, Ps...>& program,
                                          std::index_sequence<I...>) {
  const auto parts =
      pack_of(with_leaf<Leaf, Number>(weft::get<static_cast<int>(I)>(program.programs))...);
  return Apply<Op, decltype(with_leaf<Leaf, Number>(std::declval<const Ps&>()))...>{program.op,
                                                                                    parts};
}
template <template <class> class Leaf, std::uint64_t Number, class Op, class... Ps>
WEFT_HD WEFT_INLINE auto with_leaf_apply(const Apply<Op, Ps...>& program) {
  return with_leaf_inside<Leaf, Number>(program, std::make_index_sequence<sizeof...(Ps)>{});
}
template <template <class> class Leaf, std::uint64_t Number, class P>
WEFT_HD WEFT_INLINE auto with_leaf(const P& program) {
  if constexpr (is_part<P, Number>) {
    return Leaf<typename P::type>{};
  } else if constexpr (has_part<P, Number>) {
    return with_leaf_apply<Leaf, Number>(program);
  } else {
    return program;
  }
}

/// The operands that a program reads outside its parts with this pattern.
template <class P, std::uint64_t Number>
inline constexpr std::uint64_t uses_beside = uses_of<P>;
template <class Op, class... Ps, std::uint64_t Number>
inline constexpr std::uint64_t uses_beside<Apply<Op, Ps...>, Number> =
    is_part<Apply<Op, Ps...>, Number> ? 0 : (uses_beside<Ps, Number> | ... | 0);

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
  bool operator()(const Kept<T>&, const Kept<T>&) const {
    return true;
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

/// Whether all parts of a program that have the pattern of this number have the value of `first`.
template <std::uint64_t Number, class Same, class First, class P>
bool has_same_parts(const Same& same, const First& first, const P& program) {
  if constexpr (is_part<P, Number>) {
    return same(first, program);
  } else if constexpr (has_part<P, Number>) {
    return has_same_parts<Number>(same, first, program.programs);
  } else {
    return true;
  }
}
template <std::uint64_t Number, class Same, class First, class... Ps>
bool has_same_parts(const Same& same, const First& first, const Pack<Ps...>& programs) {
  if constexpr (sizeof...(Ps) == 0) {
    return true;
  } else {
    return has_same_parts<Number>(same, first, programs.head) &&
           has_same_parts<Number>(same, first, programs.tail);
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
  static constexpr std::uint64_t number = pattern_number<LastProgram>;
  /// Whether the last reduction's program is worth keeping: more than an operand, and read again. A
  /// converted operand is not: others of its type have the same pattern, a weight beside rows say.
  static constexpr bool possible =
      uses_of<LastProgram> != 0 && !is_operand<LastProgram> && (has_part<Ps, number> || ...);
  static constexpr std::uint64_t beside = (uses_beside<Ps, number> | ...);
  static constexpr std::uint64_t uses = beside | uses_of<Reused<typename LastProgram::type>>;

  /// Whether the shared parts have the same value; see SameValue.
  template <class Row>
  static bool same(const void* opaque, const Row& row) {
    const auto& program = *static_cast<const Program*>(opaque);
    return has_same_parts<number>(SameValue<Row>(row), weft::get<last>(program.reductions).program,
                                  program.outputs);
  }
};

}  // namespace weft::detail
