// How the reductions of a row program share passes over a row, and where their states are stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/merge.hpp"
#include "weft/eval/rows/online.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

using weft::detail::RowLevels;
using weft::detail::RowPass;
using weft::detail::TypeList;

/// How the reductions of a row program share passes, and the offset of each state within a pass.
template <class Program>
struct RowPasses;
template <class... Rs, class Outputs>
struct RowPasses<RowProgram<Pack<Rs...>, Outputs>> {
  using Levels = RowLevels<RowProgram<Pack<Rs...>, Outputs>>;
  static constexpr int reductions = sizeof...(Rs);
  /// The reductions of pass L.
  template <int L>
  static constexpr int count = [] {
    int n = 0;
    for (const int level : Levels::levels.of) n += level == L;
    return n;
  }();
  struct Places {
    unsigned before[reductions] = {};
    unsigned all[reductions] = {};  // of each level
    unsigned most = 8;
  };
  static constexpr Places places = [] {
    // A state as the pass has it, or as one reduction alone does.
    constexpr unsigned size[] = {(state_size<typename RowPass<Rs>::State>)...};
    constexpr unsigned alone[] = {(state_size<typename Rs::state>)...};
    Places out;
    for (int r = 0; r < reductions; ++r) {
      unsigned& all = out.all[Levels::levels.of[r]];
      out.before[r] = place_state(all, size[r]);
      if (all > out.most) out.most = all;
      if (alone[r] > out.most) out.most = alone[r];
    }
    out.most = (out.most + 7) / 8 * 8;
    return out;
  }();
};

/// The reductions of a level, as an index sequence.
template <class Program, int L, class Done = std::index_sequence<>, int I = 0,
          bool End = I == RowLevels<Program>::reductions>
struct InLevel {
  using type = Done;
};
template <class Program, int L, std::size_t... Done, int I>
struct InLevel<Program, L, std::index_sequence<Done...>, I, false>
    : InLevel<Program, L,
              std::conditional_t<RowLevels<Program>::levels.of[I] == L,
                                 std::index_sequence<Done..., std::size_t{I}>,
                                 std::index_sequence<Done...>>,
              I + 1> {};

/// Resident blocks of the largest size per multiprocessor: with many operands in a pass, their
/// registers matter more than the number of threads.
template <class Types, class Program>
inline constexpr int row_loop_blocks = 2;
template <class... Ts, class... Rs, class... Ps>
inline constexpr int row_loop_blocks<TypeList<Ts...>, RowProgram<Pack<Rs...>, Pack<Ps...>>> =
    sizeof...(Ts) + sizeof...(Ps) + sizeof...(Rs) > 16 || (has_effects<Ps> || ...) ||
            ((sizeof(typename decltype(Rs::program)::type) > 8) || ...)
        ? 1
    : sizeof...(Ts) + sizeof...(Ps) + sizeof...(Rs) > 3 ? 2
                                                        : 3;

}  // namespace weft::on_cuda::detail

#endif
