// A reduction and what is computed from its values alone, as one reduction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/rows.hpp"

namespace weft {

namespace reducer {

/// R with a program of its result, which has type Value in it.
template <class R, class Program, class Value>
struct finished : R {
  Program program;

  WEFT_HD finished(const R& reducer, const Program& p) : R(reducer), program(p) {}

  template <class S>
  WEFT_HD auto finish(S s, long long count) const {
    return program(Inputs{static_cast<Value>(R::finish(s, count))});
  }

 private:
  struct Inputs {
    Value value;
    template <int>
    WEFT_HD Value reduced() const {
      return value;
    }
  };
};

}  // namespace reducer

namespace detail {

template <class E>
  requires is_finished_reduction<E>
struct Lowered<E, Route::reduction> {
  using types = typename RowLowering<E>::types;
  static constexpr int n = count(types{}) + 1;
  OperandArray<n> operands;
  RowNode node;
  decltype(RowLowering<E>::template lower<1, 0>(std::declval<const E&>(), nullptr, nullptr)) part;

  explicit Lowered(const E& e) : part(RowLowering<E>::template lower<1, 0>(e, operands, &node)) {}

  template <class Out, class D>
  void run(const Shape& shape, D device) {
    using Runner = Reducer<loops_of<D>>;
    if constexpr (can_run<D>() && can_reduce<loops_of<D>>()) {
      const auto& reduction = part.reductions.head;
      using Reduction = std::remove_cvref_t<decltype(reduction)>;
      using R = std::remove_cvref_t<decltype(reduction.reducer)>;
      if (!(shape == node.result)) {
        fail<ShapeError>(name_of<E>().operation, "target of shape ", shape, " for ", node.result);
      }
      Shape kept;
      Shape reduced;
      split_axes(node.shape, node.axes, operands, n, kept, reduced);
      const reducer::finished<R, decltype(part.program), typename Reduction::value> finishes(
          reduction.reducer, part.program);
      Runner::template reduce<Out, types>(name_of<E>(), finishes, device, kept, reduced, operands,
                                          reduction.program);
    }
  }
};

}  // namespace detail
}  // namespace weft
