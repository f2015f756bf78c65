// The CPU's reductions: rows in lanes that merge as a tree, columns in blocks of columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/for_each.hpp"

namespace weft {

namespace cpu::detail {
/// Merges states of equal weight pairwise as they come, so that rounding grows with the logarithm
/// of their number; N reductions side by side.
template <class R, class S, int N>
class Tree {
 public:
  explicit Tree(const R& reducer) : reducer_(reducer) {}
  /// Takes a state for each of the first m reductions, and leaves them changed.
  void push(S* states, int m) {
    int level = 0;
    for (; (filled_ >> level & 1U) != 0; ++level) merge_into(states, level, m);
    for (int i = 0; i < m; ++i) levels[level][i] = states[i];
    ++filled_;
  }
  /// Merges all that came into `out`, which holds no elements.
  void total(S* out, int m) const {
    for (int level = 0; filled_ >> level != 0; ++level) {
      if ((filled_ >> level & 1U) != 0) merge_into(out, level, m);
    }
  }

 private:
  void merge_into(S* later, int level, int m) const {
    for (int i = 0; i < m; ++i) {
      S earlier = levels[level][i];
      reducer_.merge(earlier, later[i]);
      later[i] = earlier;
    }
  }

  const R& reducer_;
  union {
    S levels[60][N];  // not initialised: a level is read only after it was filled
  };
  unsigned long long filled_ = 0;
};

/// The state of up to block_size values, the first of them at `position`: added in lanes, which
/// merge as a tree.
template <class State, class R, class C>
State reduce_block(const R& reducer, const C* values, int m, int64_t position) {
  constexpr int lanes = 16;
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

/// Loops of no dimension become one of size 1.
[[gnu::noinline]] inline void pad(weft::detail::Loops& loops, weft::detail::Operand* operands,
                                  int n) {
  if (loops.rank > 0) return;
  loops.rank = 1;
  loops.size[0] = 1;
  for (int i = 0; i < n; ++i) operands[i].stride[0] = 0;
}
}  // namespace cpu::detail

template <>
struct Reducer<Cpu> {
  /// operands[0] at each coordinate of `kept` = program reduced over `reduced`. The operands'
  /// strides are those along kept, then along reduced.
  template <class Out, class Types, class R, class Program>
  static void reduce(const detail::Name&, const R& reducer, Cpu, const Shape& kept,
                     const Shape& reduced, detail::Operand* operands, const Program& program) {
    constexpr int n = detail::count(Types{}) + 1;
    detail::Operand inside[n];
    detail::Loops outer = detail::loops_over(kept);
    detail::Loops inner = detail::loops_over(reduced);
    detail::inner_operands(operands, n, outer.rank, inner.rank, inside);
    detail::simplify(outer, operands, n);
    detail::simplify(inner, inside, n, true);
    cpu::detail::pad(outer, operands, n);
    cpu::detail::pad(inner, inside, n);
    const int64_t total = outer.count() * inner.count();
    if (columns_are_faster(outer, operands, inner, inside, n)) {
      const int last = outer.rank - 1;
      const int64_t blocks = (outer.size[last] + columns - 1) / columns;
      cpu::parallel(blocks * (outer.count() / outer.size[last]), total, [&](int64_t a, int64_t b) {
        by_columns<Out, Types>(reducer, program, outer, operands, inner, inside, blocks, a, b);
      });
    } else {
      cpu::parallel(outer.count(), total, [&](int64_t a, int64_t b) {
        by_rows<Out, Types>(reducer, program, outer, operands, inner, inside, a, b);
      });
    }
  }

 private:
  static constexpr int columns = 64;

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
      cpu::detail::Tree<R, State, 1> tree(reducer);
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
          State part = cpu::detail::reduce_block<State>(reducer, values, m, start + j);
          tree.push(&part, 1);
        }
        within.next(inner, depth, inside, n, at);
      }
      State total{};
      tree.total(&total, 1);
      *reinterpret_cast<Out*>(row[0]) = store_element<Out>(reducer.finish(total, length));
      cursor.next(outer, outer.rank, operands, n, row);
    }
  }

  /// Blocks first to last - 1 of neighbouring outputs, each reduced side by side.
  template <class Out, class Types, class R, class Program>
  static void by_columns(const R& reducer, const Program& program, const detail::Loops& outer,
                         const detail::Operand* operands, const detail::Loops& inner,
                         const detail::Operand* inside, int64_t blocks, int64_t first,
                         int64_t last) {
    constexpr int n = detail::count(Types{}) + 1;
    constexpr int group = 16;  // rows that are added to one state
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
      cpu::detail::Tree<R, State, columns> tree(reducer);
      State total[columns]{};
      State part[columns]{};
      detail::Cursor within;
      for (int64_t j = 0; j < length; ++j) {
        block.load(at, stride, m);
        block.run(program, values, m);
        for (int c = 0; c < m; ++c) reducer.add(part[c], values[c], j);
        if ((j + 1) % group == 0 || j + 1 == length) {
          tree.push(part, m);
          for (int c = 0; c < m; ++c) part[c] = State{};
        }
        within.next(inner, inner.rank, inside, n, at);
      }
      tree.total(total, m);
      for (int c = 0; c < m; ++c) {
        out[c * stride[0]] = store_element<Out>(reducer.finish(total[c], length));
      }
    }
  }
};

}  // namespace weft
