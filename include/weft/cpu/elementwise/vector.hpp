// Reducing a run of numbers in vectors: sums, products, extremes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/reduce/reducers.hpp"

namespace weft::cpu::detail {

/// 32 and 16 bytes of numbers as compiler vectors, whatever the instruction set.
template <class C>
struct VectorOf {
  typedef C type __attribute__((vector_size(32)));
  typedef C half __attribute__((vector_size(16)));
  using Index = std::conditional_t<sizeof(C) == 4, std::int32_t, std::int64_t>;
  typedef Index indices __attribute__((vector_size(32)));
  static constexpr int size = 32 / static_cast<int>(sizeof(C));
  /// Sets 0, 1, 2, ...
  WEFT_ALWAYS_INLINE static void number(indices& lanes) {
    if constexpr (size == 8) {
      lanes = indices{0, 1, 2, 3, 4, 5, 6, 7};
    } else {
      lanes = indices{0, 1, 2, 3};
    }
  }
};

template <class V, class C>
WEFT_INLINE void load_vector(V& v, const C* from) {
  __builtin_memcpy(&v, from, sizeof(V));
}

/// How a reducer joins numbers, or vectors of them: join(a, b) updates a, the earlier one.
template <class R>
struct Join;
template <>
struct Join<reducer::sum> {
  template <class V>
  WEFT_ALWAYS_INLINE static void join(V& a, const V& b) {
    a += b;
  }
};
template <>
struct Join<reducer::mean> : Join<reducer::sum> {};
template <>
struct Join<reducer::prod> {
  template <class V>
  WEFT_ALWAYS_INLINE static void join(V& a, const V& b) {
    a *= b;
  }
};
/// One instruction instead of four with comparisons for NaN; NaN may be lost.
template <>
struct Join<reducer::extreme_value<true>> {
  static constexpr bool loses_nan = true;
  template <class V>
  WEFT_ALWAYS_INLINE static void join(V& a, const V& b) {
    a = a > b ? a : b;
  }
};
template <>
struct Join<reducer::extreme_value<false>> {
  static constexpr bool loses_nan = true;
  template <class V>
  WEFT_ALWAYS_INLINE static void join(V& a, const V& b) {
    a = a < b ? a : b;
  }
};

template <>
struct Join<reducer::max> : Join<reducer::extreme_value<true>> {};
template <>
struct Join<reducer::min> : Join<reducer::extreme_value<false>> {};

/// The type in which numbers are joined: sums and products of integers wrap.
template <class R, class C>
using Joined = typename std::conditional_t<is_integer<C> && (std::is_same_v<R, reducer::sum> ||
                                                             std::is_same_v<R, reducer::prod>),
                                           std::make_unsigned<C>, std::type_identity<C>>::type;

/// Whether R's reduction of numbers of type C is a Join of them.
template <class R, class C>
inline constexpr bool joins = requires(typename R::template State<C> s) {
  requires sizeof(Join<R>) > 0;
  requires std::is_floating_point_v<C> ||(is_integer<C> && sizeof(C) >= 4);
  requires std::is_same_v<decltype(s.value), C>;
};

/// Records whether there was a NaN among numbers, or vectors of numbers, since the join would lose
/// it.
template <class J, class C>
class NanSeen {
  static constexpr bool looks = std::is_floating_point_v<C> && requires { J::loses_nan; };
  using Lanes = typename VectorOf<C>::indices;
  using Half = typename VectorOf<std::int64_t>::half;

