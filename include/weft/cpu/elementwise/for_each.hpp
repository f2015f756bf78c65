// Element-wise loops on the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/bounded_trig.hpp"
#include "weft/cpu/elementwise/element_walk.hpp"
#include "weft/cpu/elementwise/elements.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/elementwise/multi_output.hpp"
#include "weft/cpu/elementwise/staged.hpp"
#include "weft/cpu/elementwise/vector_program.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/eval/program/executor.hpp"

namespace weft {

namespace cpu::detail {

/// The one loop that is compiled for each expression; everything around it is compiled once.
template <class Outs, class Types, class Programs>
struct ElementKernel;
template <class... Outs, class... Ts, class... Ps>
struct ElementKernel<weft::detail::TypeList<Outs...>, weft::detail::TypeList<Ts...>, Pack<Ps...>> {
  /// Memory-bound programs take many rows at a time: first their full vectors, then the remainders.
  /// A loop without a branch between rows is faster.
  [[gnu::always_inline]] static void all(const void* programs, char* const* at, const int64_t* step,
                                         const int64_t* skip, int64_t rows, int64_t n) {
    const Rows these{programs, at, step, skip, n};
    if constexpr (light) {
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
  [[gnu::always_inline]] static void each(const void* programs, char* const* at,
                                          const int64_t* step, const int64_t* skip, int64_t rows,
                                          int64_t n) {
    for (int64_t r = 0; r < rows; ++r) Rows{programs, at, step, skip, n}.row(r, 0, n);
  }

 private:
  static constexpr int targets = sizeof...(Outs);
  /// Simple arithmetic only: memory-bound.
  static constexpr bool light = (runs_on_vectors<Ps, Outs> && ...);
  /// Floats per vector, a multiple of the doubles.
#if defined(__AVX512F__)
  static constexpr int64_t vector = 16;
#else
  static constexpr int64_t vector = 8;
#endif
  static constexpr int64_t band = 16384;  // elements of an operand that a cache holds
  using Operands = OperandElements<weft::detail::TypeList<Ts...>>;
  using At = ElementAt<1, typename Operands::type>;

  /// ElementAt with operands of its own.
  struct Together {
    typename Operands::type operands;
    int64_t i;
    template <int I>
    WEFT_HD WEFT_INLINE auto get() const {
      return weft::get<I - 1>(operands).at(i);
    }
  };

  struct Rows {
    const void* programs;
    char* const* at;
    const int64_t* step;
    const int64_t* skip;
    int64_t n;

    /// Short rows of gathered halves from row r on, if they are contiguous in the targets.
    [[gnu::always_inline]] bool together(int64_t first, int64_t count) const {
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
      return Loop::run_together(
          mine, out, count, n, [&](int64_t r, int64_t i) __attribute__((always_inline)) {
            return Together{
                Operands::moved(at + targets, step + targets, skip + targets, first + r), i};
          });
    }

    [[gnu::always_inline]] void row(int64_t r, int64_t first, int64_t last) const {
      // Copies, which no store can alias.
      const Pack<Ps...> mine = *static_cast<const Pack<Ps...>*>(programs);
      const auto operands = Operands::moved(at + targets, step + targets, skip + targets, r);
      const auto out = outputs(at, skip, r, std::index_sequence_for<Outs...>{});
      if constexpr ((looks_at_angles<Ps> || ...)) {
        each_element(
            mine, n,
            [&](int64_t i) __attribute__((always_inline)) {
              return At{operands, i};
            },
            [&](const auto& inputs)
                __attribute__((always_inline)) { store_values(mine, out, inputs); });
      } else if constexpr (is_staged<Pack<Ps...>, typename Operands::type, Pack<Outs*...>>) {
        StagedLoop<~std::uint64_t{0}, Pack<Ps...>, typename Operands::type, Pack<Outs*...>>::run(
            mine, operands, out, first, last,
            [](const auto& staged, int64_t i) __attribute__((always_inline)) {
              return ElementAt<1, std::remove_cvref_t<decltype(staged)>>{staged, i};
            });
      } else {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
        for (int64_t i = first; i < last; ++i) store_values(mine, out, At{operands, i});
      }
    }
  };

  template <std::size_t... K>
  [[gnu::always_inline]] static Pack<Outs*...> outputs(char* const* at, const int64_t* skip,
                                                       int64_t r, std::index_sequence<K...>) {
    return make_pack(reinterpret_cast<Outs*>(at[K] + r * skip[K])...);
  }
};

}  // namespace cpu::detail

template <>
struct Executor<Cpu> {
  /// On the CPU all work is done when a call returns.
  static bool may_overwrite(const Storage*, long others) { return others == 0; }

  /// Where loops record a failure.
  static Failure* failure_flag(Cpu) { return cpu::failure_flag(); }

  /// Sets the targets to the programs over the other operands, at every coordinate of `shape`.
  template <class Out, class Types, class Program>
  static void for_each(const detail::Name&, Cpu, const Shape& shape, detail::Operand* operands,
                       const Program& program) {
    constexpr int targets = detail::target_count<Out>;
    constexpr int n = targets + detail::count(Types{});
    constexpr const bool* computed = cpu::OperandElements<Types>::computed;
    if constexpr (MultiOutputProgram<Program>) {
      cpu::detail::for_each_element(shape, operands, n, targets, computed,
                                    cpu::detail::MultiOutputKernel<Out, Types, Program>::run,
                                    &program, movers_of(Out{}, Types{}), &program.stores);
    } else {
      using Outs = std::conditional_t<targets == 1, detail::TypeList<Out>, Out>;
      using Programs = decltype(packed(program));
      const Programs programs = packed(program);
      const auto loop =
          cpu::KernelLoops<cpu::detail::ElementKernel<Outs, Types, Programs>>::chosen();
      if constexpr (requires { cpu::detail::PastCaches::of(Outs{}, programs); }) {
        const auto past = cpu::detail::PastCaches::of(Outs{}, programs);
        cpu::detail::for_each_element(shape, operands, n, targets, computed, loop, &programs,
                                      movers_of(Outs{}, Types{}), nullptr, &past);
      } else {
        cpu::detail::for_each_element(shape, operands, n, targets, computed, loop, &programs,
                                      movers_of(Outs{}, Types{}));
      }
    }
  }

 private:
  template <class P>
  static Pack<P> packed(const P& program) {
    return {program, {}};
  }
  template <class... Ps>
  static Pack<Ps...> packed(const Pack<Ps...>& programs) {
    return programs;
  }
  template <class... Outs, class... Ts>
  static const cpu::Movers& movers_of(detail::TypeList<Outs...>, detail::TypeList<Ts...>) {
    return cpu::movers<cpu::detail::sizes_of<Outs..., Ts...>>;
  }
};

WEFT_MODEL(ElementwiseDevice<Cpu>);

}  // namespace weft
