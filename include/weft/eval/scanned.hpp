// A scan inside an element-wise expression, on CUDA as one kernel with what reads its values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/opaque.hpp"
#include "weft/eval/program/executor.hpp"
#include "weft/eval/program/name.hpp"
#include "weft/eval/route/route.hpp"

namespace weft {

template <class D>
struct Scanner;  // in ops/order/scan.hpp

namespace detail {

/// How explain() sees a scan and what reads it, if they are one kernel; in
/// eval/inspect/dry_run.hpp.
template <class Out, class L, class D>
bool explain_scan(L& lowered, const Shape& shape, const D& dry);

/// The scan's operands follow those of the rest. Where no kernel does both, the scan is evaluated
/// before the rest is.
template <class E>
struct Lowered<E, Route::scan> {
  using Node = typename FirstScan<E>::type;
  using Operands = std::remove_cvref_t<decltype(std::declval<const Node&>().args().head)>;
  using types = typename Lowering<E>::types;
  using scanned_types = typename Lowering<Operands>::types;
  static constexpr int rest = count(types{});
  static constexpr int n = rest + count(scanned_types{}) + 1;
  const E& e;
  const Node& scan;
  OperandArray<n> operands;
  decltype(Lowering<E>::template lower<1>(std::declval<const E&>(), nullptr)) program;
  decltype(Lowering<Operands>::template lower<1>(std::declval<const Operands&>(), nullptr)) scanned;

  explicit Lowered(const E& expression)
      : e(expression),
        scan(FirstScan<E>::in(e)),
        program(Lowering<E>::template lower<1>(e, with_scan())),
        scanned(Lowering<Operands>::template lower<1>(scan.args().head, operands + rest)) {}

  template <class Out, class D>
  void run(const Shape& shape, D device) {
    const Operand target = operands[0];
    if (!run_together<Out>(shape, device)) {
      Lowered<E, Route::elementwise> apart(e);
      apart.operands[0] = target;
      apart.template run<Out>(shape, device);
    }
  }

 private:
  /// Operand 0 stands for the scan's value until the target is set, so that lowering takes it for
  /// evaluated.
  Operand* with_scan() {
    operands[0].opaque = &scan;
    operands[0].same = same_expression<Node>;
    return operands;
  }

  template <class Out, class D>
  bool run_together(const Shape& shape, D device) {
    if (scan.repeats() || shape.rank() == 0 || !(scan.shape() == shape)) return false;
    std::uint64_t values = 0;  // bit i: operand i is the scan's value
    for (int i = 1; i <= rest; ++i) {
      if (operands[i].opaque != &scan) continue;
      operands[i] = operands[0];
      values |= std::uint64_t{1} << i;
    }
    broadcast_operands(operands, n, shape);
    if constexpr (!Device<D>) {
      return explain_scan<Out>(*this, shape, device);
    } else if constexpr (can_run<D>() && Complete<Scanner<loops_of<D>>>) {
      return Scanner<loops_of<D>>::template finish<Out>(*this, values, shape, device);
    }
    return false;
  }
};

}  // namespace detail
}  // namespace weft
