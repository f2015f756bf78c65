// Copies that change the order of axes: by tiles in shared memory, or element by element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/elementwise/copy_plan.hpp"
#include "weft/cuda/elementwise/tiled_copy.hpp"
#include "weft/cuda/runtime/tuner.hpp"

namespace weft::on_cuda {

#if defined(__CUDACC__)

namespace detail {
/// The offset of an address in its word.
__device__ __forceinline__ int begin_of(const char* at, unsigned word) {
  return static_cast<int>(static_cast<unsigned>(reinterpret_cast<unsigned long long>(at)) &
                          (word - 1));
}

/// Copies `lines` of `length` bytes, `line_step` bytes apart, to shared memory, `pitch` bytes
/// apart. Words are read at aligned addresses: a line has the same offset in its first word as in
/// memory.
template <int Word, class T>
__device__ __forceinline__ void load_lines(const char* source, int64_t line_step, int length,
                                           int lines, const FastDivmod& words, int pitch,
                                           char* shared) {
  const int all = static_cast<int>(words.divisor) * lines;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < all; i += block_threads) {
    const auto line = static_cast<int>(words.divide(static_cast<unsigned>(i)));
    const int w = (i - line * static_cast<int>(words.divisor)) * Word;
    const char* const start = source + line * line_step;
    const int at = w - begin_of(start, Word);
    char* const to = shared + line * pitch + w;
    if (at >= 0 && at + Word <= length) {
      copy_async<Word>(to, start + at);
    } else {
#pragma unroll 1
      for (int b = at < 0 ? -at : 0; b < Word && at + b < length; b += sizeof(T)) {
        *reinterpret_cast<T*>(to + b) = *reinterpret_cast<const T*>(start + at + b);
      }
    }
  }
}

/// Stores `lanes` elements, or the first `count` where these are fewer, as a word if it may be one.
template <int lanes, class T>
__device__ __forceinline__ void store_lanes(T* to, unsigned long long bits, bool word, int count) {
  if (lanes == 1) {
    *to = static_cast<T>(bits);
  } else if (word && count >= lanes) {
    *reinterpret_cast<unsigned*>(to) = static_cast<unsigned>(bits);
  } else {
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      if (k < count) to[k] = static_cast<T>(bits >> (k * sizeof(T) * 8 % 64));
    }
  }
}
}  // namespace detail

/// A transposing copy of elements of Size bytes.
template <int Size>
__global__ void __launch_bounds__(block_threads)
    copy_turned(const __grid_constant__ TurnedCopy plan) {
  using T = weft::detail::word_t<Size>;
  extern __shared__ __align__(16) char weft_copy_tile[];
  unsigned outer = plan.across.divide(blockIdx.x);
  const int column =
      static_cast<int>((blockIdx.x - outer * plan.across.divisor) * plan.tile_columns.divisor);
  const unsigned tile = outer;
  outer = plan.down.divide(tile);
  const int row = static_cast<int>(tile - outer * plan.down.divisor) * plan.tile_rows;
  int from_offset = column * plan.from_column + row;
  int to_offset = column + row * plan.to_row;
#pragma unroll 1
  for (int d = 0; d < plan.outer; ++d) {
    const unsigned next = plan.size[d].divide(outer);
    const auto at = static_cast<int>(outer - next * plan.size[d].divisor);
    from_offset += at * plan.from_stride[d];
    to_offset += at * plan.to_stride[d];
    outer = next;
  }
  const auto width = static_cast<int>(plan.tile_columns.divisor);
  const int columns = ::min(width, plan.columns - column);
  const int rows = ::min(plan.tile_rows, plan.rows - row);
  const char* const source = plan.from + int64_t{from_offset} * Size;

  const int length = (plan.one_line ? columns * rows : rows) * Size;
  const int64_t line_step = plan.one_line ? 0 : int64_t{plan.from_column} * Size;
  constexpr int small_word = Size == 8 ? 8 : 4;
  if (plan.word == 16) {
    detail::load_lines<16, T>(source, line_step, length, plan.one_line ? 1 : columns, plan.words,
                              plan.pitch, weft_copy_tile);
  } else {
    detail::load_lines<small_word, T>(source, line_step, length, columns, plan.words, plan.pitch,
                                      weft_copy_tile);
  }
#if __CUDA_ARCH__ >= 800
  weft::detail::ptx::cp_async_wait_all();
#endif
  __syncthreads();

  const auto line_of = [&](int c) {
    return weft_copy_tile + c * plan.pitch +
           detail::begin_of(source + c * line_step, static_cast<unsigned>(plan.word));
  };
  T* const target = reinterpret_cast<T*>(plan.to) + to_offset;
  constexpr int lanes = Size < 4 ? 4 / Size : 1;
  if (plan.packed) {
    const int count = rows * width;
#pragma unroll 1
    for (int e = static_cast<int>(threadIdx.x) * lanes; e < count; e += block_threads * lanes) {
      int r = static_cast<int>(plan.tile_columns.divide(static_cast<unsigned>(e)));
      int c = e - r * width;
      unsigned long long bits = 0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const T x = *reinterpret_cast<const T*>(line_of(c) + r * Size);
        bits |= static_cast<unsigned long long>(x) << (k * Size * 8 % 64);
        const bool end = ++c == width;
        c = end ? 0 : c;
        r += end ? 1 : 0;
      }
      detail::store_lanes<lanes>(target + e, bits, plan.stores_words, count - e);
    }
    return;
  }
  // A thread has the same columns of several rows.
  const int here = plan.stores_words ? lanes : 1;
  const auto item = static_cast<int>(threadIdx.x) * here;
  const int c = item & (width - 1);
  const char* line[lanes];
