// The backward pass of one expression: from the gradient of its value to one for each Var in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/pulled_back.hpp"
#include "weft/autograd/expression/rule.hpp"

namespace weft::autograd {

/// The gradient of a segment's value that is a tensor.
template <class T, class D>
struct UpstreamSource {
  using types = TypeList<T>;
  static constexpr bool reads_operand = false;
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

/// Whether the rule for a part of type E rounds the gradient that it gets to E's type.
template <class E>
inline constexpr bool rounds_gradient = false;

namespace detail {
/// Whether the gradient of port J is that of E itself: a term of a sum.
template <class E, int J>
inline constexpr bool is_term = is_var<E>;
template <class T, class X, class Y, int J>
inline constexpr bool is_term<Map<T, op::add, X, Y>, J> = [] {
  constexpr int before = weft::detail::count(typename Segment<X>::ports{});
  if constexpr (J < before) {
    return is_term<X, J>;
  } else {
    return is_term<Y, J - before>;
  }
}();
template <class E, int J>
  requires(!has_var<E>)
inline constexpr bool is_term<E, J> = false;
}  // namespace detail

namespace detail {
/// Whether only the running pass holds a statement's gradient, for its variable and its node, and
/// the elements may serve as another one.
template <class T, class D>
bool is_dropped_next(const Tensor<T, D>& gradient) {
  using On = Executor<weft::detail::loops_of<D>>;
  if constexpr (weft::detail::Complete<On>) {
    const long others = weft::detail::Access::storage(gradient).owners() - 2;
    return gradient.is_contiguous() && others >= 0 && On::may_overwrite(gradient.storage(), others);
  } else {
    return false;
  }
}
}  // namespace detail

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
  static_assert(
      k <= 32 && n + k < 64,
      "weft: the expression is too large for one backward kernel: store a part of it in a "
      "Var");

 public:
  /// `known` is the value of the only part that is not element-wise, if there is one: a tensor.
  template <class... Known>
  Backward(const without_vars_t<E>& e, Variable* const* edges, const Source& source,
           const Known&... known)
      : e_(e), edges_(edges), source_(source), shape_(e.shape()) {
    (set_known(inputs_[__builtin_ctzll(mask | std::uint64_t{1} << 63)], known), ...);
    using Program = decltype(Parts::template lower<1>(e, inputs_, 0));
    constexpr std::uint64_t all = ~std::uint64_t{0};
    const Program program = Parts::template lower<1>(
        e, inputs_, Source::reads_operand ? all : reverse_reads<mask, Program>);
    constexpr int first_input = 1 + weft::detail::count(typename Parts::types{});
    source.set(inputs_ + first_input);
    place_unread<D>(inputs_ + 1, first_input - 1, inputs_[first_input]);
    const auto seed = source.template seed<first_input>();
    const Sweep<mask, Program, std::remove_const_t<decltype(seed)>> sweep{program, seed};
    constexpr int edge_counts[] = {var_count<Ports>...};
    constexpr bool is_leaf[] = {is_var<Ports>...};
    plan_ports(ports_, k, edges, edge_counts, is_leaf, inputs_, mask, shape_);
    device_ = weft::detail::place<D>("backward", inputs_ + 1, n, D{});
    run(sweep, std::make_index_sequence<k>{});
  }

  /// Operand I, for others that read it too.
  const Operand& operand(int i) const { return inputs_[i]; }

 private:
  template <class C, class On>
  static void set_known(Operand& operand, const Tensor<C, On>& value) {
    weft::detail::set_target(operand, value);
    operand.keep = weft::detail::Access::storage(value);
  }

