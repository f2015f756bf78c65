// The kernel that computes all gradients of a statement, and starts the sums of broadcast operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "weft/core/ptx.hpp"
#include "weft/cuda/gradient/known.hpp"
#include "weft/cuda/gradient/targets.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

/// The offsets of a row's vector.
template <int N, int K>
__device__ __forceinline__ void find_row(const SumGrid<N, K>& grid, unsigned row, int vector,
                                         int* offset) {
#pragma unroll
  for (int i = 0; i < N; ++i) offset[i] = vector * grid.operand[i].vector;
#pragma unroll 1
  for (int d = 0; d < grid.outer - 1; ++d) {
    const unsigned next = grid.size[d].divide(row);
    const auto index = static_cast<int>(row - next * grid.size[d].divisor);
    row = next;
#pragma unroll
    for (int i = 0; i < N; ++i) offset[i] += index * grid.operand[i].stride[d];
  }
  if (grid.outer > 0) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      offset[i] += static_cast<int>(row) * grid.operand[i].stride[grid.outer - 1];
    }
  }
}
/// Loads a thread's vector, of which `last` lanes hold elements.
template <class T, int V>
__device__ __forceinline__ void load_vector(Vector<T, V>& values, const SumOperand& from,
                                            int offset, int last) {
  if constexpr (sizeof(T) == 2 && V % 2 == 0) {
    // As words, or the cases would meet in a move for each lane.
    const T* const p = reinterpret_cast<const T*>(from.data) + offset;
    Vector<unsigned, V / 2> words;
    if (from.whole) {
      words = *reinterpret_cast<const Vector<unsigned, V / 2>*>(p);
    } else if (from.lane == 0) {
      const unsigned twice = *reinterpret_cast<const unsigned short*>(p) * 0x10001U;
#pragma unroll
      for (int j = 0; j < V / 2; ++j) words.lane[j] = twice;
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const T* const element = j < last ? p + j * from.lane : p;
        const unsigned one = *reinterpret_cast<const unsigned short*>(element);
        words.lane[j / 2] = j % 2 == 0 ? one : words.lane[j / 2] | one << 16U;
      }
    }
    std::memcpy(&values, &words, sizeof(values));
  } else if constexpr (std::is_same_v<T, IndexOperand>) {
    load(values, from.data, offset, from.lane, 0, last);
  } else if (from.whole) {
    values = *reinterpret_cast<const Vector<T, V>*>(reinterpret_cast<const T*>(from.data) + offset);
  } else {
    load(values, from.data, offset, from.lane, 0, last);
  }
}
/// Prefetches into L2 what a thread reads in its next row.
template <int N, int K, class... Ts>
__device__ __forceinline__ void fetch_next(weft::detail::TypeList<Ts...>, const SumGrid<N, K>& grid,
                                           const int* offset) {
  constexpr int bytes[] = {std::is_same_v<Ts, IndexOperand> ? 0 : static_cast<int>(sizeof(Ts))...};
#pragma unroll
  for (int i = 0; i < N - K; ++i) {
    const SumOperand& x = grid.operand[K + i];
    if (bytes[i] == 0 || !x.fetched) continue;
    weft::detail::ptx::prefetch_l2(x.data + int64_t{offset[K + i] + x.advance} * bytes[i]);
  }
}

/// Registers that the kernel's vectors take, about: what it loads, computes and sums.
template <int V, class... Ts, class... Vs>
constexpr int registers_of_sums(weft::detail::TypeList<Ts...>, weft::detail::TypeList<Vs...>) {
  int bytes = 0;
  ((bytes += std::is_same_v<Ts, IndexOperand> ? 8 : static_cast<int>(sizeof(Ts))), ...);
  ((bytes += 2 * static_cast<int>(sizeof(Vs))), ...);
  return bytes * V / 4 + static_cast<int>(sizeof...(Ts) + sizeof...(Vs));
}
/// Lanes of the kernel: fewer than `Most` where more of them would not fit into registers.
template <int Most, class... Ts, class... Vs>
constexpr int lanes_of_sums(weft::detail::TypeList<Ts...> types,
                            weft::detail::TypeList<Vs...> values) {
  constexpr int fit = 72;  // of 80 registers
  if constexpr (Most > 4) {
    if constexpr (registers_of_sums<Most>(weft::detail::TypeList<Ts...>{},
                                          weft::detail::TypeList<Vs...>{}) > fit)
      return lanes_of_sums<Most / 2>(types, values);
  }
  return Most;
}

