// CUDA's reductions on CUB's primitives, with the producing expression fused in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/reduce/assumed.hpp"
#include "weft/cuda/reduce/launch.hpp"
#include "weft/cuda/rows/rows.hpp"
#include "weft/eval/program/executor.hpp"

namespace weft {

template <>
struct Reducer<Cuda> {
  /// operands[0] at each coordinate of `kept` = program reduced over `reduced`. The operands'
  /// strides are those along kept, then along reduced.
  template <class Out, class Types, class R, class Program>
  static void reduce([[maybe_unused]] const detail::Name& name, [[maybe_unused]] const R& reducer,
                     [[maybe_unused]] Cuda device, [[maybe_unused]] const Shape& kept,
                     [[maybe_unused]] const Shape& reduced,
                     [[maybe_unused]] detail::Operand* operands,
                     [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    using State = typename R::template State<typename Program::type>;
    on_cuda::detail::with_reduced<Types>(
        program, operands, kept.rank() + reduced.rank(),
        [&]<class Read, class P>(const P& computed, detail::Operand* read) {
          constexpr int n = detail::count(Read{}) + 1;
          const auto kernels = on_cuda::ReduceKernels::of<Out, Read, n, R, State, P>();
          on_cuda::detail::run_reduction<n>(name, device, kept, reduced, read, kernels, &reducer,
                                            &computed);
        });
#else
    static_assert(detail::always_false<Program>,
                  "weft: a reduction on Cuda is evaluated in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }
};

WEFT_MODEL(ReducingDevice<Cuda, reducer::sum>);

}  // namespace weft
