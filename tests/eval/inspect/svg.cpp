// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/svg.hpp>

#include <string>

#include "test.hpp"

using weft::ExpressionTree;
using weft::detail::SvgLayout;

namespace {
struct Kernel {
  const char* kind = "element-wise";
  const char* work = "over (2,) & more";
};

/// x, exp(x) in kernel 0, exp(x) + x and its product with 2 in kernel 1.
ExpressionTree two_kernels() {
  ExpressionTree tree;
  tree.nodes = {{"float32 (2,)", true, -1, -1},
                {"exp", false, -1, 0},
                {"add", false, -1, 1},
                {"2", true, -1, -1},
                {"mul<", false, -1, 1}};
  tree.edges = {{0, 1}, {1, 2}, {0, 2}, {2, 4}, {3, 4}};
  return tree;
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}
}  // namespace

TEST_CASE("kernels lie below each other, and operands above what uses them, without overlap") {
  const ExpressionTree tree = two_kernels();
  const SvgLayout layout(tree, 2);
  CHECK(layout.first_row(0) == 1);
  CHECK(layout.last_row(0) == 1);
  CHECK(layout.first_row(1) == 3);
  CHECK(layout.last_row(1) == 4);
  int operands = 0;
  for (const auto& a : layout.items()) {
    for (int below : a.below) {
      CHECK(layout.items()[static_cast<std::size_t>(below)].row == a.row + 1);
    }
    if (a.node == 0) ++operands;
    for (const auto& b : layout.items()) {
      if (&a == &b || a.row != b.row) continue;
      CHECK((a.x < b.x ? b.x - a.x : a.x - b.x) >= (a.width + b.width) / 2);
    }
  }
  CHECK(operands == 2);  // each kernel reads it
}

TEST_CASE("the picture has all nodes and titles, with marks written out") {
  const std::vector<Kernel> kernels(2);
  const std::string svg(weft::detail::svg_of(two_kernels(), kernels));
  CHECK(svg.rfind("<svg ", 0) == 0);
  CHECK(count(svg, "float32 (2,)") == 2);
  CHECK(count(svg, ">mul&lt;<") == 1);
  CHECK(count(svg, "element-wise over (2,) &amp; more") == 2);
  CHECK(count(svg, "<text") == count(svg, "</text>"));
  const std::string one(weft::detail::svg_of(ExpressionTree{{{"float32 ()", true, -1, -1}}, {}},
                                             std::vector<Kernel>()));
  CHECK(count(one, "float32 ()") == 1);
}
