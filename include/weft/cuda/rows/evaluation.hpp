// Computing a program's values in a row kernel, where parts of one value are computed once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/grid.hpp"
#include "weft/cuda/rows/hoist.hpp"
#include "weft/eval/rows/sharing.hpp"

namespace weft::on_cuda::detail {

using weft::detail::has_shared;
using weft::detail::shared_pattern;

/// What the kernel for short rows keeps of its programs' values, and the one that loops, which
/// keeps it for one item only.
template <class Program>
using NarrowShared = weft::detail::SharedPatterns<Program, 12>;
template <class Program>
using LoopedShared = weft::detail::SharedPatterns<Program, 24>;

/// A kernel's operands and reductions, as weft::detail::ShareValues asks for them.
struct FirstInRow {
  const RowLoops& grid;
  const RowOperand* operands;
  int operand(int i) const {
    int first = i;
    for (int j = i - 1; j >= 0; --j) {
      if (is_same_operand(grid, operands[i], operands[j])) first = j;
    }
    return first;
  }
  int number(int r) const { return grid.mode[r] == RowMode::same ? grid.same[r] : r; }
};

#if defined(__CUDACC__)

/// The values that a thread keeps of V elements, two of each shared pattern.
template <class Shared, int V>
struct KeptValues {
  float value[Shared::table.count > 0 ? Shared::table.count : 1][Shared::table.slots][V];
};

/// The values of programs at V elements; lane(j) are the operands' and reductions' at element j.
template <class Shared, int V, class LaneOf>
class Evaluation {
 public:
  __device__ __forceinline__ Evaluation(const RowLoops& grid, KeptValues<Shared, V>& kept,
                                        const LaneOf& lane)
      : grid_(grid), kept_(kept), lane_(lane) {}

  template <class P>
  __device__ __forceinline__ void run(const P& program, typename P::type (&out)[V]) const {
    constexpr int k = shared_pattern<Shared, P>;
    if constexpr (!has_shared<Shared, P>) {
#pragma unroll
      for (int j = 0; j < V; ++j) out[j] = program(lane_(j));
    } else if constexpr (k >= 0) {
      constexpr std::uint64_t bit = uses_of<P> & (~uses_of<P> + 1);
      if constexpr (Shared::table.slots == 1) {
        if ((grid_.shared.hit[k] & bit) == 0) {
          run_parts(program, program.programs, kept_.value[k][0]);
        }
#pragma unroll
        for (int j = 0; j < V; ++j) out[j] = kept_.value[k][0][j];
      } else {
        const bool second = (grid_.shared.second[k] & bit) != 0;
        if ((grid_.shared.hit[k] & bit) == 0) {
          float fresh[V];
          run_parts(program, program.programs, fresh);
#pragma unroll
          for (int j = 0; j < V; ++j) {
            kept_.value[k][0][j] = second ? kept_.value[k][0][j] : fresh[j];
            kept_.value[k][1][j] = second ? fresh[j] : kept_.value[k][1][j];
          }
        }
#pragma unroll
        for (int j = 0; j < V; ++j) {
          out[j] = second ? kept_.value[k][1][j] : kept_.value[k][0][j];
        }
      }
    } else {
      run_parts(program, program.programs, out);
    }
  }

 private:
  template <class P, class X>
  __device__ __forceinline__ void run_parts(const P& program, const Pack<X>& parts,
                                            typename P::type (&out)[V]) const {
    typename X::type x[V];
    run(parts.head, x);
#pragma unroll
    for (int j = 0; j < V; ++j) out[j] = program.op.value(x[j]);
  }
  template <class P, class X, class Y>
  __device__ __forceinline__ void run_parts(const P& program, const Pack<X, Y>& parts,
                                            typename P::type (&out)[V]) const {
    typename X::type x[V];
    typename Y::type y[V];
    run(parts.head, x);
    run(parts.tail.head, y);
#pragma unroll
    for (int j = 0; j < V; ++j) out[j] = program.op.value(x[j], y[j]);
  }
  template <class P, class X, class Y, class Z>
  __device__ __forceinline__ void run_parts(const P& program, const Pack<X, Y, Z>& parts,
                                            typename P::type (&out)[V]) const {
    typename X::type x[V];
    typename Y::type y[V];
    typename Z::type z[V];
    run(parts.head, x);
    run(parts.tail.head, y);
    run(parts.tail.tail.head, z);
#pragma unroll
    for (int j = 0; j < V; ++j) out[j] = program.op.value(x[j], y[j], z[j]);
  }
  const RowLoops& grid_;
  KeptValues<Shared, V>& kept_;
  const LaneOf& lane_;
};

template <class Shared, int V, class LaneOf>
Evaluation(const RowLoops&, KeptValues<Shared, V>&, const LaneOf&)
    -> Evaluation<Shared, V, LaneOf>;

#endif

}  // namespace weft::on_cuda::detail
