// The loops of a row program on the CPU: one for each reduction and one for each output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/reduce.hpp"
#include "weft/eval/row_program.hpp"

namespace weft {

namespace cpu::detail {

/// The operands and the reductions' values of a run of a row, as programs read them.
template <int First, class Operands, class Values>
struct RowAt {
  const Operands& operands;
  const Values& values;
  int64_t i;
  template <int I>
  WEFT_HD WEFT_INLINE auto get() const {
    return weft::get<I - First>(operands).at(i);
  }
  template <int I>
  WEFT_HD WEFT_INLINE auto reduced() const {
    return weft::get<I>(values).at(i);
  }
};

/// The value of a reduction, the same for the whole row, so that what depends on it alone is
/// computed once.
template <class T>
struct RowValue {
  T value;
  WEFT_HD WEFT_INLINE T at(int64_t) const { return value; }
};
template <class Types>
struct RowValues;
template <class... Ts>
struct RowValues<weft::detail::TypeList<Ts...>> {
  using type = Pack<RowValue<Ts>...>;
  [[gnu::always_inline]] static type at(char* const* at, const int64_t*) {
    return take(at, std::index_sequence_for<Ts...>{});
  }

 private:
  template <std::size_t... I>
  [[gnu::always_inline]] static type take(char* const* at, std::index_sequence<I...>) {
    return make_pack(RowValue<Ts>{*reinterpret_cast<const Ts*>(at[I])}...);
  }
};

/// Bit I for each Reduced<I> that a program reads.
template <class P>
inline constexpr std::uint64_t reduced_in = 0;
template <int I, class T>
inline constexpr std::uint64_t reduced_in<Reduced<I, T>> = std::uint64_t{1} << I;
template <class Op, class... Ps>
inline constexpr std::uint64_t reduced_in<Apply<Op, Ps...>> = (reduced_in<Ps> | ... | 0);

/// What the loops of one reduction in a row program do; see ReduceLoops.
struct RowReduceLoops {
  int bytes;
  int value_bytes;
  std::uint64_t uses;  // a bit for each operand that is read
  void (*begin)(const void* program, void* memory);
  void (*add)(const void* program, char* const* at, const int64_t* step, int64_t m,
              int64_t position, void* memory);
  /// The same where reductions' values, loaded, are others at each element.
  void (*add_varying)(const void* program, char* const* at, const int64_t* step, int64_t m,
                      int64_t position, void* memory);
  void (*end)(const void* program, void* memory, int64_t count, char* value);
};
/// The loop of one output.
struct RowOutputLoop {
  std::uint64_t uses;
  void (*store)(const void* program, char* const* at, const int64_t* step, int64_t m);
};

/// All that is compiled for each row program.
template <class Outs, class Types, class Program>
struct RowKernel;
template <class... Outs, class Types, class... Rs, class... Ps>
struct RowKernel<weft::detail::TypeList<Outs...>, Types, RowProgram<Pack<Rs...>, Pack<Ps...>>> {
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;
  using Operands = OperandElements<Types>;
  using ValueTypes = weft::detail::TypeList<typename Rs::value...>;
  static constexpr int outputs = sizeof...(Outs);
  static constexpr int leaves = weft::detail::count(Types{});
  static constexpr int reductions = sizeof...(Rs);

  template <class P>
  static constexpr std::uint64_t uses =
      weft::detail::uses_of<P> | reduced_in<P> << (outputs + leaves);

  template <int I>
  struct Reduce {
    using Node = std::remove_cvref_t<decltype(weft::get<I>(std::declval<Pack<Rs...>&>()))>;
    using C = typename decltype(Node::program)::type;
    using Row = Reduction<std::remove_cvref_t<decltype(Node::reducer)>, C>;

    static constexpr bool nested = reduced_in<std::remove_cvref_t<decltype(Node::program)>> != 0;
    using Loaded = std::conditional_t<nested, OperandElements<ValueTypes>, RowValues<ValueTypes>>;

