// The device-wide algorithms of CUB and Thrust that kernels' tests call, as loops of the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

namespace thrust {
template <class T>
struct counting_iterator {
  T first;
  explicit counting_iterator(T x) : first(x) {}
  T operator[](std::ptrdiff_t i) const { return first + static_cast<T>(i); }
};
}  // namespace thrust

namespace cub {

/// Two arrays, of which `selector` says where the elements are.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2];
  int selector = 0;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
};

struct DeviceSelect {
  template <class In, class Flags, class Out, class Count>
  static cudaError_t Flagged(void* room, std::size_t& bytes, In in, Flags flags, Out out,
                             Count count, std::int64_t n, cudaStream_t) {
    bytes = 1;
    if (room == nullptr) return cudaSuccess;
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (flags[i]) out[kept++] = in[i];
    }
    *count = static_cast<std::remove_reference_t<decltype(*count)>>(kept);
    return cudaSuccess;
  }
};

struct DeviceRadixSort {
  /// Sorts by the bits from `begin` on and before `end`; equal ones stay in order.
  template <class K, class V>
  static cudaError_t SortPairs(void* room, std::size_t& bytes, const K* keys, K* sorted_keys,
                               const V* values, V* sorted_values, std::int64_t n, int begin,
                               int end, cudaStream_t) {
    bytes = 1;
    if (room == nullptr) return cudaSuccess;
    using Bits = std::make_unsigned_t<K>;
    const auto part = [=](K key) {
      const Bits above = static_cast<Bits>(key) >> begin;
      const int width = end - begin;
      return width >= static_cast<int>(8 * sizeof(K)) ? above : above & ((Bits(1) << width) - 1);
    };
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return part(keys[a]) < part(keys[b]);
    });
    for (std::int64_t i = 0; i < n; ++i) {
      sorted_keys[i] = keys[order[static_cast<std::size_t>(i)]];
      sorted_values[i] = values[order[static_cast<std::size_t>(i)]];
    }
    return cudaSuccess;
  }
  template <class K, class V>
  static cudaError_t SortPairs(void* room, std::size_t& bytes, DoubleBuffer<K>& keys,
                               DoubleBuffer<V>& values, std::int64_t n, int begin, int end,
                               cudaStream_t stream) {
    const cudaError_t result =
        SortPairs(room, bytes, keys.d_buffers[keys.selector], keys.d_buffers[1 - keys.selector],
                  values.d_buffers[values.selector], values.d_buffers[1 - values.selector], n, begin,
                  end, stream);
    if (room != nullptr) {
      keys.selector = 1 - keys.selector;
      values.selector = 1 - values.selector;
    }
    return result;
  }
};

/// The sums up to each tile. Blocks run one after another, so that those before are known.
template <class T>
struct ScanTileState {
  T* inclusive = nullptr;
  static cudaError_t AllocationSize(int tiles, std::size_t& bytes) {
    bytes = static_cast<std::size_t>(tiles) * sizeof(T);
    return cudaSuccess;
  }
  cudaError_t Init(int, void* room, std::size_t) {
    inclusive = static_cast<T*>(room);
    return cudaSuccess;
  }
  void InitializeStatus(int) {}
  void SetInclusive(int tile, T sum) { inclusive[tile] = sum; }
};
template <class T, class Join, class Tiles>
struct TilePrefixCallbackOp {
  struct TempStorage {};
  Tiles tiles;
  Join join;
  int tile;
  TilePrefixCallbackOp(Tiles& t, TempStorage&, Join j, int i) : tiles(t), join(j), tile(i) {}
  T operator()(T sum) const {
    const T before = tiles.inclusive[tile - 1];
    tiles.inclusive[tile] = join(before, sum);
    return before;
  }
};

}  // namespace cub