/// Resident blocks per multiprocessor that registers are limited for: a thread waits for each row
/// that it reads, so others must run meanwhile. 8-byte values would spill.
template <int V, int N, class... Ts>
constexpr int least_blocks(weft::detail::TypeList<Ts...>) {
  constexpr bool wide = ((sizeof(Ts) > 4) || ...);
  return wide || N > 16 ? 1 : N <= 8 && V <= 4 ? 4 : 3;
}
}  // namespace detail

/// Computes the targets of a multi-output program, of any strides; summed ones as partial sums.
template <class Outs, class Types, int V, int N, int K, class Program>
__global__ void __launch_bounds__(block_threads,
                                  (detail::least_blocks<V, N>(typename Program::values{})))
    gradient_kernel(const __grid_constant__ SumGrid<N, K> grid,
                    const __grid_constant__ Program program) {
  const unsigned line_of_block = grid.width.divide(threadIdx.x);
  const unsigned x = threadIdx.x - line_of_block * grid.width.divisor;
  const unsigned wanted = blockIdx.x * grid.width.divisor + x;
  const bool inside = wanted < grid.vectors && line_of_block < grid.lines;
  const int vector = inside ? static_cast<int>(wanted) : 0;
  const int64_t start = int64_t{vector} * V;
  const int64_t left = grid.inner - start;
  const int lanes = !inside ? 0 : left < V ? static_cast<int>(left) : V;
  const unsigned line = blockIdx.y * grid.lines + line_of_block;
  unsigned row = line < grid.rows ? line : grid.rows - 1;
  int offset[N];
  detail::find_row(grid, row, vector, offset);
  int last = line < grid.rows ? lanes : 0;
  typename detail::TargetsOf<V, Outs, typename Program::values>::type targets{};
#pragma unroll 1
  for (unsigned step = 0; step < grid.steps; ++step) {
    const bool goes_on = line + (step + 1) * grid.row_step < grid.rows;
    if (goes_on && lanes == V) detail::fetch_next(Types{}, grid, offset);
    Registers<Types, V> registers;
    // The last operand is usually the largest: copies of others wait for their element.
    constexpr std::uint64_t largest = std::uint64_t{1} << (N - K);
    const auto load_one = [&]<int I, class T>(Vector<T, V>& values) {
      detail::load_vector(values, grid.operand[K - 1 + I], offset[K - 1 + I], last);
    };
    registers.template load_each<largest>(load_one);
    registers.template load_each<~largest>(load_one);
    const auto strides = [&](int i) { return grid.operand[K - 1 + i].lane; };
    const detail::KnownLanes<decltype(registers), decltype(strides)> lanes_here{registers, strides,
                                                                                last};
    const auto& known = detail::Known<Program, V>::of(program, lanes_here);
    auto values = compute_all<Outs, V>(registers, known, 0, last).values;
    if (last < V) detail::clear_lanes<V>(values, last);
    detail::take_all<0, V>(Outs{}, grid, offset, {last, x % 32 == 0 && last > 0, vector / 32},
                           values, targets);
    if (!goes_on) {
      last = 0;
    } else if (grid.outer > 1) {
      row += grid.row_step;
      detail::find_row(grid, row, vector, offset);
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i) offset[i] += grid.operand[i].advance;
    }
  }
  detail::finish_all<0, V>(Outs{}, grid, start, line, inside, targets);
}

}  // namespace weft::on_cuda

#endif
