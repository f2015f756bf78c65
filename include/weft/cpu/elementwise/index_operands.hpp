// Operands that are only indices of gathers: read one by one, in place at any stride.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/elements.hpp"
#include "weft/cpu/elementwise/fetched.hpp"

namespace weft::cpu {

/// Elements at any stride.
template <class T>
struct ApartElements {
  const T* data;
  int64_t step;
  WEFT_HD WEFT_INLINE auto at(int64_t i) const { return load_element(data[i * step]); }
  WEFT_HD WEFT_INLINE bool repeats() const { return step == 0; }
};

/// Operands of which some are indices. A row of a table has one index for all of its elements;
/// copied to unit stride it would be repeated for each.
template <class... Ts, std::uint64_t Apart>
  requires(Apart != 0)
struct OperandElements<weft::detail::TypeList<Ts...>, Apart> {
 private:
  using Indices = std::index_sequence_for<Ts...>;
  template <std::size_t I>
  static constexpr bool apart = I < 64 && (Apart >> (I & 63) & 1U) != 0;
  template <std::size_t I, class T>
  using Of = std::conditional_t<apart<I>, ApartElements<T>, Elements<T>>;
  template <class Sequence>
  struct Listed;
  template <std::size_t... I>
  struct Listed<std::index_sequence<I...>> {
    using type = Pack<Of<I, Ts>...>;
    static constexpr bool computed[] = {(apart<I> || std::is_same_v<Ts, IndexOperand>)..., false};
  };

 public:
  using type = typename Listed<Indices>::type;
  /// Which operands a loop reads where they are, whatever their stride.
  static constexpr const bool* computed = Listed<Indices>::computed;

  WEFT_ALWAYS_INLINE static type moved(char* const* at, const int64_t* step, const int64_t* skip,
                                       int64_t rows) {
    return move(at, step, skip, rows, Indices{});
  }

 private:
  template <class E, class T>
  WEFT_ALWAYS_INLINE static E one(const char* at, int64_t step) {
    if constexpr (std::is_same_v<E, ApartElements<T>>) {
      return {reinterpret_cast<const T*>(at), step};
    } else {
      return elements_at<T>(at, step);
    }
  }
  template <std::size_t... I>
  WEFT_ALWAYS_INLINE static type move(char* const* at, const int64_t* step, const int64_t* skip,
                                      int64_t rows, std::index_sequence<I...>) {
    return make_pack(one<Of<I, Ts>, Ts>(at[I] + rows * skip[I], step[I])...);
  }
};

namespace detail {

/// A bit for each operand that a program reads otherwise than as the index of a gather along an
/// axis; all of what is no plain program.
template <class P>
inline constexpr std::uint64_t reads_as_value = ~std::uint64_t{0};
template <int I, class T>
inline constexpr std::uint64_t reads_as_value<Arg<I, T>> = weft::detail::uses_of<Arg<I, T>>;
template <class T>
inline constexpr std::uint64_t reads_as_value<Constant<T>> = 0;
template <class Op, class... Ps>
inline constexpr std::uint64_t reads_as_value<Apply<Op, Ps...>> = (reads_as_value<Ps> | ... | 0);
template <class T, class Offset, int I, std::integral Index>
inline constexpr std::uint64_t
    reads_as_value<Apply<op::gathered<T, AlongAxis>, Offset, Arg<I, Index>>> =
        can_fetch<T> ? reads_as_value<Offset> : ~std::uint64_t{0};

/// A bit for each operand that programs read only as such an index.
template <class... Ps>
inline constexpr std::uint64_t index_operands = (weft::detail::uses_of<Ps> | ... | 0) &
                                                ~(reads_as_value<Ps> | ... | 0);

}  // namespace detail
}  // namespace weft::cpu
