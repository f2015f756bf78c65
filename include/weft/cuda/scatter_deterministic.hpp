// Additions by indices on CUDA, with the same bits every time: indices sorted, then runs summed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/scatter.hpp"
#include "weft/ops/elementwise/map.hpp"

#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace weft {

namespace op {
/// The row-major place in the target that an index names, counted in slices of `inner` elements;
/// one past the last where it names none.
template <Indexing How>
struct target_place {
  using result_type = int64_t;
  static constexpr const char* text = "place";
  static constexpr bool has_effects = true;
  IndexRange range;
  long long none;
  long long length;  // of the indices' axis
  long long inner;   // elements behind the target's axis

  template <class I>
  WEFT_HD long long value(long long position, I index) const {
    const long long i = range.place(index);
    if (i < 0) return none;
    if (How != Indexing::along) return i;
    return (position / (length * inner) * range.size + i) * inner + position % inner;
  }
};
}  // namespace op

namespace on_cuda {

/// Values in runs of equal keys: of each of `outer` parts `count` rows of `inner` values.
struct Runs {
  const int64_t* keys;  // sorted
  const int* order;     // where row k of the values lies; null for at k
  int64_t count;
  int64_t outer;
  int64_t inner;
  int64_t places;  // rows of the target; larger keys name none
};

/// Keys that one thread walks along.
inline constexpr int run_piece = 32;

#if defined(__CUDACC__)
/// A thread sums the runs in a piece of the keys. Sums of runs within the piece go to the target;
/// for a run that began before it or continues after it, the sum is a row of `next`, two rows per
/// piece.
template <class T, class V, class A>
__global__ void __launch_bounds__(block_threads)
    add_runs(const Runs runs, const V* values, T* target, int64_t* next_keys, A* next) {
  const int64_t thread = int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const int64_t column = thread % runs.inner;
  const int64_t part = thread / runs.inner % runs.outer;
  const int64_t piece = thread / runs.inner / runs.outer;
  const int64_t first = piece * run_piece;
  if (first >= runs.count) return;
  const int64_t last = first + run_piece < runs.count ? first + run_piece : runs.count;
  int64_t key[2] = {runs.places, runs.places};  // of the rows of `next`
  A sum[2] = {};
  bool begun_before = first > 0 && runs.keys[first - 1] == runs.keys[first];
  A total{};
  for (int64_t k = first; k < last; ++k) {
    const int64_t here = runs.keys[k];
    const int64_t row = runs.order == nullptr ? k : runs.order[k];
    total = math::add(total, load_element(values[(part * runs.count + row) * runs.inner + column]));
    const bool ends = k + 1 == runs.count || runs.keys[k + 1] != here;
    if (!ends && k + 1 < last) continue;
    if (begun_before || !ends) {
      key[begun_before ? 0 : 1] = here;
      sum[begun_before ? 0 : 1] = total;
    } else if (here < runs.places) {
      T& element = target[(part * runs.places + here) * runs.inner + column];
      element = weft::detail::added(element, total);
    }
    begun_before = false;
    total = A{};
  }
  if (next == nullptr) return;
  const int64_t rows = (runs.count + run_piece - 1) / run_piece * 2;
  for (int i = 0; i < 2; ++i) {
    // A row without a run joins the other one's, so that runs stay unbroken.
    const int64_t k = key[i] < runs.places ? key[i] : key[1 - i];
    if (part == 0 && column == 0) next_keys[2 * piece + i] = k;
    next[(part * rows + 2 * piece + i) * runs.inner + column] = sum[i];
  }
}

namespace detail {
template <class T, class V>
void launch_runs(const char* operation, const Stream& stream, const Runs& runs, const V* values,
                 T* target, int64_t* next_keys, compute_t<T>* next) {
  const int64_t pieces = (runs.count + run_piece - 1) / run_piece;
  const int64_t blocks = (pieces * runs.outer * runs.inner + block_threads - 1) / block_threads;
  add_runs<T, V, compute_t<T>>
      <<<static_cast<unsigned>(blocks), block_threads, 0, stream.handle()>>>(runs, values, target,
                                                                             next_keys, next);
  check(cudaGetLastError(), operation);
}

/// Sorts keys, equal ones staying in order, and the numbers 0, 1, ... with them.
inline void sort_keys(const char* operation, const Stream& stream, Tensor<int64_t, Cuda>& keys,
                      Tensor<int, Cuda>& order, int64_t places) {
  const int64_t n = keys.size();
  if (n > INT32_MAX) fail<ShapeError>(operation, n, " indices, expected at most ", INT32_MAX);
  const Cuda device = keys.device();
  const auto sorted = empty<int64_t>({n}, device);
  const auto numbers = arange<int>(static_cast<int>(n), device);
  order = empty<int>({n}, device);
  int bits = 1;
  while (places >> bits != 0) ++bits;
  std::size_t bytes = 0;
  StorageHandle temporary;
  for (int pass = 0; pass < 2; ++pass) {
    void* const memory = pass == 0 ? nullptr : temporary->data;
    check(cub::DeviceRadixSort::SortPairs(
              memory, bytes, reinterpret_cast<const unsigned long long*>(keys.data()),
              reinterpret_cast<unsigned long long*>(sorted.data()), numbers.data(), order.data(),
              static_cast<int>(n), 0, bits, stream.handle()),
          operation);
    if (pass == 0) {
      const int64_t needed = bytes > 0 ? static_cast<int64_t>(bytes) : 1;
      temporary = StorageHandle(Memory<Cuda>::allocate(device, needed));
    }
  }
  keys = sorted;
}
}  // namespace detail
#endif

}  // namespace on_cuda

