// The CPU's row programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/rows/sharing.hpp"
#include "weft/cpu/rows/work.hpp"
#include "weft/eval/rows/rows.hpp"

namespace weft {

template <>
struct RowExecutor<Cpu> {
  /// A row is one thread's work, so that few long rows are better reduced in pieces. Not by the
  /// number of threads: results do not depend on that.
  static bool fuses(int64_t rows, int64_t length) {
    return rows >= 32 || rows * length < int64_t{1} << 18;
  }
  /// See RowTree: a row is one thread's.
  static constexpr bool divides_rows = false;
  /// Columns are reduced faster side by side, each reduction for all of them, unless they are few.
  static bool fuses_columns(int64_t rows, int64_t length) {
    return rows * length < (length < 8 ? 512 : 2048);
  }

  /// Functions of reductions take longer than reading a value.
  template <class Op>
  static constexpr bool stores_before = !cpu::detail::takes_few_instructions<Op>;

  template <class Outs, class Types, class Program>
  static void run(const detail::Name&, Cpu, const detail::RowTask& task, detail::Operand* operands,
                  const Program& program) {
    using Sharing = cpu::detail::Sharing<Outs, Types, Program>;
    if constexpr (Sharing::possible) {
      if (run_sharing<Sharing>(task, operands, program)) return;
    }
    using Kernel = cpu::detail::RowFunctionTable<Outs, Types, Program, Sharing::possible>;
    constexpr int n = Kernel::outputs + Kernel::leaves + Kernel::reductions;
    static_assert(n <= cpu::detail::RowScratch::most_operands,
                  "weft: the expression is too large for one loop: store a part of it in a Tensor");
    static_assert(Kernel::value_bytes <= cpu::detail::RowScratch::slot,
                  "weft: a row's reductions have values of at most 16 bytes on the CPU");
    static constexpr cpu::detail::RowFunctions loops = Kernel::loops();
    plan(loops, n, task, &program, operands, nullptr);
  }

 private:
  /// The same with what reductions and outputs share computed once; false where that is not one
  /// value, or too much to keep.
  template <class Sharing, class Program>
  static bool run_sharing(const detail::RowTask& task, const detail::Operand* operands,
                          const Program& program) {
    const int rank = task.geometry.kept.rank() + task.geometry.reduced.rank();
    if (task.target >= 0 ||
        task.geometry.reduced.size() * Sharing::bytes > cpu::detail::RowScratch::most_kept ||
        !Sharing::Found::same(&program,
                              cpu::detail::SameInRow{task, operands, rank, operands, 0, 0})) {
      return false;
    }
    using Kernel = typename Sharing::Kernel;
    constexpr int n = Kernel::outputs + Kernel::leaves + Kernel::reductions;
    static constexpr cpu::detail::RowFunctions loops = Kernel::loops();
    const auto less = Sharing::without(program);
    const auto& shared = Sharing::Found::of(program);
    const cpu::detail::SharedPart part{Kernel::template part<typename Sharing::Part>, &shared,
                                       detail::uses_of<typename Sharing::Part>, Sharing::leaf,
                                       Sharing::bytes};
    detail::Operand all[n];
    for (int i = 0; i < n; ++i) {
      if (i != part.leaf) all[i] = operands[i < part.leaf ? i : i - 1];
    }
    all[part.leaf].itemsize = part.bytes;
    for (int64_t& stride : all[part.leaf].stride) stride = 0;  // until it is placed
    all[part.leaf].data = reinterpret_cast<char*>(const_cast<cpu::detail::SharedPart*>(&part));
    plan(loops, n, task, &less, all, &part);
    return true;
  }

  /// Sets the strides of what is shared, which lies as the loops go.
  static void place(const detail::Loops& outer, detail::Operand& across, const detail::Loops& inner,
                    detail::Operand& along, int inner_first) {
    int64_t step = 1;
    for (int d = inner.rank - 1; d >= 0; --d) {
      along.stride[inner_first + d] = step;
      step *= inner.size[d];
    }
    across.stride[outer.rank - 1] = step;
  }

  WEFT_OUTLINED static void plan(const cpu::detail::RowFunctions& loops, int n,
                                 const detail::RowTask& task, const void* program,
                                 detail::Operand* operands, const cpu::detail::SharedPart* part) {
    detail::Loops outer = detail::loops_over(task.geometry.kept);
    detail::Loops inner = detail::loops_over(task.geometry.reduced);
    const int kept = outer.rank;
    if (kept > 0 && inner.rank == 1) {  // most rows: the strides along them stay where they are
      if (kept > 1 || operands[0].stride[0] < 0) detail::simplify(outer, operands, n);
      cpu::detail::pad(outer, operands, n);
      if (part != nullptr) place(outer, operands[part->leaf], inner, operands[part->leaf], kept);
      return cpu::detail::RowRunner{
          {loops, task, program, outer, operands, inner, operands, kept, part}}
          .run();
    }
    auto* const inside = static_cast<detail::Operand*>(
        __builtin_alloca(static_cast<std::size_t>(n) * sizeof(detail::Operand)));
    detail::construct(inside, n);  // without owners, so that there is nothing to destroy
    detail::inner_operands(operands, n, kept, inner.rank, inside);
    detail::simplify(outer, operands, n);
    detail::simplify(inner, inside, n, true);
    cpu::detail::pad(outer, operands, n);
    cpu::detail::pad(inner, inside, n);
    if (part != nullptr) place(outer, operands[part->leaf], inner, inside[part->leaf], 0);
    cpu::detail::RowRunner{{loops, task, program, outer, operands, inner, inside, 0, part}}.run();
  }
};

WEFT_MODEL(RowDevice<Cpu>);

}  // namespace weft
