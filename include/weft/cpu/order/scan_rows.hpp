// The loops of a scan on the CPU: adjacent rows, rows transposed to be adjacent, pieces of a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/elements.hpp"
#include "weft/cpu/elementwise/halves.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/elementwise/transpose.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/order/scanners.hpp"

namespace weft::cpu::detail {

/// Elements of rows that are scanned.
template <class T>
struct ScanSide {
  T* data;
  int64_t along;   // from an element of a row to the next one
  int64_t across;  // from a row to the next one
};

/// A few rows, which the scanner S runs along.
template <class S, class In, class Out>
struct ScanRows {
  using C = compute_t<In>;
  /// Products of floats are joined in double: a long row is cut into pieces, whose own products may
  /// leave float's range even if the row's does not.
  using Carry = std::conditional_t<std::is_same_v<S, scanner::cumprod> && std::is_same_v<C, float>,
                                   double, typename S::template Carry<C>>;
  /// The total of a piece. Wrapped in a class, since a vector of bool holds no bools.
  struct Total {
    Carry value;
  };
  WEFT_ALWAYS_INLINE static void join(Total& total, Total later) {
    total.value = join(total.value, later.value);
  }
  static constexpr int beside = 64;      // rows, at most, that lie side by side
  static constexpr int transposed = 32;  // and rows that are transposed
  static constexpr int64_t piece = 512;

  ScanSide<const In> in;
  ScanSide<Out> out;
  int rows;

  static Carry none() { return S::template identity<Carry>(); }

  /// S::join; for logarithms of sums without branches, so that adjacent rows vectorise.
  WEFT_ALWAYS_INLINE static Carry join(Carry a, Carry b) {
    if constexpr (std::is_same_v<S, scanner::logcumsumexp> && std::is_floating_point_v<C>) {
      using namespace math::simd::detail;
      const auto mask = [](bool condition) { return Bits<C>{0} - static_cast<Bits<C>>(condition); };
      const Bits<C> first = mask((a.max >= b.max) | (a.max != a.max));
      const C high = select(first, a.max, b.max);
      const C low = select(first, b.max, a.max);
      const C less = select(mask(low == high), C(0), low - high);
      const C ratio = math::exp(less);
      return {high, select(first, a.sum, b.sum) + select(first, b.sum, a.sum) * ratio};
    } else {
      return S::join(a, b);
    }
  }
  template <class T>
  WEFT_ALWAYS_INLINE static Carry enter(T x) {
    return static_cast<Carry>(S::enter(load_element(x)));
  }
  /// Doubles become halves by way of float: rounding them only once would keep loops from being
  /// vectorised.
  template <class To>
  WEFT_ALWAYS_INLINE static void leave(To& to, Carry carry) {
    if constexpr (is_half<To> && std::is_same_v<decltype(S::finish(carry)), double>) {
      put(to, static_cast<To>(static_cast<float>(S::finish(carry))));
    } else {
      put(to, static_cast<To>(S::finish(carry)));
    }
  }

  /// Whether contiguous rows can be transposed.
  static bool can_transpose(int64_t to, int64_t from) {
    return detail::can_transpose(sizeof(In)) && detail::can_transpose(sizeof(Out)) && to == 1 &&
           from == 1;
  }

  /// Rows of `length`.
  void run(int64_t length) const {
    Carry carry[beside];
    for (int i = 0; i < rows; ++i) carry[i] = none();
    scan(0, length, carry);
  }

  /// Rows along memory.
  void run_along(int64_t length) const {
    Carry carry[transposed];
    for (int i = 0; i < transposed; ++i) carry[i] = none();
    scan_along(length, carry);
  }

  /// The total of a piece of each row.
  void total(int64_t begin, int64_t length, Total* totals) const {
    const int64_t end = length - begin < piece ? length : begin + piece;
    run_loop([=, this]() WEFT_ALWAYS_INLINE {
      if (rows == 1 && in.along == 1) {
        constexpr int wide = 64;  // more than a compiler unrolls: it makes vectors of a loop
        Total lane[wide];
        for (int i = 0; i < wide; ++i) lane[i].value = none();
        int64_t k = begin;
        for (; k + wide <= end; k += wide) {
          for (int i = 0; i < wide; ++i) join(lane[i], Total{enter(in.data[k + i])});
        }
        for (int half = wide / 2; half > 0; half /= 2) {
          for (int i = 0; i < half; ++i) join(lane[i], lane[i + half]);
        }
        for (; k < end; ++k) join(lane[0], Total{enter(in.data[k])});
        totals[0] = lane[0];
        return;
      }
      for (int i = 0; i < rows; ++i) totals[i].value = none();
      for (int64_t k = begin; k < end; ++k) {
        const In* const row = in.data + k * in.along;
        for (int i = 0; i < rows; ++i) {
          join(totals[i], Total{enter(row[i * in.across])});
        }
      }
    });
  }
  /// Pieces first to last - 1, each from the total before it. Those of one row are taken as rows
  /// along memory, so that none waits for its own last sum.
  void run_pieces(int64_t first, int64_t last, int64_t length, const Total* before) const {
    int64_t p = first;
    if (rows == 1 && can_transpose(out.along, in.along)) {
      const int64_t whole = last * piece <= length ? last : last - 1;
      while (p < whole) {
        const int some = static_cast<int>(whole - p < transposed ? whole - p : transposed);
        Carry carry[transposed];
        for (int i = 0; i < transposed; ++i) {
          carry[i] = i < some ? before[p - first + i].value : none();
        }
        ScanRows{{in.data + p * piece, 1, piece}, {out.data + p * piece, 1, piece}, some}
            .scan_along(piece, carry, true);
        p += some;
      }
    }
    Carry carry[beside];
    for (; p < last; ++p) {
      for (int i = 0; i < rows; ++i) carry[i] = before[(p - first) * rows + i].value;
      scan(p * piece, length - p * piece < piece ? length : (p + 1) * piece, carry);
    }
  }

