// Element-wise statements whose programs have equal parts: which are computed once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/evaluation.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/vector.hpp"

namespace weft::on_cuda::detail {

/// The patterns of an element-wise program, or of a Pack of several, that a thread may keep.
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

/// What a kernel takes for granted where the host has found it: that each of these parts has one
/// value wherever it occurs. It then loads its operands at once, and as often as there are such,
/// and has no branch; so that cheap parts count too.
template <class Program>
using ElementAssumed = ElementSharedFrom<Program, 4>;
template <class Program>
inline constexpr bool assumes_parts = ElementAssumed<Program>::table.count > 0;

/// The operands that are read where that is so, as bits; `done` are the parts that have been
/// computed.
template <class Shared, class P>
struct Needed {
  static constexpr void run(bool*, std::uint64_t& needed) { needed |= weft::detail::uses_of<P>; }
};
template <class Shared, class Op, class... Ps>
  requires(weft::detail::has_shared<Shared, Apply<Op, Ps...>>)
struct Needed<Shared, Apply<Op, Ps...>> {
  static constexpr void run(bool* done, std::uint64_t& needed) {
    constexpr int k = weft::detail::shared_pattern<Shared, Apply<Op, Ps...>>;
    if constexpr (k >= 0) {
      if (done[k]) return;
    }
    (Needed<Shared, Ps>::run(done, needed), ...);
    if constexpr (k >= 0) done[k] = true;
  }
};
template <class Shared, class Programs>
inline constexpr std::uint64_t needed_operands = 0;
template <class Shared, class... Ps>
inline constexpr std::uint64_t needed_operands<Shared, Pack<Ps...>> = [] {
  bool done[3] = {};
  std::uint64_t needed = 0;
  (Needed<Shared, Ps>::run(done, needed), ...);
  return needed;
}();

/// The operands and targets of a statement of which ElementAssumed holds.
template <class Out, class Program>
inline constexpr int distinct_operands =
    __builtin_popcountll(
        needed_operands<ElementAssumed<Program>, typename ElementPatterns<Program>::Outputs>) +
    weft::detail::target_count<Out>;

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
  bool is_same(const Operand& x, const Operand& y) const {
    bool same = x.data == y.data && x.itemsize == y.itemsize && x.gathered == 0 && y.gathered == 0;
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

/// Whether the parts of ElementAssumed have one value each.
template <class Program>
bool has_assumed_parts(const void* opaque, const Operand* operands, int before, int rank) {
  const auto& program = *static_cast<const Program*>(opaque);
  const FirstOperand first{operands, before, rank};
  weft::detail::ShareValues<ElementAssumed<Program>, FirstOperand> sharing(first);
  if constexpr (requires { program.programs; }) {
    sharing.run(program);
  } else {
    sharing.run_all(program);
  }
  return sharing.is_single();
}

#if defined(__CUDACC__)

/// Reads operands where a part of the program needs them: all at once they would be more than a
/// thread has registers for. load.template operator()<I>(vector) reads that of Arg<I>.
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
                                                       const Read& read, const P& program) {
  Vector<Out, V> out;
  if constexpr (has_shared<Shared, P>) {
    typename P::type x[V];
    Evaluation(shared, kept, read).run(program, x);
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
                                                    const Pack<>&) {
  return {};
}
template <int V, class Shared, class Out, class... Outs, class Read, class P, class... Ps>
__device__ __forceinline__ Pack<Vector<Out, V>, Vector<Outs, V>...> compute_each_part(
    weft::detail::TypeList<Out, Outs...>, const SharedValues& shared, KeptValues<Shared, V>& kept,
    const Read& read, const Pack<P, Ps...>& programs) {
  const auto first = compute_part<Out, V>(shared, kept, read, programs.head);
  return {first,
          compute_each_part(weft::detail::TypeList<Outs...>{}, shared, kept, read, programs.tail)};
}

/// compute_all where parts of the program have one value.
template <class Out, class Types, int V, class Program, class Load>
__device__ __forceinline__ auto compute_parts(const SharedValues& shared, const Program& program,
                                              const Load& load) {
  using Shared = ElementShared<Program>;
  const ReadParts<Registers<Types, V>, Load> read{load};
  KeptValues<Shared, V> kept{};
  if constexpr (1 < weft::detail::target_count<Out>) {
    return compute_each_part(Out{}, shared, kept, read, program);
  } else {
    return compute_part<Out, V>(shared, kept, read, program);
  }
}

/// The values of programs at V elements where ElementAssumed holds.
template <class Shared, class R, int V>
struct AssumedValues {
  const R& registers;
  float kept[Shared::table.count][V];
  bool done[Shared::table.count] = {};  // known to the compiler

  template <class P>
  __device__ __forceinline__ void run(const P& program, typename P::type (&out)[V]) {
    constexpr int k = shared_pattern<Shared, P>;
    if constexpr (!has_shared<Shared, P>) {
#pragma unroll
      for (int j = 0; j < V; ++j) out[j] = program(Lane<R>{registers, j});
    } else {
      if constexpr (k >= 0) {
        if (!done[k]) {
          run_parts(program, program.programs, kept[k]);
          done[k] = true;
        }
#pragma unroll
        for (int j = 0; j < V; ++j) out[j] = kept[k][j];
      } else {
        run_parts(program, program.programs, out);
      }
    }
  }

 private:
  template <class P, class X>
  __device__ __forceinline__ void run_parts(const P& program, const Pack<X>& parts,
                                            typename P::type (&out)[V]) {
    typename X::type x[V];
    run(parts.head, x);
#pragma unroll
    for (int j = 0; j < V; ++j) out[j] = program.op.value(x[j]);
  }
  template <class P, class X, class Y>
  __device__ __forceinline__ void run_parts(const P& program, const Pack<X, Y>& parts,
                                            typename P::type (&out)[V]) {
    typename X::type x[V];
    typename Y::type y[V];
    run(parts.head, x);
    run(parts.tail.head, y);
#pragma unroll
    for (int j = 0; j < V; ++j) out[j] = program.op.value(x[j], y[j]);
  }
  template <class P, class X, class Y, class Z>
  __device__ __forceinline__ void run_parts(const P& program, const Pack<X, Y, Z>& parts,
                                            typename P::type (&out)[V]) {
    typename X::type x[V];
    typename Y::type y[V];
    typename Z::type z[V];
    run(parts.head, x);
    run(parts.tail.head, y);
    run(parts.tail.tail.head, z);
#pragma unroll
    for (int j = 0; j < V; ++j) out[j] = program.op.value(x[j], y[j], z[j]);
  }
};

template <class Out, int V, class Values, class P>
__device__ __forceinline__ Vector<Out, V> compute_assumed(Values& values, const P& program) {
  typename P::type x[V];
  values.run(program, x);
  Vector<Out, V> out;
#pragma unroll
  for (int j = 0; j < V; ++j) out.lane[j] = store_element<Out>(x[j]);
  return out;
}
template <int V, class Values>
__device__ __forceinline__ Pack<> compute_each_assumed(weft::detail::TypeList<>, Values&,
                                                       const Pack<>&) {
  return {};
}
template <int V, class Out, class... Outs, class Values, class P, class... Ps>
__device__ __forceinline__ Pack<Vector<Out, V>, Vector<Outs, V>...> compute_each_assumed(
    weft::detail::TypeList<Out, Outs...>, Values& values, const Pack<P, Ps...>& programs) {
  const auto first = compute_assumed<Out, V>(values, programs.head);
  return {first, compute_each_assumed<V>(weft::detail::TypeList<Outs...>{}, values, programs.tail)};
}

/// compute_all where ElementAssumed holds; load is compute_parts'.
template <class Out, class Types, int V, class Program, class Load>
__device__ __forceinline__ auto compute_assumed_parts(const Program& program, const Load& load) {
  using Shared = ElementAssumed<Program>;
  using R = Registers<Types, V>;
  R registers;
  registers.template load_each<needed_operands<Shared, typename ElementPatterns<Program>::Outputs>>(
      load);
  AssumedValues<Shared, R, V> values{registers};
  if constexpr (1 < weft::detail::target_count<Out>) {
    return compute_each_assumed<V>(Out{}, values, program);
  } else {
    return compute_assumed<Out, V>(values, program);
  }
}

#endif

}  // namespace weft::on_cuda::detail
