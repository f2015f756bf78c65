// The backward pass of one expression: a gradient for each Var in it, from that of its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/segment.hpp"
#include "weft/ops/binary.hpp"
#include "weft/ops/cast.hpp"

namespace weft::autograd {

/// How gradients pass an expression of type E, which has a Var in it; specialised for each kind of
/// node that is not element-wise:
///   static void backward(const plain_t<E>& e, Variable* const* edges, const Tensor<G, D>& gradient);
/// edges are the variables of its Vars, in order; `gradient` has e's shape.
template <class E>
struct Rule;

/// Whether one of the first n variables wants a gradient in this pass.
inline bool any_active(Variable* const* edges, int n) {
  for (int i = 0; i < n; ++i) {
    if (edges[i] != nullptr && edges[i]->active) return true;
  }
  return false;
}

/// Computes the gradient of an expression that is read by what has no kernel in common with it:
/// fill(Sink) writes it, or adds it.
template <class E, class F>
void pass_to(const plain_t<E>& e, Variable* const* edges, const F& fill) {
  using D = typename E::device_type;
  if (!any_active(edges, var_count<E>)) return;
  if constexpr (is_var<E>) {
    fill(static_cast<VariableOf<typename E::value_type, D>*>(edges[0])
             ->open(e.shape(), e.device()));
  } else {
    using C = compute_t<typename E::value_type>;
    D device{};
    weft::detail::for_each_leaf(e, [&](const auto& x) {
      if constexpr (std::is_same_v<decltype(x.device()), D>) device = x.device();
    });
    const Sink<C, D> sink{weft::detail::Access::allocate<C, D>(e.shape(), device)};
    fill(sink);
    Rule<E>::backward(e, edges, sink.buffer);
  }
}

/// Writes a gradient that was computed elsewhere to where it belongs, or adds it.
template <class T, class D, class E>
void store(const Sink<T, D>& sink, const E& gradient) {
  if (sink.adds) {
    sink.buffer.assign(cast<T>(sink.buffer + cast<T>(gradient)));
  } else {
    sink.buffer.assign(cast<T>(gradient));
  }
}

/// The gradient of a segment's value that is a tensor.
template <class T, class D>
struct UpstreamSource {
  using types = TypeList<T>;
  const Tensor<T, D>& gradient;
  void set(Operand* operands) const {
    operands[0].set(gradient.data(), sizeof(T), gradient.shape(), gradient.strides(),
                    gradient.storage());
  }
  template <int B>
  auto seed() const {
    return Upstream<B>{};
  }
};

/// Runs the reverse sweep of an element-wise expression of type E.
template <class E, class Source, class Ports = typename Segment<E>::ports>
class Backward;

template <class E, class Source, class... Ports>
class Backward<E, Source, TypeList<Ports...>> {
  using Parts = Segment<E>;
  using Types =
      typename weft::detail::Join<TypeList<>, typename Parts::types, typename Source::types>::type;
  using D = std::conditional_t<Device<typename E::device_type>, typename E::device_type, Cpu>;
  using Loops = weft::detail::loops_of<D>;
  static constexpr int n = weft::detail::count(Types{});
  static constexpr int k = sizeof...(Ports);
  static_assert(k <= 32 && n + k < 64,
                "weft: the expression is too large for one backward kernel: store a part of it in a "
                "Var");

 public:
  Backward(const plain_t<E>& e, Variable* const* edges, const Source& source)
      : e_(e), edges_(edges), shape_(e.shape()) {
    auto program = Parts::template lower<1>(e, inputs_);
    constexpr int behind = 1 + weft::detail::count(typename Parts::types{});
    source.set(inputs_ + behind);
    const auto seed = source.template seed<behind>();
    const Sweep<mask, decltype(program), std::remove_const_t<decltype(seed)>> sweep{program, seed};
    constexpr int edge_counts[] = {var_count<Ports>...};
    constexpr bool is_leaf[] = {is_var<Ports>...};
    plan_ports(ports_, k, edges, edge_counts, is_leaf, inputs_, mask, shape_);
    device_ = weft::detail::place<D>("backward", inputs_ + 1, n, D{});
    run(sweep, std::make_index_sequence<k>{});
  }

  /// Operand I, for what else reads it.
  const Operand& operand(int i) const { return inputs_[i]; }

 private:
  static constexpr std::uint64_t mask = Parts::template mask<1>;
  static constexpr weft::detail::Name name() {
    return {"backward", weft::detail::name_of<plain_t<E>>().type};
  }
  template <class Port>
  using element = std::conditional_t<is_var<Port>, typename Port::value_type,
                                     compute_t<typename Port::value_type>>;
  template <class Port>
  using sink_of = Sink<element<Port>, typename Port::device_type>;
  Pack<sink_of<Ports>...> sinks_;

  template <class S, std::size_t... J>
  void run(const S& sweep, std::index_sequence<J...>) {
    joint(sweep, std::index_sequence<J...>{});
    (reduce<static_cast<int>(J), Ports>(sweep), ...);
    for_each_inner<E>(e_, [&]<class Inner, int Port, int Edge>(const plain_t<Inner>& inner) {
      if (ports_[Port].wanted) {
        Rule<Inner>::backward(inner, edges_ + Edge, weft::get<Port>(sinks_).buffer);
      }
    });
  }

