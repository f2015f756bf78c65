// An expression's graph as an SVG picture: a box for each kernel, from operands to the result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "weft/eval/inspect/expression_tree.hpp"

namespace weft::detail {

/// Places the nodes of a tree in rows: kernel after kernel, inside one by depth, with the operands
/// that it reads above it. An operand of several kernels is drawn at each, since each reads it.
class SvgLayout {
 public:
  static constexpr int passing = -1;
  struct Item {
    int node = 0;  ///< passing: an edge's
    int kernel = 0;
    int row = 0;
    double width = 0;
    double x = 0;  ///< the middle
    std::vector<int> above;
    std::vector<int> below;
  };

  SvgLayout(const ExpressionTree& tree, int kernels) : tree_(tree) {
    place_operations(kernels);
    place_operands(kernels);
    order();
  }

  const std::vector<Item>& items() const { return items_; }
  int rows() const { return rows_; }
  /// The first and the last row of a kernel's operations; -1 where it has none in the tree.
  int first_row(int kernel) const { return first_[static_cast<std::size_t>(kernel)]; }
  int last_row(int kernel) const { return last_[static_cast<std::size_t>(kernel)]; }
  double width() const { return width_; }

 private:
  static constexpr double gap = 18;

  const ExpressionTree::Node& node(int i) const { return tree_.nodes[static_cast<std::size_t>(i)]; }
  Item& item(int i) { return items_[static_cast<std::size_t>(i)]; }

  int add(int n, int kernel, int row) {
    const double characters = n < 0 ? 0 : static_cast<double>(node(n).label.size());
    items_.push_back({n, kernel, row, n < 0 ? 4 : 24 + 7.3 * characters, 0, {}, {}});
    return static_cast<int>(items_.size()) - 1;
  }
  /// An edge, with its own place in each row that it passes.
  void connect(int above, int below) {
    for (int row = item(above).row + 1; row < item(below).row; ++row) {
      const int place = add(passing, item(below).kernel, row);
      item(above).below.push_back(place);
      item(place).above.push_back(above);
      above = place;
    }
    item(above).below.push_back(below);
    item(below).above.push_back(above);
  }

  /// The longest way to a node from others that the same kernel computes.
  int depth(int n) {
    int& known = depth_[static_cast<std::size_t>(n)];
    if (known >= 0) return known;
    int most = 0;
    for (const ExpressionTree::Edge& edge : tree_.edges) {
      if (edge.to == n && !node(edge.from).leaf && node(edge.from).kernel == node(n).kernel) {
        most = std::max(most, depth(edge.from) + 1);
      }
    }
    return depth_[static_cast<std::size_t>(n)] = most;
  }

  /// Kernels below each other; what algorithms of their own compute comes before (kernel -1).
  void place_operations(int kernels) {
    depth_.assign(tree_.nodes.size(), -1);
    at_.assign(tree_.nodes.size(), -1);
    first_.assign(static_cast<std::size_t>(kernels), -1);
    last_ = first_;
    for (int k = -1; k < kernels; ++k) {
      const int begin = rows_ + 1;  // a row of operands first
      int end = rows_;
      for (int n = 0; n < static_cast<int>(tree_.nodes.size()); ++n) {
        if (node(n).leaf || node(n).kernel != k) continue;
        at_[static_cast<std::size_t>(n)] = add(n, k, begin + depth(n));
        end = std::max(end, begin + depth(n));
      }
      if (end == rows_) continue;
      if (k >= 0) first_[static_cast<std::size_t>(k)] = begin;
      if (k >= 0) last_[static_cast<std::size_t>(k)] = end;
      rows_ = end + 1;
    }
  }

  void place_operands(int kernels) {
    std::vector<int> seen(tree_.nodes.size() * static_cast<std::size_t>(kernels + 1), -1);
    for (const ExpressionTree::Edge& edge : tree_.edges) {
      const int to = at_[static_cast<std::size_t>(edge.to)];
      if (to < 0) continue;
      if (!node(edge.from).leaf) {
        connect(at_[static_cast<std::size_t>(edge.from)], to);
        continue;
      }
      const int kernel = item(to).kernel;
      if (node(edge.from).label.size() > 0 && is_number(node(edge.from).label)) {
        connect(add(edge.from, kernel, item(to).row - 1), to);
        continue;
      }
      int& mine = seen[static_cast<std::size_t>(edge.from * (kernels + 1) + kernel + 1)];
      if (mine < 0) {
        mine = add(edge.from, kernel, first(kernel) - 1);
      }
      connect(mine, to);
    }
    if (items_.empty()) {  // an expression that is one operand
      for (int n = 0; n < static_cast<int>(tree_.nodes.size()); ++n) add(n, -1, 0);
      rows_ = 1;
    }
  }
  static bool is_number(const Text& label) {
    return label[0] == '-' || (label[0] >= '0' && label[0] <= '9');
  }
  int first(int kernel) const {  // the topmost row of operations
    int top = rows_;
    for (const Item& x : items_) {
      if (x.kernel == kernel && x.node >= 0 && !node(x.node).leaf) top = std::min(top, x.row);
    }
    return top;
  }

