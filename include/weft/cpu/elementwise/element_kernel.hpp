// ElementKernel: the one loop that is compiled for each element-wise expression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because the ways through rows are one class.

#include "weft/cpu/elementwise/chunk.hpp"
#include "weft/cpu/elementwise/elements.hpp"
#include "weft/cpu/elementwise/index_operands.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/elementwise/near_arguments.hpp"
#include "weft/cpu/elementwise/row_constants.hpp"
#include "weft/cpu/elementwise/short_rows.hpp"
#include "weft/cpu/elementwise/staged.hpp"
#include "weft/cpu/elementwise/vector_program.hpp"

namespace weft::cpu::detail {

template <class First, class...>
struct FirstOf {
  using type = First;
};

/// The loop of an element-wise expression; everything around it is compiled once for all.
template <class Outs, class Types, class Programs>
struct ElementKernel;
template <class... Outs, class... Ts, class... Ps>
struct ElementKernel<weft::detail::TypeList<Outs...>, weft::detail::TypeList<Ts...>, Pack<Ps...>> {
  /// Simple arithmetic only: memory-bound.
  static constexpr bool light = (runs_on_vectors<Ps, Outs> && ...);
  static constexpr std::uint64_t indices = [] {
    if constexpr (sizeof...(Ts) < 62) return index_operands<Ps...> >> 1;
    return std::uint64_t{0};
  }();
  using Operands = OperandElements<weft::detail::TypeList<Ts...>, indices>;

  /// Memory-bound programs take many rows at a time: first their full vectors, then the remainders.
  /// A loop without a branch between rows is faster.
  WEFT_ALWAYS_INLINE static void all(ElementLoop* self, const void* programs, char* const* at,
                                     const int64_t* step, const int64_t* skip, int64_t rows,
                                     int64_t n) {
    const Rows these{programs, at, step, skip, n};
    if (these.with_constants(rows)) return;
    if constexpr (by_vectors) {
      if (n < vector) {
        run_short_rows(self, programs, at, skip, rows, n, targets + sizeof...(Ts), targets,
                       size_of_target, vector);
        return;
      }
      const bool in_place = these.in_place();
      for (int64_t r = 0; r < rows; ++r) these.vectors(r, in_place);
    } else if constexpr (light) {
      const int64_t full = n / vector * vector;
      const int64_t most = full == n ? rows : n < band ? band / n : 1;
      for (int64_t first = 0; first < rows; first += most) {
        const int64_t last = rows - first < most ? rows : first + most;
        for (int64_t r = first; r < last; ++r) these.row(r, 0, full);
        if (full == n) continue;
        for (int64_t r = first; r < last; ++r) these.row(r, full, n);
      }
    } else {
      [[maybe_unused]] bool whole = true;  // so far, each row was selected by one index
      for (int64_t r = 0; r < rows; ++r) {
        if constexpr ((reads_picked_halves<Ps> && ...)) {
          const int64_t most = n > 1 && n <= block_size / 4 ? block_size / n : 1;
          const int64_t some = rows - r < most ? rows - r : most;
          whole = whole && some > 1 && these.together(r, some);
          if (whole) {
            r += some - 1;
            continue;
          }
        }
        if constexpr (((0 < fetched_bytes<Ps>) || ...)) {
          constexpr int64_t ahead = 6;
          if (r + ahead < rows && n > 1) {
            const auto operands =
                Operands::moved(at + targets, step + targets, skip + targets, r + ahead);
            prefetch(*static_cast<const Pack<Ps...>*>(programs), At{operands, 0}, n);
          }
        }
        these.row(r, 0, n);
      }
    }
  }
  WEFT_ALWAYS_INLINE static void each(ElementLoop* self, const void* programs, char* const* at,
                                      const int64_t* step, const int64_t* skip, int64_t rows,
                                      int64_t n) {
    const Rows these{programs, at, step, skip, n};
    if (these.with_constants(rows)) return;
    if constexpr (by_vectors) {
      if (rows == 1 && n <= chunk_size) return these.chunk();
      run_chunks(self, programs, at, step, skip, rows, n, targets + sizeof...(Ts), size_of_target);
    } else {
      for (int64_t r = 0; r < rows; ++r) these.row(r, 0, n);
    }
  }

  /// Row r, at its place.
  WEFT_ALWAYS_INLINE static void one(const Pack<Ps...>& programs, char* const* at,
                                     const int64_t* step, const int64_t* skip, int64_t r,
                                     int64_t n) {
    Rows{&programs, at, step, skip, n}.row(r, 0, n);
  }