  /// Where the gradient of port J goes.
  template <int J, class Port>
  void open() {
    auto& sink = weft::get<J>(sinks_);
    using T = element<Port>;
    using On = typename Port::device_type;
    if constexpr (is_var<Port>) {
      auto* variable = static_cast<VariableOf<T, On>*>(ports_[J].variable);
      sink = variable->open(ports_[J].shape, on<On>());
    } else {
      sink = {weft::detail::Access::allocate<T, On>(ports_[J].shape, on<On>()), false};
    }
  }
  template <class On>
  On on() const {
    if constexpr (std::is_same_v<On, Cuda>) {
      return device_;
    } else {
      return On{};
    }
  }

  /// All gradients that have the segment's shape, in one kernel.
  template <class S, std::size_t... J>
  void joint(const S& sweep, std::index_sequence<J...>) {
    JointSweep<S> program{sweep, {}, {}};
    Operand operands[k + n];
    (target<static_cast<int>(J), Ports>(program, operands), ...);
    if (program.stores.wanted == 0 || shape_.size() == 0) return;
    const int first = __builtin_ctz(program.stores.wanted);
    (stand_in<Ports>(operands[J], operands[first],
                     (program.stores.wanted >> J & 1U) != 0),
     ...);
    for (int i = 0; i < n; ++i) operands[k + i] = inputs_[1 + i];
    weft::detail::broadcast_operands(operands, k + n, shape_);
    if constexpr (weft::detail::is_included<D>()) {
      Executor<Loops>::template for_each<TypeList<element<Ports>...>, Types>(
          name(), device_, shape_, operands, program);
    }
  }
  template <int J, class Port, class Program>
  void target(Program& program, Operand* operands) {
    const PortState& port = ports_[J];
    program.slot[J] = port.slot;
    if (!port.wanted || !port.full || port.slot != J) return;
    open<J, Port>();
    const auto& sink = weft::get<J>(sinks_);
    weft::detail::set_target(operands[J], sink.buffer);
    program.stores.wanted |= 1U << J;
    if (sink.adds) program.stores.adds |= 1U << J;
  }
  /// A target that is not written looks like one that is.
  template <class Port>
  void stand_in(Operand& target, const Operand& other, bool wanted) const {
    if (wanted) return;
    target.set(other.data, sizeof(element<Port>), shape_, contiguous_strides(shape_), nullptr);
  }

  /// The gradient of a port that was broadcast, summed as it is computed.
  template <int J, class Port, class S>
  void reduce(const S& sweep) {
    const PortState& port = ports_[J];
    if (!port.wanted || port.full || port.slot != J) return;
    open<J, Port>();
    const auto& sink = weft::get<J>(sinks_);
    using C = typename ChosenSweep<S>::type;
    unsigned chosen = 0;
    for (int i = J; i < k; ++i) chosen |= ports_[i].slot == J ? 1U << i : 0U;
    if constexpr (std::is_same_v<C, element<Port>>) {
      if (!sink.adds) return sum_into(sink.buffer, ChosenSweep<S>{sweep, chosen});
    }
    const auto sum = weft::detail::Access::allocate<C, D>(port.shape, device_);
    sum_into(sum, ChosenSweep<S>{sweep, chosen});
    store(sink, sum);
  }
  template <class C, class On, class Program>
  void sum_into(const Tensor<C, On>& sum, const Program& program) const {
    if (sum.size() == 0) return;
    Operand operands[n + 1];
    const weft::detail::ReducedAxes axes = broadcast_axes(sum.shape(), shape_);
    const Shape kept_shape = axes.result(shape_);
    operands[0].set(sum.data(), sizeof(C), kept_shape, contiguous_strides(kept_shape),
                    sum.storage());
    for (int i = 1; i <= n; ++i) operands[i] = inputs_[i];
    Shape kept;
    Shape reduced;
    weft::detail::split_axes(shape_, axes, operands, n + 1, kept, reduced);
    if constexpr (weft::detail::is_included<D>() && weft::detail::can_reduce<Loops>()) {
      Reducer<Loops>::template reduce<C, Types>(name(), reducer::sum{}, device_, kept, reduced,
                                                operands, program);
    }
  }

  const plain_t<E>& e_;
  Variable* const* edges_;
  Shape shape_;
  D device_{};
  PortState ports_[k];
  Operand inputs_[n + 1];
};

/// Element-wise expressions, a Var alone among them.
template <class E>
struct Rule {
  static_assert(detail::is_map<E> || is_var<E>,
                "weft: this operation has no gradient: write x.detach()");
  template <class G, class D>
  static void backward(const plain_t<E>& e, Variable* const* edges, const Tensor<G, D>& gradient) {
    if (!any_active(edges, var_count<E>)) return;
    const UpstreamSource<G, D> source{gradient};
    Backward<E, UpstreamSource<G, D>>(e, edges, source);
  }
};

}  // namespace weft::autograd