  /// Each node near the middle of those above it, then of those below; in its row without overlap.
  void order() {
    std::vector<std::vector<int>> rows(static_cast<std::size_t>(rows_ + 1));
    for (int i = 0; i < static_cast<int>(items_.size()); ++i) {
      rows[static_cast<std::size_t>(item(i).row)].push_back(i);
    }
    for (auto& row : rows) spread(row);
    for (int pass = 0; pass < 6; ++pass) {
      const bool down = pass % 2 == 0;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        auto& row = rows[down ? k : rows.size() - 1 - k];
        for (int i : row) {
          const std::vector<int>& others = down ? item(i).above : item(i).below;
          double sum = 0;
          for (int j : others) sum += item(j).x;
          if (!others.empty()) item(i).x = sum / static_cast<double>(others.size());
        }
        std::stable_sort(row.begin(), row.end(),
                         [&](int a, int b) { return item(a).x < item(b).x; });
        spread(row);
      }
    }
    double left = 0;
    for (const Item& x : items_) left = std::min(left, x.x - x.width / 2);
    for (Item& x : items_) x.x -= left;
    for (const Item& x : items_) width_ = std::max(width_, x.x + x.width / 2);
  }

  /// Moves overlapping neighbours apart, and the row back by half of what that moved it.
  void spread(const std::vector<int>& row) {
    double wanted = 0;
    double got = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      Item& here = item(row[k]);
      wanted += here.x;
      if (k > 0) {
        const Item& before = item(row[k - 1]);
        here.x = std::max(here.x, before.x + (before.width + here.width) / 2 + gap);
      }
      got += here.x;
    }
    const double back = row.empty() ? 0 : (got - wanted) / static_cast<double>(row.size());
    for (int i : row) item(i).x -= back;
  }

  const ExpressionTree& tree_;
  std::vector<Item> items_;
  std::vector<int> depth_;
  std::vector<int> at_;  // a node's item
  std::vector<int> first_;
  std::vector<int> last_;
  int rows_ = 0;
  double width_ = 0;
};

inline Text escaped(const Text& words) {
  Text out;
  for (char c : words) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

/// The picture; each of `kernels` has a kind and work to say.
template <class Kernels>
Text svg_of(const ExpressionTree& tree, const Kernels& kernels) {
  constexpr int margin = 30;
  constexpr int pitch = 62;
  constexpr int height = 30;
  const SvgLayout layout(tree, static_cast<int>(kernels.size()));
  double width = layout.width();
  for (const auto& kernel : kernels) {  // its title must fit
    const Text title = join({"0. ", kernel.kind, " ", kernel.work});
    width = std::max(width, 7.3 * static_cast<double>(title.size()));
  }
  const auto whole = [](double x) { return static_cast<int>(x + 0.5); };
  const auto top = [&](int row) { return margin + row * pitch; };
  const int right = whole(width) + 2 * margin;
  const int bottom = top(layout.rows()) + margin - (pitch - height);
  Text out = join({"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", right, " ", bottom,
                   "\" width=\"", right, "\" height=\"", bottom,
                   "\" font-family=\"monospace\" font-size=\"12\">\n"
                   "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"});
  Text titles;  // over the edges
  int k = 0;
  for (const auto& kernel : kernels) {
    if (layout.first_row(k) < 0) {
      ++k;
      continue;
    }
    const int from = top(layout.first_row(k)) - 22;
    const int to = top(layout.last_row(k)) + height + 8;
    out += join({"<rect x=\"8\" y=\"", from, "\" width=\"", right - 16, "\" height=\"", to - from,
                 "\" rx=\"8\" fill=\"#eef4fb\" stroke=\"#9db8d6\"/>\n"});
    titles += join({"<text x=\"18\" y=\"", from + 15,
                    "\" fill=\"#35537a\" stroke=\"#eef4fb\" stroke-width=\"4\" "
                    "paint-order=\"stroke\">",
                    k + 1, ". ", escaped(join({kernel.kind, " ", kernel.work})), "</text>\n"});
    ++k;
  }
  const auto& items = layout.items();
  for (const SvgLayout::Item& x : items) {
    if (x.node == SvgLayout::passing) {
      out += join({"<path d=\"M", whole(x.x) + margin, " ", top(x.row), "v", height,
                   "\" stroke=\"#777\"/>\n"});
    }
    for (int below : x.below) {
      const SvgLayout::Item& to = items[static_cast<std::size_t>(below)];
      const int y = top(x.row) + height;
      const int end = top(to.row);
      const int bend = (end - y) / 2;
      out += join({"<path d=\"M", whole(x.x) + margin, " ", y, "C", whole(x.x) + margin, " ",
                   y + bend, " ", whole(to.x) + margin, " ", end - bend, " ", whole(to.x) + margin,
                   " ", end, "\" fill=\"none\" stroke=\"#777\"/>\n"});
    }
  }
  out += titles;
  for (const SvgLayout::Item& x : items) {
    if (x.node == SvgLayout::passing) continue;
    const ExpressionTree::Node& node = tree.nodes[static_cast<std::size_t>(x.node)];
    out +=
        join({"<rect x=\"", whole(x.x - x.width / 2) + margin, "\" y=\"", top(x.row), "\" width=\"",
              whole(x.width), "\" height=\"", height, "\" rx=\"", node.leaf ? 2 : 15, "\" fill=\"",
              node.leaf ? "#fff6df" : "white", "\" stroke=\"#555\"/>\n<text x=\"",
              whole(x.x) + margin, "\" y=\"", top(x.row) + 19,
              "\" text-anchor=\"middle\" fill=\"#111\">", escaped(node.label), "</text>\n"});
  }
  return out + "</svg>\n";
}

}  // namespace weft::detail