 private:
  static constexpr int targets = sizeof...(Outs);
  /// Floats per vector, a multiple of the doubles.
#if defined(__AVX512F__)
  static constexpr int64_t vector = 16;
#else
  static constexpr int64_t vector = 8;
#endif
  static constexpr int64_t band = 16384;  // elements of an operand that a cache holds
  static constexpr int size_of_target = static_cast<int>(sizeof(typename FirstOf<Outs...>::type));
  /// Loops over whole vectors. g++ compiles any other one three times: for vectors, for half of
  /// one, and for the elements that are left.
#if defined(__OPTIMIZE__) && !defined(__clang__)
  static constexpr bool by_vectors =
      !light && (vectorises<Ps, Outs> && ...) && ((sizeof(Outs) == size_of_target) && ...);
#else
  static constexpr bool by_vectors = false;
#endif
  using At = ElementAt<1, typename Operands::type>;

  /// ElementAt with operands of its own.
  struct SelectedInputs {
    typename Operands::type operands;
    int64_t i;
    template <int I>
    WEFT_HD WEFT_INLINE auto get() const {
      return weft::get<I - 1>(operands).at(i);
    }
    template <int I>
    WEFT_HD WEFT_INLINE bool repeats() const {
      return At{operands, i}.template repeats<I>();
    }
  };

  /// The inputs of element first + i, which is written to position i.
  struct Shifted {
    const typename Operands::type& operands;
    int64_t first;
    int64_t i;
    template <int I>
    WEFT_HD WEFT_INLINE auto get() const {
      return weft::get<I - 1>(operands).at(first + i);
    }
  };

  struct Rows {
    const void* programs;
    char* const* at;
    const int64_t* step;
    const int64_t* skip;
    int64_t n;

    /// Short rows of gathered halves from row r on, if they are contiguous in the targets.
    WEFT_ALWAYS_INLINE bool together(int64_t first, int64_t count) const {
      constexpr int64_t sizes[] = {static_cast<int64_t>(sizeof(Outs))...};
      for (int k = 0; k < targets; ++k) {
        if (skip[k] != n * sizes[k]) return false;
      }
      const Pack<Ps...> mine = *static_cast<const Pack<Ps...>*>(programs);
      const auto out = outputs(at, skip, first, std::index_sequence_for<Outs...>{});
      using Loop =
          StagedLoop<~std::uint64_t{0}, Pack<Ps...>, typename Operands::type, Pack<Outs*...>>;
      for (int64_t r = 0; r < count; ++r) {
        const auto operands =
            Operands::moved(at + targets, step + targets, skip + targets, first + r);
        prefetch(mine, At{operands, 0}, n);
      }
      return Loop::run_together(mine, out, count, n, [&](int64_t r, int64_t i) WEFT_ALWAYS_INLINE {
        return SelectedInputs{
            Operands::moved(at + targets, step + targets, skip + targets, first + r), i};
      });
    }

    /// Computes the rows if functions in the program are the same along each.
    WEFT_ALWAYS_INLINE bool with_constants([[maybe_unused]] int64_t rows) const {
      if constexpr (targets == 1 && sizeof...(Ts) < 62) {  // as many operands as uses_of has bits
        if constexpr ((may_be_constant<Ps> && ...)) {
          using P = typename FirstOf<Ps...>::type;
          if (!is_constant<P>(step, n)) return false;
          const P program = static_cast<const Pack<P>*>(programs)->head;
          for (int64_t r = 0; r < rows; ++r) {
            const auto operands = Operands::moved(at + targets, step + targets, skip + targets, r);
            const auto less = make_pack(RowConstants<P>::with_values(program, At{operands, 0}));
            ElementKernel<weft::detail::TypeList<Outs...>, weft::detail::TypeList<Ts...>,
                          std::remove_const_t<decltype(less)>>::one(less, at, step, skip, r, n);
          }
          return true;
        }
      }
      return false;
    }

    /// Whether a target is an operand.
    WEFT_ALWAYS_INLINE bool in_place() const {
      bool found = false;
      for (std::size_t k = 0; k < targets; ++k) {
        for (std::size_t i = 0; i < sizeof...(Ts); ++i) found |= at[k] == at[targets + i];
      }
      return found;
    }

