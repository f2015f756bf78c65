// The first few of each row in order, in one pass over memory: no row is sorted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/order/select_k.hpp"
#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// The rows of a pass, and what is kept of them. A row is one task, or cut into several pieces
/// whose first ones the next pass looks through.
struct TopkGrid {
  const void* in = nullptr;
  unsigned rows = 0;
  unsigned length = 0;  // of a row
  unsigned k = 0;
  unsigned pieces = 1;           // tasks a row
  unsigned piece = 0;            // elements of each but the last
  unsigned most = 0;             // words that are kept from one tile to the next
  unsigned room = 0;             // words in shared memory
  void* kept = nullptr;          // k words a task, where there are several a row; else
  const void* source = nullptr;  // the elements that the indices are of,
  unsigned columns = 0;          // how many there are a row,
  void* values = nullptr;        // and the results, or null
  long* indices = nullptr;
};

/// Threads a block, and the longest k that a warp and a block look for.
inline constexpr int topk_threads = 256;
inline constexpr int64_t topk_warp = 256;
inline constexpr int64_t topk_block = 1024;

/// Elements that a thread loads at a time.
template <class Key>
inline constexpr int topk_each = sizeof(Key) == 8 ? 4 : 8;

/// Whether tasks are warps: rows are many, or short.
inline bool topk_by_warps(int64_t rows, int64_t length, int64_t k, int multiprocessors) {
  return k <= topk_warp && (length <= 512 || rows >= int64_t{32} * multiprocessors);
}

/// Cuts the rows into tasks that load `tile` elements at a time.
WEFT_OUTLINED inline void plan_topk(TopkGrid& grid, bool warps, int tile, int multiprocessors) {
  const int64_t n = grid.length;
  const int64_t few = int64_t{16} * grid.k;
  const int64_t shortest = few > 8 * tile ? few : 8 * tile;
  int64_t pieces = 1;
  if (!warps) {
    pieces = (int64_t{8} * multiprocessors + grid.rows - 1) / grid.rows;
    if (pieces > n / shortest) pieces = n >= shortest ? n / shortest : 1;
  }
  const int64_t piece = ((n + pieces - 1) / pieces + tile - 1) / tile * tile;
  grid.piece = static_cast<unsigned>(piece);
  grid.pieces = static_cast<unsigned>((n + piece - 1) / piece);
  grid.most = grid.k + grid.k / 2 + 32;
  grid.room = grid.most + static_cast<unsigned>(tile);
}

/// Dynamic shared memory of a block with that many tasks, for words of that many bytes.
inline int64_t topk_bytes(const TopkGrid& grid, int64_t tasks, int64_t word) {
  return tasks * grid.room * word;
}

/// Whether tasks that are warps fit in a block's shared memory, together with their bins.
inline bool topk_warps_fit(const TopkGrid& grid, int64_t word, int64_t shared) {
  constexpr int64_t tasks = topk_threads / 32;
  return topk_bytes(grid, tasks, word) + tasks * 1024 + 64 <= shared;
}

#if defined(__CUDACC__)

/// The elements of rows as words, in descending order where `flip` is all ones.
template <class T>
struct TopkElements {
  using Item = T;
  using Key = radix_key_t<T>;
  Key flip;
  __device__ Key key(T x) const { return static_cast<Key>(radix_key(x) ^ flip); }
  __device__ ranked_t<Key> word(T x, unsigned at) const { return ranked_t<Key>(key(x)) << 32 | at; }
  /// The element of a word, which is read only where its key is not enough.
  __device__ Key element(ranked_t<Key> word, const Key* row) const {
    const auto its_key = static_cast<Key>(static_cast<Key>(word >> 32) ^ flip);
    return is_exact<T>(its_key) ? __builtin_bit_cast(Key, radix_element<T>(its_key))
                                : row[static_cast<unsigned>(word)];
  }
};

/// The words that an earlier pass has kept.
template <class K>
struct TopkWords {
  using Item = ranked_t<K>;
  using Key = K;
  __device__ Key key(Item word) const { return static_cast<Key>(word >> 32); }
  __device__ Item word(Item word, unsigned) const { return word; }
  __device__ Key element(Item word, const Key* row) const {
    return row[static_cast<unsigned>(word)];
  }
};

