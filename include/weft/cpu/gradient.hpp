// Multi-output programs on the CPU: one loop for all gradients, and one for each that is summed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/gradient/norm.hpp"
#include "weft/cpu/reduce.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

template <>
struct GradientExecutor<Cpu> {
  template <class Outs, class Types, class Program>
  static void run(const detail::Name& name, Cpu device, const Shape& shape,
                  detail::Operand* operands, const Program& program) {
    constexpr int k = detail::target_count<Outs>;
    constexpr int n = detail::count(Types{}) + k;
    sums<Types, k>(typename Program::values{}, name, device, shape, operands, program,
                   std::make_index_sequence<k>{});
    const unsigned dense = program.stores.wanted & ~program.stores.sums;
    if (dense == 0) return;
    Program stored = program;
    stored.stores.wanted = dense;
    for (int j = 0; j < k; ++j) {
      if ((dense >> j & 1U) == 0) {
        operands[j].set(operands[__builtin_ctz(dense)].data,
                        static_cast<std::size_t>(operands[j].itemsize), shape,
                        contiguous_strides(shape), nullptr);
      }
    }
    detail::broadcast_operands(operands, n, shape);
    Executor<Cpu>::for_each<Outs, Types>(name, device, shape, operands, stored);
  }

 private:
  template <class Types, int K, class... Vs, class Program, std::size_t... J>
  static void sums(detail::TypeList<Vs...>, const detail::Name& name, Cpu device,
                   const Shape& shape, const detail::Operand* operands, const Program& program,
                   std::index_sequence<J...>) {
    ((program.stores.sums >> J & 1U
          ? sum<Vs, Types, K>(name, device, shape, operands,
                              program.template only<Vs>(static_cast<int>(J)), operands[J])
          : void()),
     ...);
  }
  /// target = the program's sum along the axes where the target has size 1.
  template <class V, class Types, int K, class Program>
  static void sum(const detail::Name& name, Cpu device, const Shape& shape,
                  const detail::Operand* operands, const Program& program,
                  const detail::Operand& target) {
    constexpr int n = detail::count(Types{}) + 1;
    detail::Operand own[n];
    own[0] = target;
    for (int i = 1; i < n; ++i) own[i] = operands[K - 1 + i];
    detail::ReducedAxes axes{0, true};
    for (int d = 0; d < shape.rank(); ++d) {
      if (target.size[d] != shape[d]) axes.mask |= 1U << d;
    }
    Shape kept;
    Shape reduced;
    detail::split_axes(shape, axes, own, n, kept, reduced);
    Reducer<Cpu>::reduce<V, Types>(name, reducer::sum{}, device, kept, reduced, own, program);
  }
};

WEFT_MODEL(GradientDevice<Cpu>);

}  // namespace weft
