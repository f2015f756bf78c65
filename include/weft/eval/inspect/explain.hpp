// explain(e): which kernels an expression becomes, what they read and write, and their launches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/fuse.hpp"
#include "weft/eval/inspect/explain_product.hpp"

namespace weft {

struct ExplainOptions {
  double bandwidth = 0;  ///< of the memory, bytes a second, as measured; 0: from its data sheet
};

namespace detail {

/// A reduction whose value was taken from an equal one belongs where that was computed.
inline void find_equal(const RowNode* nodes, std::vector<int>& kernel_of) {
  for (std::size_t r = 0; r < kernel_of.size(); ++r) {
    if (kernel_of[r] < 0) kernel_of[r] = kernel_of[static_cast<std::size_t>(nodes[r].same)];
  }
}

/// Assigns each node of the tree to the kernel that computes it.
WEFT_OUTLINED inline void place_nodes(Explanation& out, const std::vector<int>& kernel_of) {
  const int last = static_cast<int>(out.kernels.size()) - 1;
  for (ExpressionTree::Node& node : out.tree.nodes) {
    if (!node.leaf && node.reduction != ExpressionTree::apart) {
      node.kernel = node.reduction < 0 ? last : kernel_of[static_cast<std::size_t>(node.reduction)];
    }
  }
}

/// A bandwidth that was measured is reached.
inline void use_bandwidth(Explanation& out, double bandwidth) {
  if (!(bandwidth > 0)) return;
  out.bandwidth = bandwidth;
  if (out.machine.bandwidth > 0) {
    out.machine.bandwidth = bandwidth;
    out.machine.read_share = out.machine.write_share = 1;
  }
}

inline void add_all(TreeBuilder&, const Pack<>&) {}
template <class Head, class... Tail>
void add_all(TreeBuilder& tree, const Pack<Head, Tail...>& expressions) {
  tree.add(expressions.head);
  add_all(tree, expressions.tail);
}

/// Whether the header that explains what D launches is included.
template <class D>
constexpr bool can_explain() {
  constexpr bool here = Complete<Explainer<D>>;
  static_assert(here,
                "weft: to explain an expression include <weft/explain.hpp>, for Cuda in a file "
                "that nvcc compiles");
  return here;
}

}  // namespace detail

namespace detail {

/// Adds to `out` what evaluating `e` does, while staging notes what is evaluated before it.
template <class E>
void explain_into(Explanation& out, const E& e, const ExplainOptions& options) {
  using D = std::conditional_t<std::is_same_v<typename E::device_type, AnyDevice>, Cpu,
                               typename E::device_type>;
  using Runs = loops_of<D>;
  using T = std::remove_const_t<typename E::value_type>;
  Lowered<E> lowered(e);
  out.name = text(name_of<E>());
  if constexpr (TensorLike<E>) out.name = "copy(" + out.name + ")";
  out.type = name(dtype_of<T>);
  out.shape = e.shape();
  const Runs device = place<D>(name_of<E>().operation, lowered.operands + 1, lowered.n - 1, D{});
  Explainer<Runs>::describe(device, out);
  use_bandwidth(out, options.bandwidth);
  lowered.operands[0].set(reinterpret_cast<const void*>(placeholder), sizeof(T), e.shape(),
                          contiguous_strides(e.shape()), nullptr);
  if constexpr (has_reduction<E>) out.reductions = RowLowering<E>::reductions;
  std::vector<int> kernel_of(static_cast<std::size_t>(out.reductions),
                             route_of<E>() == Route::rows ? -1 : 0);
  if constexpr (requires { e.operations(); }) {
    const auto product = planned_product<D>(e);
    out.kernels.push_back(product_kernel(product, product.type, e.shape(),
                                         e.size() * static_cast<int64_t>(sizeof(T)), "result"));
  } else if constexpr (route_of<E>() == Route::opaque) {
    bool known = false;
    if constexpr (requires { Explainer<Runs>::join(out, e); }) {
      known = Explainer<Runs>::join(out, e);
    }
    if (!known) {
      out.kernels.push_back(opaque_kernel("evaluated:", name_of<E>(), e.shape()));
      ++out.opaque;
    }
  } else if (e.size() > 0) {
    lowered.template run<T>(e.shape(), DryRun<Runs>{device, &out, &kernel_of});
  }
  if constexpr (route_of<E>() == Route::rows) {
    find_equal(lowered.nodes, kernel_of);
  }
  TreeBuilder(out.tree).add(e);
  place_nodes(out, kernel_of);
}

/// The same, after the parts that are evaluated before.
template <class E>
void explain_parts(Explanation& out, const E& e, const ExplainOptions& options) {
  if constexpr (part_before<E> != 0) {
    explain_parts(out, SplitStatement<E>::rest_of(e), options);
    out.name = text(name_of<E>());
  } else {
    explain_into(out, e, options);
  }
}

}  // namespace detail

/// Describes the evaluation of `e` into a new tensor: kernels, operands, bytes, launches, and the
/// time at full memory bandwidth. Nothing is evaluated, launched or allocated on the device.
template <ExpressionLike E>
  requires(!StandIn<E>)
[[nodiscard]] Explanation explain(const E& e, const ExplainOptions& options = {}) {
  using D = std::conditional_t<std::is_same_v<typename E::device_type, AnyDevice>, Cpu,
                               typename E::device_type>;
  static_assert(!detail::has_var<E>,
                "weft: explain takes tensors: for Vars write explain_backward(e) with "
                "<weft/autograd/explain.hpp>, or explain with x.detach()");
  Explanation out;
  if constexpr (!detail::has_var<E> && detail::is_included<D>() &&
                detail::can_explain<detail::loops_of<D>>()) {
    const detail::PlannedStaging staging(out);
    detail::explain_parts(out, e, options);
    detail::estimate_kernels(out);
  }
  return out;
}

template <StandIn E>
[[nodiscard]] Explanation explain(const E& e, const ExplainOptions& options = {}) {
  return explain(e.node(), options);
}

namespace detail {

/// The same as explain_parts for expressions that are computed in one pass, of element types Ts.
template <class... Ts, class... Es>
void explain_outputs(Explanation& out, const Pack<Es...>& expressions,
                     const ExplainOptions& options) {
  using D = typename Fused<Es...>::device_type;
  using Runs = loops_of<D>;
  out.shape = expressions.head.shape();
  check_shapes(out.shape, expressions.tail);
  if constexpr (part_before_outputs<Es...> != 0) {
    explain_outputs<Ts...>(out, SplitOutputs<Es...>::rest_of(expressions), options);
    out.name = text(name_of<Fused<Es...>>());
  } else {
    constexpr int targets = sizeof...(Es);
    LoweredFuse<Es...> lowered(expressions);
    out.name = text(name_of<Fused<Es...>>());
    const Runs device =
        place<D>("fuse", lowered.operands + targets, static_cast<int>(lowered.n) - targets, D{});
    Explainer<Runs>::describe(device, out);
    use_bandwidth(out, options.bandwidth);
    out.reductions = (RowLowering<Es>::reductions + ...);
    std::vector<int> kernel_of(static_cast<std::size_t>(out.reductions), -1);
    std::uintptr_t k = 0;
    ((lowered.operands[k].set(reinterpret_cast<const void*>(placeholder + (k << 40)), sizeof(Ts),
                              out.shape, contiguous_strides(out.shape), nullptr),
      out.type += join({k > 0 ? ", " : "", name(dtype_of<Ts>)}), ++k),
     ...);
    if (out.shape.size() > 0) {
      run_fused<Ts...>(lowered, out.shape, DryRun<Runs>{device, &out, &kernel_of});
    }
    if constexpr ((has_reduction<Es> || ...)) find_equal(lowered.nodes, kernel_of);
    TreeBuilder tree(out.tree);
    add_all(tree, expressions);
    place_nodes(out, kernel_of);
  }
}

}  // namespace detail

/// The same for expressions that are computed in one pass.
template <class... Es>
[[nodiscard]] Explanation explain(const Fused<Es...>& fused, const ExplainOptions& options = {}) {
  using D = typename Fused<Es...>::device_type;
  Explanation out;
  if constexpr (detail::is_included<D>() && detail::can_explain<detail::loops_of<D>>()) {
    const detail::PlannedStaging staging(out);
    detail::explain_outputs<typename Es::value_type...>(out, fused.expressions(), options);
    detail::estimate_kernels(out);
  }
  return out;
}

}  // namespace weft