namespace detail {
/// The k-th smallest (k <= 32) of one value per lane, or a larger one.
template <class U>
__device__ __forceinline__ U warp_select_k(U value, unsigned k) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(U) == 4) {
    if (k <= 8) {  // faster than sorting; equal values count as one
      for (unsigned i = 1; i < k; ++i) {
        if (value == __reduce_min_sync(~0U, value)) value = ~0U;
      }
      return __reduce_min_sync(~0U, value);
    }
  }
#endif
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned size = 2; size <= 32; size *= 2) {
#pragma unroll
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const U other = __shfl_xor_sync(~0U, value, static_cast<int>(stride));
      const bool smaller = ((lane & stride) == 0) == ((lane & size) == 0);
      value = (other < value) == smaller ? other : value;
    }
  }
  return __shfl_sync(~0U, value, static_cast<int>(k) - 1);
}
}  // namespace detail

/// Each task reads its elements once and keeps those that are not behind k others. For k <= 32 a
/// first bound is the k-th smallest of the warp's lanes' minima.
template <class Source, int Size>
__global__ void __launch_bounds__(topk_threads)
    topk_rows(const __grid_constant__ TopkGrid grid, Source source) {
  using Item = typename Source::Item;
  using Key = typename Source::Key;
  using Word = ranked_t<Key>;
  using Lane = std::conditional_t<sizeof(Key) == 8, unsigned long long, unsigned>;
  constexpr unsigned groups = topk_threads / Size;
  constexpr unsigned each = topk_each<Key>;
  constexpr unsigned tile = Size * each;
  extern __shared__ __align__(16) char weft_topk_shared[];
  __shared__ unsigned bins[groups][SelectK<Key, Size>::digits];
  __shared__ unsigned counter;
  __shared__ unsigned long long lowest;
  const unsigned group = threadIdx.x / Size;
  const unsigned task = blockIdx.x * groups + group;
  const unsigned row = Size == 32 ? task : task / grid.pieces;
  if (row >= grid.rows) return;
  const unsigned first = Size == 32 ? 0 : (task - row * grid.pieces) * grid.piece;
  const unsigned last = ::min(first + grid.piece, grid.length);
  const Item* in = static_cast<const Item*>(grid.in) + static_cast<int64_t>(row) * grid.length;
  SelectK<Key, Size> kept{reinterpret_cast<Word*>(weft_topk_shared) + group * grid.room,
                          bins[group], &counter};
  if (Size != 32 && threadIdx.x == 0) {
    counter = 0;
    lowest = ~0ULL;
  }
  kept.wait();

  // Above every word, and below those that stand for no element.
  constexpr unsigned most_index = ~0U - 1;
  Word bound = ~Word(0) - 1;
  for (unsigned start = first; start < last; start += tile) {
    Item items[each];
    const Item* from = in + start + kept.rank();
    const bool whole = last - start >= tile;
    if (whole) {
#pragma unroll
      for (unsigned r = 0; r < each; ++r) items[r] = from[r * Size];
    } else {
#pragma unroll
      for (unsigned r = 0; r < each; ++r) {
        items[r] = start + r * Size + kept.rank() < last ? from[r * Size] : Item{};
      }
    }
    Word words[each];
#pragma unroll
    for (unsigned r = 0; r < each; ++r) {
      const unsigned at = start + r * Size + kept.rank();
      words[r] = source.word(items[r], at);
      if (!whole && at >= last) words[r] = ~Word(0);
    }
    if (start == first && grid.k <= 32) {
      Lane least = static_cast<Key>(words[0] >> 32);
#pragma unroll
      for (unsigned r = 1; r < each; ++r) {
        least = ::min(least, static_cast<Lane>(static_cast<Key>(words[r] >> 32)));
      }
      least = detail::warp_select_k(least, grid.k);
      if constexpr (Size != 32) {
        if (threadIdx.x % 32 == 0) atomicMin(&lowest, static_cast<unsigned long long>(least));
        __syncthreads();
        least = static_cast<Lane>(lowest);
      }
      bound = Word(static_cast<Key>(least)) << 32 | most_index;
    }
    kept.append_all(words, bound);
    kept.settle();
    if (kept.held > grid.most) bound = kept.keep(grid.k);
  }

  if (grid.kept != nullptr || grid.k > 32) {
    if (kept.held > grid.k) kept.keep(grid.k);
  }
  if (grid.kept != nullptr) {
    Word* out = static_cast<Word*>(grid.kept) + static_cast<int64_t>(task) * grid.k;
    for (unsigned i = kept.rank(); i < grid.k; i += Size) {
      out[i] = i < kept.held ? kept.words[i] : ~Word(0);
    }
    return;
  }
  const bool sorted = grid.k > 32;
  if (sorted) kept.sort();
  const Key* from = static_cast<const Key*>(grid.source) + static_cast<int64_t>(row) * grid.columns;
  for (unsigned i = kept.rank(); i < kept.held; i += Size) {
    const Word word = kept.words[i];
    const unsigned place = sorted ? i : kept.place(word);
    if (place >= grid.k) continue;
    const int64_t to = static_cast<int64_t>(row) * grid.k + place;
    if (grid.indices != nullptr) grid.indices[to] = static_cast<unsigned>(word);
    if (grid.values != nullptr) static_cast<Key*>(grid.values)[to] = source.element(word, from);
  }
}

