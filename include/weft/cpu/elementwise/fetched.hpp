// Loops over gathered or random elements: these are fetched first, so that the rest vectorises.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/drawn.hpp"
#include "weft/cpu/elementwise/halves.hpp"
#include "weft/eval/program/program.hpp"

namespace weft {
struct AlongAxis;
namespace op {
template <class T, class Finder>
struct gathered;
}
}  // namespace weft

namespace weft::cpu::detail {

template <class T>
inline constexpr bool can_fetch = std::is_arithmetic_v<T> || is_half<T>;

/// The type in which fetched elements are held: halves as floats.
template <class T>
using Held = std::conditional_t<std::is_same_v<T, half>, float, T>;

/// Whether a program is positions, which lie evenly along a loop.
template <class P>
inline constexpr bool reads_positions = false;
template <int I>
inline constexpr bool reads_positions<Arg<I, IndexOperand>> = true;

/// Bytes for a block's gathered and random elements; 0 if the program has none.
template <class P>
inline constexpr std::int64_t fetched_bytes = 0;
template <class Op, class... Ps>
inline constexpr std::int64_t fetched_bytes<Apply<Op, Ps...>> = (fetched_bytes<Ps> + ... + 0);
template <class T, class Finder, class... Ps>
inline constexpr std::int64_t fetched_bytes<Apply<op::gathered<T, Finder>, Ps...>> =
    (fetched_bytes<Ps> + ... + (can_fetch<T> ? block_size * static_cast<int>(sizeof(Held<T>)) : 0));
template <DrawsAhead Op, class... Ps>
inline constexpr std::int64_t fetched_bytes<Apply<Op, Ps...>> = (fetched_bytes<Ps> + ... +
                                                                 drawn_bytes<Op>);
template <class... Ps>
inline constexpr std::int64_t fetched_bytes<Pack<Ps...>> = (fetched_bytes<Ps> + ... + 0);
/// Programs that run another one's forward pass first, such as gradients.
template <class P>
concept RunsForward = requires(P& program) {
  program.forward();
};
template <RunsForward P>
inline constexpr std::int64_t fetched_bytes<P> =
    fetched_bytes<std::remove_cvref_t<decltype(std::declval<P&>().forward())>>;

/// The inputs of a program whose gathers have been fetched, from element `first` on.
template <class Inputs>
struct FetchedAt : Inputs {
  static constexpr bool applies = true;
  int64_t first;
  template <class Op, class... Vs>
  WEFT_ALWAYS_INLINE auto apply(const Op& op, Vs... values) const {
    return op.value(values...);
  }
  template <class T, class Finder, class I>
  WEFT_ALWAYS_INLINE auto apply(const op::gathered<T, Finder>& op, long long offset,
                                I index) const {
    if constexpr (can_fetch<T>) {
      return load_element(reinterpret_cast<const Held<T>*>(op.data)[this->i - first]);
    } else {
      return op.value(offset, index);
    }
  }
  template <DrawsAhead Op, class... Vs>
  WEFT_ALWAYS_INLINE auto apply(const Op& op, long long, Vs... values) const {
    using Held = typename DrawnAhead<Op>::Held;
    return drawn_value(op, static_cast<const Held*>(op.draw.drawn)[this->i - first], values...);
  }
};

/// Whether a gather's index is known to be the same for the whole loop.
template <class P, class Inputs>
WEFT_INLINE bool repeats_index(const P&, const Inputs&) {
  return false;
}
template <int I, class T, class Inputs>
WEFT_INLINE bool repeats_index(const Arg<I, T>&, const Inputs& inputs) {
  if constexpr (requires { inputs.template repeats<I>(); }) return inputs.template repeats<I>();
  return false;
}

/// Points the gathers of a program to their elements first to last - 1: in place where these are
/// contiguous, as in a row selected by one index, otherwise to copies at `room`.
template <class P, class At>
WEFT_INLINE void fetch(P&, const At&, int64_t, int64_t, char*&) {}
template <class Op, class... Ps, class At>
WEFT_INLINE void fetch(Apply<Op, Ps...>& program, const At& at, int64_t first, int64_t last,
                       char*& room);
template <RunsForward P, class At>
WEFT_INLINE void fetch(P& program, const At& at, int64_t first, int64_t last, char*& room) {
  fetch(program.forward(), at, first, last, room);
}
template <class P, class... Rest, class At>
WEFT_INLINE void fetch(Pack<P, Rest...>& programs, const At& at, int64_t first, int64_t last,
                       char*& room) {
  if constexpr (0 < fetched_bytes<P>) fetch(programs.head, at, first, last, room);
  if constexpr (sizeof...(Rest) > 0) fetch(programs.tail, at, first, last, room);
}
template <class Op, class... Ps, class At>
WEFT_INLINE void fetch(Apply<Op, Ps...>& program, const At& at, int64_t first, int64_t last,
                       char*& room) {
  fetch(program.programs, at, first, last, room);
}
/// Points an operation that draws to the numbers of elements first to last - 1.
template <DrawsAhead Op, class... Ps, class At>
WEFT_INLINE void fetch(Apply<Op, Ps...>& program, const At& at, int64_t first, int64_t last,
                       char*& room) {
  fetch(program.programs, at, first, last, room);
  const auto position = [&](int64_t i) WEFT_ALWAYS_INLINE {
    return static_cast<long long>(program.programs.head(at(i)));
  };
  using Held = typename DrawnAhead<Op>::Held;
  auto* const out = reinterpret_cast<Held*>(room);
  room += drawn_bytes<Op>;
  if constexpr (reads_positions<decltype(program.programs.head)>) {
    const long long begin = position(first);
    program.op.draw.drawn =
        draw_ahead(program.op, begin, position(first + 1) - begin, last - first, out);
  } else {
    for (int64_t i = first; i < last; ++i) {
      out[i - first] = drawn_at(program.op, position(i));
    }
    program.op.draw.drawn = out;
  }
}
template <class T, class Finder, class... Ps, class At>
WEFT_INLINE void fetch(Apply<op::gathered<T, Finder>, Ps...>& program, const At& at, int64_t first,
                       int64_t last, char*& room) {
  fetch(program.programs, at, first, last, room);
  if constexpr (can_fetch<T>) {
    auto& op = program.op;
    const auto offset = [&](int64_t i) WEFT_ALWAYS_INLINE {
      return static_cast<long long>(weft::get<0>(program.programs)(at(i)));
    };
    const auto index = [&](int64_t i)
                           WEFT_ALWAYS_INLINE { return weft::get<1>(program.programs)(at(i)); };
    if constexpr (std::is_same_v<Finder, AlongAxis>) {
      const auto row = index(first);
      long long place = offset(first);
      bool one = offset(last - 1) == place + (last - 1 - first);
      if (one && !repeats_index(weft::get<1>(program.programs), at(first))) {
        unsigned long long others = 0;
        for (int64_t i = first; i < last; ++i) {
          others |=
              static_cast<unsigned long long>(index(i)) ^ static_cast<unsigned long long>(row);
        }
        one = others == 0;
      }
      if (one && op.finder.find(place, row)) {
        op.data += place;
        if constexpr (std::is_same_v<T, half>) {
          auto* const wide = reinterpret_cast<float*>(room);
          room += block_size * sizeof(float);
          widen_halves(op.data, wide, last - first);
          op.data = reinterpret_cast<const half*>(wide);
        }
        return;
      }
    }
    auto* const out = reinterpret_cast<Held<T>*>(room);
    room += block_size * sizeof(Held<T>);
    for (int64_t i = first; i < last; ++i) {
      long long place = offset(i);
      const bool found = op.finder.find(place, index(i));
      put(out[i - first],
          static_cast<Held<T>>(found ? op.data[place] : store_element<T>(op.none())));
    }
    op.data = reinterpret_cast<const T*>(out);
  }
}

/// Whether a program reads nothing but halves gathered along an axis: short rows of these are
/// computed together.
template <class P>
inline constexpr bool reads_picked_halves = false;
template <class C>
inline constexpr bool reads_picked_halves<Constant<C>> = true;
template <class Op, class... Ps>
inline constexpr bool reads_picked_halves<Apply<Op, Ps...>> =
    !has_effects<Apply<Op>> && (reads_picked_halves<Ps> && ...);
template <class... Ps>
inline constexpr bool reads_picked_halves<Apply<op::gathered<half, AlongAxis>, Ps...>> =
    ((fetched_bytes<Ps> == 0 && !has_effects<Ps>)&&...);

/// The inputs of element i where all gathers have been fetched and nothing else is read.
struct NoOperands {
  int64_t i;
  template <int I>
  WEFT_HD WEFT_INLINE long long get() const {
    return 0;
  }
};

/// For each gather of such a program, appends the n halves of a row, as floats, to the `before`
/// ones of earlier rows, and points the gather to the first of these; false if the row is not
/// selected by a single index.
template <class C, class At>
WEFT_INLINE bool fetch_row(Constant<C>&, const At&, int64_t, int64_t, char*&) {
  return true;
}
template <class Op, class... Ps, class At>
WEFT_INLINE bool fetch_row(Apply<Op, Ps...>& program, const At& at, int64_t n, int64_t before,
                           char*& room);
template <class... Ps, class At>
WEFT_INLINE bool fetch_row(Apply<op::gathered<half, AlongAxis>, Ps...>& program, const At& at,
                           int64_t n, int64_t before, char*& room);
template <class P, class... Rest, class At>
WEFT_INLINE bool fetch_row(Pack<P, Rest...>& programs, const At& at, int64_t n, int64_t before,
                           char*& room) {
  if (!fetch_row(programs.head, at, n, before, room)) return false;
  if constexpr (sizeof...(Rest) > 0) return fetch_row(programs.tail, at, n, before, room);
  return true;
}
template <class Op, class... Ps, class At>
WEFT_INLINE bool fetch_row(Apply<Op, Ps...>& program, const At& at, int64_t n, int64_t before,
                           char*& room) {
  return fetch_row(program.programs, at, n, before, room);
}
template <class... Ps, class At>
WEFT_INLINE bool fetch_row(Apply<op::gathered<half, AlongAxis>, Ps...>& program, const At& at,
                           int64_t n, int64_t before, char*& room) {
  const auto row = weft::get<1>(program.programs)(at(0));
  auto place = static_cast<long long>(weft::get<0>(program.programs)(at(0)));
  unsigned long long others = 0;
  if (!repeats_index(weft::get<1>(program.programs), at(0))) {
    for (int64_t i = 1; i < n; ++i) {
      others |= static_cast<unsigned long long>(weft::get<1>(program.programs)(at(i))) ^
                static_cast<unsigned long long>(row);
    }
  }
  const auto last = static_cast<long long>(weft::get<0>(program.programs)(at(n - 1)));
  if (others != 0 || last != place + n - 1 || !program.op.finder.find(place, row)) return false;
  auto* const wide = reinterpret_cast<float*>(room);
  room += block_size * sizeof(float);
  widen_halves(program.op.data + place, wide + before, n);
  program.op.data = reinterpret_cast<const half*>(wide);
  return true;
}

/// Prefetches some of the first n elements that a program's gathers read for the inputs `at`: rows
/// scattered over a large table would arrive too late otherwise.
template <class P, class At>
WEFT_INLINE void prefetch(const P&, const At&, int64_t) {}
template <RunsForward P, class At>
WEFT_INLINE void prefetch(const P& program, const At& at, int64_t n) {
  prefetch(program.forward(), at, n);
}
template <class Op, class... Ps, class At>
WEFT_INLINE void prefetch(const Apply<Op, Ps...>& program, const At& at, int64_t n);
template <class T, class... Ps, class At>
WEFT_INLINE void prefetch(const Apply<op::gathered<T, AlongAxis>, Ps...>& program, const At& at,
                          int64_t n);
template <class P, class... Rest, class At>
WEFT_INLINE void prefetch(const Pack<P, Rest...>& programs, const At& at, int64_t n) {
  prefetch(programs.head, at, n);
  prefetch(programs.tail, at, n);
}
template <class Op, class... Ps, class At>
WEFT_INLINE void prefetch(const Apply<Op, Ps...>& program, const At& at, int64_t n) {
  if constexpr (fetched_bytes < Apply < Op, Ps... >>> 0) prefetch(program.programs, at, n);
}
template <class T, class... Ps, class At>
WEFT_INLINE void prefetch(const Apply<op::gathered<T, AlongAxis>, Ps...>& program, const At& at,
                          int64_t n) {
  if constexpr (can_fetch<T> && (!has_effects<Ps> && ...)) {
    constexpr int64_t line = 64;
    const auto place = static_cast<std::uintptr_t>(
        static_cast<long long>(weft::get<0>(program.programs)(at)) +
        static_cast<long long>(weft::get<1>(program.programs)(at)) * program.op.finder.stride);
    const auto first = reinterpret_cast<std::uintptr_t>(program.op.data) + place * sizeof(T);
    const int64_t bytes = n * static_cast<int64_t>(sizeof(T));
    for (int64_t i = 0; i < (bytes < 4 * line ? bytes : 4 * line); i += line) {
      __builtin_prefetch(reinterpret_cast<const void*>(first + static_cast<std::uintptr_t>(i)));
    }
    __builtin_prefetch(reinterpret_cast<const void*>(
        first + static_cast<std::uintptr_t>((bytes < 4 * line ? bytes : 4 * line) - 1)));
  }
}

}  // namespace weft::cpu::detail
