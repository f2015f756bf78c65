// The row kernel: reductions in order, each over a row kept on the chip, then the outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/reduce_state.hpp"
#include "weft/cuda/rows/hoist.hpp"
#include "weft/cuda/rows/merge.hpp"
#include "weft/cuda/rows/walk.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

using weft::detail::TypeList;
using weft::detail::uses_of;

template <class Outs, class Types, int V, class Program>
class RowThread;

/// One thread of a row kernel.
template <class... Outs, class... Ts, int V, class... Rs, class... Ps>
class RowThread<TypeList<Outs...>, TypeList<Ts...>, V, RowProgram<Pack<Rs...>, Pack<Ps...>>>
    : RowWalk<sizeof...(Outs), TypeList<Ts...>, V, Pack<typename Rs::value...>> {
  using Walk = RowWalk<sizeof...(Outs), TypeList<Ts...>, V, Pack<typename Rs::value...>>;

 public:
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;

  __device__ __forceinline__ RowThread(const typename Walk::Grid& grid, const Program& program,
                                       char* partials, char* shared)
      : Walk(grid, shared), program_(program), partials_(partials), shared_(shared) {}

  __device__ __forceinline__ void run() {
    if (grid_.cluster) Exchange::begin(this->shared_address_, grid_.scratch);
    this->keep_row();
    if (grid_.cluster) Exchange::wait_for_cluster();
    reduce_all(std::make_index_sequence<reductions>{});
    if (grid_.target < 0) store_outputs(std::make_index_sequence<outputs>{});
  }

 private:
  using Walk::grid_;
  using Walk::leaves;
  using Walk::outputs;
  using Walk::place_;
  using Walk::reductions;
  using Walk::values_;
  template <int W>
  using Registers = typename Walk::template Registers<W>;
  template <int W>
  using Lane = typename Walk::template Lane<W>;
  using Values = typename Walk::Values;

  template <std::size_t... I>
  __device__ __forceinline__ void reduce_all(std::index_sequence<I...>) {
    (reduce<static_cast<int>(I)>(weft::get<static_cast<int>(I)>(program_.reductions)), ...);
  }

  template <int I, class Reduction>
  __device__ __forceinline__ void reduce(const Reduction& reduction) {
    using weft::detail::RowMode;
    using T = typename Reduction::value;
    constexpr int k = outputs + leaves + I;
    T value{};
    if (grid_.mode[I] == RowMode::load) {
      if (place_.active) value = *reinterpret_cast<const T*>(this->template start<k>());
    } else if (grid_.mode[I] == RowMode::same) {
      take_same<I>(value, std::make_index_sequence<I>{});
    } else if (grid_.mode[I] == RowMode::compute) {
      using State = typename Reduction::state;
      const RowTeam team{grid_.group,   grid_.warps,   grid_.parts.divisor,
                         grid_.columns, grid_.cluster, grid_.scratch,
                         turn_++};
      const State state = merge_team(reduction.reducer, state_of(reduction), team, shared_);
      if (grid_.stage == RowLoops::partial) {
        if (place_.active && place_.lane % grid_.group == 0) {
          const auto piece =
              static_cast<int64_t>(place_.row) * grid_.parts.divisor + place_.lane / grid_.group;
          reinterpret_cast<State*>(partials_)[piece] = state;
        }
        return;
      }
      value = static_cast<T>(reduction.reducer.finish(state, grid_.count));
    }
    if (grid_.target == I && place_.active && place_.lane == 0) {
      *reinterpret_cast<T*>(this->template start<k>()) = value;
    }
    weft::get<I>(values_) = value;
  }

  /// What this thread's vectors of the row come to, or the pieces that an earlier kernel left.
  template <class Reduction>
  __device__ __forceinline__ typename Reduction::state state_of(const Reduction& reduction) {
    using State = typename Reduction::state;
    State total{};
    if (grid_.stage == RowLoops::merge) {
      const State* pieces = reinterpret_cast<const State*>(partials_) +
                            static_cast<int64_t>(place_.row) * grid_.splits;
      for (unsigned s = place_.lane; place_.active && s < grid_.splits; s += grid_.group) {
        reduction.reducer.merge(total, pieces[s]);
      }
      return total;
    }
    State group{};  // of a chunk, so that rounding does not grow with the row
    const auto program = hoist(reduction.program, RowScalars<Values>{values_});
    this->template walk<uses_of<decltype(reduction.program)>>(
        place_.mine, place_.singles,
        [&](const Registers<V>& registers, char* const*, long long position) {
          typename decltype(program)::type x[V];
#pragma unroll
          for (int j = 0; j < V; ++j) x[j] = program(Lane<V>{registers, values_, j});
          add_all<V>(reduction.reducer, group, x, position, V);
        },
        [&] {
          reduction.reducer.merge(total, group);
          group = State{};
        },
        [&](const Registers<1>& registers, const Values& values, long long position) {
          reduction.reducer.add(group, reduction.program(Lane<1>{registers, values, 0}), position);
        });
    reduction.reducer.merge(total, group);
    return total;
  }

  template <int I, class T, std::size_t... J>
  __device__ __forceinline__ void take_same(T& value, std::index_sequence<J...>) const {
    (take_if_same<I, static_cast<int>(J)>(value), ...);
  }
  template <int I, int J, class T>
  __device__ __forceinline__ void take_if_same(T& value) const {
    using Other = std::remove_cvref_t<decltype(weft::get<J>(values_))>;
    if constexpr (std::is_same_v<T, Other>) {
      if (grid_.same[I] == J) value = weft::get<J>(values_);
    }
  }

  template <std::size_t... K>
  __device__ __forceinline__ void store_outputs(std::index_sequence<K...>) {
    const bool whole = grid_.any_along_row;  // else one element of the row is enough
    const auto programs = pack_of(
        hoist(weft::get<static_cast<int>(K)>(program_.outputs), RowScalars<Values>{values_})...);
    if (!whole) {
      place_.vectors = place_.mine = 0;
      place_.singles = place_.active ? 1 : 0;
    }
    this->template walk<(uses_of<Ps> | ... | ((std::uint64_t{1} << outputs) - 1))>(
        place_.mine, place_.singles,
        [&](const Registers<V>& registers, char* const* at, long long position) {
          Pack<Vector<Outs, V>...> results;
          (compute(weft::get<static_cast<int>(K)>(results),
                   weft::get<static_cast<int>(K)>(programs), registers, values_),
           ...);
          (store_output<static_cast<int>(K)>(weft::get<static_cast<int>(K)>(results), at[K],
                                             position == 0),
           ...);
        },
        [] {},
        [&](const Registers<1>& registers, const Values& values, long long position) {
          Pack<Vector<Outs, 1>...> results;
          (compute(weft::get<static_cast<int>(K)>(results),
                   weft::get<static_cast<int>(K)>(program_.outputs), registers, values),
           ...);
          (store_single<static_cast<int>(K)>(weft::get<static_cast<int>(K)>(results), position),
           ...);
        });
  }
  template <class Out, int W, class P>
  __device__ __forceinline__ void compute(Vector<Out, W>& out, const P& program,
                                          const Pack<Vector<Ts, W>...>& registers,
                                          const Values& values) const {
#pragma unroll
    for (int j = 0; j < W; ++j) {
      out.lane[j] = stored_value<Out>(program, Lane<W>{registers, values, j});
    }
  }
  template <int K, class Out>
  __device__ __forceinline__ void store_output(const Vector<Out, V>& in, char* at,
                                               bool first) const {
    const RowOperand& x = grid_.operand[K];
    if (x.access == RowOperand::whole_vector) {
      *reinterpret_cast<Vector<Out, V>*>(at) = in;
    } else if (x.access == RowOperand::by_lane) {
      store_by_lane(in, at, x.lane);
    } else if (first) {
      *reinterpret_cast<Out*>(this->template start<K>()) = in.lane[0];
    }
  }
  template <int K, class Out>
  __device__ __forceinline__ void store_single(const Vector<Out, 1>& in, long long position) const {
    if ((grid_.along_row >> K & 1U) != 0) {
      *reinterpret_cast<Out*>(element(grid_, grid_.operand[K], place_.row, position)) = in.lane[0];
    } else if (position == 0) {
      *reinterpret_cast<Out*>(this->template start<K>()) = in.lane[0];
    }
  }

  const Program& program_;
  char* partials_;
  char* shared_;
  unsigned turn_ = 0;
};

}  // namespace detail

/// Runs a task of a row program.
template <class Outs, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(row_block, V == 8 ? 4 : 3)
    row_kernel(const __grid_constant__ RowGrid<N> grid, const __grid_constant__ Program program,
               char* partials) {
  extern __shared__ __align__(128) char weft_row_shared[];
  detail::RowThread<Outs, Types, V, Program>(grid, program, partials, weft_row_shared).run();
}

}  // namespace weft::on_cuda

#endif
