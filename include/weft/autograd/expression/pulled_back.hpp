// The gradient of what is gathered, computed by the kernel that adds it at the indices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/segment.hpp"
#include "weft/ops/index/gather.hpp"

namespace weft::autograd {

template <class E>
inline constexpr bool is_gather = false;
template <class K, class E, class I>
inline constexpr bool is_gather<Gather<K, E, I>> = true;

/// Whether an expression is a function of one gather from Vars and of numbers.
template <class E>
inline constexpr bool is_of_one_gather = is_gather<E>&& has_var<E>;
template <class T, class Op, class... Args>
inline constexpr bool is_of_one_gather<Map<T, Op, Args...>> =
    ((is_of_one_gather<Args> ? 1 : 0) + ...) == 1 &&
    ((is_of_one_gather<Args> || weft::detail::is_scalar<Args>)&&...);

/// The gradient of the one part of an element-wise expression that receives one, as an operand: it
/// is computed by the kernel that reads it.
template <class E, class G>
class PulledBack : public NodeMembers<PulledBack<E, G>> {
  template <class Port>
  static compute_t<typename Port::value_type> element(TypeList<Port>);

 public:
  using value_type = decltype(element(typename Segment<E>::ports{}));
  using device_type = typename E::device_type;
  static constexpr bool is_expression = true;
  static constexpr const char* text = "backward";

  PulledBack(const without_vars_t<E>& e, const Tensor<G, device_type>& gradient)
      : args_{e, {gradient, {}}} {}

  using NodeMembers<PulledBack>::shape;
  const Shape& shape() const { return args_.tail.head.shape(); }
  const Pack<without_vars_t<E>, Tensor<G, device_type>>& args() const { return args_; }

 private:
  Pack<without_vars_t<E>, Tensor<G, device_type>> args_;
};

}  // namespace weft::autograd

namespace weft::detail {

template <class E, class G>
struct Lowering<autograd::PulledBack<E, G>> {
  using Parts = autograd::Segment<E>;
  using types = typename Join<TypeList<>, typename Parts::types, TypeList<G>>::type;

  template <int B, class...>
  static auto lower(const autograd::PulledBack<E, G>& e, Operand* operands) {
    constexpr std::uint64_t mask = Parts::template mask<B>;
    constexpr int last = B + count(typename Parts::types{});
    const auto& expression = e.args().head;
    using Program = decltype(Parts::template lower<B>(expression, operands, 0));
    const Program program =
        Parts::template lower<B>(expression, operands, autograd::reverse_reads<mask, Program>);
    lower_leaf(e.args().tail.head, operands[last]);
    autograd::place_unread<typename E::device_type>(operands + B, last - B, operands[last]);
    using Sweep = autograd::Sweep<mask, Program, autograd::Upstream<last>>;
    using V = typename autograd::PulledBack<E, G>::value_type;
    return autograd::ChosenSweep<Sweep, V>{{program, {}}, 1};
  }
};

}  // namespace weft::detail
