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

/// Bit I where the I-th type is Position.
template <class... Ts>
struct RowKernelTypes {
  static constexpr std::uint64_t positions = [] {
    std::uint64_t bits = 0;
    int i = 0;
    ((bits |= std::uint64_t{std::is_same_v<Ts, Position>} << i++), ...);
    return bits;
  }();
};

template <class T, int V>
__device__ __noinline__ void store_by_lane(const Vector<T, V> in, char* at, int64_t stride) {
#pragma unroll
  for (int j = 0; j < V; ++j) reinterpret_cast<T*>(at)[j * stride] = in.lane[j];
}

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
      : grid_(grid),
        program_(program),
        partials_(partials),
        shared_(shared),
        shared_address_(static_cast<unsigned>(__cvta_generic_to_shared(shared))) {
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
    bool any = false;
#pragma unroll 1
    for (int s = 0; s < grid_.slots; ++s) {
      if (grid_.slot_kept[s] && place_.mine > 0) {
        const RowOperand& x = grid_.operand[grid_.slot_operand[s]];
        stage(grid_, x, place_.row, place_.before, place_.lane, place_.mine,
              shared_address_ + x.slot_offset, V);
        any = true;
      }
    }
    if (any) wait_for_copies();
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

  /// Calls full(registers, at, position) for this thread's full vectors, with the registers of the
  /// operands that Uses names and the addresses of the outputs among them, and flush() after each
  /// few; then one(registers, values, position) for its elements in no full vector.
  template <std::uint64_t Uses, class Full, class Flush, class Single>
  __device__ __forceinline__ void walk(unsigned mine, unsigned singles, const Full& full,
                                       const Flush& flush, const Single& one) {
    if (mine > 0) {
      unsigned k = place_.lane;
      Registers<V> registers;
      unsigned slot[leaves > 0 ? leaves : 1];
      char* at[outputs + leaves];
      begin<Uses>(at, k, Both{});
      spread<Uses>(registers, Leaves{});
#pragma unroll 1
      for (unsigned i = 0; i < mine;) {
        const unsigned n = mine - i < grid_.chunk ? mine - i : grid_.chunk;
        stage_chunk<Uses>(k, n);
        begin_chunk<Uses>(slot, i, Leaves{});
        i += n;
#pragma unroll 1
        for (unsigned j = 0; j < n; ++j) {
          load<Uses>(registers, slot, at, k, Leaves{});
          full(registers, at, static_cast<long long>(k) * V + place_.before);
          k += grid_.stride.divisor;
          advance<Uses>(slot, at, Both{});
          if (grid_.reduced_rank > 1 && k < place_.vectors) begin<Uses>(at, k, Both{});
        }
        flush();
      }
    }
#pragma unroll 1
    for (unsigned s = place_.lane; s < singles; s += grid_.stride.divisor) {
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

  /// Brings the operands that are not kept for the whole row to shared memory, n vectors from k on.
  template <std::uint64_t Uses>
  __device__ __forceinline__ void stage_chunk(unsigned k, unsigned n) const {
    bool any = false;
#pragma unroll 1
    for (int s = 0; s < grid_.slots; ++s) {
      if (!grid_.slot_kept[s] && (grid_.slot_readers[s] & Uses) != 0) {
        const RowOperand& x = grid_.operand[grid_.slot_operand[s]];
        stage(grid_, x, place_.row, place_.before, k, n, shared_address_ + x.slot_offset, V);
        any = true;
      }
    }
    if (any) wait_for_copies();
  }

  template <int K>
  static constexpr bool is_position =
      ((RowKernelTypes<Ts...>::positions << outputs) >> K & 1U) != 0;

  /// The addresses of outputs and of operands without memory at vector k; of those that are read
  /// as they are, at the row's first vector.
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void begin(char** at, unsigned k, std::index_sequence<I...>) const {
    (begin_operand<static_cast<int>(I), is_used<I, Uses>>(at[I], k), ...);
  }
  template <int K, bool Used>
  __device__ __forceinline__ void begin_operand(char*& at, unsigned k) const {
    if constexpr (Used) {
      const RowOperand& x = grid_.operand[K];
      if constexpr (K < outputs || is_position<K>) {
        at = vector_start(grid_, x, place_, k);
      } else if (x.access == RowOperand::whole_vector) {
        at = x.data;
      }
    }
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void begin_chunk(unsigned* slot, unsigned i,
                                              std::index_sequence<I...>) const {
    ((slot[I] = is_used<outputs + I, Uses> ? slot_of<outputs + static_cast<int>(I)>(i) : 0), ...);
  }
  template <int K>
  __device__ __forceinline__ unsigned slot_of(unsigned i) const {
    const RowOperand& x = grid_.operand[K];
    const unsigned start = x.slot_offset + threadIdx.x * static_cast<unsigned>(x.itemsize * V);
    return x.keeps_row ? start + i * x.slot_step : start;
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void advance(unsigned* slot, char** at,
                                          std::index_sequence<I...>) const {
    (advance_operand<static_cast<int>(I), is_used<I, Uses>>(slot, at), ...);
  }
  template <int K, bool Used>
  __device__ __forceinline__ void advance_operand(unsigned* slot, char** at) const {
    if constexpr (!Used) {
    } else if constexpr (K < outputs || is_position<K>) {
      at[K] += grid_.operand[K].step;
    } else {
      slot[K - outputs] += grid_.operand[K].slot_step;
    }
  }

  /// Operands with one element for the whole row are read once.
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void spread(Registers<V>& registers, std::index_sequence<I...>) const {
    (spread_leaf<outputs + static_cast<int>(I), is_used<outputs + I, Uses>>(
         weft::get<static_cast<int>(I)>(registers)),
     ...);
  }
  template <int K, bool Used, class T>
  __device__ __forceinline__ void spread_leaf(Vector<T, V>& out) const {
    if constexpr (Used && !is_position<K>) {
      const bool one = grid_.operand[K].access == RowOperand::one_element;
      const T value = one ? *reinterpret_cast<const T*>(start<K>()) : T{};
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = value;
    }
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void load(Registers<V>& registers, const unsigned* slot,
                                       char* const* at, unsigned k,
                                       std::index_sequence<I...>) const {
    (load_leaf<outputs + static_cast<int>(I), is_used<outputs + I, Uses>>(
         weft::get<static_cast<int>(I)>(registers), slot[I], at[outputs + I], k),
     ...);
  }
  template <int K, bool Used, class T>
  __device__ __forceinline__ void load_leaf(Vector<T, V>& out, unsigned slot, const char* at,
                                            unsigned k) const {
    if constexpr (!Used) {
    } else if constexpr (is_position<K>) {
      const long long first = reinterpret_cast<long long>(at) - Position::origin;
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = first + j * grid_.operand[K].lane;
    } else {
      const RowOperand::Access access = grid_.operand[K].access;
      if (access == RowOperand::slot) {
        out = *reinterpret_cast<const Vector<T, V>*>(shared_ + slot);
      } else if (access == RowOperand::whole_vector) {
        out = reinterpret_cast<const Vector<T, V>*>(at)[k];
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
    State group{};  // of a chunk, so that rounding does not grow with the row
    walk<uses_of<decltype(reduction.program)>>(
        place_.mine, place_.singles,
        [&](const Registers<V>& registers, char* const*, long long position) {
#pragma unroll
          for (int j = 0; j < V; ++j) {
            reduction.reducer.add(group, reduction.program(Lane<V>{registers, values_, j}),
                                  position + j);
          }
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
    if (!whole) {
      place_.vectors = place_.mine = 0;
      place_.singles = place_.active ? 1 : 0;
    }
    walk<(uses_of<Ps> | ... | ((std::uint64_t{1} << outputs) - 1))>(
        place_.mine, place_.singles,
        [&](const Registers<V>& registers, char* const* at, long long position) {
          Pack<Vector<Outs, V>...> results;
          (compute(weft::get<static_cast<int>(K)>(results),
                   weft::get<static_cast<int>(K)>(program_.outputs), registers, values_),
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
      store_by_lane(in, at, x.lane);
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
  unsigned shared_address_;
  RowPlace place_;
  unsigned turn_ = 0;
  Values values_;
};

}  // namespace detail

/// Runs a task of a row program.
template <class Outs, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(row_block, 3)
    row_kernel(const __grid_constant__ RowGrid<N> grid, const __grid_constant__ Program program,
               char* partials) {
  extern __shared__ __align__(128) char weft_row_shared[];
  detail::RowThread<Outs, Types, V, Program>(grid, program, partials, weft_row_shared).run();
}

}  // namespace weft::cuda

#endif
