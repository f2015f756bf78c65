// What the CPU's loops do for explain(e): how many threads share them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/rows/rows.hpp"
#include "weft/eval/inspect/explain.hpp"

namespace weft {

/// The memory bandwidth is unknown; the user may supply a measured one.
template <>
struct Explainer<Cpu> {
  static void describe(Cpu, Explanation& out) {
    out.device = "cpu";
    out.on_cpu = true;
  }

  template <class Out, class Types, class Program>
  static void for_each(Explanation& out, Cpu, const detail::Name&, const Shape& shape,
                       detail::Operand* operands, const Program&) {
    detail::Loops loops = detail::loops_over(shape);
    detail::simplify(loops, operands, detail::count(Types{}) + detail::target_count<Out>);
    const int64_t row = loops.rank > 0 ? loops.size[loops.rank - 1] : 1;
    const int64_t blocks = (row + cpu::block_size - 1) / cpu::block_size;
    out.kernels.back().threads = cpu::threads_for(blocks * (loops.count() / row), loops.count());
  }

  /// The loop itself decides how threads share the outputs.
  template <class Out, class Types, class R, class Program>
  static void reduce(Explanation&, Cpu, const detail::Name&, const Shape&, const Shape&,
                     detail::Operand*, const Program&) {}

  template <class Outs, class Types, class Program>
  static int rows(Explanation& out, Cpu, const detail::Name&, const detail::RowTask& task,
                  detail::Operand*) {
    const int64_t rows = task.geometry.kept.size();
    out.kernels.back().threads = cpu::threads_for(rows, rows * task.geometry.reduced.size());
    return 0;
  }
};

}  // namespace weft
