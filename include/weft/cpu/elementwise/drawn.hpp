// Random numbers of a block of elements, drawn in vectors before the loop that uses them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/drawn_words.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"

namespace weft::op {
template <class T>
struct uniform;
template <class T>
struct normal;
template <class T>
struct integers;
template <class T>
struct trials;
}  // namespace weft::op

namespace weft::cpu::detail {

/// What is held of an operation that draws, for each element: its value, made of 32 or 64 bits, or
/// where `holds_bits`, the bits; `pair` makes the values of two neighbours.
template <class Op>
struct DrawnAhead;
template <class T>
struct DrawnAhead<op::uniform<T>> {
  using Held = compute_t<T>;
  static constexpr int per_block = std::is_same_v<T, double> ? 2 : 4;
  template <class Bits>
  WEFT_ALWAYS_INLINE static Held number(const op::uniform<T>& op, Bits bits) {
    return op.of_bits(bits);
  }
};
template <class T>
struct DrawnAhead<op::normal<T>> {
  using Held = compute_t<T>;
  static constexpr int per_block = std::is_same_v<T, double> ? 2 : 4;
  template <class Bits>
  WEFT_ALWAYS_INLINE static void pair(Bits radius, Bits angle, Held* to) {
    to[0] = op::normal<T>::of_bits(radius, angle, false);
    to[1] = op::normal<T>::of_bits(radius, angle, true);
  }
};
template <class T>
struct DrawnAhead<op::trials<T>> {
  using Held = std::uint32_t;
  static constexpr int per_block = 4;
  static constexpr bool holds_bits = true;
  WEFT_ALWAYS_INLINE static Held number(const op::trials<T>&, Held bits) { return bits; }
};
template <class T>
struct DrawnAhead<op::integers<T>> {
  using Held = T;
  static constexpr int per_block = 2;
  /// Above that, a number takes all of a block.
  static bool is_possible(const op::integers<T>& op) { return op.count >> 32 == 0; }
  WEFT_ALWAYS_INLINE static Held number(const op::integers<T>& op, std::uint64_t bits) {
    return op.of_bits(bits, static_cast<std::uint32_t>(op.count));
  }
};

template <class Op>
concept DrawsAhead = requires {
  DrawnAhead<Op>::per_block;
};

/// Bytes for the numbers of a block of elements, rounded out to whole Philox blocks.
template <DrawsAhead Op>
inline constexpr int64_t drawn_bytes = (block_size + DrawnAhead<Op>::per_block * DrawnWords::unit) *
                                       static_cast<int>(sizeof(typename DrawnAhead<Op>::Held));

WEFT_INLINE std::uint64_t wide_word(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

/// All numbers of n blocks.
template <class Op, class Held>
WEFT_INLINE void fill_blocks(const Op& op, const DrawnWords& x, int n, Held* to) {
  using Ahead = DrawnAhead<Op>;
  constexpr int per = Ahead::per_block;
  if constexpr (requires { Ahead::pair(x.a[0], x.b[0], to); }) {
    if constexpr (per == 2) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int i = 0; i < n; ++i) {
        Ahead::pair(wide_word(x.a[i], x.b[i]), wide_word(x.c[i], x.d[i]), to + 2 * i);
      }
    } else {  // more than g++ vectorises with two pairs in a step
      alignas(64) std::uint32_t radius[2 * DrawnWords::most];
      alignas(64) std::uint32_t angle[2 * DrawnWords::most];
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int i = 0; i < n; ++i) {
        radius[2 * i] = x.a[i];
        radius[2 * i + 1] = x.c[i];
        angle[2 * i] = x.b[i];
        angle[2 * i + 1] = x.d[i];
      }
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int i = 0; i < 2 * n; ++i) Ahead::pair(radius[i], angle[i], to + 2 * i);
    }
  } else {
    const Op mine = op;  // which no store can alias
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int i = 0; i < n; ++i) {
      if constexpr (per == 2) {
        to[2 * i] = Ahead::number(mine, wide_word(x.a[i], x.b[i]));
        to[2 * i + 1] = Ahead::number(mine, wide_word(x.c[i], x.d[i]));
      } else {
        to[4 * i] = Ahead::number(mine, x.a[i]);
        to[4 * i + 1] = Ahead::number(mine, x.b[i]);
        to[4 * i + 2] = Ahead::number(mine, x.c[i]);
        to[4 * i + 3] = Ahead::number(mine, x.d[i]);
      }
    }
  }
}

/// What is held of one element.
template <class Op>
auto drawn_at(const Op& op, long long position) {
  if constexpr (requires { DrawnAhead<Op>::holds_bits; }) {
    return op.draw.bits32(static_cast<std::uint64_t>(position));
  } else {
    return op.value(position);
  }
}
/// The operation's value of what is held.
template <class Op, class Held, class... More>
WEFT_INLINE auto drawn_value(const Op& op, Held held, More... more) {
  if constexpr (requires { DrawnAhead<Op>::holds_bits; }) {
    return op.of_bits(held, more...);
  } else {
    return held;
  }
}

/// The numbers of n elements, at most block_size, at positions first, first + step, ...: written to
/// `room`, and where they begin. All statements share it, so that a number is the same in each.
template <class Op>
[[gnu::noinline]] const typename DrawnAhead<Op>::Held* draw_ahead(
    const Op& op, long long first, long long step, int64_t n, typename DrawnAhead<Op>::Held* room) {
  using Ahead = DrawnAhead<Op>;
  constexpr auto per = static_cast<std::uint64_t>(Ahead::per_block);
  if constexpr (requires { Ahead::is_possible(op); }) {
    if (!Ahead::is_possible(op)) {
      for (int64_t i = 0; i < n; ++i) room[i] = drawn_at(op, first + i * step);
      return room;
    }
  }
  const auto begin = static_cast<std::uint64_t>(first);
  const auto stride = static_cast<std::uint64_t>(step);
  const bool shared = step == 1;  // blocks, by neighbours
  const std::uint64_t offset = shared ? begin % per : 0;
  const int64_t blocks =
      shared ? static_cast<int64_t>((offset + static_cast<std::uint64_t>(n) + per - 1) / per) : n;
  DrawnWords words;
  alignas(64) typename Ahead::Held apart[per * DrawnWords::most];
  std::uint64_t index[DrawnWords::most];
  for (int64_t done = 0; done < blocks; done += DrawnWords::most) {
    const auto left =
        static_cast<int>(blocks - done < DrawnWords::most ? blocks - done : DrawnWords::most);
    const int some = (left + DrawnWords::unit - 1) & -DrawnWords::unit;
    const auto position = [&](int i) {
      return begin + static_cast<std::uint64_t>(done + i) * stride;
    };
    for (int i = 0; i < some; ++i) {
      index[i] = shared ? begin / per + static_cast<std::uint64_t>(done + i) : position(i) / per;
    }
    draw_words<>(op.draw, some, index, words);
    auto* const to = shared ? room + done * static_cast<int64_t>(per) : apart;
    run_loop([&]() WEFT_ALWAYS_INLINE { fill_blocks(op, words, some, to); });
    if (shared) continue;
    for (int i = 0; i < left; ++i) {
      room[done + i] = apart[static_cast<std::uint64_t>(i) * per + position(i) % per];
    }
  }
  return room + offset;
}

}  // namespace weft::cpu::detail
