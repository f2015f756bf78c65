// The CPU's reductions: rows in lanes that merge as a tree, columns side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/for_each.hpp"
#include "weft/cpu/lanes.hpp"
#include "weft/cpu/reduce_walk.hpp"

namespace weft {

namespace cpu::detail {

/// The loops of one reduction: all that is compiled for each expression.
template <class Out, class Types, class R, class Program>
struct ReduceKernel {
  using C = typename Program::type;
  using State = typename R::template State<C>;
  using Operands = OperandElements<Types>;
  using Row = Reduction<R, C>;
  static constexpr int fit = 4096 / static_cast<int>(sizeof(State));
  static constexpr int columns = fit < block_size ? fit : block_size;

  R reducer;
  Program program;
  int64_t count;  // of elements a result

  static void begin(const void* context, void* memory) {
    ::new (memory) Row(self(context).reducer);
  }
  static void add(const void* context, char* const* at, const int64_t* step, int64_t m,
                  int64_t position, void* memory) {
    run_loop([=]() __attribute__((always_inline)) {
      alignas(64) C room[block_size];
      const C* const values = values_of(self(context).program, at, step, m, room);
      static_cast<Row*>(memory)->add(values, static_cast<int>(m), position);
    });
  }
  static void end(const void*, void* memory, char* state) {
    *reinterpret_cast<State*>(state) = static_cast<Row*>(memory)->total();
  }

  struct Columns {
    explicit Columns(const R& reducer) : tree(reducer) {}
    State part[columns];  // of the last rows, fewer than a group
    Tree<R, State, columns> tree;
    int64_t rows = 0;
  };
  static void begin_columns(const void* context, void* memory) {
    ::new (memory) Columns(self(context).reducer);
  }
  static void add_rows(const void* context, char* const* at, const int64_t* step,
                       const int64_t* skip, int m, int64_t rows, int64_t position, void* memory) {
    run_loop([=]() __attribute__((always_inline)) {
      const R join = self(context).reducer;
      const Program value = self(context).program;
      auto& running = *static_cast<Columns*>(memory);
      State* const part = running.part;
      if (running.rows % ReduceWork::group == 0) {
        if (running.rows > 0) running.tree.push(part, m);
        for (int c = 0; c < m; ++c) part[c] = State{};
      }
      for (int64_t r = 0; r < rows; ++r) {
        const auto operands = Operands::moved(at, step, skip, r);
#if !defined(__clang__)
#pragma GCC ivdep
#endif
        for (int c = 0; c < m; ++c) {
          join.add(part[c], value(ElementAt<1, typename Operands::type>{operands, c}),
                   position + r);
        }
      }
      running.rows += rows;
    });
  }
  static void end_columns(const void*, void* memory, int m, char* states) {
    auto& running = *static_cast<Columns*>(memory);
    auto* out = reinterpret_cast<State*>(states);
    for (int c = 0; c < m; ++c) out[c] = State{};
    if (running.rows > 0) running.tree.push(running.part, m);
    running.tree.total(out, m);
  }

  static void finish(const void* context, const char* states, int64_t n, int64_t step, char* out) {
    const auto& kernel = self(context);
    const auto* state = reinterpret_cast<const State*>(states);
    State total = state[0];
    if (n > 1) {
      Tree<R, State, 1> tree(kernel.reducer);
      for (int64_t i = 0; i < n; ++i) {
        State part = state[i * step];
        tree.push(&part, 1);
      }
      total = State{};
      tree.total(&total, 1);
    }
    *reinterpret_cast<Out*>(out) = store_element<Out>(kernel.reducer.finish(total, kernel.count));
  }

  static constexpr ReduceLoops loops{sizeof(Row), sizeof(State), columns, sizeof(Columns),
                                     begin,       add,           end,     begin_columns,
                                     add_rows,    end_columns,   finish};

 private:
  static const ReduceKernel& self(const void* context) {
    return *static_cast<const ReduceKernel*>(context);
  }
  /// The program's values: in `room`, or where they are in memory already.
  template <class P>
  [[gnu::always_inline]] static const C* values_of(const P& program, char* const* at,
                                                   const int64_t* step, int64_t m, C* room) {
    const P mine = program;
    const auto operands = Operands::at(at, step);
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t i = 0; i < m; ++i) {
      room[i] = mine(ElementAt<1, typename Operands::type>{operands, i});
    }
    return room;
  }
  template <int I>
  [[gnu::always_inline]] static const C* values_of(const Arg<I, C>&, char* const* at,
                                                   const int64_t*, int64_t, C*) {
    return reinterpret_cast<const C*>(at[I - 1]);
  }
};
}  // namespace cpu::detail

template <>
struct Reducer<Cpu> {
  /// operands[0] at each coordinate of `kept` = program reduced over `reduced`. The operands'
  /// strides are those along kept, then along reduced.
  template <class Out, class Types, class R, class Program>
  static void reduce(const detail::Name&, const R& reducer, Cpu, const Shape& kept,
                     const Shape& reduced, detail::Operand* operands, const Program& program) {
    using Kernel = cpu::detail::ReduceKernel<Out, Types, R, Program>;
    const Kernel kernel{reducer, program, reduced.size()};
    constexpr int n = detail::count(Types{}) + 1;
    detail::Operand inside[n];
    plan(kept, reduced, operands, inside, n, cpu::OperandElements<Types>::computed, Kernel::loops,
         &kernel);
  }

 private:
  [[gnu::noinline]] static void plan(const Shape& kept, const Shape& reduced,
                                     detail::Operand* operands, detail::Operand* inside, int n,
                                     const bool* computed, const cpu::detail::ReduceLoops& loops,
                                     const void* context) {
    detail::Loops outer = detail::loops_over(kept);
    detail::Loops inner = detail::loops_over(reduced);
    detail::inner_operands(operands, n, outer.rank, inner.rank, inside);
    detail::simplify(outer, operands, n);
    for (int i = 0; i < n; ++i) inside[i].data = operands[i].data;
    detail::simplify(inner, inside, n, true);
    cpu::detail::pad(outer, operands, n);
    cpu::detail::pad(inner, inside, n);
    cpu::detail::ReduceWork{loops, context, outer, operands, inner, inside, n, computed}.run();
  }
};

}  // namespace weft
