// The CPU's reductions: rows in lanes that merge as a tree, columns side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/cpu/reduce/lanes.hpp"
#include "weft/cpu/reduce/walk.hpp"

namespace weft {

namespace cpu::detail {

/// The number of the operand that holds a program's values, if they are in memory in the compute
/// type; otherwise -1, and a loop computes them.
template <class Program>
inline constexpr int in_place = -1;
template <int I, class T>
  requires std::is_same_v<typename Arg<I, T>::type, T>
inline constexpr int in_place<Arg<I, T>> = I;

/// That loop, or null.
template <class Program, class Types>
ElementLoop* value_loop() {
  if constexpr (in_place<Program> >= 0) {
    return nullptr;
  } else {
    using V = typename Program::type;
    return KernelLoops<ElementKernel<weft::detail::TypeList<V>, Types, Pack<Program>>>::chosen();
  }
}

}  // namespace cpu::detail

template <>
struct Reducer<Cpu> {
  /// operands[0] at each coordinate of `kept` = program reduced over `reduced`. The operands'
  /// strides are those along kept, then along reduced.
  template <class Out, class Types, class R, class Program>
  static void reduce(const detail::Name&, const R& reducer, Cpu, const Shape& kept,
                     const Shape& reduced, detail::Operand* operands, const Program& program) {
    using V = typename Program::type;
    constexpr int n = detail::count(Types{}) + 1;
    detail::Operand inside[n];
    const Pack<Program> programs{program, {}};
    run({cpu::detail::Run<Out, R, V>::loops, cpu::detail::ColumnRun<Out, R, V>::loops, &reducer,
         cpu::detail::value_loop<Program, Types>(), cpu::detail::in_place<Program>, &programs, n,
         cpu::OperandElements<Types>::computed},
        kept, reduced, operands, inside);
  }

 private:
  /// What the type of a reduction determines.
  struct Plan {
    const cpu::detail::RunLoops& run;
    const cpu::detail::ColumnLoops& columns;
    const void* reducer;
    cpu::detail::ElementLoop* values;
    int in_place;
    const void* programs;
    int n;
    const bool* computed;
  };
  WEFT_OUTLINED static void run(const Plan& plan, const Shape& kept, const Shape& reduced,
                                detail::Operand* operands, detail::Operand* inside) {
    detail::Loops outer = detail::loops_over(kept);
    detail::Loops inner = detail::loops_over(reduced);
    detail::inner_operands(operands, plan.n, outer.rank, inner.rank, inside);
    detail::simplify(outer, operands, plan.n);
    for (int i = 0; i < plan.n; ++i) inside[i].data = operands[i].data;
    detail::simplify(inner, inside, plan.n, true);
    cpu::detail::pad(outer, operands, plan.n);
    cpu::detail::pad(inner, inside, plan.n);
    cpu::detail::ReduceWork{plan.run,      plan.columns,  plan.reducer, plan.values,
                            plan.in_place, plan.programs, outer,        operands,
                            inner,         inside,        plan.n,       plan.computed}
        .run();
  }
};

WEFT_MODEL(ReducingDevice<Cpu, reducer::sum>);

}  // namespace weft
