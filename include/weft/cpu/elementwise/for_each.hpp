// Element-wise loops on the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/element_kernel.hpp"
#include "weft/cpu/elementwise/element_walk.hpp"
#include "weft/cpu/elementwise/multi_output.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/eval/program/executor.hpp"
#include "weft/eval/statement.hpp"

namespace weft {

namespace cpu::detail {

/// What the traversals know of the types of an element-wise statement.
struct OperandTypes {
  const bool* computed;
  const Movers* movers;
};
template <class Kernel, class Out, class Types>
inline constexpr OperandTypes types_of{};
template <class Kernel, class Out, class... Ts>
inline constexpr OperandTypes types_of<Kernel, Out, weft::detail::TypeList<Ts...>>{
    Kernel::Operands::computed, &movers<sizes_of<Out, Ts...>>};

/// An element-wise statement with its types erased.
struct ElementRun : weft::detail::LeafStatement {
  const void* programs;
  const OperandTypes* types;
  CompiledLoops loops;
  bool light;

  WEFT_OUTLINED static void run(void* self, const Shape& shape, Cpu) {
    const ElementRun& mine = *static_cast<const ElementRun*>(self);
    const int n = mine.n;
    weft::detail::broadcast_operands(mine.operands, n, shape);
    for_each_element(shape, mine.operands, n, 1, mine.types->computed, mine.loops.chosen(),
                     mine.programs, *mine.types->movers, nullptr, nullptr, mine.light);
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
    if constexpr (MultiOutputProgram<Program>) {
      constexpr const bool* computed = cpu::OperandElements<Types>::computed;
      cpu::detail::for_each_element(shape, operands, n, targets, computed,
                                    cpu::detail::MultiOutputKernel<Out, Types, Program>::run,
                                    &program, movers_of(Out{}, Types{}), &program.stores);
    } else {
      using Outs = std::conditional_t<targets == 1, detail::TypeList<Out>, Out>;
      using Programs = decltype(packed(program));
      const Programs programs = packed(program);
      using Kernel = cpu::detail::ElementKernel<Outs, Types, Programs>;
      constexpr const bool* computed = Kernel::Operands::computed;
      const auto loop = cpu::KernelLoops<Kernel>::chosen();
      if constexpr (requires { cpu::detail::PastCaches::of(Outs{}, programs); }) {
        const auto past = cpu::detail::PastCaches::of(Outs{}, programs);
        cpu::detail::for_each_element(shape, operands, n, targets, computed, loop, &programs,
                                      movers_of(Outs{}, Types{}), nullptr, &past, Kernel::light);
      } else {
        cpu::detail::for_each_element(shape, operands, n, targets, computed, loop, &programs,
                                      movers_of(Outs{}, Types{}), nullptr, nullptr, Kernel::light);
      }
    }
  }

  /// The same for one target, to be run with the types erased.
  template <class Out, class Types, class Program>
  struct Prepared : cpu::detail::ElementRun {
    using Kernel = cpu::detail::ElementKernel<detail::TypeList<Out>, Types, Pack<Program>>;
    Pack<Program> programs;
    Prepared(const detail::LeafStatement& statement, const Program& program)
        : ElementRun{statement, &programs, &cpu::detail::types_of<Kernel, Out, Types>,
                     cpu::KernelLoops<Kernel>::loops(), Kernel::light},
          programs{program, {}} {}
    Prepared(const Prepared&) = delete;
  };
  /// What it is with the types erased.
  using Erased = cpu::detail::ElementRun;
  /// Whether for_each is no more than that.
  template <class Out, class Program>
  static constexpr bool prepares = !MultiOutputProgram<Program> && detail::target_count<Out> == 1 &&
                                   !requires(const Pack<Program>& programs) {
    cpu::detail::PastCaches::of(detail::TypeList<Out>{}, programs);
  };

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
