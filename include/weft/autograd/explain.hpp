// explain_backward(e): the kernels that compute the gradients of an expression's Vars.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/var.hpp"
#include "weft/eval/inspect/explain.hpp"

namespace weft {

namespace autograd {

/// Adds the kernels that a backward pass launches for a part of an expression.
class BackwardExplainer {
 public:
  explicit BackwardExplainer(Explanation& out) : out_(out) {}

  /// For e, whose gradient is a tensor. `known`: its value, or its one reduction's, is in memory,
  /// as a statement keeps it (see keeps_value).
  template <class E>
  void add(const without_vars_t<E>& e, bool known) {
    if constexpr (is_cut<E>) {
      if (known && CutStatement<E>::fits(e)) {
        using Gradient = CutGradient<E>;
        const auto y = unread<typename E::value_type, typename E::device_type>(e.shape());
        return add<typename Gradient::type>(Gradient::of(e, y), false);
      }
    }
    if (add_rows<E>(e)) return;
    if constexpr (!is_of_one_gather<E> && (detail::is_map<E> || is_var<E>)) {
      const char* const upstream = "the result's gradient";
      sweep<E, false>(e, e.shape(), name(dtype_of<typename E::value_type>), &upstream, 1, known);
    } else {
      add_node(static_cast<const E*>(nullptr), e, known);
    }
  }

 private:
  /// The row program of an expression with reductions inside, if there is one.
  template <class E>
  bool add_rows([[maybe_unused]] const without_vars_t<E>& e) {
    if constexpr (is_cuda<weft::detail::loops_of<typename E::device_type>>) {
      return RowBackward<E>::plan(e, [&](auto adjoint, Operand* operands, const auto& rows) {
        using A = decltype(adjoint);
        Explanation::Kernel kernel;
        kernel.kind = "gradients";
        kernel.work = over_rows(rows.full);
        add_rows_read(kernel, operands + A::outputs, A::operands_read >> A::outputs, rows.full,
                      typename A::Lower::types{});
        Operand g;
        g.set(place(), sizeof(typename E::value_type), e.shape(), contiguous_strides(e.shape()),
              nullptr);
        weft::detail::add_operand(kernel.reads, g, name(dtype_of<typename E::value_type>),
                                  e.shape(), "the result's gradient");
        add_rows_written<A, Var<typename A::Element, typename E::device_type>>(
            kernel, operands, rows.full, std::make_index_sequence<__builtin_popcountll(A::vars)>{});
        out_.kernels.push_back(static_cast<Explanation::Kernel&&>(kernel));
      });
    } else {
      return false;
    }
  }
  // Functions, since nvcc garbles braces and template lambdas within a generic lambda.
  static Text over_rows(const Shape& shape) {
    return weft::detail::join({"in rows, over ", shape});
  }
  template <class A, class V, std::size_t... I>
  void add_rows_written(Explanation::Kernel& kernel, const Operand* operands, const Shape& shape,
                        std::index_sequence<I...>) {
    add_writes<(A::vars << A::outputs)>(kernel, operands, shape,
                                        TypeList<std::conditional_t<I == I, V, void>...>{});
  }
  template <class... Ts>
  static void add_rows_read(Explanation::Kernel& kernel, const Operand* inputs, std::uint64_t reads,
                            const Shape& shape, TypeList<Ts...>) {
    int i = 0;
    ((add_read_if((reads >> i & 1U) != 0, kernel, inputs[i], weft::detail::type_name<Ts>(), shape),
      ++i),
     ...);
  }
  static void add_read_if(bool read, Explanation::Kernel& kernel, const Operand& x,
                          const char* type, const Shape& shape) {
    if (read) add_read(kernel, x, type, shape);
  }

