// A thread's walk along its row: vectors, single elements at the ends, or elements alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/row_threads.hpp"
#include "weft/eval/row_program.hpp"

#if defined(__CUDACC__)

namespace weft::cuda::detail {

using weft::detail::TypeList;

/// Positions: of lane 0, and from a lane to the next.
struct RowPositions {
  long long first;
  long long step;
};
/// What a thread has of an operand at a time.
template <class T, int V>
struct RowVectorOf {
  using type = Vector<T, V>;
};
template <int V>
struct RowVectorOf<Position, V> {
  using type = RowPositions;
};
template <class T, int V>
using RowVector = typename RowVectorOf<T, V>::type;

template <class T, int V>
__device__ __forceinline__ auto lane_of(const Vector<T, V>& vector, int j) {
  return load_element(vector.lane[j]);
}
__device__ __forceinline__ long long lane_of(const RowPositions& positions, int j) {
  return positions.first + j * positions.step;
}

/// The registers of a vector of a row, as a program reads lane j of them.
template <int First, class Registers, class Values>
struct RowLane {
  const Registers& registers;
  const Values& values;
  int j;
  template <int I>
  __device__ __forceinline__ auto get() const {
    return lane_of(weft::get<I - First>(registers), j);
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

/// A row's reductions alone.
template <class Values>
struct RowScalars {
  const Values& values;
  template <int I>
  __device__ __forceinline__ auto reduced() const {
    return weft::get<I>(values);
  }
};

/// The elements of a row that a thread has at a time: n of them, at `position` and `apart` further
/// on each; `whole` where they are a full vector. `offset` is where most operands have the first.
struct RowItem {
  unsigned position;
  unsigned apart;
  int n;
  bool whole;
  int64_t offset;
};

/// Where an operand has the first element of an item, and how far apart the others are.
struct RowAddress {
  char* first;
  int64_t hop;
};
__device__ __forceinline__ RowAddress address_of(const RowLoops& grid, const RowOperand& x,
                                                 bool regular, unsigned row, const RowItem& item) {
  if (regular) return {x.data + item.offset * x.itemsize, grid.hop * x.itemsize};
  if (grid.simple) return {x.data + row * x.row + item.position * x.reduced_stride[0], x.hop};
  return {element(grid, x, row, item.position), x.hop};
}

/// An item's elements one by one.
template <class T, int V>
__device__ __noinline__ Vector<T, V> load_lanes(const RowLoops& grid, const RowOperand& x,
                                                bool regular, unsigned row, const RowItem item) {
  RowAddress at = address_of(grid, x, regular, row, item);
  Vector<T, V> out;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    out.lane[j] = j < item.n ? *reinterpret_cast<const T*>(at.first) : T{};
    at.first += at.hop;
  }
  return out;
}
template <class T, int V>
__device__ __noinline__ void store_lanes(const Vector<T, V> in, const RowLoops& grid,
                                         const RowOperand& x, bool regular, unsigned row,
                                         const RowItem item) {
  RowAddress at = address_of(grid, x, regular, row, item);
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (j < item.n) *reinterpret_cast<T*>(at.first) = in.lane[j];
    at.first += at.hop;
  }
}

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
  using Registers = Pack<RowVector<Ts, W>...>;
  using Values = Pack<Vs...>;
  template <int W>
  using Lane = RowLane<outputs, Registers<W>, Values>;
  using Grid = RowGrid<n>;

