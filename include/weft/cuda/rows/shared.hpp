// Which values the row kernels keep for parts of a program that have them too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/evaluation.hpp"
#include "weft/cuda/rows/grid.hpp"
#include "weft/cuda/rows/hoist.hpp"
#include "weft/cuda/rows/reuse.hpp"
#include "weft/eval/rows/online.hpp"

namespace weft::on_cuda::detail {

/// What the kernel for short rows keeps of its programs' values, and the one that loops, which
/// keeps it for one item only.
template <class Program>
using NarrowShared = weft::detail::SharedPatterns<Program, 11>;
template <class Program>
using LoopedShared = weft::detail::SharedPatterns<Program, 24>;

/// The same of the part that the kernel with registers computes before the reductions.
template <class Part>
using PartShared = weft::detail::SharedPatterns<RowProgram<Pack<>, Pack<Part>>, 11>;

/// A kernel's operands and reductions, as weft::detail::ShareValues asks for them.
struct FirstInRow {
  SameInRow same;
  int operand(int i) const {
    int first = 0;
    while (!same.same_operand(i, first)) ++first;
    return first;
  }
  int number(int r) const { return same.number(r); }
};

/// See RegisterKernel::share.
template <class Program>
void share_in_part(const void* program, RowLoops& grid, const RowOperand* operands) {
  const auto& part = weft::detail::KeptPart<Program>::of(*static_cast<const Program*>(program));
  using Part = std::remove_cvref_t<decltype(part)>;
  const FirstInRow row{{grid, operands}};
  weft::detail::ShareValues<PartShared<Part>, FirstInRow> sharing(row);
  sharing.run(part);
  grid.shared = sharing.values();
  grid.needed = sharing.needed();
}

/// See RowKernel::share.
template <class Program, bool Narrow>
struct RowSharing;
template <class... Rs, class... Ps, bool Narrow>
struct RowSharing<RowProgram<Pack<Rs...>, Pack<Ps...>>, Narrow> {
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;
  using Levels = weft::detail::RowLevels<Program>;
  using Shared = std::conditional_t<Narrow, NarrowShared<Program>, LoopedShared<Program>>;
  using Sharing = weft::detail::ShareValues<Shared, FirstInRow>;

  static void run(const Program& program, RowLoops& grid, const RowOperand* operands) {
    const FirstInRow row{{grid, operands}};
    Sharing sharing(row);
    for (int level = 0; level < (Narrow ? 1 : Levels::levels.count); ++level) {
      reductions(sharing, program, level, grid, std::make_index_sequence<sizeof...(Rs)>{});
      if (!Narrow) sharing.forget();
    }
    if (grid.target < 0) sharing.run_all(program.outputs);
    grid.shared = sharing.values();
    grid.needed &= sharing.needed() | ((std::uint64_t{1} << sizeof...(Ps)) - 1);
  }

 private:
  template <std::size_t... I>
  static void reductions(Sharing& sharing, const Program& program, int level, const RowLoops& grid,
                         std::index_sequence<I...>) {
    (reduction<static_cast<int>(I)>(sharing, weft::get<static_cast<int>(I)>(program.reductions),
                                    level, grid),
     ...);
  }
  template <int I, class Reduction>
  static void reduction(Sharing& sharing, const Reduction& r, int level, const RowLoops& grid) {
    if (grid.mode[I] != RowMode::compute) return;
    if constexpr (Narrow) {
      sharing.run(r.program);
    } else if (level == Levels::levels.of[I]) {
      sharing.run(weft::detail::RowPass<Reduction>::program(r));
    }
  }
};
template <class Program>
WEFT_OUTLINED void share_in_rows(const void* program, bool narrow, RowLoops& grid,
                                 const RowOperand* operands) {
  const auto& p = *static_cast<const Program*>(program);
  if (narrow) {
    RowSharing<Program, true>::run(p, grid, operands);
  } else if constexpr (LoopedShared<Program>::table.count > 0) {
    RowSharing<Program, false>::run(p, grid, operands);
  }
}

}  // namespace weft::on_cuda::detail