  static constexpr std::uint64_t mask = Parts::template mask<1>;
  static constexpr weft::detail::Name name() {
    return {"backward", weft::detail::name_of<without_vars_t<E>>().type};
  }
  /// A gathered operand's gradient has the operand's type, like the elements that it is added to.
  template <class Port>
  using element =
      std::conditional_t<is_var<Port> || is_gather<Port> || rounds_gradient<Port>,
                         typename Port::value_type, compute_t<typename Port::value_type>>;
  template <class Port>
  using sink_of = Sink<element<Port>, typename Port::device_type>;
  template <class Port>
  using sum_of = Tensor<compute_t<element<Port>>, D>;
  Pack<sink_of<Ports>...> sinks_;
  Pack<sum_of<Ports>...> sums_;

  template <class S, std::size_t... J>
  void run(const S& sweep, std::index_sequence<J...>) {
    MultiOutputSweep<S> program{sweep, {}, {}};
    Operand operands[k + n];
    (target<static_cast<int>(J), Ports>(program, operands), ...);
    if (program.stores.wanted != 0 && shape_.size() > 0) {
      for (int i = 0; i < n; ++i) operands[k + i] = inputs_[1 + i];
      if constexpr (weft::detail::is_included<D>() && weft::detail::can_run_multi_output<Loops>()) {
        GradientExecutor<Loops>::template run<TypeList<element<Ports>...>, Types>(
            name(), device_, shape_, operands, program);
      }
      (finish<static_cast<int>(J), Ports>(program.stores), ...);
    } else {
      (fill_empty<static_cast<int>(J), Ports>(program.stores), ...);
    }
    for_each_inner<E>(e_, [&]<class Inner, int Port, int Edge>(const without_vars_t<Inner>& inner) {
      if (!ports_[Port].wanted) return;
      const auto& gradient = weft::get<Port>(sinks_).buffer;
      if constexpr (requires { Rule<Inner>::takes_value; }) {
        Rule<Inner>::backward(inner, edges_ + Edge, gradient, value_of<Inner>(Port));
      } else {
        Rule<Inner>::backward(inner, edges_ + Edge, gradient);
      }
    });
  }

  /// The value of the part at a port; without elements if it was not evaluated.
  template <class Inner>
  auto value_of(int port) const {
    using C = compute_t<typename Inner::value_type>;
    using On = typename Inner::device_type;
    int at = 1;
    for (int before = 0; (mask >> at & 1U) == 0 || before++ < port;) ++at;
    const Operand& x = inputs_[at];
    if (!x.keep) return Tensor<C, On>{};
    Strides strides;
    for (int d = 0; d < x.rank; ++d) strides.push_back(x.stride[d]);
    return weft::detail::Access::make<C, On>(x.keep, reinterpret_cast<C*>(x.data),
                                             ports_[port].shape, strides);
  }

  template <class On>
  On on() const {
    if constexpr (std::is_same_v<On, Cuda>) {
      return device_;
    } else {
      return On{};
    }
  }