    /// A row of a vector or more. What is left at its end is computed as a vector that overlaps the
    /// last whole one; if targets are operands, first of all, to be stored last.
    WEFT_ALWAYS_INLINE void vectors(int64_t r, bool in_place) const {
      const Pack<Ps...> mine = *static_cast<const Pack<Ps...>*>(programs);
      const auto operands = Operands::moved(at + targets, step + targets, skip + targets, r);
      const auto out = outputs(at, skip, r, std::index_sequence_for<Outs...>{});
      alignas(64) char last[targets * vector * size_of_target];
      const int64_t left = n & (vector - 1);
      int64_t first = 0;
      int64_t count = n - left;
      auto to = out;
      if (left != 0 && in_place) {
        first = n - vector;
        count = vector;
        to = buffers(last, std::index_sequence_for<Outs...>{});
      }
      for (bool again = left != 0;; again = false) {
        // Neither of the two rounds is to be compiled on its own.
        asm("" : "+r"(first), "+r"(count));
        const int64_t whole = count & -vector;
#if !defined(__clang__)
#pragma GCC ivdep
#endif
        for (int64_t i = 0; i < whole; ++i) store_values(mine, to, Shifted{operands, first, i});
        if (!again) break;
        first = in_place ? 0 : n - vector;
        count = in_place ? n - left : vector;
        to = in_place ? out : shifted(out, n - vector, std::index_sequence_for<Outs...>{});
      }
      if (left == 0 || !in_place) return;
      for (int k = 0; k < targets; ++k) {
        __builtin_memcpy(at[k] + r * skip[k] + (n - vector) * size_of_target,
                         last + k * vector * size_of_target, vector * size_of_target);
      }
    }

    /// One row of at most chunk_size elements on the baseline. At -O2 g++ has no vectors there, and
    /// a copy of what takes many instructions in each statement would be a tenth of the object: it
    /// is called.
    WEFT_ALWAYS_INLINE void chunk() const {
      const Pack<Ps...> mine = *static_cast<const Pack<Ps...>*>(programs);
      const auto operands = Operands::moved(at + targets, step + targets, skip + targets, 0);
      const auto out = outputs(at, skip, 0, std::index_sequence_for<Outs...>{});
      if constexpr (targets == 1) {
        compute(mine.head, operands, n, out.head);
      } else {  // all are computed before one is written
        [&]<std::size_t... K>(std::index_sequence<K...>) WEFT_ALWAYS_INLINE {
          Pack<Chunk<Outs>...> values;
          (compute(weft::get<static_cast<int>(K)>(mine), operands, n,
                   weft::get<static_cast<int>(K)>(values).at),
           ...);
          (__builtin_memcpy(weft::get<static_cast<int>(K)>(out),
                            weft::get<static_cast<int>(K)>(values).at,
                            static_cast<std::size_t>(n) * sizeof(Outs)),
           ...);
        }
        (std::index_sequence_for<Ps...>{});
      }
    }

    WEFT_ALWAYS_INLINE void row(int64_t r, int64_t first, int64_t last) const {
      // Copies, which no store can alias.
      const Pack<Ps...> mine = *static_cast<const Pack<Ps...>*>(programs);
      const auto operands = Operands::moved(at + targets, step + targets, skip + targets, r);
      const auto out = outputs(at, skip, r, std::index_sequence_for<Outs...>{});
      if constexpr ((looks_at_arguments<Ps> || ...)) {
        each_element(
            mine, n,
            [&](int64_t i) WEFT_ALWAYS_INLINE {
              return At{operands, i};
            },
            [&](const auto& inputs) WEFT_ALWAYS_INLINE { store_values(mine, out, inputs); });
      } else if constexpr (is_staged<Pack<Ps...>, typename Operands::type, Pack<Outs*...>>) {
        StagedLoop<~std::uint64_t{0}, Pack<Ps...>, typename Operands::type, Pack<Outs*...>>::run(
            mine, operands, out, first, last, [](const auto& staged, int64_t i) WEFT_ALWAYS_INLINE {
              return ElementAt<1, std::remove_cvref_t<decltype(staged)>>{staged, i};
            });
#if defined(__clang__)
      } else if constexpr ((reads_all_operands<Ps> && ...)) {
        // A target that is an operand would get the loop for operands that overlap, which has no
        // vectors. Not for all programs: clang may then load what the program would not.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang loop vectorize(assume_safety)
        for (int64_t i = first; i < last; ++i) store_values(mine, out, At{operands, i});
#pragma clang diagnostic pop
#endif
      } else {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
        for (int64_t i = first; i < last; ++i) store_values(mine, out, At{operands, i});
      }
    }
  };

  template <std::size_t... K>
  WEFT_ALWAYS_INLINE static Pack<Outs*...> buffers(char* at, std::index_sequence<K...>) {
    return make_pack(reinterpret_cast<Outs*>(at + K * vector * size_of_target)...);
  }
  template <std::size_t... K>
  WEFT_ALWAYS_INLINE static Pack<Outs*...> shifted(const Pack<Outs*...>& out, int64_t by,
                                                   std::index_sequence<K...>) {
    return make_pack((weft::get<static_cast<int>(K)>(out) + by)...);
  }
  template <std::size_t... K>
  WEFT_ALWAYS_INLINE static Pack<Outs*...> outputs(char* const* at, const int64_t* skip, int64_t r,
                                                   std::index_sequence<K...>) {
    return make_pack(reinterpret_cast<Outs*>(at[K] + r * skip[K])...);
  }
};

}  // namespace weft::cpu::detail