 public:
  WEFT_ALWAYS_INLINE void look(C x) {
    if constexpr (looks) number_ |= x != x;
  }
  template <class V>
  WEFT_ALWAYS_INLINE void look(const V& x) {
    if constexpr (looks) lanes_ |= x != x;
  }
  /// `x`, or NaN if there was one.
  WEFT_ALWAYS_INLINE C in(C x) const {
    if constexpr (looks) {
      const Lanes lanes = lanes_;  // a copy, so that the vector itself stays in a register
      Half low, high;
      __builtin_memcpy(&low, &lanes, sizeof(Half));
      __builtin_memcpy(&high, reinterpret_cast<const char*>(&lanes) + sizeof(Half), sizeof(Half));
      low |= high;
      const bool any = number_ || (low[0] | low[1]) != 0;
      return any ? math::nan<C> : x;
    }
    return x;
  }

 private:
  bool number_ = false;
  Lanes lanes_{};
};

/// Joins m numbers; `empty` is the identity. source(x, i) loads a number, or a vector, from
/// position i. The order depends only on m. Eight independent vectors hide the latency; they are
/// named variables because g++ would keep an array in memory.
template <class J, class C, class S>
WEFT_INLINE C join_all(int m, C empty, const S& source) {
  using V = typename VectorOf<C>::type;
  using Half = typename VectorOf<C>::half;
  constexpr int size = VectorOf<C>::size;
  NanSeen<J, C> nan;
  if (m < size) {
    C all = empty;
    for (int i = 0; i < m; ++i) {
      C x;
      source(x, i);
      nan.look(x);
      J::join(all, x);
    }
    return nan.in(all);
  }
  const V none = empty - V{};  // + would make -0 0
  V a = none, b = none, c = none, d = none;
  int i = 0;
  const auto add = [&](V& part, int at) WEFT_ALWAYS_INLINE {
    V x;
    source(x, at);
    nan.look(x);
    J::join(part, x);
  };
  if (m >= 8 * size) {
    V e = none, g = none, h = none, k = none;
    for (; i + 8 * size <= m; i += 8 * size) {
      add(a, i);
      add(b, i + size);
      add(c, i + 2 * size);
      add(d, i + 3 * size);
      add(e, i + 4 * size);
      add(g, i + 5 * size);
      add(h, i + 6 * size);
      add(k, i + 7 * size);
    }
    J::join(a, e);
    J::join(b, g);
    J::join(c, h);
    J::join(d, k);
  }
  if ((m & 4 * size) != 0) {
    add(a, i);
    add(b, i + size);
    add(c, i + 2 * size);
    add(d, i + 3 * size);
    i += 4 * size;
  }
  if ((m & 2 * size) != 0) {
    add(a, i);
    add(b, i + size);
    i += 2 * size;
  }
  if ((m & size) != 0) {
    add(c, i);
    i += size;
  }
  if ((m & (size - 1)) != 0) {  // the last vector, which overlaps earlier ones
    V x;
    source(x, m - size);
    const auto past = static_cast<typename VectorOf<C>::Index>(size - (m & (size - 1)));
    typename VectorOf<C>::indices lanes;
    VectorOf<C>::number(lanes);
    x = lanes < past ? none : x;
    nan.look(x);
    J::join(d, x);
  }
  J::join(a, c);
  J::join(b, d);
  J::join(a, b);
  Half low, high;
  __builtin_memcpy(&low, &a, sizeof(Half));
  __builtin_memcpy(&high, reinterpret_cast<const char*>(&a) + sizeof(Half), sizeof(Half));
  J::join(low, high);
  if constexpr (size == 8) {
    high = Half{low[2], low[3], low[2], low[3]};
    J::join(low, high);
    high = Half{low[1], low[1], low[1], low[1]};
  } else {
    high = Half{low[1], low[1]};
  }
  J::join(low, high);
  return nan.in(low[0]);
}

/// Joins f(x) for the m values x in memory; f takes numbers and vectors of them.
template <class J, class C, class F>
WEFT_INLINE C join_run(const C* values, int m, C empty, const F& f) {
  return join_all<J>(m, empty, [&](auto& x, int i) WEFT_ALWAYS_INLINE {
    load_vector(x, values + i);
    f(x);
  });
}

}  // namespace weft::cpu::detail
