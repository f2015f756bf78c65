// The CPU's reductions: rows in lanes that merge as a tree, columns in blocks of columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/for_each.hpp"

namespace weft {

namespace cpu::detail {
/// Merges states of equal weight pairwise as they come, so that rounding grows with the logarithm
/// of their number.
template <class R, class S>
class Tree {
 public:
  explicit Tree(const R& reducer) : reducer_(reducer) {}
  void push(const S& state) {
    S carried = state;
    int level = 0;
    for (; (filled_ >> level & 1U) != 0; ++level) {
      S earlier = levels_[level];
      reducer_.merge(earlier, carried);
      carried = earlier;
    }
    levels_[level] = carried;
    ++filled_;
  }
  S total() const {
    S out{};
    bool any = false;
    for (int level = 0; filled_ >> level != 0; ++level) {
      if ((filled_ >> level & 1U) == 0) continue;
      S earlier = levels_[level];
      if (any) reducer_.merge(earlier, out);
      out = earlier;
      any = true;
    }
    return out;
  }

 private:
  const R& reducer_;
  S levels_[48];
  unsigned long long filled_ = 0;
};
}  // namespace cpu::detail

template <>
struct Reducer<Cpu> {
  /// operands[0] at each coordinate of `kept` = program reduced over `reduced`. The operands'
  /// strides are those along kept, then along reduced.
  template <class Out, class Types, class R, class Program>
  static void reduce(const R& reducer, Cpu, const Shape& kept, const Shape& reduced,
                     detail::Operand* operands, const Program& program) {
    constexpr int n = detail::count(Types{}) + 1;
    detail::Operand inside[n];
    detail::Loops outer = detail::loops_over(kept);
    detail::Loops inner = detail::loops_over(reduced);
    detail::inner_operands(operands, n, outer.rank, inner.rank, inside);
    detail::simplify(outer, operands, n);
    detail::simplify(inner, inside, n, true);
    pad(outer, operands, n);
    pad(inner, inside, n);
    const int64_t total = outer.count() * inner.count();
    if (columns_are_faster(outer, operands, inner, inside, n)) {
      const int last = outer.rank - 1;
      const int64_t blocks = (outer.size[last] + columns - 1) / columns;
      cpu::parallel(blocks * (outer.count() / outer.size[last]), total,
                    [&](int64_t a, int64_t b) {
                      by_columns<Out, Types>(reducer, program, outer, operands, inner, inside, blocks, a, b);
                    });
    } else {
      cpu::parallel(outer.count(), total, [&](int64_t a, int64_t b) {
        by_rows<Out, Types>(reducer, program, outer, operands, inner, inside, a, b);
      });
    }
  }

 private:
  static constexpr int lanes = 16;
  static constexpr int columns = 64;

  static void pad(detail::Loops& loops, detail::Operand* operands, int n) {
    if (loops.rank > 0) return;
    loops.rank = 1;
    loops.size[0] = 1;
    for (int i = 0; i < n; ++i) operands[i].stride[0] = 0;
  }

  static bool columns_are_faster(const detail::Loops& outer, const detail::Operand* operands,
                                 const detail::Loops& inner, const detail::Operand* inside, int n) {
    if (outer.size[outer.rank - 1] < 8) return false;
    for (int i = 1; i < n; ++i) {
      const int64_t across = operands[i].stride[outer.rank - 1];
      const int64_t along = inside[i].stride[inner.rank - 1];
      if (across == 1 && along != 1 && along != 0) return true;
    }
    return false;
  }

