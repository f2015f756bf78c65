// How a row's programs read its operands, the reductions' values and kept values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/elements.hpp"

namespace weft::cpu::detail {

/// The operands and the reductions' values of a run of a row, as programs read them; `kept` are the
/// last reduction's inputs.
template <int First, class Operands, class Values, class Kept>
struct RowAt {
  const Operands& operands;
  const Values& values;
  const Kept* kept;
  int64_t i;
  template <int I>
  WEFT_HD WEFT_INLINE auto get() const {
    return weft::get<I - First>(operands).at(i);
  }
  template <int I>
  WEFT_HD WEFT_INLINE auto reduced() const {
    return weft::get<I>(values).at(i);
  }
  WEFT_HD WEFT_INLINE auto left() const { return kept[i]; }
};

/// The same for programs that run on vectors. A reduction's value is loaded where it is used: clang
/// joins loads of several to a vector, by way of the stack, from which it reads before it can.
template <int First, class Operands>
struct RowVectorAt {
  const Operands& operands;
  char* const* values;
  const int64_t* skip;
  int64_t row;
  template <int I>
  WEFT_ALWAYS_INLINE auto data() const {
    return weft::get<I - First>(operands).data;
  }
  template <int I, class T>
  WEFT_ALWAYS_INLINE T reduced() const {
    return *reinterpret_cast<const T*>(values[I] + row * skip[I]);
  }
};

/// The value of a reduction, the same for the whole row, so that what depends on it alone is
/// computed once. Each has 16 bytes to itself: clang copies adjacent ones as one number, by way of
/// the stack, as above.
template <class T>
struct alignas(16) RowValue {
  T value;
  WEFT_HD WEFT_INLINE T at(int64_t) const { return value; }
};
template <class Types>
struct RowValues;
template <class... Ts>
struct RowValues<weft::detail::TypeList<Ts...>> {
  using type = Pack<RowValue<Ts>...>;
  WEFT_ALWAYS_INLINE static type moved(char* const* at, const int64_t*, const int64_t* skip,
                                       int64_t rows) {
    return take(at, skip, rows, std::index_sequence_for<Ts...>{});
  }

 private:
  template <std::size_t... I>
  WEFT_ALWAYS_INLINE static type take([[maybe_unused]] char* const* at,
                                      [[maybe_unused]] const int64_t* skip,
                                      [[maybe_unused]] int64_t rows, std::index_sequence<I...>) {
    return make_pack(RowValue<Ts>{*reinterpret_cast<const Ts*>(at[I] + rows * skip[I])}...);
  }
};

}  // namespace weft::cpu::detail
