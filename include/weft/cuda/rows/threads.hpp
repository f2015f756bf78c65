// A row kernel's thread: which part of which row it has, and how that gets into shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/vector.hpp"
#include "weft/cuda/rows/grid.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// Copies 4, 8 or 16 aligned bytes to an address of shared memory without waiting.
template <int Bytes>
__device__ __forceinline__ void copy_async(unsigned to, const char* from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes)
                 : "memory");
  }
#else
  for (int i = 0; i < Bytes; i += 4) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + i),
                 "r"(*reinterpret_cast<const int*>(from + i))
                 : "memory");
  }
#endif
}

__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// The object of a multiple of 4 bytes at an aligned address of shared memory. (Through a pointer
/// the compiler computes where shared memory begins at each use.)
template <class T>
__device__ __forceinline__ T load_shared(unsigned from) {
  constexpr int words = sizeof(T) / 4;
  unsigned bits[words];
  if constexpr (words == 1) {
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(bits[0]) : "r"(from));
  } else if constexpr (words == 2) {
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(bits[0]), "=r"(bits[1]) : "r"(from));
  } else {
#pragma unroll
    for (int i = 0; i < words; i += 4) {
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(bits[i]), "=r"(bits[i + 1]), "=r"(bits[i + 2]), "=r"(bits[i + 3])
                   : "r"(from + 4 * i));
    }
  }
  T out;
  __builtin_memcpy(&out, bits, sizeof(T));
  return out;
}

/// Copies one element, whatever its type, to an address of shared memory.
__device__ __forceinline__ void copy_element(unsigned to, const char* from, int bytes) {
  if (bytes == 4) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(*reinterpret_cast<const int*>(from))
                 : "memory");
  } else if (bytes == 2) {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(*reinterpret_cast<const short*>(from))
                 : "memory");
  } else if (bytes == 1) {
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(to),
                 "h"(static_cast<short>(*reinterpret_cast<const signed char*>(from)))
                 : "memory");
  } else {
#pragma unroll 1
    for (int i = 0; i < bytes; i += 8) {
      asm volatile("st.shared.u64 [%0], %1;" ::"r"(to + static_cast<unsigned>(i)),
                   "l"(*reinterpret_cast<const long long*>(from + i))
                   : "memory");
    }
  }
}

/// What a thread has of its block's rows: `vectors` full, aligned ones, and the elements before and
/// behind them one by one.
struct RowPlace {
  unsigned row = 0;
  unsigned lane = 0;  // among the threads of all blocks that share the row
  unsigned vectors = 0;
  unsigned mine = 0;  // of them, this thread's
  unsigned before = 0;
  unsigned singles = 0;  // elements in no full vector
  bool active = false;
};

__device__ __forceinline__ RowPlace place_in_block(const RowLoops& grid) {
  RowPlace place;
  const unsigned block = grid.parts.divide(blockIdx.x);
  const unsigned part = blockIdx.x - block * grid.parts.divisor;
  if (grid.columns) {
    place.lane = threadIdx.x / 32;
    place.row = block * 32 + threadIdx.x % 32;
  } else {
    place.lane = threadIdx.x & (grid.group - 1);
    place.row = block;
    if (grid.group < blockDim.x) {
      place.row = block * grid.rows_a_block + (threadIdx.x >> grid.group_shift);
    } else {
      place.lane = threadIdx.x;
    }
  }
  place.lane += part * grid.group;
  place.active = place.row < grid.rows;
  if (!place.active) place.row = 0;
  return place;
}

/// What the coordinates of linear position `index` in some dimensions, innermost first, add to an
/// address.
inline __device__ __noinline__ int64_t bytes_by_axes(const FastDivmod* size, int rank,
                                                     const int64_t* stride, unsigned index) {
  int64_t bytes = 0;
#pragma unroll 1
  for (int d = 0; d < rank; ++d) {
    const unsigned next = size[d].divide(index);
    bytes += static_cast<int64_t>(index - next * size[d].divisor) * stride[d];
    index = next;
  }
  return bytes;
}

/// Where a row begins in an operand.
__device__ __forceinline__ char* row_start(const RowLoops& grid, const RowOperand& x,
                                           unsigned row) {
  if (grid.simple) return x.data + row * x.row;
  return x.data + bytes_by_axes(grid.kept, grid.kept_rank, x.kept_stride, row);
}

/// Where full vector k of a row begins.
inline __device__ __noinline__ char* vector_start_by_axes(const RowLoops& grid, const RowOperand& x,
                                                          unsigned row, unsigned before,
                                                          unsigned k) {
  char* at = x.data + bytes_by_axes(grid.kept, grid.kept_rank, x.kept_stride, row);
  if (grid.reduced_rank <= 1) return at + before * int64_t{x.lane} * x.itemsize + k * x.vector;
  const unsigned outer = grid.items.divide(k);
  return at + (k - outer * grid.items.divisor) * x.vector +
         bytes_by_axes(grid.reduced + 1, grid.reduced_rank - 1, x.reduced_stride + 1, outer);
}
__device__ __forceinline__ char* vector_start(const RowLoops& grid, const RowOperand& x,
                                              const RowPlace& place, unsigned k) {
  if (!grid.simple) return vector_start_by_axes(grid, x, place.row, place.before, k);
  return x.data + place.row * x.row + k * x.vector +
         static_cast<int>(place.before) * x.lane * x.itemsize;
}

