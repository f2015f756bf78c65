// A thread's walk along its row: by vectors, and by single elements at the ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/threads.hpp"
#include "weft/eval/rows/program.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

using weft::detail::TypeList;

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
    ((bits |= std::uint64_t{std::is_same_v<Ts, IndexOperand>} << i++), ...);
    return bits;
  }();
};

template <class T, int V>
__device__ __noinline__ void store_by_lane(const Vector<T, V> in, char* at, int64_t stride) {
#pragma unroll
  for (int j = 0; j < V; ++j) reinterpret_cast<T*>(at)[j * stride] = in.lane[j];
}

/// A row's reductions alone.
template <class Values>
struct RowScalars {
  const Values& values;
  template <int I>
  __device__ __forceinline__ auto reduced() const {
    return weft::get<I>(values);
  }
};

template <int Outputs, class Types, int V, class Values>
class RowWalk;

/// The operands of types Ts, read V elements at a time, of a row whose reductions have the types
/// Vs.
template <int Outputs, class... Ts, int V, class... Vs>
class RowWalk<Outputs, TypeList<Ts...>, V, Pack<Vs...>> {
 public:
  static constexpr int outputs = Outputs;
  static constexpr int leaves = sizeof...(Ts);
  static constexpr int reductions = sizeof...(Vs);
  static constexpr int n = outputs + leaves + reductions;
  template <int W>
  using Registers = Pack<Vector<Ts, W>...>;
  using Values = Pack<Vs...>;
  template <int W>
  using Lane = RowLane<outputs, Registers<W>, Values>;
  using Grid = RowGrid<n>;

  __device__ __forceinline__ RowWalk(const Grid& grid, char* shared)
      : grid_(grid), shared_address_(static_cast<unsigned>(__cvta_generic_to_shared(shared))) {
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

  /// Brings what is kept for the whole row to shared memory.
  __device__ __forceinline__ void keep_row() const {
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
  }

  /// Where the row begins in operand K.
  template <int K>
  __device__ __forceinline__ char* start() const {
    return row_start(grid_, grid_.operand[K], place_.row);
  }

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

 protected:
  const Grid& grid_;
  unsigned shared_address_;
  RowPlace place_;
  Values values_;

 private:
  using Leaves = std::make_index_sequence<leaves>;
  using Both = std::make_index_sequence<outputs + leaves>;

  template <int K, std::uint64_t Uses>
  static constexpr bool is_used = (Uses >> K & 1U) != 0;

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
  static constexpr bool is_position = ((RowKernelTypes<Ts...>::positions << outputs) >> K & 1U) !=
                                      0;

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
    const unsigned start =
        shared_address_ + x.slot_offset + threadIdx.x * static_cast<unsigned>(x.itemsize * V);
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
      const long long first = reinterpret_cast<long long>(at) - IndexOperand::origin;
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = first + j * grid_.operand[K].lane;
    } else {
      const RowOperand::Access access = grid_.operand[K].access;
      if (access == RowOperand::slot) {
        out = load_shared<Vector<T, V>>(slot);
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
};

}  // namespace weft::on_cuda::detail

#endif
