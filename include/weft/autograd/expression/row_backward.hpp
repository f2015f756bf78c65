// The backward pass of an expression with reductions along the same rows, as one row program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/row_run.hpp"

namespace weft::autograd {

/// See Rule; `run` returns false, having done nothing, if the expression's parts do not all run
/// along the same rows, or more Vars want gradients than the program has outputs.
template <class E>
struct RowBackward {
  using Statement = RowStatement<E>;
  using Plain = without_vars_t<E>;
  using D = typename E::device_type;
  using Loops = weft::detail::loops_of<D>;

  /// Whether E has reductions inside, and a row program can compute all their derivatives.
  static constexpr bool possible() {
    if constexpr (!Statement::possible) {
      return false;
    } else {
      return RowAdjoint<E>::possible;
    }
  }

  /// Whether e has such a program; then f(program, operands) may say what it reads.
  template <class F>
  static bool plan(const Plain& e, const F& f) {
    if constexpr (possible()) {
      using A = RowAdjoint<E>;
      weft::detail::OperandArray<A::first + A::reductions> operands;
      weft::detail::RowNode nodes[A::forward];
      const auto part = A::lower(e, operands, nodes);
      RowGradients rows;
      if (e.size() == 0 || !find_rows(nodes, A::forward, A::along, e.shape(), rows) ||
          !weft::detail::are_fused<Loops>(rows.geometry, nodes, A::forward, operands) ||
          !A::extras_agree(part, operands, nodes)) {
        return false;
      }
      f(A{}, static_cast<Operand*>(operands), rows);
      return true;
    } else {
      return false;
    }
  }

  template <class G>
  static bool run(const Plain& e, Variable* const* edges, const Tensor<G, D>& gradient) {
    if constexpr (possible() && weft::detail::is_included<D>() &&
                  weft::detail::can_run_rows<Loops>()) {
      using A = RowAdjoint<E>;
      const weft::detail::Name name{"backward", weft::detail::name_of<Plain>().type};
      return RowRun<A, D, Tensor<G, D>>(name, e, e.shape(), gradient.device(), gradient).run(edges);
    } else {
      return false;
    }
  }
};

}  // namespace weft::autograd
