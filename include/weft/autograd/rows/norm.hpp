// The gradients of layer_norm and rms_norm in one walk over the rows, where a device has a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/eval/rows/norm.hpp"

namespace weft {

namespace autograd {

namespace detail {
/// A place for a gradient that a kernel can write to; of another kind of target a copy.
template <class T, class D>
struct DenseSink {
  Sink<T, D> target;
  NormTarget<T, D> dense;

  explicit DenseSink(const Sink<T, D>& sink) : target(sink), dense{sink.buffer, sink.adds} {
    const auto address = reinterpret_cast<std::uintptr_t>(sink.buffer.data());
    if (sink.buffer.is_contiguous() && address % 16 == 0) return;
    dense = {weft::detail::Access::allocate<T, D>(sink.buffer.shape(), sink.buffer.device()),
             false};
  }
  void finish() const {
    if (dense.buffer.data() != target.buffer.data()) store(target, dense.buffer);
  }
};

}  // namespace detail

/// Whether a norm's operands are Vars of one type, of real numbers.
template <class X, class... Ws>
inline constexpr bool are_norm_operands =
    is_var<X> &&
    (std::is_same_v<X, Ws> && ...) && std::is_floating_point_v<compute_t<typename X::value_type>>;

/// Passes all gradients of a norm on at once; false, and nothing is done, where they are computed
/// by expressions: where not all of them are wanted, and for operands that the kernel does not
/// take.
template <class T, class C, class D, class X, class W, class... B>
bool pass_norm(const char* operation, const Tensor<T, D>& gradient, const Tensor<T, D>& x,
               const Tensor<T, D>& weight, const Tensor<C, D>* centre, const Tensor<C, D>& scale,
               const Pull<X>& to_x, const Pull<W>& to_weight, const Pull<B>&... to_bias) {
  using Executor = NormExecutor<weft::detail::loops_of<D>>;
  if constexpr (weft::detail::Complete<Executor>) {
    Variable* const weight_edge = to_weight.edges()[0];
    const bool apart =
        weight_edge != to_x.edges()[0] &&
        ((to_bias.edges()[0] != weight_edge && to_bias.edges()[0] != to_x.edges()[0]) && ...);
    const bool all = to_x.wanted() && to_weight.wanted() && (to_bias.wanted() && ...);
    const int64_t columns = x.rank() > 0 ? x.size(-1) : 0;
    const bool plain = weight.rank() == 1 && weight.size() == columns;
    if (!apart || !all || !plain || !Executor::serves(x, gradient, weight)) return false;
    const auto open = [&](const auto& pull, const Shape& shape) {
      auto* const variable = static_cast<VariableOf<T, D>*>(pull.edges()[0]);
      return detail::DenseSink<T, D>(variable->open(shape, x.device()));
    };
    const auto dx = open(to_x, x.shape());
    const auto dw = open(to_weight, weight.shape());
    const detail::DenseSink<T, D> db[] = {open(to_bias, weight.shape())..., dw};
    Executor::template run<(sizeof...(B) > 0)>(
        operation, NormGradients<T, C, D>{x, gradient, weight, centre, scale, dx.dense, dw.dense,
                                          db[0].dense});
    dx.finish();
    dw.finish();
    if (sizeof...(B) > 0) db[0].finish();
    return true;
  } else {
    return false;
  }
}

}  // namespace autograd
}  // namespace weft