#pragma unroll
  for (int k = 0; k < lanes; ++k) line[k] = line_of(c + k < width ? c + k : c);
  const int step = static_cast<int>(block_threads) * here / width;
  int r = item / width;
  T* to = target + int64_t{r} * plan.to_row + c;
  const int64_t forward = int64_t{step} * plan.to_row;
  if (columns - c < here) {
#pragma unroll 1
    for (; r < rows; r += step, to += forward) {
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        if (c + k < columns) to[k] = *reinterpret_cast<const T*>(line[k] + r * Size);
      }
    }
  } else if (lanes > 1 && here > 1) {
#pragma unroll 4
    for (; r < rows; r += step, to += forward) {
      unsigned bits = 0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        bits |= static_cast<unsigned>(*reinterpret_cast<const T*>(line[k] + r * Size))
                << (k * Size * 8 % 32);
      }
      *reinterpret_cast<unsigned*>(to) = bits;
    }
  } else {
#pragma unroll 4
    for (; r < rows; r += step, to += forward) {
      *to = *reinterpret_cast<const T*>(line[0] + r * Size);
    }
  }
}

/// A flat copy of elements of Size bytes.
template <int Size>
__global__ void __launch_bounds__(block_threads) copy_flat(const __grid_constant__ FlatCopy plan) {
  using T = weft::detail::word_t<Size>;
  constexpr int lanes = flat_lanes(Size);
  struct alignas(sizeof(T) * lanes) Lanes {
    T lane[lanes];
  };
  const unsigned first = (blockIdx.x * block_threads + threadIdx.x) * lanes;
  if (first >= plan.count) return;
  unsigned rest[lanes];
  int offset[lanes] = {};
#pragma unroll
  for (int j = 0; j < lanes; ++j) rest[j] = ::min(first + j, plan.count - 1);
#pragma unroll 1
  for (int d = 0; d < plan.rank; ++d) {
#pragma unroll
    for (int j = 0; j < lanes; ++j) {
      const unsigned next = plan.size[d].divide(rest[j]);
      offset[j] += static_cast<int>(rest[j] - next * plan.size[d].divisor) * plan.stride[d];
      rest[j] = next;
    }
  }
  const T* const from = reinterpret_cast<const T*>(plan.from);
  T* const to = reinterpret_cast<T*>(plan.to) + first;
  Lanes values;
#pragma unroll
  for (int j = 0; j < lanes; ++j) values.lane[j] = from[offset[j]];
  if (plan.aligned && first + lanes <= plan.count) {
    *reinterpret_cast<Lanes*>(to) = values;
  } else {
#pragma unroll
    for (int j = 0; j < lanes; ++j) {
      if (first + j < plan.count) to[j] = values.lane[j];
    }
  }
}

namespace detail {

/// Runs a copy of elements of Size bytes by the kernels of this file; false if the loop over
/// elements should.
template <int Size>
WEFT_OUTLINED bool run_copy(const Name& name, const Shape& shape, const Loops& loops,
                            const Operand* operands, const Stream& stream) {
  TurnedCopy turned;
  TiledCopy tiled;
  FlatCopy flat;
  CopyLaunch plan = plan_copy(loops, operands, turned, tiled, flat);
  TunedLaunch tuned(name, stream.device().ordinal, stream.handle());
  if (tuned.by != nullptr) {
    tuned.mark = tuned.by->copy(tuned, loops, operands, plan, turned, tiled, flat);
  }
  if (plan.blocks == 0) return false;
  void* arguments[] = {plan.turned  ? static_cast<void*>(&turned)
                       : plan.tiled ? static_cast<void*>(&tiled)
                                    : static_cast<void*>(&flat)};
  const void* const kernel = plan.turned  ? reinterpret_cast<const void*>(copy_turned<Size>)
                             : plan.tiled ? reinterpret_cast<const void*>(copy_tiled<Size>)
                                          : reinterpret_cast<const void*>(copy_flat<Size>);
  launch(name, shape, kernel, plan.blocks, block_threads, arguments, stream, plan.shared_bytes);
  return true;
}

}  // namespace detail

#endif

}  // namespace weft::on_cuda
