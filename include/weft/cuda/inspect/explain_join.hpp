// What explain(e) says of tensors that one kernel writes beside each other (cat, stack).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/join.hpp"
#include "weft/eval/inspect/explain.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// The tensors of a join that one kernel writes.
struct ExplainedJoin {
  Explanation::Kernel kernel;
  JoinSource parts[JoinedRows::most_parts];
  int n = 0;
  int64_t longest = 0;

  bool add(const Pack<>&, int) { return true; }
  template <class X, class... Xs>
  bool add(const Pack<X, Xs...>& tensors, int axis) {
    using T = std::remove_const_t<typename X::value_type>;
    const X& x = tensors.head;
    if (x.size() == 0) return add(tensors.tail, axis);
    if (!find_rows(x.shape(), x.strides(), axis, parts[n])) return false;
    parts[n].data = reinterpret_cast<const char*>(x.data());
    const int64_t bytes = parts[n++].width * static_cast<int64_t>(sizeof(T));
    longest = bytes > longest ? bytes : longest;
    Operand operand;
    operand.set(x.data(), sizeof(T), x.shape(), x.strides(), x.storage());
    weft::detail::add_operand(kernel.reads, operand, name(dtype_of<T>), x.shape(), "");
    return add(tensors.tail, axis);
  }
};

/// Adds the kernel of a join into a new tensor; false if it takes more than one.
template <class K, class... Es>
bool explain_join(Explanation& out, const Joined<K, Es...>& e) {
  using T = typename Joined<K, Es...>::value_type;
  ExplainedJoin found;
  if (!found.add(e.args(), e.axis()) || !has_short_pieces(found.parts, found.n, sizeof(T))) {
    return false;
  }
  JoinedRows rows;
  JoinLaunch launch;
  int64_t width = 0;
  for (int k = 0; k < found.n; ++k) width += found.parts[k].width;
  plan_join(nullptr, e.size() / width, found.parts, found.n, sizeof(T), rows, launch);
  found.kernel.kind = "join";
  found.kernel.work = weft::detail::join(
      {"of ", found.n, " parts, in pieces of up to ", weft::detail::bytes_text(found.longest)});
  found.kernel.blocks = launch.blocks;
  found.kernel.threads = block_threads;
  Operand target;
  target.set(nullptr, sizeof(T), e.shape(), contiguous_strides(e.shape()), nullptr);
  weft::detail::add_operand(found.kernel.writes, target, name(dtype_of<T>), e.shape(), "result");
  out.kernels.push_back(static_cast<Explanation::Kernel&&>(found.kernel));
  return true;
}

}  // namespace weft::on_cuda::detail

#endif
