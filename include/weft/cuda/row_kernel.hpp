// The row kernel: reductions in order, each over a row kept on the chip, then the outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/row_threads.hpp"

#if defined(__CUDACC__)

namespace weft::cuda {

namespace detail {

using weft::detail::TypeList;
using weft::detail::uses_of;

/// The registers of a vector of a row, as a program reads lane j of them.
template <int First, class Registers, class Values>
struct RowLane {
  const Registers& registers;
  const Values& values;
  int j;
  template <int I>
  __device__ __forceinline__ auto get() const {
    return load_element(weft::get<I - First>(registers).lane[j]);
  }
  template <int I>
  __device__ __forceinline__ auto reduced() const {
    return weft::get<I>(values);
  }
};

template <class Outs, class Types, int V, class Program>
class RowThread;

/// One thread of a row kernel.
template <class... Outs, class... Ts, int V, class... Rs, class... Ps>
class RowThread<TypeList<Outs...>, TypeList<Ts...>, V, RowProgram<Pack<Rs...>, Pack<Ps...>>> {
 public:
  static constexpr int outputs = sizeof...(Outs);
  static constexpr int leaves = sizeof...(Ts);
  static constexpr int reductions = sizeof...(Rs);
  static constexpr int n = outputs + leaves + reductions;
  using Grid = RowGrid<n>;
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;

  __device__ __forceinline__ RowThread(const Grid& grid, const Program& program, char* partials,
                                       char* shared)
      : grid_(grid), program_(program), partials_(partials), shared_(shared) {
    place_ = place_in_block(grid);
    const char* head = nullptr;
    int size = 1;
    if (grid.head_operand >= 0) {
      const RowOperand& x = grid.operand[grid.head_operand];
      head = row_start(grid, x, place_.row);
      size = x.itemsize;
    }
    divide_row(grid, place_, V, head, size);
  }

  __device__ __forceinline__ void run() {
    if (grid_.slots > 0) {
#pragma unroll 1
      for (int s = 0; s < grid_.slots; ++s) {
        const RowOperand& x = grid_.operand[grid_.slot_operand[s]];
        keep_row(grid_, place_, x, shared_ + x.slot_offset, V);
      }
      wait_for_copies();
    }
    reduce_all(std::make_index_sequence<reductions>{});
    if (grid_.target < 0) store_outputs(std::make_index_sequence<outputs>{});
    if (grid_.cluster) cluster_barrier();  // others may still read this block's shared memory
  }

 private:
  template <int W>
  using Registers = Pack<Vector<Ts, W>...>;
  using Values = Pack<typename Rs::value...>;
  template <int W>
  using Lane = RowLane<outputs, Registers<W>, Values>;
  using Leaves = std::make_index_sequence<leaves>;
  using Both = std::make_index_sequence<outputs + leaves>;

  template <int K, std::uint64_t Uses>
  static constexpr bool is_used = (Uses >> K & 1U) != 0;

