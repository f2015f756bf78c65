// A block's rows in shared memory: how they come there and leave, how threads go along them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/async_copy.hpp"
#include "weft/cuda/rows/walk.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// The block's dynamic shared memory.
__device__ __forceinline__ char* row_tile() {
  extern __shared__ __align__(128) char weft_row_shared[];
  return weft_row_shared;
}

/// Copies one element, of 1, 2, 4 or 8 bytes.
__device__ __forceinline__ void copy_one(char* to, const char* from, int itemsize) {
  if (itemsize == 2) {
    *reinterpret_cast<std::uint16_t*>(to) = *reinterpret_cast<const std::uint16_t*>(from);
  } else if (itemsize == 4) {
    *reinterpret_cast<std::uint32_t*>(to) = *reinterpret_cast<const std::uint32_t*>(from);
  } else if (itemsize == 8) {
    *reinterpret_cast<std::uint64_t*>(to) = *reinterpret_cast<const std::uint64_t*>(from);
  } else {
    *to = *from;
  }
}

/// Copies a word of so many bytes between the tile and memory.
template <bool In, int Bytes>
__device__ __forceinline__ void move_word(char* tile, char* memory) {
  using Word = Vector<std::uint32_t, Bytes / 4>;
  if constexpr (In) {
    start_copy<Bytes>(tile, memory);
  } else {
    *reinterpret_cast<Word*>(memory) = *reinterpret_cast<const Word*>(tile);
  }
}
template <bool In>
__device__ __forceinline__ void move_word(char* tile, char* memory, int bytes) {
  if (bytes == 16) {
    move_word<In, 16>(tile, memory);
  } else if (bytes == 8) {
    move_word<In, 8>(tile, memory);
  } else {
    move_word<In, 4>(tile, memory);
  }
}

/// Copies `rows` rows of an operand, from row `first` on, which lie behind each other and begin at
/// a whole word of 16 bytes: into the tile, or out of it.
template <bool In>
__device__ __forceinline__ void move_whole(const RowOperand& x, unsigned first, unsigned rows) {
  char* const tile = row_tile() + x.tile;
  char* const memory = x.data + static_cast<int64_t>(first) * x.pitch;
  const unsigned bytes = rows * x.pitch;
#pragma unroll 1
  for (unsigned at = threadIdx.x * 16; at + 16 <= bytes; at += blockDim.x * 16) {
    move_word<In, 16>(tile + at, memory + at);
  }
  const auto one = static_cast<unsigned>(x.itemsize);
#pragma unroll 1
  for (unsigned at = bytes / 16 * 16 + threadIdx.x * one; at < bytes; at += blockDim.x * one) {
    char* const to = In ? tile : memory;
    const char* const from = In ? memory : tile;
    copy_one(to + at, from + at, x.itemsize);
  }
}

/// The same for rows that are whole words and begin at one: the tile has them x.pitch bytes apart.
template <bool In>
__device__ __forceinline__ void move_words(const RowLoops& grid, const RowOperand& x,
                                           unsigned first, unsigned rows) {
  char* const tile = row_tile() + x.tile;
  const unsigned words = x.along.divisor;
  const bool together = x.staging == RowOperand::spread;
  char* const memory = x.data + static_cast<int64_t>(first) * words * 16;
  const unsigned count = (x.pitch != 0 ? rows : 1) * words;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    const unsigned row = x.along.divide(i);
    const unsigned at = (i - row * words) * 16;
    char* const there = together ? memory + i * 16 : row_start(grid, x, first + row) + at;
    move_word<In, 16>(tile + row * x.pitch + at, there);
  }
}

/// The same for rows whose neighbours are neighbours in memory, whole words of them: the tile has
/// each element of theirs side by side.
template <bool In>
__device__ __forceinline__ void move_across(const RowLoops& grid, const RowOperand& x,
                                            unsigned first, unsigned rows) {
  const unsigned each = x.word / static_cast<unsigned>(x.itemsize);
  const unsigned words = grid.rows_a_block / each;
  const unsigned beside = words < blockDim.x ? words : blockDim.x;  // powers of two
  const unsigned down = blockDim.x / beside;
#pragma unroll 1
  for (unsigned word = threadIdx.x & (beside - 1); word * each < rows; word += beside) {
    unsigned i = threadIdx.x / beside;
    char* tile = row_tile() + x.tile + word * x.word + i * x.hop;
    char* memory = row_start(grid, x, first + word * each) + i * x.reduced_stride[0];
#pragma unroll 1
    for (; i < grid.inner; i += down) {
      move_word<In>(tile, memory, x.word);
      tile += down * x.hop;
      memory += down * x.reduced_stride[0];
    }
  }
}

/// Copies into the tile the rows of an operand that lie anywhere, element by element.
__device__ __forceinline__ void gather_rows(const RowLoops& grid, const RowOperand& x,
                                            unsigned first, unsigned rows) {
  char* const tile = row_tile() + x.tile;
  const unsigned count = (x.pitch != 0 ? rows : 1) * x.along.divisor;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    const unsigned row = x.along.divide(i);
    const unsigned at = i - row * x.along.divisor;
    const char* const from = row_start(grid, x, first + row) + at * x.reduced_stride[0];
    copy_one(tile + row * x.pitch + at * x.itemsize, from, x.itemsize);
  }
}

