// Element-wise statements with equal parts, which are computed once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/evaluation.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/registers.hpp"

namespace weft::on_cuda::detail {

/// The patterns of an element-wise program, or of a Pack of them, whose values a thread may keep.
template <class Program>
struct ElementPatterns {
  using Outputs = Pack<>;
};
template <class Op, class... Ps>
struct ElementPatterns<Apply<Op, Ps...>> {
  using Outputs = Pack<Apply<Op, Ps...>>;
};
template <class... Ps>
struct ElementPatterns<Pack<Ps...>> {
  using Outputs = Pack<Ps...>;
};
template <class Outputs>
inline constexpr bool may_share = false;
template <class... Ps>
inline constexpr bool may_share<Pack<Ps...>> = !((has_effects<Ps> || has_draws<Ps>) || ...);
template <class Program, int LeastWeight>
using ElementSharedFrom = weft::detail::SharedPatterns<
    RowProgram<Pack<>, std::conditional_t<may_share<typename ElementPatterns<Program>::Outputs>,
                                          typename ElementPatterns<Program>::Outputs, Pack<>>>,
    LeastWeight>;
template <class Program>
using ElementShared = ElementSharedFrom<Program, 12>;
template <class Program>
inline constexpr bool shares_parts = ElementShared<Program>::table.count > 0;

/// The operands of a statement, as weft::detail::ShareValues asks for them: Arg<I> is operand
/// I + before.
struct FirstOperand {
  const Operand* operands;
  int before;
  int rank;
  int operand(int i) const {
    int first = i;
    for (int j = i - 1; j > 0; --j) {
      if (is_same(operands[i + before], operands[j + before])) first = j;
    }
    return first;
  }
  int number(int r) const { return r; }

 private:
  /// Of one storage: that of an operand which is not read is not waited for.
  bool is_same(const Operand& x, const Operand& y) const {
    bool same = x.data == y.data && x.storage == y.storage && x.itemsize == y.itemsize &&
                x.gathered == 0 && y.gathered == 0;
    for (int d = 0; d < rank; ++d) same = same && x.stride[d] == y.stride[d];
    return same;
  }
};

/// Decides what a statement's program computes once; the operands have the loops' dimensions.
template <class Program>
void share_parts(const void* opaque, const Operand* operands, int before, int rank,
                 ElementwiseLoops& grid) {
  const auto& program = *static_cast<const Program*>(opaque);
  const FirstOperand first{operands, before, rank};
  weft::detail::ShareValues<ElementShared<Program>, FirstOperand> sharing(first);
  if constexpr (requires { program.programs; }) {
    sharing.run(program);
  } else {
    sharing.run_all(program);
  }
  grid.shared = sharing.values();
}

#if defined(__CUDACC__)

/// Reads operands only when a part of the program needs them: all at once would exceed a thread's
/// registers. load.template operator()<I>(vector) reads Arg<I>'s.
template <class R, class Load>
struct ReadParts {
  const Load& load;
  struct Inputs {
    R registers;
    __device__ __forceinline__ Lane<R> operator()(int j) const { return {registers, j}; }
  };
  template <std::uint64_t Uses>
  __device__ __forceinline__ Inputs read() const {
    Inputs inputs;
    inputs.registers.template load_each<Uses>(load);
    return inputs;
  }
};

template <class Out, int V, class Shared, class Read, class P>
__device__ __forceinline__ Vector<Out, V> compute_part(const SharedValues& shared,
                                                       KeptValues<Shared, V>& kept,
                                                       const Read& read, const P& program,
                                                       std::uint64_t alike) {
  Vector<Out, V> out;
  if constexpr (has_shared<Shared, P>) {
    typename P::type x[V];
    Evaluation(shared, kept, read, alike).run(program, x);
#pragma unroll
    for (int j = 0; j < V; ++j) out.lane[j] = store_element<Out>(x[j]);
  } else {
    const auto inputs = read.template read<uses_of<P>>();
#pragma unroll
    for (int j = 0; j < V; ++j) out.lane[j] = stored_value<Out>(program, inputs(j));
  }
  return out;
}
template <int V, class Shared, class Read>
__device__ __forceinline__ Pack<> compute_each_part(weft::detail::TypeList<>, const SharedValues&,
                                                    KeptValues<Shared, V>&, const Read&,
                                                    const Pack<>&, std::uint64_t) {
  return {};
}
template <int V, class Shared, class Out, class... Outs, class Read, class P, class... Ps>
__device__ __forceinline__ Pack<Vector<Out, V>, Vector<Outs, V>...> compute_each_part(
    weft::detail::TypeList<Out, Outs...>, const SharedValues& shared, KeptValues<Shared, V>& kept,
    const Read& read, const Pack<P, Ps...>& programs, std::uint64_t alike) {
  const auto first = compute_part<Out, V>(shared, kept, read, programs.head, alike);
  return {first, compute_each_part(weft::detail::TypeList<Outs...>{}, shared, kept, read,
                                   programs.tail, alike)};
}

/// compute_all where parts of the program have one value.
template <class Out, class Types, int V, class Program, class Load>
__device__ __forceinline__ auto compute_parts(const SharedValues& shared, const Program& program,
                                              const Load& load, std::uint64_t alike) {
  using Shared = ElementShared<Program>;
  const ReadParts<Registers<Types, V>, Load> read{load};
  KeptValues<Shared, V> kept{};
  if constexpr (1 < weft::detail::target_count<Out>) {
    return compute_each_part(Out{}, shared, kept, read, program, alike);
  } else {
    return compute_part<Out, V>(shared, kept, read, program, alike);
  }
}

#endif

}  // namespace weft::on_cuda::detail
