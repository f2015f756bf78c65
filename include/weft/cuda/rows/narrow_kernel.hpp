// The row kernel for short rows: a thread reads its few elements once and keeps them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "weft/cuda/primitive/reduce_state.hpp"
#include "weft/cuda/rows/exchange.hpp"
#include "weft/cuda/rows/shared.hpp"
#include "weft/cuda/rows/walk.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

using weft::detail::TypeList;
using weft::detail::uses_of;

/// The elements that a thread keeps of each operand; 0 if there are too many operands.
template <int Leaves>
inline constexpr int narrow_lanes = Leaves <= 24 ? 8 : 0;

/// The type of what a thread keeps from its first reading, that of the first operand that a
/// reduction reads, and the leaves that have it.
template <int Outputs, class Types, class Program>
struct NarrowKept;
template <int Outputs, class... Ts, class... Rs, class Results>
struct NarrowKept<Outputs, TypeList<Ts...>, RowProgram<Pack<Rs...>, Results>> {
  static constexpr std::uint64_t reduced =
      (uses_of<decltype(Rs::program)> | ...) & ~(RowKernelTypes<Ts...>::positions << Outputs);
  using type = typename Nth<reduced == 0 ? 0 : std::countr_zero(reduced) - Outputs, Ts...>::type;
  static constexpr std::uint64_t leaves = reduced == 0 ? 0 : leaves_of_type<type, Ts...>(Outputs);
};

template <class Outs, class Types, int V, class Program>
class NarrowThread;