/// Moves `count` operands' rows into the tile or out of it, as each one's staging says: one
/// function for all programs.
template <bool In>
__device__ __noinline__ void move_rows(const RowLoops& grid, const RowOperand* operands, int count,
                                       unsigned first, unsigned rows) {
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const RowOperand& x = operands[i];
    if (x.staging == RowOperand::whole) {
      move_whole<In>(x, first, rows);
    } else if (x.staging == RowOperand::spread || x.staging == RowOperand::words) {
      move_words<In>(grid, x, first, rows);
    } else if (x.staging == RowOperand::across) {
      move_across<In>(grid, x, first, rows);
    } else if (In && x.staging == RowOperand::gathered) {
      gather_rows(grid, x, first, rows);
    }
  }
}

template <int Outputs, class Types, int V, class Values>
class TileWalk;

/// What RowWalk is to other kernels: operands lie in the block's tile, and a thread has whole rows,
/// one after the other.
template <int Outputs, class... Ts, int V, class... Vs>
class TileWalk<Outputs, TypeList<Ts...>, V, Pack<Vs...>> {
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
  static constexpr bool tiled = true;

  __device__ __forceinline__ explicit TileWalk(const Grid& grid) : grid_(grid) {}

  /// Goes on with the block's row `at`, which is row `row` of all; both are in range.
  __device__ __forceinline__ void take(unsigned at, unsigned row) {
    at_ = at;
    place_.row = row;
    place_.active = true;
  }

  /// Where the row begins in the memory of operand K.
  template <int K>
  __device__ __forceinline__ char* start() const {
    return start(K);
  }
  __device__ __forceinline__ char* start(int operand) const {
    return row_start(grid_, grid_.operand[operand], place_.row);
  }
  template <int K>
  __device__ __forceinline__ char* place(char*) const {
    return start<K>();
  }

  /// See RowWalk; there is nothing to flush, since rows are short.
  template <std::uint64_t Uses, class F, class Flush>
  __device__ __forceinline__ void walk(const F& f, const Flush&, bool one = false) const {
    char* at[outputs + leaves];
    begin<Uses>(at, std::make_index_sequence<outputs + leaves>{});
    RowItem item{0, 1, V};
#pragma unroll 1
    for (unsigned left = one ? 1 : grid_.inner; left > 0; left -= static_cast<unsigned>(item.n)) {
      item.n = left < V ? static_cast<int>(left) : V;
      f(at, item);
      item.position += V;
    }
  }

  template <std::uint64_t Uses>
  __device__ __forceinline__ void load(Registers<V>& registers, char** at, const RowItem& item,
                                       bool all) const {
    load_leaves<Uses>(registers, at, item, all, std::make_index_sequence<leaves>{});
  }

 protected:
  const Grid& grid_;
  RowPlace place_;
  Values values_{};

 private:
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void begin(char** at, std::index_sequence<I...>) const {
    (begin_operand<static_cast<int>(I), (Uses >> I & 1U) != 0>(at[I]), ...);
  }
  template <int K, bool Used>
  __device__ __forceinline__ void begin_operand(char*& at) const {
    if constexpr (Used) at = row_tile() + grid_.operand[K].tile + at_ * grid_.operand[K].pitch;
  }

  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void load_leaves(Registers<V>& registers, char** at,
                                              const RowItem& item, bool all,
                                              std::index_sequence<I...>) const {
    (load_leaf<outputs + static_cast<int>(I), (Uses >> (outputs + I) & 1U) != 0>(
         weft::get<static_cast<int>(I)>(registers), at[outputs + I], item, all),
     ...);
  }
  /// The last element once more in place of those behind the row's end.
  template <int K, bool Used, class T>
  __device__ __forceinline__ void load_leaf(Vector<T, V>& out, char*& at, const RowItem& item,
                                            bool all) const {
    if constexpr (Used) {
      const auto hop = static_cast<unsigned>(grid_.operand[K].hop);
      if (!all && (grid_.needed >> K & 1U) == 0) {
      } else if (sizeof(T) <= 4 && (grid_.vectors >> K & 1U) != 0) {
        out = *reinterpret_cast<const Vector<T, V>*>(at);
      } else {
#pragma unroll
        for (int j = 0; j < V; ++j) {
          const int i = j < item.n ? j : item.n - 1;
          out.lane[j] = *reinterpret_cast<const T*>(at + i * hop);
        }
      }
      at += V * hop;
    }
  }
  template <int K, bool Used>
  __device__ __forceinline__ void load_leaf(RowPositions& out, char*&, const RowItem& item,
                                            bool) const {
    if constexpr (Used) {
      const int64_t apart = grid_.operand[K].reduced_stride[0];
      const char* const first = start<K>() + item.position * apart;
      out = {reinterpret_cast<long long>(first) - IndexOperand::origin, apart};
    }
  }

  unsigned at_ = 0;
};

}  // namespace weft::on_cuda::detail

#endif
