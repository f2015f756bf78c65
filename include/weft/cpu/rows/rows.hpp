// The CPU's row programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  /// Columns are reduced faster side by side, each reduction for all of them.
  static bool fuses_columns(int64_t rows, int64_t length) {
    return length < 8 || rows * length < 4096;
  }

  template <class Outs, class Types, class Program>
  static void run(const detail::Name&, Cpu, const detail::RowTask& task, detail::Operand* operands,
                  const Program& program) {
    using Kernel = cpu::detail::RowFunctionTable<Outs, Types, Program>;
    constexpr int n = Kernel::outputs + Kernel::leaves + Kernel::reductions;
    static_assert(n <= cpu::detail::RowScratch::most_operands,
                  "weft: the expression is too large for one loop: store a part of it in a Tensor");
    static_assert(Kernel::value_bytes <= cpu::detail::RowScratch::slot,
                  "weft: a row's reductions have values of at most 16 bytes on the CPU");
    static constexpr cpu::detail::RowFunctions loops = Kernel::loops();
    plan(loops, n, task, &program, operands);
  }

 private:
  WEFT_OUTLINED static void plan(const cpu::detail::RowFunctions& loops, int n,
                                 const detail::RowTask& task, const void* program,
                                 detail::Operand* operands) {
    detail::Loops outer = detail::loops_over(task.geometry.kept);
    detail::Loops inner = detail::loops_over(task.geometry.reduced);
    const int kept = outer.rank;
    if (kept > 0 && inner.rank == 1) {  // most rows: the strides along them stay where they are
      if (kept > 1 || operands[0].stride[0] < 0) detail::simplify(outer, operands, n);
      cpu::detail::pad(outer, operands, n);
      return cpu::detail::RowRunner{{loops, task, program, outer, operands, inner, operands, kept}}
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
    cpu::detail::RowRunner{{loops, task, program, outer, operands, inner, inside}}.run();
  }
};

WEFT_MODEL(RowDevice<Cpu>);

}  // namespace weft
