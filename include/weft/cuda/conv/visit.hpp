// CUDA's loops over the places of images: a thread for each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/vector.hpp"
#include "weft/ops/conv/visit.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace on_cuda {

/// The places of a volume that fits in 31 bits, from image `first` on.
struct VolumeGrid {
  FastDivmod x;
  FastDivmod y;
  FastDivmod z;
  FastDivmod c;
  int first = 0;
  unsigned items = 0;
  bool last = false;    // channels are the fastest
  bool groups = false;  // a thread takes several places along x
  int width = 0;        // places along x
};

/// How many places along x a thread may take.
template <class F>
inline constexpr int neighbours_of = 1;
template <class F>
  requires(F::neighbours > 1)
inline constexpr int neighbours_of<F> = F::neighbours;

/// The results of f from a place on along x.
template <class F>
__device__ __forceinline__ void visit_neighbours(const F& f, const conv::Place& at, int width) {
  constexpr int n = F::neighbours;
  using T = std::remove_reference_t<decltype(*f.target(at))>;
  Vector<T, n> values;
  f.compute(at, values.lane);
  T* const to = f.target(at);
  const int64_t step = f.step_of_targets();
  if (at.x + n <= width && step == 1 &&
      reinterpret_cast<unsigned long long>(to) % sizeof(values) == 0) {
    *reinterpret_cast<Vector<T, n>*>(to) = values;
    return;
  }
#pragma unroll
  for (int j = 0; j < n; ++j) {
    if (at.x + j < width) to[j * step] = values.lane[j];
  }
}

/// Calls f at each place, or has it compute several neighbours.
template <class F>
__global__ void __launch_bounds__(block_threads)
    visit_places(const __grid_constant__ VolumeGrid grid, const __grid_constant__ F f) {
  const unsigned item = blockIdx.x * block_threads + threadIdx.x;
  if (item >= grid.items) return;
  unsigned rest = item;
  const auto take = [&](const FastDivmod& size) {
    const unsigned whole = size.divide(rest);
    const unsigned i = rest - whole * size.divisor;
    rest = whole;
    return static_cast<int>(i);
  };
  conv::Place at;
  if (grid.last) at.c = take(grid.c);
  at.x = take(grid.x) * (grid.groups ? neighbours_of<F> : 1);
  at.y = take(grid.y);
  at.z = take(grid.z);
  if (!grid.last) at.c = take(grid.c);
  at.n = grid.first + static_cast<int>(rest);
  if constexpr (1 < neighbours_of<F>) {
    if (grid.groups) return visit_neighbours(f, at, grid.width);
  }
  f(at);
}

}  // namespace on_cuda
#endif

template <>
struct Visitor<Cuda> {
  template <class D, class F>
  static void run([[maybe_unused]] const char* operation, [[maybe_unused]] D on,
                  [[maybe_unused]] const conv::Volume& v, [[maybe_unused]] const F& f,
                  [[maybe_unused]] std::initializer_list<Storage*> reads,
                  [[maybe_unused]] std::initializer_list<Storage*> writes) {
#if defined(__CUDACC__)
    const Cuda device{(*writes.begin())->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    for (Storage* storage : reads) {
      if (storage != nullptr) on_cuda::order_read(storage, stream);
    }
    for (Storage* storage : writes) on_cuda::order_write(storage, stream);
    constexpr int64_t most = int64_t{1} << 30;  // places in a launch
    bool in_groups = false;
    if constexpr (1 < on_cuda::neighbours_of<F>) {
      constexpr int64_t enough = int64_t{1} << 20;  // places, for threads on the whole GPU
      in_groups = !v.last && v.count() >= enough && f.takes_neighbours();
    }
    const int64_t neighbours = in_groups ? on_cuda::neighbours_of<F> : 1;
    const int64_t groups = (v.size[2] + neighbours - 1) / neighbours;
    const int64_t each = v.channels * v.size[0] * v.size[1] * groups;
    const int64_t places = v.count() / v.images;
    if (places > most) {
      fail<ShapeError>(operation, "an image of ", v.channels, " channels and ", places,
                       " places in all, expected at most 2^30");
    }
    const int64_t images = most / each < v.images ? most / each : v.images;
    const auto divider = [](int64_t size) {
      return on_cuda::FastDivmod(static_cast<unsigned>(size));
    };
    on_cuda::VolumeGrid grid{divider(groups), divider(v.size[1]), divider(v.size[0]),
                             divider(v.channels)};
    grid.last = v.last;
    grid.groups = in_groups;
    grid.width = static_cast<int>(v.size[2]);
    for (int64_t first = 0; first < v.images; first += images) {
      const int64_t count = v.images - first < images ? v.images - first : images;
      grid.first = static_cast<int>(first);
      grid.items = static_cast<unsigned>(count * each);
      const unsigned blocks = (grid.items + on_cuda::block_threads - 1) / on_cuda::block_threads;
      void* arguments[] = {&grid, const_cast<F*>(&f)};
      on_cuda::detail::launch({operation}, {v.images, v.channels, v.size[0], v.size[1], v.size[2]},
                              reinterpret_cast<const void*>(on_cuda::visit_places<F>), dim3(blocks),
                              on_cuda::block_threads, arguments, stream);
    }
    for (Storage* storage : writes) storage->bump_version();
#else
    static_assert(detail::always_false<F>,
                  "weft: images on Cuda are processed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }
};

}  // namespace weft
