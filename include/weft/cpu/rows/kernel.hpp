// The loops of a row program on the CPU: one for each reduction and one for each output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/elements.hpp"
#include "weft/cpu/elementwise/near_arguments.hpp"
#include "weft/cpu/elementwise/staged.hpp"
#include "weft/cpu/elementwise/vector_program.hpp"
#include "weft/cpu/reduce.hpp"
#include "weft/cpu/rows/at.hpp"
#include "weft/cpu/rows/functions.hpp"
#include "weft/eval/rows/plan.hpp"
#include "weft/eval/rows/reuse.hpp"

namespace weft {

namespace cpu::detail {

/// All that is compiled for each row program; Again: for another form of one, used less.
template <class Outs, class Types, class Program, bool Again = false>
struct RowFunctionTable;
template <class... Outs, class Types, class... Rs, class... Ps, bool Again>
struct RowFunctionTable<weft::detail::TypeList<Outs...>, Types,
                        RowProgram<Pack<Rs...>, Pack<Ps...>>, Again> {
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;
  using Operands = OperandElements<Types>;
  using ValueTypes = weft::detail::TypeList<typename Rs::value...>;
  using Reuse = weft::detail::Reuse<Program>;
  using Kept = typename Reuse::LastProgram::type;
  static constexpr int outputs = sizeof...(Outs);
  static constexpr int leaves = weft::detail::count(Types{});
  static constexpr int reductions = sizeof...(Rs);
  static constexpr std::size_t value_bytes = [] {  // of the largest value
    std::size_t most = 0;
    ((most = sizeof(typename Rs::value) > most ? sizeof(typename Rs::value) : most), ...);
    return most;
  }();

  template <class P>
  static constexpr std::uint64_t uses =
      weft::detail::uses_of<P> | std::uint64_t{weft::detail::reductions_of<P>}
                                     << (outputs + leaves);

  template <int I>
  struct Reduce {
    using Node = std::remove_cvref_t<decltype(weft::get<I>(std::declval<Pack<Rs...>&>()))>;
    using P = std::remove_cvref_t<decltype(Node::program)>;
    using R = std::remove_cvref_t<decltype(Node::reducer)>;
    using V = typename P::type;

    static const Node& node(const void* program) {
      return weft::get<I>(static_cast<const Program*>(program)->reductions);
    }
    static const void* reducer(const void* program) { return &node(program).reducer; }
    template <class Values>
    static void compute(const void* program, char* const* at, const int64_t* step,
                        const int64_t* skip, int64_t rows, int64_t m, char* out, int64_t pitch,
                        const char*) {
      run_loop([=]() WEFT_ALWAYS_INLINE {
        run<Values, V>(node(program).program, at, step, skip, rows, m, out, pitch, nullptr);
      });
    }
    static constexpr bool fuses = joins<R, V> && runs_on_vectors<P, V>;
    /// The state of m values of row r.
    WEFT_ALWAYS_INLINE static auto joined(const P& mine, char* const* at, const int64_t* step,
                                          const int64_t* skip, int64_t r, int64_t m) {
      using State = typename R::template State<V>;
      const auto operands = Operands::moved(at + outputs, step + outputs, skip + outputs, r);
      const RowVectorAt<outputs, typename Operands::type> where{operands, at + outputs + leaves,
                                                                skip + outputs + leaves, r};
      return State{join_all<Join<R>>(static_cast<int>(m), State{}.value,
                                     [&](auto& x, int i)
                                         WEFT_ALWAYS_INLINE { vector_value(x, mine, where, i); })};
    }
    static void fused(const void* program, char* const* at, const int64_t* step,
                      const int64_t* skip, int64_t rows, int64_t m, char* out, int64_t pitch,
                      const char*) {
      run_loop([=]() WEFT_ALWAYS_INLINE {
        const P mine = node(program).program;
        const R reducer = node(program).reducer;
        for (int64_t r = 0; r < rows; ++r) {
          using Value = typename Node::value;
          *reinterpret_cast<Value*>(out + r * pitch) =
              store_element<Value>(reducer.finish(joined(mine, at, step, skip, r, m), m));
        }
      });
    }
    static void fused_add(const void* program, char* const* at, const int64_t* step,
                          const int64_t* skip, int64_t m, void* running) {
      run_loop([=]() WEFT_ALWAYS_INLINE {
        static_cast<Reduction<R, V>*>(running)->push(
            joined(node(program).program, at, step, skip, 0, m));
      });
    }
    static constexpr ReductionFunctions loops() {
      ReductionFunctions out{&Run<typename Node::value, R, V>::loops,
                             &ColumnRun<typename Node::value, R, V>::loops,
                             uses<P>,
                             0,
                             nullptr,
                             nullptr,
                             reducer};
      if constexpr ((in_place<P> >= 0)) {
        out.in_place = in_place<P>;
      } else {
        out.values = out.varying = compute<RowValues<ValueTypes>>;
        if constexpr (weft::detail::reductions_of<P> != 0)
          out.varying = compute<OperandElements<ValueTypes>>;
        out.flat = flat_rows<P, typename Operands::type, V>;
        if constexpr (fuses) {
          out.fused = fused;
          out.fused_add = fused_add;
        }
      }
      return out;
    }
    static constexpr ReductionFunctions table = loops();
  };

  template <int K, class Out>
  struct Store {
    using P = std::remove_cvref_t<decltype(weft::get<K>(std::declval<Pack<Ps...>&>()))>;
    static const P& part(const void* program) {
      return weft::get<K>(static_cast<const Program*>(program)->outputs);
    }
    template <class Values>
    static void store(const void* program, char* const* at, const int64_t* step,
                      const int64_t* skip, int64_t rows, int64_t m, char* out, int64_t pitch,
                      const char*) {
      run_loop([=]() WEFT_ALWAYS_INLINE {
        run<Values, Out>(part(program), at, step, skip, rows, m, out, pitch, nullptr);
      });
    }
    template <class Values>
    static void store_kept(const void* program, char* const* at, const int64_t* step,
                           const int64_t* skip, int64_t rows, int64_t m, char* out, int64_t pitch,
                           const char* kept) {
      run_loop([=]() WEFT_ALWAYS_INLINE {
        run<Values, Out>(
            weft::detail::with_leaf<weft::detail::Reused, Reuse::number>(part(program)), at, step,
            skip, rows, m, out, pitch, kept);
      });
    }
    template <class Q>
    static constexpr Flat flat =
        outputs == 1 && !Again ? flat_rows<Q, typename Operands::type, Out> : Flat::never;
    static constexpr OutputFunctions loops() {
      using Fixed = RowValues<ValueTypes>;
      using Loaded = OperandElements<ValueTypes>;
      OutputFunctions out{uses<P>, store<Fixed>, uses<P>, nullptr};
      if constexpr (Reuse::possible && weft::detail::has_part<P, Reuse::number>) {
        using Less = decltype(weft::detail::with_leaf<weft::detail::Reused, Reuse::number>(
            std::declval<const P&>()));
        out.kept_uses = uses<Less> & ~weft::detail::uses_of<weft::detail::Reused<Kept>>;
        out.kept = store_kept<Fixed>;
        if constexpr (flat<Less> != Flat::never) out.varying = store_kept<Loaded>;
        out.flat = flat<Less>;
      } else {
        if constexpr (flat<P> != Flat::never) out.varying = store<Loaded>;
        out.flat = flat<P>;
      }
      return out;
    }
    static constexpr OutputFunctions table = loops();
  };

  template <class Indices>
  struct Tables;
  template <std::size_t... I>
  struct Tables<std::index_sequence<I...>> {
    static constexpr const ReductionFunctions* reduce[] = {&Reduce<static_cast<int>(I)>::table...};
  };
  template <class Indices>
  struct OutputTables;
  template <std::size_t... K>
  struct OutputTables<std::index_sequence<K...>> {
    static constexpr const OutputFunctions* store[] = {&Store<static_cast<int>(K), Outs>::table...};
  };
  static constexpr const ReductionFunctions* const* reduce_loops =
      Tables<std::make_index_sequence<reductions>>::reduce;
  static constexpr const OutputFunctions* const* output_loops =
      OutputTables<std::make_index_sequence<outputs>>::store;

  /// The loop over a part of the programs.
  template <class P>
  static void part(const void* program, char* const* at, const int64_t* step, const int64_t* skip,
                   int64_t rows, int64_t m, char* out, int64_t pitch, const char*) {
    run_loop([=]() WEFT_ALWAYS_INLINE {
      run<RowValues<ValueTypes>, typename P::type>(*static_cast<const P*>(program), at, step, skip,
                                                   rows, m, out, pitch, nullptr);
    });
  }

  static constexpr RowFunctions loops() {
    RowFunctions out{outputs,      leaves,       reductions, Operands::computed,
                     reduce_loops, output_loops, nullptr};
    if constexpr (Reuse::possible) out.shares = Reuse::template same<SameInRow>;
    return out;
  }

 private:
  /// The program along the rows to `out`.
  template <class Values, class Out, class P>
  WEFT_ALWAYS_INLINE static void run(const P& program, char* const* at, const int64_t* step,
                                     const int64_t* skip, int64_t rows, int64_t m, char* out,
                                     int64_t pitch, const char* kept) {
    const Pack<P> programs{program, {}};  // copies, that `out` cannot overlap
    for (int64_t r = 0; r < rows; ++r) {
      const auto operands = Operands::moved(at + outputs, step + outputs, skip + outputs, r);
      const auto values =
          Values::moved(at + outputs + leaves, step + outputs + leaves, skip + outputs + leaves, r);
      auto* const to = reinterpret_cast<Out*>(out + r * pitch);
      const auto* const from = reinterpret_cast<const Kept*>(kept) + (kept == nullptr ? 0 : r * m);
      using At = RowAt<outputs, typename Operands::type, typename Values::type, Kept>;
      if constexpr (0 < fetched_bytes<P>) {
        constexpr int64_t ahead = 6;
        if (r + ahead < rows && m > 1) {
          const auto later =
              Operands::moved(at + outputs, step + outputs, skip + outputs, r + ahead);
          prefetch(programs, At{later, values, from, 0}, m);
        }
      }
      if constexpr (may_be_constant<P>) {
        if (is_constant<P>(step, m)) {
          const auto less =
              make_pack(RowConstants<P>::with_values(programs.head, At{operands, values, from, 0}));
          run_row<At>(less, operands, values, to, m, from);
          continue;
        }
      }
      run_row<At>(programs, operands, values, to, m, from);
    }
  }
  /// The same along one row.
  template <class At, class P, class Values, class Out>
  WEFT_ALWAYS_INLINE static void run_row(const Pack<P>& programs,
                                         const typename Operands::type& operands,
                                         const Values& values, Out* to, int64_t m,
                                         const Kept* from) {
    const auto at = [&](int64_t i) WEFT_ALWAYS_INLINE { return At{operands, values, from, i}; };
    if constexpr (looks_at_arguments<P>) {
      each_element(programs, m, at, [&](const auto& inputs) WEFT_ALWAYS_INLINE {
        put(to[inputs.i], store_element<Out>(programs.head(inputs)));
      });
    } else if constexpr (is_staged<Pack<P>, typename Operands::type, Pack<Out*>>) {
      StagedLoop<(weft::detail::uses_of<P> >> outputs), Pack<P>, typename Operands::type,
                 Pack<Out*>>::run(programs, operands, Pack<Out*>{to, {}}, 0, m,
                                  [&](const auto& staged, int64_t i) WEFT_ALWAYS_INLINE {
                                    return RowAt<outputs, std::remove_cvref_t<decltype(staged)>,
                                                 Values, Kept>{staged, values, from, i};
                                  });
#if defined(__clang__)
    } else if constexpr (reads_all_operands<P>) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang loop vectorize(assume_safety)
      for (int64_t i = 0; i < m; ++i) {
        put(to[i], store_element<Out>(programs.head(at(i))));
      }
#pragma clang diagnostic pop
#endif
    } else {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int64_t i = 0; i < m; ++i) {
        put(to[i], store_element<Out>(programs.head(at(i))));
      }
    }
  }
};

}  // namespace cpu::detail
}  // namespace weft