/// One thread of the kernel; up to 32 adjacent ones share a row.
template <class... Outs, class... Ts, int V, class... Rs, class... Ps>
class NarrowThread<TypeList<Outs...>, TypeList<Ts...>, V, RowProgram<Pack<Rs...>, Pack<Ps...>>>
    : RowWalk<sizeof...(Outs), TypeList<Ts...>, V, Pack<typename Rs::value...>> {
  using Walk = RowWalk<sizeof...(Outs), TypeList<Ts...>, V, Pack<typename Rs::value...>>;

 public:
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;

  __device__ __forceinline__ NarrowThread(const typename Walk::Grid& grid, const Program& program)
      : Walk(grid), program_(program) {}

  __device__ __forceinline__ void run() {
    const unsigned first = grid_.blocked ? place_.lane * V : place_.lane;
    item_ = {first, grid_.blocked ? 1 : grid_.apart, 0};
    if (place_.active && first < grid_.inner) {
      const unsigned left = grid_.inner - first;
      const unsigned n = grid_.blocked ? left : (left + grid_.group - 1) >> grid_.group_shift;
      item_.n = static_cast<int>(n < V ? n : V);
    }
    if constexpr (Keeps::leaves != 0) {
      if (grid_.read_once != 0)
        this->load_operand(read_once_, grid_.once_operand, item_, grid_.most);
    }
    reduce_all(std::make_index_sequence<reductions>{});
    if (grid_.target < 0) store_all(std::make_index_sequence<outputs>{});
  }

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
  using Shared = NarrowShared<Program>;
  using Keeps = NarrowKept<outputs, TypeList<Ts...>, Program>;
  using Kept = RowVector<typename Keeps::type, V>;

  /// The values of a program at this thread's elements.
  template <class P>
  __device__ __forceinline__ void compute(const P& program, const Registers& registers,
                                          typename P::type (&x)[V]) {
    const auto lane = [&](int j) { return Lane{registers, values_, j}; };
    if constexpr (has_effects<P>) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j < item_.n) x[j] = program(lane(j));
      }
    } else {
      Evaluation(grid_.shared, kept_, lane, grid_.constants, grid_.most).run(program, x);
    }
  }

  template <std::size_t... I>
  __device__ __forceinline__ void reduce_all(std::index_sequence<I...>) {
    (reduce<static_cast<int>(I)>(weft::get<static_cast<int>(I)>(program_.reductions)), ...);
  }
  template <int I, class Reduction>
  __device__ __forceinline__ void reduce(const Reduction& reduction) {
    using T = typename Reduction::value;
    T value{};
    if (grid_.mode[I] == RowMode::same) {
      take_same<I>(value, std::make_index_sequence<I>{});
    } else if (grid_.mode[I] == RowMode::compute) {
      using State = typename Reduction::state;
      State state{};
      const auto program = hoist(reduction.program, RowScalars<Values>{values_});
      using R = std::remove_cvref_t<decltype(reduction.reducer)>;
      using C = typename decltype(program)::type;
      C x[V] = {};
      compute(program, read<uses_of<std::remove_cvref_t<decltype(reduction.program)>>>(), x);
      if constexpr (takes_first<R, State, C, V>) {
        reduction.reducer.add_first(state, x, item_.n);
      } else {
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (j < item_.n) {
            reduction.reducer.add(state, x[j],
                                  static_cast<long long>(item_.position) + j * item_.apart);
          }
        }
      }
      const unsigned next = grid_.columns ? 1U << grid_.width_shift : 1;  // lane of the row's next
      if constexpr (merges_alike<R, State>) {
        merge_opposites(reduction.reducer, state, next, grid_.group * next);
      } else {
#pragma unroll 1
        for (unsigned w = grid_.group / 2 * next; w >= next; w /= 2) {
          reduction.reducer.merge(state, shuffle<true>(state, w));
        }
        if (grid_.group > 1) {
          const unsigned mine = grid_.columns ? next - 1 : 32 - grid_.group;
          state = shuffle<false>(state, threadIdx.x & mine);
        }
      }
      value = static_cast<T>(reduction.reducer.finish(state, grid_.inner));
    }
    if (grid_.mode[I] == RowMode::load || grid_.target == I) {
      char* const at = this->template start<outputs + leaves + I>();
      if (grid_.mode[I] == RowMode::load && place_.active) value = *reinterpret_cast<const T*>(at);
      if (grid_.target == I && place_.active && place_.thread == 0) {
        *reinterpret_cast<T*>(at) = value;
      }
    }
    weft::get<I>(values_) = value;
  }
  template <int I>
  using Reduction =
      std::remove_cvref_t<decltype(weft::get<I>(std::declval<const Program&>().reductions))>;
  template <int I, class T, std::size_t... J>
  __device__ __forceinline__ void take_same(T& value, std::index_sequence<J...>) const {
    (take_if_same<I, static_cast<int>(J)>(value), ...);
  }
  template <int I, int J, class T>
  __device__ __forceinline__ void take_if_same(T& value) const {
    if constexpr (weft::detail::may_be_equal<Reduction<I>, Reduction<J>>) {
      if (grid_.same[I] == J) value = weft::get<J>(values_);
    }
  }

  template <std::size_t... K>
  __device__ __forceinline__ void store_all(std::index_sequence<K...>) {
    if (!grid_.any_along_row) {
      item_.n = place_.active && place_.lane == 0 ? 1 : 0;
    }
    const RowScalars<Values> row{values_};
    const Registers registers = read<(uses_of<Ps> | ...)>();
    Pack<Vector<Outs, V>...> results;
    (compute_output(weft::get<static_cast<int>(K)>(results), registers,
                    hoist(weft::get<static_cast<int>(K)>(program_.outputs), row)),
     ...);
    char* at[outputs + leaves];
    this->template begin<(std::uint64_t{1} << outputs) - 1>(at);
    (store<static_cast<int>(K)>(weft::get<static_cast<int>(K)>(results), at[K]), ...);
  }
  /// Reads a program's operands; those that another program has read are still in L1. All programs'
  /// operands at once would exceed a thread's registers.
  template <std::uint64_t Uses>
  __device__ __forceinline__ Registers read() const {
    Registers registers{};
    char* at[outputs + leaves];
    this->template begin<Uses>(at);
    this->template load<Uses>(registers, at, item_, false, grid_.most);
    take_read_once<Uses>(registers, std::make_index_sequence<leaves>{});
    return registers;
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void take_read_once(Registers& registers,
                                                 std::index_sequence<I...>) const {
    (take_if_read_once<Uses, outputs + static_cast<int>(I)>(
         weft::get<static_cast<int>(I)>(registers)),
     ...);
  }
  template <std::uint64_t Uses, int K, class T>
  __device__ __forceinline__ void take_if_read_once(T& out) const {
    if constexpr (((Uses & Keeps::leaves) >> K & 1U) != 0) {
      if ((grid_.read_once >> K & 1U) != 0) out = read_once_;
    }
  }
  template <class Out, class P>
  __device__ __forceinline__ void compute_output(Vector<Out, V>& out, const Registers& registers,
                                                 const P& program) {
    if constexpr (has_shared<Shared, P>) {
      typename P::type x[V];
      compute(program, registers, x);
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = store_element<Out>(x[j]);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (ends_at<V>(j, grid_.most)) break;
        if (!has_effects<P> || j < item_.n) {
          out.lane[j] = stored_value<Out>(program, Lane{registers, values_, j});
        }
      }
    }
  }
  template <int K, class Out>
  __device__ __forceinline__ void store(const Vector<Out, V>& in, char* at) const {
    const bool along = (grid_.along_row >> K & 1U) != 0;
    if ((grid_.vectors >> K & 1U) != 0 && item_.n == V) {
      *reinterpret_cast<Vector<Out, V>*>(at) = in;
      return;
    }
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (ends_at<V>(j, grid_.most)) break;
      if (j < item_.n && (along || (j == 0 && place_.lane == 0))) {
        *reinterpret_cast<Out*>(at) = in.lane[j];
      }
      at += grid_.operand[K].hop;
    }
  }

  const Program& program_;
  KeptValues<Shared, V> kept_{};
  Kept read_once_{};
  RowItem item_;
};

}  // namespace detail

/// Runs a task of a row program over short rows.
template <class Outs, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(256) row_narrow_kernel(const __grid_constant__ RowGrid<N> grid,
                                                         const __grid_constant__ Program program) {
  detail::wait_for_kernel_before();
  detail::admit_next_kernel();
  detail::NarrowThread<Outs, Types, V, Program>(grid, program).run();
}

}  // namespace weft::on_cuda

#endif
