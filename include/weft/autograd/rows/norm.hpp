// The gradients of layer_norm and rms_norm in one walk over the rows, where a device has a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/eval/rows/norm.hpp"

namespace weft {

namespace autograd {

namespace detail {
/// A place for a gradient that a kernel can write to; a copy for other kinds of targets.
template <class T, class D>
struct DenseSink {
  Sink<T, D> target;
  NormTarget<T, D> dense;

  DenseSink() = default;
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

/// Whether E is made element by element of Vars and tensors of device D, all of real numbers.
template <class D, class E>
inline constexpr bool is_made_of_real = weft::detail::is_scalar<E>;
template <class D, TensorLike E>
inline constexpr bool is_made_of_real<D, E> = std::is_same_v<typename E::device_type, D>;
template <class D, class T>
inline constexpr bool is_made_of_real<D, Var<T, D>> = std::is_floating_point_v<compute_t<T>>;
template <class D, class V, class Op, class... Args>
inline constexpr bool is_made_of_real<D, Map<V, Op, Args...>> =
    std::is_floating_point_v<compute_t<V>> && (is_made_of_real<D, Args> && ...);

/// A norm's gradient with respect to the x that it is of.
struct NormSeed {
  template <class Inputs, class X>
  WEFT_HD WEFT_INLINE auto operator()(const Inputs& inputs, X x) const {
    return inputs.gradient_of(x);
  }
};

/// What a norm with statistics of type C is of, X, as its gradients' kernel reads and writes it.
template <class X, class C, class D,
          class Ports = typename Segment<decltype(cast<C>(std::declval<const X&>()))>::ports>
class NormOf;
template <class X, class C, class D, class... Ports>
class NormOf<X, C, D, TypeList<Ports...>> {
  using Wide = decltype(cast<C>(std::declval<const X&>()));
  using Parts = Segment<Wide>;
  using Types = typename Parts::types;
  using Program = decltype(Parts::template lower<1>(std::declval<const without_vars_t<Wide>&>(),
                                                    static_cast<Operand*>(nullptr), 0));
  static constexpr int n = weft::detail::count(Types{});
  static constexpr int k = sizeof...(Ports);
  static constexpr std::uint64_t mask = Parts::template mask<1>;

 public:
  /// With more operands a thread would run out of registers.
  static constexpr bool possible = n <= 4 && k <= 2 && effects_of<Program> == 0;

  NormOf(const without_vars_t<X>& x, Variable* const* edges)
      : x_(x), edges_(edges), program_(Parts::template lower<1>(cast<C>(x), inputs_, 0)) {}

  /// Whether none of it is `variable`.
  bool is_apart(const Variable* variable) const {
    for (int i = 0; i < var_count<X>; ++i) {
      if (edges_[i] == variable) return false;
    }
    return true;
  }
  /// Whether its parts lie along rows.
  bool plan() {
    constexpr int edge_counts[] = {var_count<Ports>...};
    constexpr bool is_leaf[] = {is_var<Ports>...};
    plan_ports(ports_, k, edges_, edge_counts, is_leaf, inputs_, mask, x_.shape());
    for (int j = 0; j < k; ++j) {
      dense_ = dense_ && (ports_[j].full || !ports_[j].wanted);
    }
    weft::detail::place<D>("backward", inputs_ + 1, n, D{});
    for (int i = 1; i <= n; ++i) {
      if (!weft::detail::lies_in_rows(inputs_[i], x_.shape())) return false;
    }
    return true;
  }

  /// Fills in what is missing of `all`, and runs them.
  template <bool Centred, class T>
  void run(const char* operation, NormGradients<T, C, D>& all) {
    const MultiOutputSweep<Sweep<mask, Program, NormSeed>> program{{program_, {}}, {}, {}};
    run<Centred>(operation, all, program, std::make_index_sequence<k>{});
  }

 private:
  template <bool Centred, class T, class P, std::size_t... J>
  void run(const char* operation, NormGradients<T, C, D>& all, P program,
           std::index_sequence<J...>) {
    Operand operands[k + n];
    for (int i = 0; i < n; ++i) operands[k + i] = inputs_[1 + i];
    Tensor<C, D> whole;
    if (dense_) {
      (open<static_cast<int>(J), Ports>(program, operands, all.scale.device()), ...);
    } else {
      whole = weft::detail::Access::allocate<C, D>(x_.shape(), all.scale.device());
      all.whole = &whole;
    }
    all.operands = operands;
    using Executor = NormExecutor<weft::detail::loops_of<D>>;
    Executor::template run<Centred, TypeList<typename Ports::value_type...>, Types>(operation, all,
                                                                                    program);
    if (dense_) {
      (finish<static_cast<int>(J)>(), ...);
    } else if constexpr (n > 1) {  // one operand alone has the shape of the whole
      Rule<X>::backward(x_, edges_, whole);
    }
  }
  template <int J, class Port, class P>
  void open(P& program, Operand* operands, D device) {
    const PortState& port = ports_[J];
    program.share(J, port.slot);
    operands[J].itemsize = sizeof(typename Port::value_type);
    if (!port.wanted || port.slot != J) return;
    auto* const variable = static_cast<VariableOf<typename Port::value_type, D>*>(port.variable);
    auto& sink = weft::get<J>(sinks_);
    sink = DenseSink<typename Port::value_type, D>(variable->open(port.shape, device));
    weft::detail::set_target(operands[J], sink.dense.buffer);
    program.stores.wanted |= 1U << J;
    if (sink.dense.adds) program.stores.adds |= 1U << J;
  }
  template <int J>
  void finish() const {
    if (ports_[J].wanted && ports_[J].slot == J) weft::get<J>(sinks_).finish();
  }