  /// As Rule<Reduce>: what its derivative needs is evaluated first, unless known.
  template <class R, class E>
  void add_node(const Reduce<R, E>*, const Reduce<R, without_vars_t<E>>& e, bool known) {
    constexpr bool linear = std::is_same_v<R, reducer::sum> || std::is_same_v<R, reducer::mean>;
    using C = compute_t<typename E::value_type>;
    using D = typename E::device_type;
    const weft::detail::ReducedAxes kept{e.axes().mask, true};
    const auto before = [&](const auto& x) { return weft::detail::materialize_on<C, D>(x, D{}); };
    const auto reduce = [&](auto reducer, auto operand) {
      return before(Reduce<decltype(reducer), decltype(operand)>(
          reducer, static_cast<decltype(operand)&&>(operand), kept));
    };
    Tensor<C, D> value;
    if constexpr (Derivative<R>::reads_value) {
      const Shape shape = kept.result(e.operand().shape());
      value = known ? unread<C, D>(shape) : before(e).reshape(shape);
    }
    const auto extras = Derivative<R>::extras(reduce, e.reducer(), e.operand(), value);
    const char* notes[4] = {"the result's gradient"};
    int n = 1;
    if (Derivative<R>::reads_value) notes[n++] = "the result";
    for (int k = 0; k < count_of(extras); ++k) notes[n++] = "for the derivative";
    sweep<E, !linear>(e.operand(), e.shape(), name(dtype_of<typename E::value_type>), notes, n,
                      false);
  }
  template <class... Ts>
  static constexpr int count_of(const Pack<Ts...>&) {
    return sizeof...(Ts);
  }
  /// A tensor that stands for one in memory.
  template <class C, class D>
  Tensor<C, D> unread(const Shape& shape) const {
    StorageHandle storage(
        weft::detail::allocate_placeholder(out_, shape.size() * static_cast<int64_t>(sizeof(C))));
    C* const data = static_cast<C*>(storage->data);
    return weft::detail::Access::make<C, D>(static_cast<StorageHandle&&>(storage), data, shape,
                                            contiguous_strides(shape));
  }
  template <class E>
  void add_node(const E*, const without_vars_t<E>& e, bool) {
    out_.kernels.emplace_back();
    out_.kernels.back().kind = "algorithms of their own";
    out_.kernels.back().work = weft::detail::join({"for the gradients of ", e.shape()});
  }

  /// The one kernel of an element-wise part; `upstream` is the shape of what else it reads, as many
  /// as `notes`. `known` says that the one part that is not element-wise is in memory.
  template <class E, bool ReadsOperand>
  void sweep(const without_vars_t<E>& e, const Shape& upstream, const char* type,
             const char* const* notes, int others, bool known) {
    using Parts = Segment<E>;
    constexpr int n = weft::detail::count(typename Parts::types{});
    constexpr std::uint64_t mask = Parts::template mask<1>;
    Operand inputs[n + 1];
    using Program = decltype(Parts::template lower<1>(e, inputs, 0));
    constexpr std::uint64_t reads = ReadsOperand ? ~std::uint64_t{0} : reverse_reads<mask, Program>;
    static_cast<void>(Parts::template lower<1>(e, inputs, known ? 0 : reads));
    if (known && (reads & mask) != 0) place_kept(inputs[__builtin_ctzll(mask)]);
    Explanation::Kernel kernel;
    kernel.kind = "gradients";
    kernel.work = weft::detail::join({"over ", e.shape()});
    const Shape& shape = e.shape();
    add_reads(kernel, inputs + 1, shape, typename Parts::types{});
    for (int k = 0; k < others; ++k) {
      Operand g;
      g.set(place(), 1, upstream, contiguous_strides(upstream), nullptr);
      g.itemsize = static_cast<int>(sizeof(typename E::value_type));
      if (upstream.size() == 1 || upstream.rank() == shape.rank()) g.broadcast_to(shape);
      weft::detail::add_operand(kernel.reads, g, type, shape, notes[k]);
    }
    add_writes<mask>(kernel, inputs, shape, typename Parts::ports{});
    out_.kernels.push_back(static_cast<Explanation::Kernel&&>(kernel));
    for_each_inner<E>(e, [&]<class Inner, int Port, int>(const without_vars_t<Inner>& inner) {
      add<Inner>(inner, known || (reads >> operand_of(mask, Port) & 1U) != 0);
    });
  }
  static constexpr int operand_of(std::uint64_t mask, int port) {
    for (; port > 0; --port) mask &= mask - 1;
    return __builtin_ctzll(mask);
  }
  /// Turns a part's operand, known only by its shape, into one that is read.
  void place_kept(Operand& x) {
    Shape shape;
    for (int d = 0; d < x.rank; ++d) shape.push_back(x.size[d]);
    x.set(place(), static_cast<std::size_t>(x.itemsize), shape, contiguous_strides(shape), nullptr);
  }