namespace detail {
template <int Size, class Source>
void launch_topk(const Shape& shape, TopkGrid& grid, Source source, const Stream& stream) {
  constexpr unsigned groups = topk_threads / Size;
  const int64_t tasks = static_cast<int64_t>(grid.rows) * grid.pieces;
  const int64_t bytes = topk_bytes(grid, groups, sizeof(ranked_t<typename Source::Key>));
  void* arguments[] = {&grid, &source};
  launch(Name{"topk"}, shape, reinterpret_cast<const void*>(topk_rows<Source, Size>),
         static_cast<unsigned>((tasks + groups - 1) / groups), topk_threads, arguments, stream,
         static_cast<int>(bytes));
}

/// One pass with one block per task; the words that it keeps if a row has several tasks.
template <class Source>
StorageHandle topk_pass(Cuda device, const Shape& shape, TopkGrid& grid, Source source) {
  using Key = typename Source::Key;
  plan_topk(grid, false, topk_threads * topk_each<Key>, properties(device).multiprocessors);
  StorageHandle room;
  grid.kept = nullptr;
  if (grid.pieces > 1) {
    const int64_t words = static_cast<int64_t>(grid.rows) * grid.pieces * grid.k;
    room = StorageHandle(
        Memory<Cuda>::allocate(device, words * static_cast<int64_t>(sizeof(ranked_t<Key>))));
    grid.kept = room->data;
  }
  launch_topk<topk_threads>(shape, grid, source, current_stream(device));
  return room;
}
}  // namespace detail

/// The first k (at most topk_block) in order of each row of a contiguous matrix that is ordered
/// before the current stream, the largest first where `reverse`; values or indices may be null.
template <class T>
void topk(Cuda device, const Shape& shape, const T* x, bool reverse, int64_t k, T* values,
          long* indices) {
  using Key = radix_key_t<T>;
  const TopkElements<T> elements{reverse ? static_cast<Key>(~Key(0)) : Key(0)};
  TopkGrid grid;
  grid.in = grid.source = x;
  grid.rows = static_cast<unsigned>(shape[0]);
  grid.length = grid.columns = static_cast<unsigned>(shape[1]);
  grid.k = static_cast<unsigned>(k);
  grid.values = values;
  grid.indices = indices;
  const int multiprocessors = properties(device).multiprocessors;
  if (topk_by_warps(shape[0], shape[1], k, multiprocessors)) {
    plan_topk(grid, true, 32 * topk_each<Key>, multiprocessors);
    if (topk_warps_fit(grid, sizeof(ranked_t<Key>), properties(device).shared_memory_per_block)) {
      return detail::launch_topk<32>(shape, grid, elements, current_stream(device));
    }
  }
  StorageHandle kept = detail::topk_pass(device, shape, grid, elements);
  while (grid.kept != nullptr) {
    const StorageHandle read = kept;
    grid.in = grid.kept;
    grid.length = grid.pieces * grid.k;
    kept = detail::topk_pass(device, shape, grid, TopkWords<Key>{});
  }
}

#endif

}  // namespace weft::on_cuda
