// ExpressionTree: an expression's operations and operands as a graph, for looking at.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/eval/program/leaves.hpp"
#include "weft/eval/rows/program.hpp"

namespace weft {

/// The operations, operands and numbers of an expression; an operand that occurs several times is
/// one node.
struct ExpressionTree {
  static constexpr int apart = -2;
  struct Node {
    Text label;
    bool leaf = false;
    /// The reduction that it belongs to, or is; -1: the result itself; apart: it has its own
    /// algorithm.
    int reduction = -1;
    int kernel = -1;  ///< which kernel computes it; -1 for operands
  };
  struct Edge {
    int from = 0;
    int to = 0;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

namespace detail {

/// Walks an expression, and numbers its reductions as row programs do: those inside come first.
class TreeBuilder {
 public:
  explicit TreeBuilder(ExpressionTree& tree) : tree_(tree) {}

  /// Adds an expression inside the given reduction; returns its node.
  template <class E>
  int add(const E& e, int inside = -1) {
    if constexpr (is_tensor<E>) {
      return operand(e.data(), e.shape(), e.strides(), name(dtype_of<typename E::value_type>));
    } else if constexpr (requires { typename E::number; }) {
      return node(text(static_cast<double>(real_part(e.value))), inside, true);
    } else if constexpr (requires { e.reducer(); }) {
      return reduction(e, inside);
    } else {
      constexpr bool opaque = requires { requires E::is_opaque; };
      const int here = node(text_of<E>(), opaque ? ExpressionTree::apart : inside, false);
      if constexpr (is_map<E>) {
        arguments(e.args(), here, inside);
      } else {
        for_each_leaf(e, [&](const auto& x) { tree_.edges.push_back({add(x), here}); });
      }
      return here;
    }
  }

 private:
  struct Leaf {
    const void* data;
    Shape shape;
    Strides strides;
    int node;
  };

  template <class T>
  static auto real_part(const T& value) {
    if constexpr (is_complex<T>) {
      return value.real();
    } else {
      return value;
    }
  }
  template <class E>
  static const char* text_of() {
    if constexpr (requires { E::text; }) {
      return E::text;
    } else {
      return "?";
    }
  }

  int node(Text label, int inside, bool leaf) {
    tree_.nodes.push_back({static_cast<Text&&>(label), leaf, inside, -1});
    return static_cast<int>(tree_.nodes.size()) - 1;
  }

  [[gnu::noinline]] int operand(const void* data, const Shape& shape, const Strides& strides,
                                const char* type) {
    for (const Leaf& leaf : leaves_) {
      if (leaf.data == data && leaf.shape == shape && leaf.strides == strides) return leaf.node;
    }
    const int here = node(join({type, " ", shape}), -1, true);
    leaves_.push_back({data, shape, strides, here});
    return here;
  }

  template <class R, class E>
  int reduction(const Reduce<R, E>& e, int) {
    const int here = node(join({R::text, " ", e.operand().shape(), " to ", e.shape()}), -1, false);
    const int first = reductions_;
    reductions_ += RowLowering<Reduce<R, E>, true>::reductions;
    const int index = reductions_ - 1;
    const int after = reductions_;
    reductions_ = first;
    tree_.nodes[static_cast<std::size_t>(here)].reduction = index;
    tree_.edges.push_back({add(e.operand(), index), here});
    reductions_ = after;
    return here;
  }

  void arguments(const Pack<>&, int, int) {}
  template <class Head, class... Tail>
  void arguments(const Pack<Head, Tail...>& args, int to, int inside) {
    const int from = add(args.head, inside);
    tree_.edges.push_back({from, to});
    arguments(args.tail, to, inside);
  }

  ExpressionTree& tree_;
  std::vector<Leaf> leaves_;
  int reductions_ = 0;
};

inline void add_node(Text& out, const ExpressionTree& tree, std::size_t i, const char* margin) {
  const ExpressionTree::Node& node = tree.nodes[i];
  out += join(
      {margin, "n", i, " [label=\"", node.label, "\", shape=", node.leaf ? "box" : "oval", "];\n"});
}

/// Graphviz text of a tree; each of `kernels` has a kind and work to say.
template <class Kernels>
Text dot_of(const ExpressionTree& tree, const Kernels& kernels) {
  Text out = "digraph expression {\n  rankdir=BT;\n";
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].kernel < 0) add_node(out, tree, i, "  ");
  }
  int k = 0;
  for (const auto& kernel : kernels) {
    out += join({"  subgraph cluster", k, " {\n    label=\"", k + 1, ". ", kernel.kind, " ",
                 kernel.work, "\";\n"});
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].kernel == k) add_node(out, tree, i, "    ");
    }
    out += "  }\n";
    ++k;
  }
  for (const ExpressionTree::Edge& edge : tree.edges) {
    out += join({"  n", edge.from, " -> n", edge.to, ";\n"});
  }
  return out + "}\n";
}

}  // namespace detail
}  // namespace weft