 private:
  /// Room for halves as floats, for which loops have vectors; none for other types.
  template <class T>
  using WideRoom = std::conditional_t<std::is_same_v<T, half>, float, char>;
  template <class T>
  static auto* room_of([[maybe_unused]] T* values, [[maybe_unused]] WideRoom<T>* room) {
    if constexpr (std::is_same_v<T, half>) {
      return room;
    } else {
      return values;
    }
  }
  static auto* widened(In* values, WideRoom<In>* room, [[maybe_unused]] int64_t n) {
    if constexpr (std::is_same_v<In, half>) widen_halves(values, room, n);
    return room_of(values, room);
  }

  /// Rows along memory, behind `carry`, of which there are `transposed`.
  void scan_along(int64_t length, Carry* carry, bool pieces = false) const {
    constexpr int size = static_cast<int>(sizeof(In) < sizeof(Out) ? sizeof(In) : sizeof(Out));
    // Rows that are a multiple of this apart share the same few sets of a cache.
    constexpr int64_t conflict = 4096;
    const bool apart = in.across * static_cast<int64_t>(sizeof(In)) % conflict != 0 &&
                       out.across * static_cast<int64_t>(sizeof(Out)) % conflict != 0;
    if (size >= (pieces || !apart ? 4 : 8)) {
      scan_interleaved(length, carry);
    } else {
      scan_tiles(length, carry);
    }
  }
  /// In tiles in which they lie side by side.
  void scan_tiles(int64_t length, Carry* carry) const {
    constexpr int64_t deep = 64;
    alignas(64) In from[deep * transposed];
    alignas(64) Out to[deep * transposed];
    alignas(64) WideRoom<In> entering[deep * transposed];
    alignas(64) WideRoom<Out> leaving[deep * transposed];
    if (rows < transposed) __builtin_memset(static_cast<void*>(from), 0, sizeof(from));
    for (int64_t k = 0; k < length; k += deep) {
      const auto n = static_cast<int>(length - k < deep ? length - k : deep);
      transpose_tile<sizeof(In)>(reinterpret_cast<const char*>(in.data + k), in.across,
                                 reinterpret_cast<char*>(from), transposed, n, rows, sizeof(In));
      const auto* const values = widened(from, entering, n * transposed);
      auto* const results = room_of(to, leaving);
      run_loop([&]() WEFT_ALWAYS_INLINE {
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < transposed; ++i) {
            carry[i] = join(carry[i], enter(values[j * transposed + i]));
            leave(results[j * transposed + i], carry[i]);
          }
        }
      });
      if constexpr (std::is_same_v<Out, half>) narrow_to_halves(results, to, n * transposed);
      transpose_tile<sizeof(Out)>(reinterpret_cast<const char*>(to), transposed,
                                  reinterpret_cast<char*>(out.data + k), out.across, rows, n,
                                  sizeof(Out));
    }
  }
  /// Eight at a time, element by element: vectors hold too few numbers of 8 bytes to pay for
  /// turning them.
  void scan_interleaved(int64_t length, Carry* carry) const {
    constexpr int together = 8;
    int r = 0;
    for (; r + together <= rows; r += together) {
      run_loop([=, this]() WEFT_ALWAYS_INLINE {
        const ScanRows mine = *this;
        Carry own[together];
        for (int i = 0; i < together; ++i) own[i] = carry[r + i];
        const In* const from = mine.in.data + r * mine.in.across;
        Out* const to = mine.out.data + r * mine.out.across;
        for (int64_t k = 0; k < length; ++k) {
          for (int i = 0; i < together; ++i) {
            own[i] = join(own[i], enter(from[i * mine.in.across + k]));
            leave(to[i * mine.out.across + k], own[i]);
          }
        }
      });
    }
    for (; r < rows; ++r) {
      ScanRows{{in.data + r * in.across, 1, 0}, {out.data + r * out.across, 1, 0}, 1}.scan(
          0, length, carry + r);
    }
  }
  /// Elements begin to end - 1 of each row, behind `carry`.
  void scan(int64_t begin, int64_t end, Carry* carry) const {
    run_loop([=, this]() WEFT_ALWAYS_INLINE {
      const ScanRows mine = *this;
      const bool vectors = mine.in.across == 1 && mine.out.across == 1;
      if (mine.rows == 1) {
        Carry own = carry[0];
        for (int64_t k = begin; k < end; ++k) {
          own = join(own, enter(mine.in.data[k * mine.in.along]));
          leave(mine.out.data[k * mine.out.along], own);
        }
        return;
      }
      for (int64_t k = begin; k < end; ++k) {
        const In* const from = mine.in.data + k * mine.in.along;
        Out* const to = mine.out.data + k * mine.out.along;
        if (vectors) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
          for (int i = 0; i < mine.rows; ++i) {
            carry[i] = join(carry[i], enter(from[i]));
            leave(to[i], carry[i]);
          }
        } else {
          for (int i = 0; i < mine.rows; ++i) {
            carry[i] = join(carry[i], enter(from[i * mine.in.across]));
            leave(to[i * mine.out.across], carry[i]);
          }
        }
      }
    });
  }
};

}  // namespace weft::cpu::detail