template <>
struct OrderedScatterer<Cuda> {
  template <Indexing How, class T, class D, class I, class S>
  static void add(const char* operation, const Tensor<T, D>& target, int axis, const Shape& shape,
                  const I& indices, const S& source) {
#if defined(__CUDACC__)
    const on_cuda::DeviceGuard guard(Cuda{target.storage()->ordinal});
    on_cuda::Runs runs{nullptr, nullptr, shape.size(), 1, 1, target.size()};
    int64_t inner = 1;  // elements behind the axis
    for (int d = axis + 1; d < target.rank(); ++d) inner *= target.shape()[d];
    if (How == Indexing::instead) {
      runs.count = indices.shape().size();
      runs.inner = inner;
      runs.places = target.shape()[axis];
      runs.outer = shape.size() / (runs.count * inner);
    }
    const IndexRange range =
        detail::index_range<D>(operation, How, target.shape(), axis, target.storage());
    const int64_t length = How == Indexing::along ? shape[axis] : 1;
    using Place = op::target_place<How>;
    const Shape of_keys = How == Indexing::instead ? indices.shape() : shape;
    Tensor<int64_t, Cuda> keys = detail::materialize_on<int64_t, Cuda>(
        Map<int64_t, Place, Positions, I>(Place{range, runs.places, length, inner},
                                          Positions(of_keys), indices),
        target.device());
    keys = keys.reshape({-1});
    const on_cuda::Stream stream = on_cuda::current_stream(target.device());
    Tensor<int, Cuda> order;
    on_cuda::detail::sort_keys(operation, stream, keys, order, runs.places);

    const Tensor<T, D> values = all_values(operation, target, shape, source);
    const Tensor<T, D> sums = target.is_contiguous() ? target : target.clone();
    on_cuda::order_read(values, stream);
    on_cuda::order_write(sums, stream);
    sum_runs(operation, stream, runs, keys, order, values, sums);
    if (!target.is_contiguous()) target.assign(sums);
#else
    static_assert(detail::always_false<S>,
                  "weft: a scatter on Cuda runs in a file that nvcc compiles: move this statement "
                  "to a .cu file");
#endif
  }

#if defined(__CUDACC__)
 private:
  /// The source as contiguous memory of the whole shape that the target does not share.
  template <class T, class D, class S>
  static Tensor<T, D> all_values(const char* operation, const Tensor<T, D>& target,
                                 const Shape& shape, const S& source) {
    if constexpr (std::is_same_v<S, Tensor<T, D>>) {
      if (source.shape() == shape && source.is_contiguous() &&
          source.storage() != target.storage()) {
        return source;
      }
    }
    const Tensor<T, D> values = empty<T>(shape, target.device());
    detail::write(values, source, operation);
    return values;
  }

  /// Sums runs piece by piece, then the partial sums of cut runs, until none is cut.
  template <class T, class D>
  static void sum_runs(const char* operation, const on_cuda::Stream& stream, on_cuda::Runs runs,
                       Tensor<int64_t, Cuda> keys, const Tensor<int, Cuda>& order,
                       const Tensor<T, D>& values, const Tensor<T, D>& target) {
    using A = compute_t<T>;
    Tensor<A, Cuda> sums;
    for (bool first = true;; first = false) {
      runs.keys = keys.data();
      runs.order = first ? order.data() : nullptr;
      const bool last = runs.count <= on_cuda::run_piece;
      const int64_t rows = (runs.count + on_cuda::run_piece - 1) / on_cuda::run_piece * 2;
      Tensor<int64_t, Cuda> next_keys;
      Tensor<A, Cuda> next;
      if (!last) {
        next_keys = empty<int64_t>({rows}, target.device());
        next = empty<A>({runs.outer, rows, runs.inner}, target.device());
      }
      if (first) {
        on_cuda::detail::launch_runs(operation, stream, runs, values.data(), target.data(),
                                     next_keys.data(), next.data());
      } else {
        on_cuda::detail::launch_runs(operation, stream, runs, sums.data(), target.data(),
                                     next_keys.data(), next.data());
      }
      if (last) return;
      keys = next_keys;
      sums = next;
      runs.count = rows;
    }
  }
#endif
};

}  // namespace weft
