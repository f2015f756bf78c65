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

  /// For e, whose gradient is a tensor.
  template <class E>
  void add(const without_vars_t<E>& e) {
    if (add_rows<E>(e)) return;
    if constexpr (is_of_one_gather<E>) {
      add_node(static_cast<const E*>(nullptr), e);
    } else if constexpr (detail::is_map<E> || is_var<E>) {
      sweep<E, false>(e, e.shape(), name(dtype_of<typename E::value_type>), 1);
    } else {
      add_node(static_cast<const E*>(nullptr), e);
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

  template <class R, class E>
  void add_node(const Reduce<R, E>*, const Reduce<R, without_vars_t<E>>& e) {
    constexpr bool linear = std::is_same_v<R, reducer::sum> || std::is_same_v<R, reducer::mean>;
    sweep<E, !linear>(e.operand(), e.shape(), name(dtype_of<typename E::value_type>),
                      1 + Derivative<R>::reads_value);
  }
  template <class E>
  void add_node(const E*, const without_vars_t<E>& e) {
    out_.kernels.emplace_back();
    out_.kernels.back().kind = "algorithms of their own";
    out_.kernels.back().work = weft::detail::join({"for the gradients of ", e.shape()});
  }

  /// The one kernel of an element-wise part; `upstream` is the shape of what else it reads.
  template <class E, bool ReadsOperand>
  void sweep(const without_vars_t<E>& e, const Shape& upstream, const char* type, int others) {
    using Parts = Segment<E>;
    constexpr int n = weft::detail::count(typename Parts::types{});
    Operand inputs[n + 1];
    using Program = decltype(Parts::template lower<1>(e, inputs, 0));
    constexpr std::uint64_t reads = keeps_value<E> ? 0
                                    : ReadsOperand
                                        ? ~std::uint64_t{0}
                                        : reverse_reads<Parts::template mask<1>, Program>;
    static_cast<void>(Parts::template lower<1>(e, inputs, reads));
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
      weft::detail::add_operand(kernel.reads, g, type, shape,
                                k == 0 ? "the result's gradient" : "the result");
    }
    add_writes<Parts::template mask<1>>(kernel, inputs, shape, typename Parts::ports{});
    out_.kernels.push_back(static_cast<Explanation::Kernel&&>(kernel));
    for_each_inner<E>(
        e, [&]<class Inner, int, int>(const without_vars_t<Inner>& inner) { add<Inner>(inner); });
  }

  template <class... Ts>
  static void add_reads(Explanation::Kernel& kernel, const Operand* inputs, const Shape& shape,
                        TypeList<Ts...>) {
    (add_read(kernel, *inputs++, weft::detail::type_name<Ts>(), shape), ...);
  }
  static void add_read(Explanation::Kernel& kernel, Operand x, const char* type,
                       const Shape& shape) {
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

  /// Another address for each gradient, none of which there is.
  const void* place() {
    return reinterpret_cast<const void*>(weft::detail::placeholder +
                                         (std::uintptr_t{++places_} << 40));
  }

  Explanation& out_;
  unsigned places_ = 0;
};

}  // namespace autograd

/// What the backward pass of `Var y = e` does, as explain(e) says it of the forward pass: each
/// kernel, what it reads, and the gradients it gives. Sums of operands that were broadcast are
/// finished by a small kernel each, which is not listed. Nothing is evaluated.
template <Differentiable E>
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
    autograd::BackwardExplainer(out).template add<E>(plain);
  }
  return out;
}

}  // namespace weft