  __device__ __forceinline__ explicit RowWalk(const Grid& grid) : grid_(grid) {
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

  /// Where the row begins in operand K.
  template <int K>
  __device__ __forceinline__ char* start() const {
    return row_start(grid_, grid_.operand[K], place_.row);
  }

  /// Calls f(item) for what this thread has of the row, and flush() after each few.
  template <class F, class Flush>
  __device__ __forceinline__ void walk(const F& f, const Flush& flush) const {
    const unsigned stride = grid_.stride.divisor;
    const bool vectors = grid_.length > 0;
    const unsigned singles = vectors ? my_share(grid_, place_, place_.singles) : 0;
    const unsigned steps =
        vectors ? place_.mine + singles : (place_.mine + V - 1) / static_cast<unsigned>(V);
    if (steps == 0) return;
    const int64_t row = row_offset();
    RowItem item{place_.lane, stride, V, vectors, 0};
    if (vectors) {
      item.position = place_.lane * V + place_.before;
      item.apart = 1;
    }
#pragma unroll 1
    for (unsigned i = 0; i < steps; ++i) {
      item.offset = row;
      if (!vectors) {
        const unsigned left = place_.mine - i * V;
        item.n = left < V ? static_cast<int>(left) : V;
      } else if (grid_.reduced_rank > 1) {
        const unsigned k = place_.lane + i * stride;
        const unsigned outer = grid_.items.divide(k);
        const unsigned first = (k - outer * grid_.items.divisor) * V;
        const auto inner = static_cast<unsigned>(grid_.inner);
        item.n = inner - first < V ? static_cast<int>(inner - first) : V;
        item.position = outer * inner + first;
        item.offset += first * grid_.lane_stride;
        item.offset += grid_.reduced_rank == 2
                           ? outer * grid_.reduced_stride[1]
                           : bytes_by_axes(grid_.reduced + 1, grid_.reduced_rank - 1,
                                           grid_.reduced_stride + 1, outer);
      } else if (i >= place_.mine) {
        const unsigned s = place_.lane + (i - place_.mine) * stride;
        item.whole = false;
        item.n = 1;
        item.position = s < place_.before ? s : s + place_.vectors * V;
      }
      if (grid_.reduced_rank <= 1) item.offset += item.position * grid_.lane_stride;
      f(item);
      item.position += stride * V;
      if (i % 32 == 31) flush();
    }
  }

  /// Loads the operands that Uses and `needed` name; those with one element for the row too, if
  /// that was not done before.
  template <std::uint64_t Uses, bool All>
  __device__ __forceinline__ void load(Registers<V>& registers, std::uint64_t needed,
                                       const RowItem& item) const {
    load_leaves<Uses, All>(registers, needed, item, Leaves{});
  }
  /// Operands with one element for the whole row are read once.
  template <std::uint64_t Uses>
  __device__ __forceinline__ void spread(Registers<V>& registers) const {
    if (place_.active) spread_leaves<Uses>(registers, Leaves{});
  }
  /// Where operand K has an item that is a full vector of it.
  template <int K, class T>
  __device__ __forceinline__ char* vector_address(const RowItem& item) const {
    const int64_t at = is_regular<K>() ? item.offset : item.position;
    return grid_.operand[K].data + at * static_cast<int64_t>(sizeof(T));
  }
  template <int K>
  __device__ __forceinline__ bool is_regular() const {
    return (grid_.regular >> K & 1U) != 0;
  }

  /// Calls one(registers, values, position) for each of this thread's elements, with the values of
  /// loaded reductions that are others at each.
  template <std::uint64_t Uses, class F>
  __device__ __forceinline__ void walk_single(const F& one) {
    if (!place_.active) return;
#pragma unroll 1
    for (long long e = place_.lane; e < grid_.count; e += grid_.stride.divisor) {
      Registers<1> registers{};
      Values values = values_;
      load_singles<Uses>(registers, e, Leaves{});
      load_values(values, e, std::make_index_sequence<reductions>{});
      one(registers, values, e);
    }
  }

 protected:
  const Grid& grid_;
  RowPlace place_;
  Values values_{};

 private:
  using Leaves = std::make_index_sequence<leaves>;

  template <int K, std::uint64_t Uses>
  static constexpr bool is_used = (Uses >> K & 1U) != 0;
  template <int K>
  static constexpr bool is_position = ((RowKernelTypes<Ts...>::positions << outputs) >> K & 1U) !=
                                      0;

  __device__ __forceinline__ int64_t row_offset() const {
    if (grid_.simple) return place_.row * grid_.row_stride;
    return bytes_by_axes(grid_.kept, grid_.kept_rank, grid_.kept_stride, place_.row);
  }

  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void spread_leaves(Registers<V>& registers,
                                                std::index_sequence<I...>) const {
    (spread_leaf<outputs + static_cast<int>(I), is_used<outputs + I, Uses>>(
         weft::get<static_cast<int>(I)>(registers)),
     ...);
  }
  template <int K, bool Used, class T>
  __device__ __forceinline__ void spread_leaf(T& out) const {
    if constexpr (Used && !is_position<K>) {
      using Element = std::remove_cvref_t<decltype(out.lane[0])>;
      if (grid_.operand[K].access != RowOperand::one_element) return;
      const Element value = *reinterpret_cast<const Element*>(start<K>());
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = value;
    }
  }
  template <std::uint64_t Uses, bool All, std::size_t... I>
  __device__ __forceinline__ void load_leaves(Registers<V>& registers, std::uint64_t needed,
                                              const RowItem& item,
                                              std::index_sequence<I...>) const {
    (load_leaf<outputs + static_cast<int>(I), is_used<outputs + I, Uses>, All>(
         weft::get<static_cast<int>(I)>(registers), needed, item),
     ...);
  }
  template <int K, bool Used, bool All, class T>
  __device__ __forceinline__ void load_leaf(Vector<T, V>& out, std::uint64_t needed,
                                            const RowItem& item) const {
    if constexpr (Used) {
      const RowOperand& x = grid_.operand[K];
      if ((!All && x.access == RowOperand::one_element) || (needed >> K & 1U) == 0) return;
      if (x.access == RowOperand::whole_vector && item.whole) {
        out = *reinterpret_cast<const Vector<T, V>*>(vector_address<K, T>(item));
      } else {
        out = load_lanes<T, V>(grid_, x, is_regular<K>(), place_.row, item);
      }
    }
  }
  template <int K, bool Used, bool All>
  __device__ __forceinline__ void load_leaf(RowPositions& out, std::uint64_t,
                                            const RowItem& item) const {
    if constexpr (Used) {
      const RowAddress at = address_of(grid_, grid_.operand[K], is_regular<K>(), place_.row, item);
      out = {reinterpret_cast<long long>(at.first) - Position::origin, at.hop};
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
    if constexpr (Used) {
      out.lane[0] =
          *reinterpret_cast<const T*>(element(grid_, grid_.operand[K], place_.row, position));
    }
  }
  template <int K, bool Used>
  __device__ __forceinline__ void load_single_leaf(RowPositions& out, long long position) const {
    if constexpr (Used) {
      const char* at = element(grid_, grid_.operand[K], place_.row, position);
      out = {reinterpret_cast<long long>(at) - Position::origin, 0};
    }
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

}  // namespace weft::cuda::detail

#endif
