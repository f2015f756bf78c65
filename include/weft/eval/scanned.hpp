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
bool explain_scan(L& lowered, Operand* operands, std::uint64_t values, const Shape& shape,
                  const D& dry);

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
  const Node& scan;
  OperandArray<n> operands;
  decltype(Lowering<E>::template lower<1>(std::declval<const E&>(), nullptr)) program;
  decltype(Lowering<Operands>::template lower<1>(std::declval<const Operands&>(), nullptr)) scanned;

  explicit Lowered(const E& e)
      : scan(FirstScan<E>::in(e)),
        program(Lowering<E>::template lower<1>(e, with_scan())),
        scanned(Lowering<Operands>::template lower<1>(scan.args().head, operands + rest)) {}

  template <class Out, class D>
  void run(const Shape& shape, D device) {
    if constexpr (can_run<D>()) {
      if (run_together<Out>(shape, device)) return;
      evaluate_scan();
      broadcast_operands(operands, rest + 1, shape);
      Executor<loops_of<D>>::template for_each<Out, types>(name_of<E>(), device, shape, operands,
                                                           program);
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
  bool is_scan(int i) const { return operands[i].opaque == &scan; }

  /// Plans with copies of the operands, whose strides are then others.
  template <class Out, class D>
  bool run_together(const Shape& shape, D device) {
    if (scan.repeats() || shape.rank() == 0 || !(scan.shape() == shape)) return false;
    OperandArray<n> planned;
    std::uint64_t values = 0;  // bit i: operand i is the scan's value
    for (int i = 0; i < n; ++i) {
      const bool stands = i > 0 && i <= rest && is_scan(i);
      planned[i] = operands[stands ? 0 : i];
      if (stands) values |= std::uint64_t{1} << i;
    }
    broadcast_operands(planned, n, shape);
    if constexpr (!Device<D>) {
      return explain_scan<Out>(*this, planned, values, shape, device);
    } else if constexpr (Complete<Scanner<loops_of<D>>>) {
      return Scanner<loops_of<D>>::template finish<Out>(*this, planned, values, shape, device);
    }
    return false;
  }
  void evaluate_scan() {
    using value = typename Node::opaque_type;
    using D = typename E::device_type;
    const Tensor<value, D> result = materialize_on<value, D>(scan, D{});
    for (int i = 1; i <= rest; ++i) {
      if (!is_scan(i)) continue;
      operands[i].set(result.data(), sizeof(value), result.shape(), result.strides(),
                      result.storage());
      operands[i].keep = Access::storage(result);
    }
  }
};

}  // namespace detail
}  // namespace weft