  /// Outputs first to last - 1, each reduced by itself.
  template <class Out, class Types, class R, class Program>
  static void by_rows(const R& reducer, const Program& program, const detail::Loops& outer,
                      const detail::Operand* operands, const detail::Loops& inner,
                      const detail::Operand* inside, int64_t first, int64_t last) {
    constexpr int n = detail::count(Types{}) + 1;
    using C = typename Program::type;
    using State = typename R::template State<C>;
    const int64_t length = inner.count();
    const int depth = inner.rank - 1;
    int64_t stride[n];
    char* row[n];
    for (int i = 0; i < n; ++i) {
      stride[i] = inside[i].stride[depth];
      row[i] = operands[i].data;
    }
    detail::Cursor cursor;
    cursor.seek(outer, outer.rank, operands, n, row, first);
    cpu::Block<Types> block;
    alignas(64) char buffer[cpu::block_size * sizeof(C)];
    C* values = reinterpret_cast<C*>(buffer);
    for (int64_t k = first; k < last; ++k) {
      cpu::detail::Tree<R, State> tree(reducer);
      char* at[n];
      for (int i = 0; i < n; ++i) at[i] = row[i];
      detail::Cursor within;
      for (int64_t start = 0; start < length; start += inner.size[depth]) {
        for (int64_t j = 0; j < inner.size[depth]; j += cpu::block_size) {
          const int64_t left = inner.size[depth] - j;
          const int m = static_cast<int>(left < cpu::block_size ? left : cpu::block_size);
          char* from[n];
          for (int i = 0; i < n; ++i) from[i] = at[i] + j * stride[i] * inside[i].itemsize;
          block.load(from, stride, m);
          block.run(program, values, m);
          tree.push(reduce_block<State>(reducer, values, m, start + j));
        }
        within.next(inner, depth, inside, n, at);
      }
      *reinterpret_cast<Out*>(row[0]) = store_element<Out>(reducer.finish(tree.total(), length));
      cursor.next(outer, outer.rank, operands, n, row);
    }
  }

  template <class State, class R, class C>
  static State reduce_block(const R& reducer, const C* values, int m, int64_t position) {
    State state[lanes];
    int i = 0;
    for (; i + lanes <= m; i += lanes) {
      for (int lane = 0; lane < lanes; ++lane) {
        reducer.add(state[lane], values[i + lane], position + i + lane);
      }
    }
    for (int lane = 0; i < m; ++i, ++lane) reducer.add(state[lane], values[i], position + i);
    for (int width = lanes / 2; width > 0; width /= 2) {
      for (int lane = 0; lane < width; ++lane) reducer.merge(state[lane], state[lane + width]);
    }
    return state[0];
  }

  /// Blocks first to last - 1 of neighbouring outputs, each reduced side by side.
  template <class Out, class Types, class R, class Program>
  static void by_columns(const R& reducer, const Program& program, const detail::Loops& outer,
                         const detail::Operand* operands, const detail::Loops& inner,
                         const detail::Operand* inside, int64_t blocks, int64_t first,
                         int64_t last) {
    constexpr int n = detail::count(Types{}) + 1;
    constexpr int group = 128;  // rows summed before their states join the total
    using C = typename Program::type;
    using State = typename R::template State<C>;
    const int across = outer.rank - 1;
    const int64_t length = inner.count();
    int64_t stride[n];
    for (int i = 0; i < n; ++i) stride[i] = operands[i].stride[across];
    cpu::Block<Types> block;
    C values[columns];
    for (int64_t k = first; k < last; ++k) {
      char* at[n];
      for (int i = 0; i < n; ++i) at[i] = operands[i].data;
      detail::Cursor cursor;
      cursor.seek(outer, across, operands, n, at, k / blocks);
      const int64_t start = k % blocks * columns;
      const int64_t left = outer.size[across] - start;
      const int m = static_cast<int>(left < columns ? left : columns);
      for (int i = 0; i < n; ++i) at[i] += start * stride[i] * operands[i].itemsize;
      auto* out = reinterpret_cast<Out*>(at[0]);
      State total[columns];
      State part[columns];
      detail::Cursor within;
      for (int64_t j = 0; j < length; ++j) {
        block.load(at, stride, m);
        block.run(program, values, m);
        for (int c = 0; c < m; ++c) reducer.add(part[c], values[c], j);
        if ((j + 1) % group == 0 || j + 1 == length) {
          for (int c = 0; c < m; ++c) {
            reducer.merge(total[c], part[c]);
            part[c] = State{};
          }
        }
        within.next(inner, inner.rank, inside, n, at);
      }
      for (int c = 0; c < m; ++c) {
        out[c * stride[0]] = store_element<Out>(reducer.finish(total[c], length));
      }
    }
  }
};

}  // namespace weft
