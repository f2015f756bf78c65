// Joint programs on a block: the values of all targets, stored or added to what is there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/block.hpp"
#include "weft/eval/joint.hpp"

namespace weft::cpu {

/// The values of a block, in the type they were computed in.
template <class T>
struct BlockOf {
  alignas(64) T values[block_size];
};

namespace detail {
inline void set_values(Pack<>&, const Pack<>&, int) {}
template <class T, class... Ts>
void set_values(Pack<BlockOf<T>, BlockOf<Ts>...>& blocks, const Pack<T, Ts...>& values, int i) {
  blocks.head.values[i] = values.head;
  set_values(blocks.tail, values.tail, i);
}

inline void store_joint(weft::detail::TypeList<>, const Pack<>&, Stores, char* const*,
                        const int64_t*, int) {}
template <class Out, class... Outs, class T, class... Ts>
void store_joint(weft::detail::TypeList<Out, Outs...>,
                 const Pack<BlockOf<T>, BlockOf<Ts>...>& blocks, Stores stores, char* const* at,
                 const int64_t* stride, int n) {
  if ((stores.wanted & 1U) != 0) {
    auto* out = reinterpret_cast<Out*>(at[0]);
    const T* values = blocks.head.values;
    const int64_t step = stride[0];
    if ((stores.adds & 1U) != 0) {
      for (int i = 0; i < n; ++i) {
        out[i * step] = store_element<Out>(load_element(out[i * step]) + values[i]);
      }
    } else {
      for (int i = 0; i < n; ++i) out[i * step] = store_element<Out>(values[i]);
    }
  }
  store_joint(weft::detail::TypeList<Outs...>{}, blocks.tail, stores.next(), at + 1, stride + 1, n);
}

template <class Values>
struct Blocks;
template <class... Ts>
struct Blocks<weft::detail::TypeList<Ts...>> {
  using type = Pack<BlockOf<Ts>...>;
};
}  // namespace detail

/// Writes n elements of each target, at at[k] and onwards with stride[k].
template <class Outs, class Loaded, JointProgram Program>
void write_joint(const Loaded& block, const Program& program, char* const* at,
                 const int64_t* stride, int n) {
  typename detail::Blocks<typename Program::values>::type blocks;
  block.each(program, n, [&](int i, const auto& values) { detail::set_values(blocks, values, i); });
  detail::store_joint(Outs{}, blocks, program.stores, at, stride, n);
}

}  // namespace weft::cpu
