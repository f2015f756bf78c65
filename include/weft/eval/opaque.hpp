// Opaque nodes, such as sorts: evaluated by an algorithm of their own before what reads them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/leaves.hpp"
#include "weft/eval/program/lower.hpp"
#include "weft/eval/rows/program.hpp"

namespace weft {
namespace detail {

template <class E>
struct OpaqueType {
  using type = typename E::value_type;
};
template <class E>
  requires requires { typename E::opaque_type; }
struct OpaqueType<E> {
  using type = typename E::opaque_type;
};

/// Inside a larger expression: evaluated now, and its value is an operand. A node that occurs twice
/// is evaluated once.
template <class E>
struct OpaqueLowering {
  using value = typename OpaqueType<E>::type;
  using types = TypeList<value>;
  template <int B, class...>
  static Arg<B, value> lower(const E& e, Operand* operands) {
    using D = std::conditional_t<std::is_same_v<typename E::device_type, AnyDevice>, Cpu,
                                 typename E::device_type>;
    for (int i = 0; i < B; ++i) {
      if (operands[i].same == same_expression<E> && same_expression<E>(operands[i].opaque, &e)) {
        operands[B] = operands[i];
        return {};
      }
    }
    const Tensor<value, D> result = materialize_on<value, D>(e, D{});
    operands[B].set(result.data(), sizeof(value), result.shape(), result.strides(),
                    result.storage());
    operands[B].keep = Access::storage(result);
    operands[B].opaque = &e;
    operands[B].same = same_expression<E>;
    return {};
  }
};
template <OpaqueNode E>
struct Lowering<E> : OpaqueLowering<E> {};

/// In a row program, for nodes that an element-wise kernel reads at computed places: rows are read
/// several times, so they are first stored.
template <class E>
struct OpaqueRowLowering {
  using types = typename OpaqueLowering<E>::types;
  static constexpr int reductions = 0;
  template <int B, int>
  static auto lower(const E& e, Operand* operands, RowNode*) {
    auto program = OpaqueLowering<E>::template lower<B>(e, operands);
    return RowPart<decltype(program), Pack<>>{program, {}};
  }
};

/// As a whole right-hand side: its leaves serve as the operands, so that device and overlap are
/// checked as for other expressions.
template <class E>
struct Lowered<E, Route::opaque> {
  static constexpr int n = leaf_count<E> + 1;
  const E& e;
  OperandArray<n> operands;

  explicit Lowered(const E& node) : e(node) {
    int i = 0;
    for_each_leaf(e, [&](const auto& x) {
      check_current(x);
      operands[++i].set(x.data(), sizeof(*x.data()), x.shape(), x.strides(), x.storage());
    });
  }

  template <class Out, class D>
  void run(const Shape& shape, D) {
    const Operand& target = operands[0];
    target.storage->share();
    e.evaluate(Access::make<Out, D>(StorageHandle(target.storage),
                                    reinterpret_cast<Out*>(target.data), shape,
                                    contiguous_strides(shape)));
  }
};

/// Whether e can be written directly into a target that it does not overlap. Anything but
/// element-wise needs a target of its own shape, an opaque node a contiguous one as well.
template <class E, class X>
bool takes_target(const E& e, const X& target) {
  constexpr Route route = route_of<E>();
  if constexpr (route == Route::opaque) {
    return e.shape() == target.shape() && target.is_contiguous();
  } else if constexpr (route == Route::reduction || route == Route::rows) {
    return e.shape() == target.shape();
  } else {
    return true;
  }
}

}  // namespace detail
}  // namespace weft