  /// Calls full(registers, at, position) for this thread's full vectors, with the addresses of the
  /// operands that Uses names and the registers of those that are leaves; then
  /// one(registers, values, position) for its elements in no full vector.
  template <std::uint64_t Uses, class Full, class Single>
  __device__ __forceinline__ void walk(unsigned vectors, unsigned singles, const Full& full,
                                       const Single& one) {
    unsigned k = place_.lane;
    if (k < vectors) {
      char* at[outputs + leaves];
      bool whole[outputs + leaves];
      bool by_lane[outputs + leaves];
      Registers<V> registers;
      begin<Uses>(at, whole, by_lane, k, Both{});
      spread<Uses>(registers, at, whole, by_lane, Leaves{});
      const bool simple = grid_.reduced_rank <= 1;
#pragma unroll 1
      for (;;) {
        load<Uses>(registers, at, whole, by_lane, Leaves{});
        full(registers, at, static_cast<long long>(k) * V + place_.before);
        k += grid_.stride;
        if (k >= vectors) break;
        advance<Uses>(at, Both{});
        if (!simple) begin_again<Uses>(at, k, Both{});
      }
    }
#pragma unroll 1
    for (unsigned s = place_.lane; s < singles; s += grid_.stride) {
      const long long position =
          s < place_.before ? s : s + static_cast<long long>(place_.vectors) * V;
      Registers<1> registers;
      Values values = values_;
      load_singles<Uses>(registers, position, Leaves{});
      if (grid_.varies != 0) {
        load_values(values, position, std::make_index_sequence<reductions>{});
      }
      one(registers, values, position);
    }
  }

  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void begin(char** at, bool* whole, bool* by_lane, unsigned k,
                                        std::index_sequence<I...>) const {
    (begin_operand<static_cast<int>(I), is_used<I, Uses>>(at[I], whole[I], by_lane[I], k), ...);
  }
  template <int K, bool Used>
  __device__ __forceinline__ void begin_operand(char*& at, bool& whole, bool& by_lane,
                                                unsigned k) const {
    if constexpr (Used) {
      const RowOperand& x = grid_.operand[K];
      at = x.slot_offset == RowLoops::not_kept
               ? vector_start(grid_, x, place_, k)
               : shared_ + x.slot_offset + threadIdx.x * static_cast<unsigned>(x.itemsize * V);
      whole = x.access == RowOperand::whole_vector;
      by_lane = x.access == RowOperand::by_lane;
    }
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void begin_again(char** at, unsigned k,
                                              std::index_sequence<I...>) const {
    (begin_operand_again<static_cast<int>(I), is_used<I, Uses>>(at[I], k), ...);
  }
  template <int K, bool Used>
  __device__ __forceinline__ void begin_operand_again(char*& at, unsigned k) const {
    if constexpr (Used) {
      const RowOperand& x = grid_.operand[K];
      if (x.slot_offset == RowLoops::not_kept) {
        at = vector_start_by_axes(grid_, x, place_.row, place_.before, k);
      }
    }
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void advance(char** at, std::index_sequence<I...>) const {
    ((at[I] += is_used<I, Uses> ? grid_.operand[I].step : 0), ...);
  }

  /// Operands with one element for the whole row are read once.
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void spread(Registers<V>& registers, char* const* at,
                                         const bool* whole, const bool* by_lane,
                                         std::index_sequence<I...>) const {
    (spread_leaf<is_used<outputs + I, Uses>>(weft::get<static_cast<int>(I)>(registers),
                                             at[outputs + I],
                                             whole[outputs + I] || by_lane[outputs + I]),
     ...);
  }
  template <bool Used, class T>
  __device__ __forceinline__ void spread_leaf(Vector<T, V>& out, const char* at,
                                              bool others) const {
    if constexpr (Used && !std::is_same_v<T, Position>) {
      const T value = others ? T{} : *reinterpret_cast<const T*>(at);
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = value;
    }
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void load(Registers<V>& registers, char* const* at, const bool* whole,
                                       const bool* by_lane, std::index_sequence<I...>) const {
    (load_leaf<outputs + static_cast<int>(I), is_used<outputs + I, Uses>>(
         weft::get<static_cast<int>(I)>(registers), at[outputs + I], whole[outputs + I],
         by_lane[outputs + I]),
     ...);
  }
  template <int K, bool Used, class T>
  __device__ __forceinline__ void load_leaf(Vector<T, V>& out, const char* at, bool whole,
                                            bool by_lane) const {
    if constexpr (!Used) {
    } else if constexpr (std::is_same_v<T, Position>) {
      const long long first = reinterpret_cast<long long>(at) - Position::origin;
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = first + j * grid_.operand[K].lane;
    } else {
      if (whole) out = *reinterpret_cast<const Vector<T, V>*>(at);
      if (by_lane) {
#pragma unroll
        for (int j = 0; j < V; ++j) {
          out.lane[j] = reinterpret_cast<const T*>(at)[j * grid_.operand[K].lane];
        }
      }
    }
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void load_singles(Registers<1>& registers, long long position,
                                               std::index_sequence<I...>) const {
    (load_single_leaf<outputs + static_cast<int>(I), is_used<outputs + I, Uses>>(
         weft::get<static_cast<int>(I)>(registers), position),
     ...);
  }
  template <int K, bool Used, class T>
  __device__ __forceinline__ void load_single_leaf(Vector<T, 1>& out, long long position) const {
    if constexpr (Used) load_single(out, element(grid_, grid_.operand[K], place_.row, position));
  }
  template <std::size_t... I>
  __device__ __forceinline__ void load_values(Values& values, long long position,
                                              std::index_sequence<I...>) const {
    (load_value<static_cast<int>(I)>(weft::get<static_cast<int>(I)>(values), position), ...);
  }
  template <int I, class T>
  __device__ __forceinline__ void load_value(T& out, long long position) const {
    if ((grid_.varies >> I & 1U) == 0) return;
    out = *reinterpret_cast<const T*>(
        element(grid_, grid_.operand[outputs + leaves + I], place_.row, position));
  }

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
      if (place_.active) value = *reinterpret_cast<const T*>(start<k>());
    } else if (grid_.mode[I] == RowMode::same) {
      take_same<I>(value, std::make_index_sequence<I>{});
    } else if (grid_.mode[I] == RowMode::compute) {
      using State = typename Reduction::state;
      const RowTeam team{grid_.group, grid_.warps, grid_.parts.divisor, grid_.columns,
                         grid_.cluster};
      char* const scratch = shared_ + turn_++ % 2 * grid_.scratch;
      const State state = merge_group(reduction.reducer, state_of(reduction), team, scratch);
      if (grid_.stage == RowLoops::partial) {
        if (place_.active && place_.lane % grid_.group == 0) {
          const auto piece = static_cast<int64_t>(place_.row) * grid_.parts.divisor +
                             place_.lane / grid_.group;
          reinterpret_cast<State*>(partials_)[piece] = state;
        }
        return;
      }
      value = static_cast<T>(reduction.reducer.finish(state, grid_.count));
    }
    if (grid_.target == I && place_.active && place_.lane == 0) {
      *reinterpret_cast<T*>(start<k>()) = value;
    }
    weft::get<I>(values_) = value;
  }

  template <int K>
  __device__ __forceinline__ char* start() const {
    return row_start(grid_, grid_.operand[K], place_.row);
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
    State group{};  // of 16 vectors, so that rounding does not grow with the row
    unsigned step = 0;
    walk<uses_of<decltype(reduction.program)>>(
        place_.vectors, place_.singles,
        [&](const Registers<V>& registers, char* const*, long long position) {
#pragma unroll
          for (int j = 0; j < V; ++j) {
            reduction.reducer.add(group, reduction.program(Lane<V>{registers, values_, j}),
                                  position + j);
          }
          if (grid_.deep && ++step % 16 == 0) {
            reduction.reducer.merge(total, group);
            group = State{};
          }
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
    walk<(uses_of<Ps> | ... | ((std::uint64_t{1} << outputs) - 1))>(
        whole ? place_.vectors : 0, whole ? place_.singles : place_.active ? 1 : 0,
        [&](const Registers<V>& registers, char* const* at, long long position) {
          Pack<Vector<Outs, V>...> results;
          (compute(weft::get<static_cast<int>(K)>(results),
                   weft::get<static_cast<int>(K)>(program_.outputs), registers, values_),
           ...);
          (store_output<static_cast<int>(K)>(weft::get<static_cast<int>(K)>(results), at[K],
                                             position == 0),
           ...);
        },
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
      out.lane[j] = store_element<Out>(program(Lane<W>{registers, values, j}));
    }
  }
  template <int K, class Out>
  __device__ __forceinline__ void store_output(const Vector<Out, V>& in, char* at,
                                               bool first) const {
    const RowOperand& x = grid_.operand[K];
    if (x.access == RowOperand::whole_vector) {
      *reinterpret_cast<Vector<Out, V>*>(at) = in;
    } else if (x.access == RowOperand::by_lane) {
#pragma unroll
      for (int j = 0; j < V; ++j) reinterpret_cast<Out*>(at)[j * x.lane] = in.lane[j];
    } else if (first) {
      *reinterpret_cast<Out*>(start<K>()) = in.lane[0];
    }
  }
  template <int K, class Out>
  __device__ __forceinline__ void store_single(const Vector<Out, 1>& in, long long position) const {
    if ((grid_.along_row >> K & 1U) != 0) {
      *reinterpret_cast<Out*>(element(grid_, grid_.operand[K], place_.row, position)) = in.lane[0];
    } else if (position == 0) {
      *reinterpret_cast<Out*>(start<K>()) = in.lane[0];
    }
  }

  const Grid& grid_;
  const Program& program_;
  char* partials_;
  char* shared_;
  RowPlace place_;
  unsigned turn_ = 0;
  Values values_;
};

}  // namespace detail

/// Runs a task of a row program.
template <class Outs, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(row_block, 2)
    row_kernel(const __grid_constant__ RowGrid<N> grid, const __grid_constant__ Program program,
               char* partials) {
  extern __shared__ __align__(128) char weft_row_shared[];
  detail::RowThread<Outs, Types, V, Program>(grid, program, partials, weft_row_shared).run();
}

}  // namespace weft::cuda

#endif
