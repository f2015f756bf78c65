// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/expression_tree.hpp>

#include "test.hpp"

using weft::axis;
using weft::ExpressionTree;
using weft::detail::TreeBuilder;

TEST_CASE("operands are one node each, reductions are numbered from the inside") {
  const auto x = weft::ones({2, 3});
  const auto y = weft::ones({2, 3});
  ExpressionTree tree;
  const auto inner = sum(x, axis(1), weft::keepdims);
  TreeBuilder(tree).add(max(x - inner) * sum(y) + x * weft::complex<float>(1).real());
  int leaves = 0;
  int number[3] = {-1, -1, -1};
  for (const auto& node : tree.nodes) {
    leaves += node.leaf;
    if (node.leaf || node.reduction < 0) continue;
    if (node.label == "sum (2, 3) to (2, 1)") number[0] = node.reduction;
    if (node.label == "max (2, 3) to ()") number[1] = node.reduction;
    if (node.label == "sum (2, 3) to ()") number[2] = node.reduction;
  }
  CHECK(leaves == 3);  // x, y, a number
  CHECK(number[0] == 0);
  CHECK(number[1] == 1);
  CHECK(number[2] == 2);
  CHECK(tree.edges.size() == 11);
  CHECK(tree.nodes.back().label == "1");
}

TEST_CASE("Graphviz text of a tree") {
  ExpressionTree tree;
  tree.nodes.push_back({"float32 (2,)", true, -1, -1});
  tree.nodes.push_back({"exp", false, -1, 0});
  tree.edges.push_back({0, 1});
  struct Kernel {
    const char* kind = "element-wise";
    const char* work = "over (2,)";
  };
  const std::vector<Kernel> kernels(1);
  CHECK(weft::detail::dot_of(tree, kernels) ==
        "digraph expression {\n"
        "  rankdir=BT;\n"
        "  n0 [label=\"float32 (2,)\", shape=box];\n"
        "  subgraph cluster0 {\n"
        "    label=\"1. element-wise over (2,)\";\n"
        "    n1 [label=\"exp\", shape=oval];\n"
        "  }\n"
        "  n0 -> n1;\n"
        "}\n");
}
