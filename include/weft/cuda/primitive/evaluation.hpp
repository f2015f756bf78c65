// Computing a program's values in a kernel; parts with one value are computed once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/alike.hpp"
#include "weft/eval/rows/sharing.hpp"

namespace weft::on_cuda::detail {

using weft::detail::has_shared;
using weft::detail::shared_pattern;
using weft::detail::SharedValues;
using weft::detail::uses_of;

/// Whether a part of P is a shared pattern: others may then find its value kept.
template <class Shared, class P>
inline constexpr bool keeps_parts = false;
template <class Shared, class Op, class... Ps>
inline constexpr bool keeps_parts<Shared, Apply<Op, Ps...>> = (has_shared<Shared, Ps> || ...);

#if defined(__CUDACC__)

/// The values of shared patterns that a thread keeps, for V elements and up to two per pattern.
template <class Shared, int V>
struct KeptValues {
  float value[Shared::table.count > 0 ? Shared::table.count : 1][Shared::table.slots][V];
};

/// The values of a program at V elements, from its parts' values, which values.run(part, x)
/// computes; `most`: see ends_at.
template <int V, class Values, class P, class X>
__device__ __forceinline__ void run_parts(Values& values, const P& program, const Pack<X>& parts,
                                          int most, typename P::type (&out)[V]) {
  typename X::type x[V];
  values.run(parts.head, x);
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (ends_at<V>(j, most)) break;
    out[j] = program.op.value(x[j]);
  }
}
template <int V, class Values, class P, class X, class Y>
__device__ __forceinline__ void run_parts(Values& values, const P& program, const Pack<X, Y>& parts,
                                          int most, typename P::type (&out)[V]) {
  typename X::type x[V];
  typename Y::type y[V];
  values.run(parts.head, x);
  values.run(parts.tail.head, y);
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (ends_at<V>(j, most)) break;
    out[j] = program.op.value(x[j], y[j]);
  }
}
template <int V, class Values, class P, class X, class Y, class Z>
__device__ __forceinline__ void run_parts(Values& values, const P& program,
                                          const Pack<X, Y, Z>& parts, int most,
                                          typename P::type (&out)[V]) {
  typename X::type x[V];
  typename Y::type y[V];
  typename Z::type z[V];
  values.run(parts.head, x);
  values.run(parts.tail.head, y);
  values.run(parts.tail.tail.head, z);
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (ends_at<V>(j, most)) break;
    out[j] = program.op.value(x[j], y[j], z[j]);
  }
}

/// The values of programs at V elements. lane(j) holds the operands and reductions at element j; or
/// lane.read<Uses>()(j) reads only the operands in Uses, where they are needed.
template <class Shared, int V, class LaneOf>
class Evaluation {
 public:
  /// `alike`: bit i for operand i that is the same in all elements; `most`: how many elements must
  /// be computed, see ends_at.
  __device__ __forceinline__ Evaluation(const SharedValues& shared, KeptValues<Shared, V>& kept,
                                        const LaneOf& lane, std::uint64_t alike = 0, int most = V)
      : shared_(shared), kept_(kept), lane_(lane), alike_(alike), most_(most) {}

  template <class P>
  __device__ __forceinline__ void run(const P& program, typename P::type (&out)[V]) const {
    constexpr int k = shared_pattern<Shared, P>;
    if constexpr (!has_shared<Shared, P>) {
      if constexpr (requires { typename LaneOf::Inputs; }) {
        const auto inputs = lane_.template read<uses_of<P>>();
#pragma unroll
        for (int j = 0; j < V; ++j) out[j] = program(inputs(j));
      } else {
        run_lanes<V>(program, lane_, alike_, most_, out);
      }
    } else if constexpr (k >= 0) {
      constexpr std::uint64_t bit = uses_of<P> & (~uses_of<P> + 1);
      if constexpr (Shared::table.slots == 1) {
        if ((shared_.hit[k] & bit) == 0) compute(program, kept_.value[k][0]);
#pragma unroll
        for (int j = 0; j < V; ++j) out[j] = kept_.value[k][0][j];
      } else {
        const bool second = (shared_.second[k] & bit) != 0;
        if ((shared_.hit[k] & bit) == 0) {
          float fresh[V];
          compute(program, fresh);
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
      run_parts<V>(*this, program, program.programs, most_, out);
    }
  }

 private:
  template <class P>
  __device__ __forceinline__ void compute(const P& program, typename P::type (&out)[V]) const {
    if constexpr (keeps_parts<Shared, P>) {
      // each by itself
    } else if constexpr (!requires { typename LaneOf::Inputs; }) {
      if (run_once<V>(program, lane_, alike_, out)) return;
    } else if constexpr (V > 1 && is_costly_part<P>) {
      if ((uses_of<P> & ~alike_) == 0) {
        run_once<V>(program, lane_.template read<uses_of<P>>(), alike_, out);
        return;
      }
    }
    run_parts<V>(*this, program, program.programs, most_, out);
  }

  const SharedValues& shared_;
  KeptValues<Shared, V>& kept_;
  const LaneOf& lane_;
  std::uint64_t alike_;
  int most_;
};

template <class Shared, int V, class LaneOf>
Evaluation(const SharedValues&, KeptValues<Shared, V>&, const LaneOf&, std::uint64_t = 0, int = V)
    -> Evaluation<Shared, V, LaneOf>;

#endif

}  // namespace weft::on_cuda::detail