  template <class... Ts>
  static void add_reads(Explanation::Kernel& kernel, const Operand* inputs, const Shape& shape,
                        TypeList<Ts...>) {
    (add_read(kernel, *inputs++, weft::detail::type_name<Ts>(), shape), ...);
  }
  static void add_read(Explanation::Kernel& kernel, Operand x, const char* type,
                       const Shape& shape) {
    if (x.data == unread_element) return;
    x.broadcast_to(shape);
    weft::detail::add_operand(kernel.reads, x, type, shape, "");
  }

  template <std::uint64_t Mask, class... Ports>
  void add_writes(Explanation::Kernel& kernel, const Operand* inputs, const Shape& shape,
                  TypeList<Ports...>) {
    int at = 0;
    const char* seen[sizeof...(Ports)] = {};
    int count = 0;
    const auto add = [&](const char* type, int bytes, bool leaf) {
      while ((Mask >> at & 1U) == 0) ++at;
      const Operand& x = inputs[at++];
      for (int i = 0; i < count; ++i) {
        if (leaf && seen[i] == x.data) return;
      }
      seen[count++] = x.data;
      Operand g;
      Shape own;
      for (int d = 0; d < x.rank; ++d) own.push_back(x.size[d]);
      g.set(place(), static_cast<std::size_t>(bytes), own, contiguous_strides(own), nullptr);
      g.broadcast_to(shape);
      const bool summed = own.size() != shape.size();
      weft::detail::add_operand(kernel.writes, g, type, shape,
                                summed  ? "gradient, summed"
                                : !leaf ? "gradient, for a further kernel"
                                        : "gradient");
    };
    (add(name(dtype_of<typename Ports::value_type>), sizeof(typename Ports::value_type),
         is_var<Ports>),
     ...);
  }

  /// Another made-up address for each gradient.
  const void* place() {
    return reinterpret_cast<const void*>(weft::detail::placeholder +
                                         (std::uintptr_t{++places_} << 40));
  }

  Explanation& out_;
  unsigned places_ = 0;
};

}  // namespace autograd

/// Describes the backward pass of `Var y = e`, as explain(e) does the forward pass: each kernel,
/// what it reads, and the gradients it writes. The sums for broadcast operands are each finished by
/// a small kernel, which is not listed. Nothing is evaluated.
template <Differentiable E>
  requires(!StandIn<E>)
[[nodiscard]] Explanation explain_backward(const E& e) {
  using D = typename E::device_type;
  using Runs = detail::loops_of<D>;
  Explanation out;
  if constexpr (detail::is_included<D>() && detail::can_explain<Runs>()) {
    const detail::PlannedStaging staging(out);
    const auto plain = autograd::without_vars(e);
    out.name = "backward of " + text(detail::name_of<autograd::without_vars_t<E>>());
    out.type = name(dtype_of<typename E::value_type>);
    out.shape = e.shape();
    Explainer<Runs>::describe(Runs{}, out);
    autograd::BackwardExplainer(out).template add<E>(plain, autograd::keeps_value<E>);
  }
  return out;
}
template <Differentiable E>
  requires StandIn<E>
[[nodiscard]] Explanation explain_backward(const E& e) { return explain_backward(e.node()); }

}  // namespace weft
