// Elements: a vector loop's operands, all at unit stride.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/pack.hpp"
#include "weft/eval/program/plan.hpp"
#include "weft/eval/program/program.hpp"

namespace weft::cpu {

using std::int64_t;

/// An operand's contiguous elements.
template <class T>
struct Elements {
  const T* data;
  WEFT_HD WEFT_INLINE auto at(int64_t i) const { return load_element(data[i]); }
};
/// bools are read as bytes: g++ vectorises few loops that load bools.
template <>
struct Elements<bool> {
  const unsigned char* data;
  WEFT_HD WEFT_INLINE bool at(int64_t i) const { return data[i] != 0; }
};
/// Positions are computed, not loaded.
template <>
struct Elements<IndexOperand> {
  long long first;
  long long step;
  WEFT_HD WEFT_INLINE long long at(int64_t i) const { return first + i * step; }
};

template <class T>
WEFT_INLINE Elements<T> elements_at(const char* at, int64_t) {
  return {reinterpret_cast<decltype(Elements<T>::data)>(at)};
}
template <>
WEFT_INLINE Elements<IndexOperand> elements_at(const char* at, int64_t step) {
  return {reinterpret_cast<long long>(at) - IndexOperand::origin, step};
}

/// The operands of a loop as a program reads them: Arg<First> is the first.
template <int First, class Pack>
struct ElementAt {
  const Pack& operands;
  int64_t i;
  template <int I>
  WEFT_HD WEFT_INLINE auto get() const {
    return weft::get<I - First>(operands).at(i);
  }
  /// Whether an operand is known to be one element for the whole loop.
  template <int I>
  WEFT_HD WEFT_INLINE bool repeats() const {
    using E = std::remove_cvref_t<decltype(weft::get<I - First>(operands))>;
    if constexpr (requires(const E& e) { e.repeats(); }) {
      return weft::get<I - First>(operands).repeats();
    } else {
      return false;
    }
  }
};

/// The operands of a loop. Those with a bit in Apart are indices, see index_operands.hpp.
template <class Types, std::uint64_t Apart = 0>
struct OperandElements;
template <class... Ts>
struct OperandElements<weft::detail::TypeList<Ts...>, 0> {
  using type = Pack<Elements<Ts>...>;
  /// Which operands are positions.
  static constexpr bool computed[sizeof...(Ts) + 1] = {std::is_same_v<Ts, IndexOperand>..., false};

  WEFT_ALWAYS_INLINE static type at(char* const* at, const int64_t* step) {
    return take(at, step, std::index_sequence_for<Ts...>{});
  }
  /// The operands `rows` rows further on; a row is skip[k] bytes, or positions, for operand k.
  WEFT_ALWAYS_INLINE static type moved(char* const* at, const int64_t* step, const int64_t* skip,
                                       int64_t rows) {
    return move(at, step, skip, rows, std::index_sequence_for<Ts...>{});
  }

 private:
  template <std::size_t... I>
  WEFT_ALWAYS_INLINE static type move(char* const* at, const int64_t* step, const int64_t* skip,
                                      int64_t rows, std::index_sequence<I...>) {
    return make_pack(elements_at<Ts>(at[I] + rows * skip[I], step[I])...);
  }
  template <std::size_t... I>
  WEFT_ALWAYS_INLINE static type take(char* const* at, const int64_t* step,
                                      std::index_sequence<I...>) {
    return make_pack(elements_at<Ts>(at[I], step[I])...);
  }
};
template <>
struct OperandElements<weft::detail::TypeList<>, 0> {
  using type = Pack<>;
  static constexpr bool computed[1] = {false};
  static type at(char* const*, const int64_t*) { return {}; }
  static type moved(char* const*, const int64_t*, const int64_t*, int64_t) { return {}; }
};

}  // namespace weft::cpu