/// Where an element of a row lies.
inline __device__ __noinline__ char* element(const RowLoops& grid, const RowOperand& x,
                                             unsigned row, long long index) {
  char* at = row_start(grid, x, row);
  if (grid.reduced_rank <= 1) return at + index * x.lane * x.itemsize;
  return at + bytes_by_axes(grid.reduced, grid.reduced_rank, x.reduced_stride,
                            static_cast<unsigned>(index));
}

__device__ __forceinline__ unsigned my_share(const RowLoops& grid, const RowPlace& place) {
  return grid.stride.divide(place.vectors + grid.stride.divisor - 1 - place.lane);
}

/// Counts the full vectors of a row that begins at `head`, or at an aligned address where null.
__device__ __forceinline__ void divide_row(const RowLoops& grid, RowPlace& place, int lanes,
                                           const char* head, int size) {
  if (!place.active) return;
  if (grid.length == 0 || grid.reduced_rank > 1) {
    place.vectors = grid.length;
    place.singles = grid.length > 0 ? 0 : static_cast<unsigned>(grid.count);
    place.mine = my_share(grid, place);
    return;
  }
  if (head != nullptr) {
    const auto elements =
        static_cast<unsigned>(reinterpret_cast<unsigned long long>(head) >> (__ffs(size) - 1));
    place.before = (0U - elements) & static_cast<unsigned>(lanes - 1);
    if (place.before > grid.count) place.before = static_cast<unsigned>(grid.count);
  }
  place.vectors = static_cast<unsigned>((grid.count - place.before) / lanes);
  place.singles = static_cast<unsigned>(grid.count - static_cast<long long>(place.vectors) * lanes);
  place.mine = my_share(grid, place);
}

/// Copies n of a thread's vectors of one operand, from its number k on, to shared memory, where
/// only it reads them.
inline __device__ __noinline__ void stage(const RowLoops& grid, const RowOperand& x, unsigned row,
                                          unsigned before, unsigned k, unsigned n, unsigned to,
                                          int lanes) {
  const int size = x.itemsize;
  const int bytes = size * lanes;
  const unsigned to_step = x.slot_step;
  to += threadIdx.x * static_cast<unsigned>(bytes);
  if (grid.reduced_rank <= 1) {
    const char* from = vector_start_by_axes(grid, x, row, before, k);
    const int64_t step = x.step;
    const auto bits =
        reinterpret_cast<unsigned long long>(from) | static_cast<unsigned long long>(step);
    if (x.lane == 1 && bytes >= 16 && (bits & 15) == 0) {
      if (bytes == 16) {
#pragma unroll 4
        for (unsigned i = 0; i < n; ++i) {
          copy_async<16>(to, from);
          from += step;
          to += to_step;
        }
      } else {
        for (unsigned i = 0; i < n; ++i) {
          for (int b = 0; b < bytes; b += 16) {
            copy_async<16>(to + static_cast<unsigned>(b), from + b);
          }
          from += step;
          to += to_step;
        }
      }
      return;
    }
    if (x.lane == 1 && bytes == 8 && (bits & 7) == 0) {
      for (unsigned i = 0; i < n; ++i) {
        copy_async<8>(to, from);
        from += step;
        to += to_step;
      }
      return;
    }
    if (size == 4) {
      const int64_t lane = int64_t{x.lane} * 4;
#pragma unroll 1
      for (unsigned i = 0; i < n; ++i) {
#pragma unroll 4
        for (int j = 0; j < lanes; ++j) {
          copy_async<4>(to + 4 * static_cast<unsigned>(j), from + j * lane);
        }
        from += step;
        to += to_step;
      }
      return;
    }
  }
#pragma unroll 1
  for (unsigned i = 0; i < n; ++i) {
    const char* from = vector_start_by_axes(grid, x, row, before, k + i * grid.stride.divisor);
#pragma unroll 4
    for (int j = 0; j < lanes; ++j) {
      copy_element(to + static_cast<unsigned>(j * size), from + int64_t{j} * x.lane * size, size);
    }
    to += to_step;
  }
}

/// The element at `at`.
template <class T>
__device__ __forceinline__ void load_single(Vector<T, 1>& out, const char* at) {
  if constexpr (std::is_same_v<T, IndexOperand>) {
    out.lane[0] = reinterpret_cast<long long>(at) - IndexOperand::origin;
  } else {
    out.lane[0] = *reinterpret_cast<const T*>(at);
  }
}

}  // namespace weft::on_cuda::detail

#endif
