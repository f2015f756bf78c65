// CUDA's sorting on CUB's radix sort, by element and then by row, and its search for the first few.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/order/radix_key.hpp"
#include "weft/cuda/order/topk.hpp"
#include "weft/cuda/primitive/cub.hpp"
#include "weft/ops/order/sort.hpp"

#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace weft {

#if defined(__CUDACC__)
namespace on_cuda {

/// The keys of n elements, and their positions.
template <class T>
__global__ void __launch_bounds__(block_threads)
    make_keys(const T* x, unsigned n, radix_key_t<T> flip, radix_key_t<T>* keys,
              unsigned* positions) {
  const unsigned i = blockIdx.x * block_threads + threadIdx.x;
  if (i >= n) return;
  keys[i] = static_cast<radix_key_t<T>>(radix_key(x[i]) ^ flip);
  positions[i] = i;
}

/// The row of each position.
template <class U>
__global__ void __launch_bounds__(block_threads)
    make_rows(const U* positions, unsigned n, FastDivmod columns, U* rows) {
  const unsigned i = blockIdx.x * block_threads + threadIdx.x;
  if (i < n) rows[i] = columns.divide(positions[i]);
}

/// The first k elements of each row from sorted positions, and from sorted keys where there are.
template <class T>
__global__ void __launch_bounds__(block_threads)
    take_sorted(const T* x, const radix_key_t<T>* keys, const unsigned* positions, unsigned n,
                radix_key_t<T> flip, FastDivmod columns, unsigned k, T* values, long* indices) {
  const unsigned i = blockIdx.x * block_threads + threadIdx.x;
  if (i >= n) return;
  const unsigned row = columns.divide(i);
  const unsigned column = i - row * columns.divisor;
  if (column >= k) return;
  const unsigned from = positions[i];
  const int64_t to = static_cast<int64_t>(row) * k + column;
  if (indices != nullptr) indices[to] = from - row * columns.divisor;
  if (values == nullptr) return;
  const auto key = static_cast<radix_key_t<T>>(keys != nullptr ? keys[i] ^ flip : 0);
  values[to] = keys != nullptr && is_exact<T>(key) ? radix_element<T>(key) : x[from];
}

namespace detail {

/// Two arrays of n elements for a radix sort, which says where the result is.
template <class U>
struct SortBuffers {
  StorageHandle room;
  cub::DoubleBuffer<U> buffers;

  SortBuffers(Cuda device, int64_t n)
      : room(Memory<Cuda>::allocate(device, 2 * padded(n) * static_cast<int64_t>(sizeof(U)))),
        buffers(static_cast<U*>(room->data), static_cast<U*>(room->data) + padded(n)) {}
  U* current() const { return buffers.d_buffers[buffers.selector]; }
  static int64_t padded(int64_t n) { return (n + 63) / 64 * 64; }
};

template <class U>
void radix_sort(Cuda device, SortBuffers<U>& keys, SortBuffers<unsigned>& positions, unsigned n,
                int bits) {
  run_cub("sort", device, [&](void* room, std::size_t& bytes, cudaStream_t stream) {
    return cub::DeviceRadixSort::SortPairs(room, bytes, keys.buffers, positions.buffers, n, 0, bits,
                                           stream);
  });
}

}  // namespace detail
}  // namespace on_cuda
#endif

template <>
struct Sorter<Cuda> {
  /// The first k in order of each row into `values` and `indices`. All rows are sorted at once,
  /// and then, which keeps that order, by their numbers.
  template <class T, class D>
  static void sort([[maybe_unused]] const Tensor<T, D>& rows, [[maybe_unused]] bool reverse,
                   [[maybe_unused]] int64_t k, [[maybe_unused]] const Tensor<T, D>& values,
                   [[maybe_unused]] const Tensor<int64_t, D>& indices) {
#if defined(__CUDACC__)
    using Key = on_cuda::radix_key_t<T>;
    if (rows.size() > INT32_MAX) {
      fail<ShapeError>("sort", rows.size(), " elements on Cuda, expected below 2^31");
    }
    const auto n = static_cast<unsigned>(rows.size());
    const Cuda device{rows.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::order_read(rows.storage(), stream);
    const detail::Name name{"sort"};
    const unsigned blocks = (n + on_cuda::block_threads - 1) / on_cuda::block_threads;
    const auto run = [&](auto kernel, auto... arguments) {
      void* list[] = {&arguments...};
      on_cuda::detail::launch(name, rows.shape(), reinterpret_cast<const void*>(kernel), blocks,
                              on_cuda::block_threads, list, stream);
    };

    on_cuda::detail::SortBuffers<Key> keys(device, n);
    on_cuda::detail::SortBuffers<unsigned> positions(device, n);
    const Key flip = reverse ? static_cast<Key>(~Key(0)) : Key(0);
    const T* x = rows.data();
    run(on_cuda::make_keys<T>, x, n, flip, keys.current(), positions.current());
    on_cuda::detail::radix_sort(device, keys, positions, n,
                                is_bool<T> && !reverse ? 1 : 8 * sizeof(T));
    const Key* sorted = keys.current();
    const on_cuda::FastDivmod columns(static_cast<unsigned>(rows.size(1)));
    if (rows.size(0) > 1) {
      on_cuda::detail::SortBuffers<unsigned> numbers(device, n);
      run(on_cuda::make_rows<unsigned>, static_cast<const unsigned*>(positions.current()), n,
          columns, numbers.current());
      int bits = 1;
      while ((rows.size(0) - 1) >> bits != 0) ++bits;
      on_cuda::detail::radix_sort(device, numbers, positions, n, bits);
      sorted = nullptr;  // the keys are not in the rows' order
    }
    run(on_cuda::take_sorted<T>, x, sorted, static_cast<const unsigned*>(positions.current()), n,
        flip, columns, static_cast<unsigned>(k), values.data(), indices.data());
#else
    static_assert(detail::always_false<T>,
                  "weft: a sort on Cuda is run in a file that nvcc compiles: move this statement "
                  "to a .cu file");
#endif
  }

  /// The same; where k is small, rows are not sorted but searched.
  template <class T, class D>
  static void topk([[maybe_unused]] const Tensor<T, D>& rows, [[maybe_unused]] bool reverse,
                   [[maybe_unused]] int64_t k, [[maybe_unused]] const Tensor<T, D>& values,
                   [[maybe_unused]] const Tensor<int64_t, D>& indices) {
#if defined(__CUDACC__)
    if (k > on_cuda::topk_block) return sort(rows, reverse, k, values, indices);
    for (int d = 0; d < 2; ++d) {
      if (rows.size(d) > INT32_MAX) {
        fail<ShapeError>("topk", rows.size(d), d == 0 ? " rows" : " elements in a row",
                         " on Cuda, expected below 2^31");
      }
    }
    const Cuda device{rows.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    on_cuda::order_read(rows.storage(), on_cuda::current_stream(device));
    on_cuda::topk(device, rows.shape(), rows.data(), reverse, k, values.data(), indices.data());
#else
    static_assert(detail::always_false<T>,
                  "weft: a topk on Cuda is run in a file that nvcc compiles: move this statement "
                  "to a .cu file");
#endif
  }
};

WEFT_MODEL(SortingDevice<Cuda>);

}  // namespace weft
