// The reducing part of a thread of the looped row kernel: all reductions of a pass together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because what a thread reduces is one class.

#include "weft/cuda/primitive/reduce_state.hpp"
#include "weft/cuda/rows/passes.hpp"
#include "weft/cuda/rows/shared.hpp"
#include "weft/cuda/rows/walk.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

using weft::detail::uses_of;

template <class Outs, class Types, int V, class Program, template <int, class, int, class> class>
class RowReductions;

/// One thread of the kernels that loop: its part of the reductions. WalkOf: RowWalk or TileWalk.
template <class... Outs, class... Ts, int V, class... Rs, class... Ps,
          template <int, class, int, class> class WalkOf>
class RowReductions<TypeList<Outs...>, TypeList<Ts...>, V, RowProgram<Pack<Rs...>, Pack<Ps...>>,
                    WalkOf>
    : public WalkOf<sizeof...(Outs), TypeList<Ts...>, V, Pack<typename Rs::value...>> {
 public:
  using Walk = WalkOf<sizeof...(Outs), TypeList<Ts...>, V, Pack<typename Rs::value...>>;
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;
  using Passes = RowPasses<Program>;

  __device__ __forceinline__ RowReductions(const typename Walk::Grid& grid, const Program& program,
                                           char* partials, char* shared)
      : Walk(grid), program_(program), partials_(partials), shared_(shared) {}

  /// All reductions, or the pieces of those of the only pass.
  __device__ __forceinline__ void reduce_all() {
    if (!Walk::tiled && grid_.cluster) {
      Exchange::begin(static_cast<unsigned>(__cvta_generic_to_shared(shared_)), grid_.scratch);
      Exchange::wait_for_cluster();
    }
    run_levels(std::make_index_sequence<Passes::Levels::levels.count>{});
    store_target(Reductions{});
  }

 protected:
  using Shared = LoopedShared<Program>;
  using Kept = KeptValues<Shared, V>;
  const Program& program_;

 private:
  using Walk::grid_;
  using Walk::leaves;
  using Walk::outputs;
  using Walk::place_;
  using Walk::reductions;
  using Walk::values_;
  using RowMode = weft::detail::RowMode;
  using Registers = typename Walk::template Registers<V>;
  using Lane = typename Walk::template Lane<V>;
  using Values = typename Walk::Values;
  using Reductions = std::make_index_sequence<reductions>;
  template <int I>
  using Reduction =
      std::remove_cvref_t<decltype(weft::get<I>(std::declval<const Program&>().reductions))>;
  template <int I>
  using Pass = RowPass<Reduction<I>>;
  template <int I>
  static constexpr int level = Passes::Levels::levels.of[I];
  template <int I>
  static constexpr unsigned before = Passes::places.before[I];
  static constexpr unsigned piece_bytes = Passes::places.most;

  template <int I>
  __device__ __forceinline__ const Reduction<I>& reduction() const {
    return weft::get<I>(program_.reductions);
  }

  template <std::size_t... L>
  __device__ __forceinline__ void run_levels(std::index_sequence<L...>) {
    (run_level<static_cast<int>(L)>(Reductions{}), ...);
  }
  template <int L, std::size_t... I>
  __device__ __forceinline__ void run_level(std::index_sequence<I...> all) {
    (load_value<L, static_cast<int>(I)>(), ...);
    bool any = false;
    ((any = any || (level<I> == L && computes<static_cast<int>(I)>())), ...);
    if (any) run_pass<L>(typename InLevel<Program, L>::type{});
    if constexpr (has_dependent && !Walk::tiled) {
      if (grid_.varies != 0) (run_alone<L, static_cast<int>(I)>(), ...);
    }
    (take_same_of<L, static_cast<int>(I)>(), ...);
  }

  template <int I>
  static constexpr bool is_dependent =
      weft::detail::reductions_of<
          std::remove_cvref_t<decltype(std::declval<Reduction<I>>().program)>> != 0;
  static constexpr bool has_dependent =
      ((weft::detail::reductions_of<std::remove_cvref_t<decltype(Rs::program)>> != 0) || ...);

  /// Whether a pass computes reduction I: not if it reads values that vary along the row.
  template <int I>
  __device__ __forceinline__ bool computes() const {
    return grid_.mode[I] == RowMode::compute &&
           (Walk::tiled || !(is_dependent<I> && grid_.varies != 0));
  }

  /// The same within a pass, which computes at least one.
  template <int I>
  __device__ __forceinline__ bool passes() const {
    if constexpr (Passes::template count<level<I>> == 1) {
      return true;
    } else {
      return computes<I>();
    }
  }

  template <int L, int I>
  __device__ __forceinline__ void load_value() {
    if constexpr (level<I> == L) {
      using T = typename Reduction<I>::value;
      if (grid_.mode[I] == RowMode::load && place_.active) {
        weft::get<I>(values_) =
            *reinterpret_cast<const T*>(this->template start<outputs + leaves + I>());
      }
    }
  }

  /// Computes the reductions I..., over the row or from the pieces that an earlier kernel left.
  template <int L, std::size_t... I>
  __device__ __forceinline__ void run_pass(std::index_sequence<I...>) {
    Pack<typename Pass<I>::State...> states{};
    if (!Walk::tiled && grid_.stage >= RowLoops::remerge) {
      const unsigned mine = place_.thread;
      const unsigned end = pieces_of_row();
#pragma unroll 1
      for (unsigned s = mine; place_.active && s < end; s += grid_.group) {
        if (grid_.of_values) {
          add_values(states, s, std::index_sequence<I...>{},
                     std::make_index_sequence<sizeof...(I)>{});
        } else {
          merge_pieces(states, piece_of(s), std::index_sequence<I...>{},
                       std::make_index_sequence<sizeof...(I)>{});
        }
      }
    } else {
      accumulate(states, std::index_sequence<I...>{}, std::make_index_sequence<sizeof...(I)>{});
    }
    if constexpr (!Walk::tiled) {
      states = merge_team(pack_of(Pass<I>::reducer(reduction<I>())...), states,
                          active(std::index_sequence<I...>{}), row_team(grid_, turn_++), shared_);
    }
    if (!Walk::tiled && stores_pieces<L>()) {
      const unsigned part = grid_.cluster ? 0 : place_.part;
      if (place_.active && place_.thread == 0 && place_.part == part) {
        char* const piece = grid_.stage == RowLoops::remerge
                                ? partials_ + int64_t{grid_.pieces + place_.row} * piece_bytes
                                : piece_of(part);
        store_pieces(states, piece, std::index_sequence<I...>{},
                     std::make_index_sequence<sizeof...(I)>{});
      }
      return;
    }
    finish_all(states, std::index_sequence<I...>{}, std::make_index_sequence<sizeof...(I)>{});
  }
  template <class States, std::size_t... I, std::size_t... K>
  __device__ __forceinline__ void add_values(States& states, unsigned s, std::index_sequence<I...>,
                                             std::index_sequence<K...>) const {
    (add_value<static_cast<int>(I)>(weft::get<static_cast<int>(K)>(states), s), ...);
  }
  template <int I, class State>
  __device__ __forceinline__ void add_value(State& state, unsigned s) const {
    if constexpr (weft::detail::joins_rows<Reduction<I>>) {
      if (grid_.target != I) return;
      const auto* const values = reinterpret_cast<const typename Reduction<I>::value*>(partials_);
      reduction<I>().reducer.add(state, values[place_.row * grid_.splits + s], 0);
    }
  }
  template <int L>
  __device__ __forceinline__ bool stores_pieces() const {
    return grid_.stage == RowLoops::remerge ||
           (grid_.stage == RowLoops::partial && L >= grid_.piece_level);
  }
  __device__ __forceinline__ unsigned pieces_of_row() const {
    const unsigned rest = grid_.pieces - place_.row * grid_.splits;
    return grid_.stage == RowLoops::remerge && rest < grid_.splits ? rest : grid_.splits;
  }
  __device__ __forceinline__ char* piece_of(unsigned s) const {
    const unsigned first = grid_.columns ? s * grid_.rows : place_.row * grid_.splits;
    return partials_ + int64_t{first + (grid_.columns ? place_.row : s)} * piece_bytes;
  }
  template <class States, std::size_t... I, std::size_t... K>
  __device__ __forceinline__ void merge_pieces(States& states, const char* piece,
                                               std::index_sequence<I...>,
                                               std::index_sequence<K...>) const {
    (Pass<I>::reducer(reduction<I>())
         .merge(weft::get<static_cast<int>(K)>(states),
                *reinterpret_cast<const typename Pass<I>::State*>(piece + before<I>)),
     ...);
  }
  template <class States, std::size_t... I, std::size_t... K>
  __device__ __forceinline__ void store_pieces(const States& states, char* piece,
                                               std::index_sequence<I...>,
                                               std::index_sequence<K...>) const {
    ((*reinterpret_cast<typename Pass<I>::State*>(piece + before<I>) =
          weft::get<static_cast<int>(K)>(states)),
     ...);
  }
  /// Bit K where a pass computes the K-th of its reductions I.
  template <std::size_t... I>
  __device__ __forceinline__ unsigned active(std::index_sequence<I...>) const {
    unsigned bits = 0;
    unsigned bit = 1;
    ((bits |= passes<static_cast<int>(I)>() ? bit : 0, bit *= 2), ...);
    return bits;
  }
  template <class States, std::size_t... I, std::size_t... K>
  __device__ __forceinline__ void finish_all(const States& states, std::index_sequence<I...>,
                                             std::index_sequence<K...>) {
    (finish<I>(weft::get<static_cast<int>(K)>(states)), ...);
  }
  template <int I, class State>
  __device__ __forceinline__ void finish(const State& state) {
    if (passes<I>()) {
      weft::get<I>(values_) = static_cast<typename Reduction<I>::value>(
          Pass<I>::finish(reduction<I>(), state, grid_.count, values_));
    }
    take_same<I>(Reductions{});  // what a later one of the pass is brought to
  }

  /// Reduces this thread's elements in groups, so that rounding errors do not grow with the row.
  template <class States, std::size_t... I, std::size_t... K>
  __device__ __forceinline__ void accumulate(States& states, std::index_sequence<I...>,
                                             std::index_sequence<K...>) {
    States group{};
    const auto programs =
        pack_of(hoist(Pass<I>::program(reduction<I>()), RowScalars<Values>{values_})...);
    constexpr std::uint64_t uses = (uses_of<typename Pass<I>::Program> | ...);
    const auto add_item = [&](char** at, const RowItem& item) {
      Kept kept{};
      (add<I>(weft::get<static_cast<int>(K)>(group), weft::get<static_cast<int>(K)>(programs), at,
              item, kept),
       ...);
    };
    const auto flush = [&] {
      (merge<I>(weft::get<static_cast<int>(K)>(states), weft::get<static_cast<int>(K)>(group)),
       ...);
      group = States{};
    };
    if constexpr (adds_pairs<uses>) {
      this->template walk<uses>(
          add_item, flush, false, [&](char** at, const RowItem& item, unsigned step) {
            Kept kept[2]{};
            (add_pair<I>(weft::get<static_cast<int>(K)>(group),
                         weft::get<static_cast<int>(K)>(programs), at, item, step, kept),
             ...);
          });
    } else {
      this->template walk<uses>(add_item, flush);
    }
    if constexpr (Walk::tiled) {
      states = group;
    } else {
      (merge<I>(weft::get<static_cast<int>(K)>(states), weft::get<static_cast<int>(K)>(group)),
       ...);
    }
  }
  template <int I, class State>
  __device__ __forceinline__ void merge(State& all, const State& group) const {
    if (passes<I>()) Pass<I>::reducer(reduction<I>()).merge(all, group);
  }
  /// Whether a pass takes two full items at a time, so that one is loaded while another is: of few
  /// operands, since both are in registers.
  template <std::uint64_t Uses>
  static constexpr bool adds_pairs =
      !Walk::tiled && reductions <= 4 && __builtin_popcountll(Uses) <= 2 &&
      !(has_effects<typename RowPass<Rs>::Program> || ...);
  template <int I, class State, class P>
  __device__ __forceinline__ void add_pair(State& state, const P& program, char** at,
                                           const RowItem& item, unsigned step,
                                           Kept (&kept)[2]) const {
    if (!passes<I>()) return;
    Registers registers[2]{};
    const RowItem full{item.position, item.apart, V};
#pragma unroll
    for (Registers& r : registers) {
      this->template load<uses_of<typename Pass<I>::Program>>(r, at, full,
                                                              Shared::table.count == 0);
    }
    typename P::type x[2][V];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      const auto lane = [&](int j) { return Lane{registers[u], values_, j}; };
      Evaluation(grid_.shared, kept[u], lane, grid_.constants).run(program, x[u]);
    }
    const auto& reducer = Pass<I>::reducer(reduction<I>());
    if constexpr (std::is_base_of_v<reducer::var, std::remove_cvref_t<decltype(reducer)>>) {
      typename P::type both[2 * V];  // one merge for the two
#pragma unroll
      for (int j = 0; j < 2 * V; ++j) both[j] = x[j / V][j % V];
      add_all<1>(reducer, state, both, item.position, item.apart);
    } else {
      add_all<1>(reducer, state, x[0], item.position, item.apart);
      add_all<1>(reducer, state, x[1], item.position + step, item.apart);
    }
  }
  template <int I, class State, class P>
  __device__ __forceinline__ void add(State& state, const P& program, char** at,
                                      const RowItem& item, Kept& kept) const {
    if (!passes<I>()) return;
    using C = typename P::type;
    Registers registers{};
    this->template load<uses_of<typename Pass<I>::Program>>(registers, at, item,
                                                            Shared::table.count == 0);
    const auto& reducer = Pass<I>::reducer(reduction<I>());
    const auto lane = [&](int j) { return Lane{registers, values_, j}; };
    C x[V];
    if constexpr (has_effects<P>) {
#pragma unroll
      for (int j = 0; j < V; ++j) x[j] = j < item.n ? program(lane(j)) : C{};
    } else {
      Evaluation(grid_.shared, kept, lane, grid_.constants).run(program, x);
    }
    // Without a test per element, unless there are so many reductions that the kernel would become
    // too large.
    if (reductions <= 8 && item.n == V) {
      add_all<1>(reducer, state, x, item.position, item.apart);
    } else if constexpr (takes_first<std::remove_cvref_t<decltype(reducer)>, State, C, V>) {
      reducer.add_first(state, x, item.n);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j < item.n) {
          reducer.add(state, x[j], static_cast<long long>(item.position) + j * item.apart);
        }
      }
    }
  }

  /// A single reduction over values in memory that vary along the row.
  template <int L, int I>
  __device__ __forceinline__ void run_alone() {
    if constexpr (level<I> == L && is_dependent<I>) {
      if (grid_.mode[I] != RowMode::compute) return;
      const auto& r = reduction<I>();
      using State = typename Reduction<I>::state;
      State state{};
      if (grid_.stage == RowLoops::merge) {
#pragma unroll 1
        for (unsigned s = place_.thread; place_.active && s < grid_.splits; s += grid_.group) {
          r.reducer.merge(state, *reinterpret_cast<const State*>(piece_of(s)));
        }
      } else {
        this->template walk_single<uses_of<std::remove_cvref_t<decltype(r.program)>>>(
            [&](const auto& registers, const Values& values, long long position) {
              r.reducer.add(state, r.program(typename Walk::template Lane<1>{registers, values, 0}),
                            position);
            });
      }
      const auto all =
          merge_team(pack_of(r.reducer), pack_of(state), 1, row_team(grid_, turn_++), shared_);
      if (grid_.stage == RowLoops::partial) {
        if (place_.active && place_.thread == 0) {
          *reinterpret_cast<State*>(piece_of(place_.part)) = all.head;
        }
        return;
      }
      weft::get<I>(values_) =
          static_cast<typename Reduction<I>::value>(r.reducer.finish(all.head, grid_.count));
    }
  }

  template <int L, int I>
  __device__ __forceinline__ void take_same_of() {
    if constexpr (level<I> == L) take_same<I>(Reductions{});
  }
  /// Stores the value of the reduction that the task is for, unless what the passes left are
  /// pieces.
  template <std::size_t... I>
  __device__ __forceinline__ void store_target(std::index_sequence<I...>) const {
    if (grid_.target < 0 || !place_.active || place_.thread + place_.part > 0) return;
    char* const at = this->start(outputs + leaves + grid_.target);
    (store_if_target<static_cast<int>(I)>(at), ...);
  }
  template <int I>
  __device__ __forceinline__ void store_if_target(char* at) const {
    if (grid_.target != I || (!Walk::tiled && stores_pieces<level<I>>())) return;
    *reinterpret_cast<typename Reduction<I>::value*>(at) = weft::get<I>(values_);
  }
  template <int I, std::size_t... J>
  __device__ __forceinline__ void take_same(std::index_sequence<J...>) {
    if (grid_.mode[I] == RowMode::same) (take_if_same<I, static_cast<int>(J)>(), ...);
  }
  template <int I, int J>
  __device__ __forceinline__ void take_if_same() {
    if constexpr (J < I && weft::detail::may_be_equal<Reduction<I>, Reduction<J>>) {
      if (grid_.same[I] == J) weft::get<I>(values_) = weft::get<J>(values_);
    }
  }

  char* partials_;
  char* shared_;
  unsigned turn_ = 0;
};

}  // namespace weft::on_cuda::detail

#endif