  const without_vars_t<X>& x_;
  Variable* const* edges_;
  Operand inputs_[n + 1];
  Program program_;
  PortState ports_[k];
  Pack<DenseSink<typename Ports::value_type, D>...> sinks_;
  bool dense_ = true;
};

/// Whether a device's norms are of tensors only: what else they are of is evaluated before.
template <class D>
inline constexpr bool norms_read_tensors = requires {
  requires NormExecutor<D>::reads_tensors;
};
/// Whether X is a Var, or an expression whose value loses nothing in a tensor.
template <class X>
inline constexpr bool fits_tensor =
    is_var<X> || std::is_same_v<compute_t<typename X::value_type>, typename X::value_type>;

/// The same on a device whose norms are of tensors.
template <class X, class C, class D>
class NormOfTensor {
 public:
  static constexpr bool possible = fits_tensor<X>;

  NormOfTensor(const without_vars_t<X>& x, Variable* const* edges) : x_(x), edges_(edges) {}

  bool is_apart(const Variable* variable) const {
    for (int i = 0; i < var_count<X>; ++i) {
      if (edges_[i] == variable) return false;
    }
    return true;
  }
  bool plan() { return true; }

  template <bool Centred, class T>
  void run(const char*, NormGradients<T, C, D>& all) {
    using Executor = NormExecutor<weft::detail::loops_of<D>>;
    if constexpr (is_var<X>) {
      auto* const variable = static_cast<VariableOf<T, D>*>(edges_[0]);
      const DenseSink<T, D> dx(variable->open(x_.shape(), x_.device()));
      const Tensor<T, D> x = x_.is_contiguous() ? Tensor<T, D>(x_) : x_.clone();
      Executor::template run<Centred>(all, x, dx.dense);
      dx.finish();
    } else {
      const Tensor<T, D> x = weft::detail::materialize_on<T, D>(x_, all.scale.device());
      const Tensor<T, D> whole =
          weft::detail::Access::allocate<T, D>(x_.shape(), all.scale.device());
      Executor::template run<Centred>(all, x, NormTarget<T, D>{whole, false});
      Rule<X>::backward(x_, edges_, whole);
    }
  }

 private:
  const without_vars_t<X>& x_;
  Variable* const* edges_;
};

template <class X, class C, class D, bool Tensors = norms_read_tensors<weft::detail::loops_of<D>>>
struct NormOfType {
  using type = NormOf<X, C, D>;
};
template <class X, class C, class D>
struct NormOfType<X, C, D, true> {
  using type = NormOfTensor<X, C, D>;
};

}  // namespace detail

/// Whether a norm's weight and bias are Vars of one type, and what it is of is made element by
/// element of Vars.
template <class T, class X, class W, class... Ws>
constexpr bool are_norm_operands() {
  if constexpr (!is_var<W> || !(std::is_same_v<W, Ws> && ...) || !has_var<X>) {
    return false;
  } else {
    using D = typename W::device_type;
    using C = compute_t<T>;
    return std::is_same_v<typename W::value_type, T> && std::is_same_v<typename X::value_type, T> &&
           std::is_floating_point_v<C> &&
           weft::detail::Complete<NormExecutor<weft::detail::loops_of<D>>> &&
           detail::is_made_of_real<D, X>;
  }
}

/// Passes on all gradients of a norm at once. Returns false, having done nothing, if expressions
/// have to compute them: if not all are wanted, or for operands that the kernel does not take.
template <class T, class C, class D, class X, class W, class... B>
bool pass_norm(const char* operation, const Tensor<T, D>& gradient, const without_vars_t<X>& x,
               const Tensor<T, D>& weight, const Tensor<C, D>* centre, const Tensor<C, D>& scale,
               const Pull<X>& to_x, const Pull<W>& to_weight, const Pull<B>&... to_bias) {
  using Of = typename detail::NormOfType<X, C, D>::type;
  if constexpr (Of::possible) {
    using Executor = NormExecutor<weft::detail::loops_of<D>>;
    Variable* const weight_edge = to_weight.edges()[0];
    const bool all = to_x.wanted() && to_weight.wanted() && (to_bias.wanted() && ...);
    const int64_t columns = x.rank() > 0 ? x.shape()[x.rank() - 1] : 0;
    if (!all || ((to_bias.edges()[0] == weight_edge) || ...)) return false;
    if (weight.rank() != 1 || weight.size() != columns) return false;
    if (!Executor::serves(gradient, weight)) return false;
    Of of(x, to_x.edges());
    const bool apart = of.is_apart(weight_edge) && (of.is_apart(to_bias.edges()[0]) && ...);
    if (!apart || !of.plan()) return false;
    const auto open = [&](const auto& pull) {
      auto* const variable = static_cast<VariableOf<T, D>*>(pull.edges()[0]);
      return detail::DenseSink<T, D>(variable->open(weight.shape(), gradient.device()));
    };
    const auto dw = open(to_weight);
    const detail::DenseSink<T, D> db[] = {open(to_bias)..., dw};
    NormGradients<T, C, D> gradients{nullptr, gradient, weight,   centre,
                                     scale,   nullptr,  dw.dense, db[0].dense};
    of.template run<(sizeof...(B) > 0)>(operation, gradients);
    dw.finish();
    if (sizeof...(B) > 0) db[0].finish();
    return true;
  } else {
    return false;
  }
}

}  // namespace autograd
}  // namespace weft