  /// Opens the destination of port J's gradient, which is written directly, or summed first if the
  /// port was broadcast.
  template <int J, class Port, class Program>
  void target(Program& program, Operand* operands) {
    const PortState& port = ports_[J];
    program.share(J, port.slot);
    operands[J].itemsize = sizeof(element<Port>);
    if (!port.wanted || port.slot != J) return;
    if constexpr (is_var<Port> && detail::is_term<E, J>) {
      if (passes_upstream<J, Port>()) return;
    }
    auto& sink = weft::get<J>(sinks_);
    using On = typename Port::device_type;
    if constexpr (is_var<Port>) {
      auto* const variable = static_cast<VariableOf<element<Port>, On>*>(port.variable);
      sink = variable->open(port.shape, on<On>(), is_written_alone(ports_, k, J));
    } else {
      sink = {weft::detail::Access::allocate<element<Port>, On>(port.shape, on<On>()), false};
    }
    program.stores.wanted |= 1U << J;
    if (port.full) {
      weft::detail::set_target(operands[J], sink.buffer);
      if (sink.adds) program.stores.adds |= 1U << J;
      return;
    }
    program.stores.sums |= 1U << J;
    using C = compute_t<element<Port>>;
    auto& sum = weft::get<J>(sums_);
    sum = weft::detail::Access::allocate<C, D>(port.shape, device_);
    if constexpr (std::is_same_v<C, element<Port>> &&
                  std::is_same_v<D, typename Port::device_type>) {
      if (!sink.adds && sink.buffer.is_contiguous()) sum = sink.buffer;
    }
    const Shape kept = broadcast_axes(port.shape, shape_).result(shape_);
    operands[J].set(sum.data(), sizeof(C), kept, contiguous_strides(kept), sum.storage());
  }
  /// Makes the upstream gradient that of a Var that is a term of the sum, and that a statement
  /// computed, where nobody but the running pass holds it: it is dropped next.
  template <int J, class Port>
  bool passes_upstream() const {
    using Gradient = Tensor<typename Port::value_type, typename Port::device_type>;
    if constexpr (!std::is_same_v<Source, UpstreamSource<typename Port::value_type, D>> ||
                  !std::is_same_v<D, typename Port::device_type>) {
      return false;
    } else {
      const Gradient& gradient = source_.gradient;
      auto* const variable =
          static_cast<VariableOf<typename Port::value_type, typename Port::device_type>*>(
              ports_[J].variable);
      if (variable->is_leaf() || variable->is_pending() || variable->channels_last ||
          !variable->hooks.empty() || variable->opens_inside() || state::checks) {
        return false;
      }
      bool alone = is_written_alone(ports_, k, J);
      for (int i = J + 1; i < k; ++i) alone = alone && ports_[i].slot != J;
      if (!alone || !(gradient.shape() == ports_[J].shape) || !detail::is_dropped_next(gradient)) {
        return false;
      }
      variable->give(Gradient(gradient));
      return true;
    }
  }
  template <int J, class Port>
  void finish(Stores stores) {
    auto& sum = weft::get<J>(sums_);
    const auto& sink = weft::get<J>(sinks_);
    if ((stores.sums >> J & 1U) == 0) return;
    if (static_cast<const void*>(sum.data()) != static_cast<const void*>(sink.buffer.data())) {
      store(sink, sum);
    }
  }
  /// A sum over no elements is 0.
  template <int J, class Port>
  void fill_empty(Stores stores) {
    const auto& sink = weft::get<J>(sinks_);
    if ((stores.wanted >> J & 1U) != 0 && !sink.adds) sink.buffer.fill(compute_t<element<Port>>{});
  }

  const without_vars_t<E>& e_;
  Variable* const* edges_;
  const Source& source_;
  Shape shape_;
  D device_{};
  PortState ports_[k];
  Operand inputs_[n + 1];
};

/// Whether E is a function of numbers and one reduction whose derivative needs no further
/// reduction: its operand's gradients are element-wise. In kept.hpp.
template <class E>
inline constexpr bool is_of_simple_reduction = false;

/// Element-wise expressions, including a single Var.
template <class E>
struct Rule {
  template <class G, class D, class... Known>
  static void backward(const without_vars_t<E>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient, const Known&... value) {
    constexpr bool known = detail::is_map<E> || is_var<E>;
    static_assert(known, "weft: this operation has no gradient: write x.detach()");
    if constexpr (is_of_one_gather<E>) {
      if (!any_active(edges, var_count<E>)) return;
      for_each_inner<E>(e, [&]<class Inner, int, int>(const without_vars_t<Inner>& inner) {
        Rule<Inner>::backward(inner, edges, PulledBack<E, G>(e, gradient));
      });
    } else if constexpr (known) {
      if (!any_active(edges, var_count<E>)) return;
      if constexpr (!is_of_simple_reduction<E>) {
        if (run_rows_backward<E>(e, edges, gradient)) return;
      }
      const UpstreamSource<G, D> source{gradient};
      Backward<E, UpstreamSource<G, D>>(e, edges, source, value...);
    }
  }
};

}  // namespace weft::autograd