    static const Node& node(const void* program) {
      return weft::get<I>(static_cast<const Program*>(program)->reductions);
    }
    static void begin(const void* program, void* memory) {
      ::new (memory) Row(node(program).reducer);
    }
    template <class Values>
    static void add(const void* program, char* const* at, const int64_t* step, int64_t m,
                    int64_t position, void* memory) {
      run_loop([=]() __attribute__((always_inline)) {
        alignas(64) C room[block_size];
        const C* const values = values_of<Values>(node(program).program, at, step, m, room);
        static_cast<Row*>(memory)->add(values, static_cast<int>(m), position);
      });
    }
    static void end(const void* program, void* memory, int64_t count, char* value) {
      using V = typename Node::value;
      *reinterpret_cast<V*>(value) =
          static_cast<V>(node(program).reducer.finish(static_cast<Row*>(memory)->total(), count));
    }
    static constexpr RowReduceLoops loops{sizeof(Row),
                                          sizeof(typename Node::value),
                                          uses<std::remove_cvref_t<decltype(Node::program)>>,
                                          begin,
                                          add<RowValues<ValueTypes>>,
                                          add<Loaded>,
                                          end};
  };

  template <int K, class Out>
  struct Store {
    using P = std::remove_cvref_t<decltype(weft::get<K>(std::declval<Pack<Ps...>&>()))>;
    static void store(const void* program, char* const* at, const int64_t* step, int64_t m) {
      run_loop([=]() __attribute__((always_inline)) {
        run<RowValues<ValueTypes>>(weft::get<K>(static_cast<const Program*>(program)->outputs), at,
                                   step, m, reinterpret_cast<Out*>(at[K]));
      });
    }
    static constexpr RowOutputLoop loop{uses<P>, store};
  };

  template <class Node>
  static constexpr bool has_room = sizeof(Reduction<std::remove_cvref_t<decltype(Node::reducer)>,
                                                    typename decltype(Node::program)::type>) <=
                                       4096 &&
                                   sizeof(typename Node::value) <= 16;
  template <class Indices>
  struct Tables;
  template <std::size_t... I>
  struct Tables<std::index_sequence<I...>> {
    static constexpr const RowReduceLoops* reduce[] = {&Reduce<static_cast<int>(I)>::loops...};
  };
  template <class Indices>
  struct OutputTables;
  template <std::size_t... K>
  struct OutputTables<std::index_sequence<K...>> {
    static constexpr const RowOutputLoop* store[] = {&Store<static_cast<int>(K), Outs>::loop...};
  };
  /// Whether the work's memory has room for the states.
  static constexpr bool fits = (has_room<Rs> && ...);
  static constexpr const RowReduceLoops* const* reduce_loops =
      Tables<std::make_index_sequence<reductions>>::reduce;
  static constexpr const RowOutputLoop* const* output_loops =
      OutputTables<std::make_index_sequence<outputs>>::store;

 private:
  /// The program along the row to `out`.
  template <class Values, class P, class Out>
  [[gnu::always_inline]] static void run(const P& program, char* const* at, const int64_t* step,
                                         int64_t m, Out* out) {
    const P mine = program;  // copies, that `out` cannot overlap
    const auto operands = Operands::at(at + outputs, step + outputs);
    const auto values = Values::at(at + outputs + leaves, step + outputs + leaves);
    using At = RowAt<outputs, typename Operands::type, typename Values::type>;
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t i = 0; i < m; ++i) out[i] = store_element<Out>(mine(At{operands, values, i}));
  }
  template <class Values, class P, class C>
  [[gnu::always_inline]] static const C* values_of(const P& program, char* const* at,
                                                   const int64_t* step, int64_t m, C* room) {
    run<Values>(program, at, step, m, room);
    return room;
  }
  template <class Values, int I, class C>
  [[gnu::always_inline]] static const C* values_of(const Arg<I, C>&, char* const* at,
                                                   const int64_t*, int64_t, C*) {
    return reinterpret_cast<const C*>(at[I]);
  }
};

}  // namespace cpu::detail
}  // namespace weft
