// Reductions whose equal parts are known to have one value: computed once, each operand read once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/assumed.hpp"

namespace weft::on_cuda::detail {

/// Whether a reduction of a program has kernels for the case that its equal parts have one value.
template <class Program>
inline constexpr bool assumes_reduced = assumes_parts<Program> && !has_places<Program>;

/// The types of the operands in Needed; bit I: Arg<I>.
template <std::uint64_t Needed, int I, class Few, class Types>
struct NeededTypes {
  using type = Few;
};
template <std::uint64_t Needed, int I, class... Few, class T, class... Ts>
struct NeededTypes<Needed, I, weft::detail::TypeList<Few...>, weft::detail::TypeList<T, Ts...>> {
  using Next = std::conditional_t<(Needed >> I & 1U) != 0, weft::detail::TypeList<Few..., T>,
                                  weft::detail::TypeList<Few...>>;
  using type = typename NeededTypes<Needed, I + 1, Next, weft::detail::TypeList<Ts...>>::type;
};

/// The value of an operand that was not kept, which only parts that are not computed read.
struct NotKept {
  template <class T>
  WEFT_HD constexpr operator T() const {  // NOLINT(google-explicit-constructor)
    return T{};
  }
};
/// The inputs of a program whose operands were not all kept: Arg<I> is the one for as many operands
/// in Needed as there are up to it.
template <std::uint64_t Needed, class Inputs>
struct FewInputs {
  const Inputs& inputs;
  template <int I>
  WEFT_HD auto get() const {
    constexpr std::uint64_t up_to = (std::uint64_t{2} << I) - 1;
    if constexpr ((Needed >> I & 1U) != 0) {
      return inputs.template get<__builtin_popcountll(Needed & up_to)>();
    } else {
      return NotKept{};
    }
  }
};

/// A program where ElementAssumed holds, over the operands in `needed` alone.
template <class Program>
struct AssumedProgram {
  using type = typename Program::type;
  using Shared = ElementAssumed<Program>;
  static constexpr std::uint64_t needed = needed_operands<Shared, Pack<Program>>;
  static constexpr int operands = __builtin_popcountll(needed);
  template <class Types>
  using FewTypes = typename NeededTypes<needed, 1, weft::detail::TypeList<>, Types>::type;
  Program program;

#if defined(__CUDACC__)
  template <class Inputs>
  __device__ __forceinline__ type operator()(const Inputs& inputs) const {
    const auto lane = [&](int) { return FewInputs<needed, Inputs>{inputs}; };
    AssumedValues<Shared, decltype(lane), 1> values{lane};
    type out[1];
    values.run(program, out);
    return out[0];
  }
#endif
};

/// The target and the operands that AssumedProgram reads.
template <class Program>
void keep_needed(const Operand* operands, Operand* out) {
  *out++ = operands[0];
  for (int i = 1; i < 64; ++i) {
    if ((AssumedProgram<Program>::needed >> i & 1U) != 0) *out++ = operands[i];
  }
}

/// Calls run.template operator()<Types>(program, operands) for the kernels of a reduction over
/// operands of `rank` dimensions: for AssumedProgram if its parts have one value, or else for the
/// program itself.
template <class Types, class Program, class F>
void with_reduced(const Program& program, Operand* operands, int rank, const F& run) {
  if constexpr (assumes_reduced<Program>) {
    if (has_assumed_parts<Program>(&program, operands, 0, rank)) {
      using Few = AssumedProgram<Program>;
      Operand few[Few::operands + 1];
      keep_needed<Program>(operands, few);
      run.template operator()<typename Few::template FewTypes<Types>>(Few{program}, few);
      return;
    }
  }
  run.template operator()<Types>(program, operands);
}

}  // namespace weft::on_cuda::detail

namespace weft::detail {
template <class Program>
inline constexpr int program_weight<on_cuda::detail::AssumedProgram<Program>> =
    program_weight<Program>;
}  // namespace weft::detail
