// Loops that first stage a block of their operands: gathers are fetched, halves become floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/elements.hpp"
#include "weft/cpu/elementwise/fetched.hpp"

namespace weft::cpu::detail {

/// Halves of a block as floats.
struct WideHalves {
  const float* data;
  int64_t first;
  WEFT_HD WEFT_INLINE float at(int64_t i) const { return data[i - first]; }
};
template <class E>
using Staged = std::conditional_t<std::is_same_v<E, Elements<half>>, WideHalves, E>;

/// Where a loop leaves floats that are converted to halves at the end of the block.
struct HalfSink {
  float* data;
  int64_t first;
  half* to;
};
template <class Out, class P>
inline constexpr bool sinks = std::is_same_v<Out, half>&& std::is_same_v<typename P::type, float>;
template <class Out, class P>
using SinkOf = std::conditional_t<sinks<Out, P>, HalfSink, Out*>;

/// Whether staging makes a loop over these faster.
template <class Programs, class Operands, class Outs>
inline constexpr bool is_staged = false;
template <class... Ps, class... Es, class... Outs>
inline constexpr bool is_staged<Pack<Ps...>, Pack<Es...>, Pack<Outs*...>> =
    ((fetched_bytes<Ps> > 0) || ...) || (std::is_same_v<Es, Elements<half>> || ...) ||
    (sinks<Outs, Ps> || ...);

/// Computes all results before it writes one, so that targets may be operands of the others.
template <class P, class... Rest, class Sink, class... More, class At>
WEFT_INLINE void store_values(const Pack<P, Rest...>& programs, const Pack<Sink, More...>& out,
                              const At& at) {
  if constexpr (std::is_same_v<Sink, HalfSink>) {
    const float value = programs.head(at);
    if constexpr (sizeof...(Rest) > 0) store_values(programs.tail, out.tail, at);
    out.head.data[at.i - out.head.first] = value;
  } else {
    const auto value = store_element<std::remove_pointer_t<Sink>>(programs.head(at));
    if constexpr (sizeof...(Rest) > 0) store_values(programs.tail, out.tail, at);
    put(out.head[at.i], value);
  }
}

template <std::uint64_t Uses, class Programs, class Operands, class Outs>
struct StagedLoop;
/// The programs go to `out` for first <= i < last. `at(operands, i)` are the inputs of element i;
/// Uses has a bit for each operand that is read.
template <std::uint64_t Uses, class... Ps, class... Es, class... Outs>
struct StagedLoop<Uses, Pack<Ps...>, Pack<Es...>, Pack<Outs*...>> {
  struct Wide {
    const half* from;
    alignas(64) float to[block_size];
  };
  static constexpr int wide = (std::is_same_v<Es, Elements<half>> + ... + 0);
  static constexpr int narrow = (sinks<Outs, Ps> + ... + 0);

  template <class At>
  WEFT_ALWAYS_INLINE static void run(const Pack<Ps...>& programs, const Pack<Es...>& operands,
                                     const Pack<Outs*...>& out, int64_t first, int64_t last,
                                     const At& at) {
    Wide held[wide + 1];
    alignas(64) float floats[narrow * block_size + 1];
    alignas(64) char room[fetched_bytes<Pack<Ps...>> + 1];
    for (int64_t start = first; start < last; start += block_size) {
      const int64_t end = last - start < block_size ? last : start + block_size;
      float* next = floats;
      int count = 0;
      const auto staged =
          stage(operands, start, end, held, count, std::index_sequence_for<Es...>{});
      const auto to = sink(out, start, next, std::index_sequence_for<Outs...>{});
      const auto inputs = [&](int64_t i) WEFT_ALWAYS_INLINE {
        return FetchedAt<decltype(at(staged, i))>{at(staged, i), start};
      };
      Pack<Ps...> mine = programs;
      char* free = room;
      fetch(mine, inputs, start, end, free);
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int64_t i = start; i < end; ++i) store_values(mine, to, inputs(i));
      finish(to, end - start);
    }
  }

  /// Rows of n elements, contiguous in `out` and at most block_size in all, of programs that read
  /// only gathered halves: one loop for all, so that no row waits for its own stores. at(r, i) are
  /// the inputs of element i of row r. False, with nothing written, if a row cannot be fetched
  /// whole.
  template <class At>
  WEFT_ALWAYS_INLINE static bool run_together(const Pack<Ps...>& programs,
                                              const Pack<Outs*...>& out, int64_t rows, int64_t n,
                                              const At& at) {
    alignas(64) float floats[narrow * block_size + 1];
    alignas(64) char room[fetched_bytes<Pack<Ps...>> + 1];
    Pack<Ps...> mine = programs;
    for (int64_t r = 0; r < rows; ++r) {
      mine = programs;
      char* free = room;
      const auto inputs = [&](int64_t i) WEFT_ALWAYS_INLINE { return at(r, i); };
      if (!fetch_row(mine, inputs, n, r * n, free)) return false;
    }
    const Pack<Ps...> fetched = mine;
    float* next = floats;
    const auto to = sink(out, 0, next, std::index_sequence_for<Outs...>{});
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t i = 0; i < rows * n; ++i) {
      store_values(fetched, to, FetchedAt<NoOperands>{{i}, 0});
    }
    finish(to, rows * n);
    return true;
  }

 private:
  template <std::size_t... I>
  WEFT_ALWAYS_INLINE static Pack<Staged<Es>...> stage(
      const Pack<Es...>& operands, [[maybe_unused]] int64_t start, [[maybe_unused]] int64_t end,
      [[maybe_unused]] Wide* held, [[maybe_unused]] int& count, std::index_sequence<I...>) {
    return make_pack(stage_one<(I >= 64 || (Uses >> (I & 63) & 1U) != 0)>(
        weft::get<static_cast<int>(I)>(operands), start, end, held, count)...);
  }
  /// Operands that occur several times are widened once; those that the program does not read may
  /// be missing.
  template <bool IsUsed, class E>
  WEFT_ALWAYS_INLINE static Staged<E> stage_one(const E& elements, [[maybe_unused]] int64_t start,
                                                [[maybe_unused]] int64_t end,
                                                [[maybe_unused]] Wide* held,
                                                [[maybe_unused]] int& count) {
    if constexpr (std::is_same_v<E, Elements<half>>) {
      if (!IsUsed) return {nullptr, start};
      int k = 0;
      while (k < count && held[k].from != elements.data) ++k;
      if (k == count) {
        held[count++].from = elements.data;
        widen_halves(elements.data + start, held[k].to, end - start);
      }
      return {held[k].to, start};
    } else {
      return elements;
    }
  }
  template <std::size_t... K>
  WEFT_ALWAYS_INLINE static Pack<SinkOf<Outs, Ps>...> sink(const Pack<Outs*...>& out, int64_t start,
                                                           float*& next,
                                                           std::index_sequence<K...>) {
    return make_pack(
        sink_one<SinkOf<Outs, Ps>>(weft::get<static_cast<int>(K)>(out), start, next)...);
  }
  template <class Sink, class Out>
  WEFT_ALWAYS_INLINE static Sink sink_one(Out* out, int64_t start, float*& next) {
    if constexpr (std::is_same_v<Sink, HalfSink>) {
      next += block_size;
      return {next - block_size, start, out + start};
    } else {
      return out;
    }
  }
  WEFT_ALWAYS_INLINE static void finish(const Pack<>&, int64_t) {}
  template <class Sink, class... More>
  WEFT_ALWAYS_INLINE static void finish(const Pack<Sink, More...>& to, int64_t n) {
    if constexpr (std::is_same_v<Sink, HalfSink>) narrow_to_halves(to.head.data, to.head.to, n);
    finish(to.tail, n);
  }
};

}  // namespace weft::cpu::detail
