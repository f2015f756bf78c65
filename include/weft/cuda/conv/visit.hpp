// CUDA's loops over the places of images: a thread for a place of several planes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/vector.hpp"
#include "weft/ops/conv/visit.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace on_cuda {

/// How the places of a volume go to threads. Each takes one place, or several along x, in every
/// chunks-th plane (image, where channels are the fastest).
struct VolumeGrid {
  FastDivmod x;
  FastDivmod y;
  FastDivmod z;
  FastDivmod c;
  unsigned items = 0;
  unsigned planes = 0;
  unsigned chunks = 0;
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

/// Calls f(plane) with the planes of a thread, the first of which is given.
template <class F>
__device__ __forceinline__ void each_plane(const VolumeGrid& grid, unsigned first, int channel,
                                           const F& f) {
  for (unsigned plane = first; plane < grid.planes; plane += grid.chunks) {
    if (grid.last) {
      f(conv::Plane{plane, static_cast<unsigned>(channel)});
    } else {
      const unsigned image = grid.c.divide(plane);
      f(conv::Plane{image, plane - image * grid.c.divisor});
    }
  }
}

/// Computes V results along x in each plane of a thread.
template <int V, class F>
__device__ __forceinline__ void visit_planes(const F& f, const VolumeGrid& grid,
                                             const conv::Place& at, unsigned first) {
  using T = std::remove_reference_t<decltype(*f.target({}))>;
  const auto seen = f.template look<V>(at);
  const int64_t within = f.within(at);
  each_plane(grid, first, at.c, [&](const conv::Plane& plane) {
    Vector<T, V> values;
    f.compute(seen, plane, values.lane);
    T* const to = f.target(plane) + within;
    if (at.x + V <= grid.width && reinterpret_cast<unsigned long long>(to) % sizeof(values) == 0) {
      *reinterpret_cast<Vector<T, V>*>(to) = values;
      return;
    }
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (at.x + v < grid.width) to[v] = values.lane[v];
    }
  });
}

/// Visits each place.
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
  if constexpr (requires { f.template look<1>(at); }) {
    if constexpr (1 < neighbours_of<F>) {
      if (grid.groups) return visit_planes<neighbours_of<F>>(f, grid, at, rest);
    }
    visit_planes<1>(f, grid, at, rest);
  } else {
    each_plane(grid, rest, at.c, [&](const conv::Plane& plane) {
      conv::Place here = at;
      here.n = static_cast<int>(plane.n);
      here.c = static_cast<int>(plane.c);
      f(here);
    });
  }
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
    bool in_groups = false;
    if constexpr (1 < on_cuda::neighbours_of<F>) {
      constexpr int64_t enough = int64_t{1} << 20;  // places, for threads on the whole GPU
      in_groups = !v.last && v.count() >= enough && f.takes_neighbours();
    }
    const int64_t neighbours = in_groups ? on_cuda::neighbours_of<F> : 1;
    const int64_t groups = (v.size[2] + neighbours - 1) / neighbours;
    const int64_t planes = v.last ? v.images : v.images * v.channels;
    const int64_t each = v.size[0] * v.size[1] * groups * (v.last ? v.channels : 1);
    constexpr int64_t most = int64_t{1} << 30;
    if (each > most || planes > most) {
      fail<ShapeError>(operation, "images of ", v.images, " x ", v.channels, " planes of ",
                       v.size[0] * v.size[1] * v.size[2],
                       " places, expected at most 2^30 planes, and places in one");
    }
    constexpr int64_t threads = int64_t{1} << 19;  // a few times what the largest GPUs hold
    const int64_t chunks = std::clamp<int64_t>(threads / each, 1, planes);
    const auto divider = [](int64_t size) {
      return on_cuda::FastDivmod(static_cast<unsigned>(size));
    };
    on_cuda::VolumeGrid grid{divider(groups), divider(v.size[1]), divider(v.size[0]),
                             divider(v.channels)};
    grid.items = static_cast<unsigned>(each * chunks);
    grid.planes = static_cast<unsigned>(planes);
    grid.chunks = static_cast<unsigned>(chunks);
    grid.last = v.last;
    grid.groups = in_groups;
    grid.width = static_cast<int>(v.size[2]);
    const unsigned blocks = (grid.items + on_cuda::block_threads - 1) / on_cuda::block_threads;
    void* arguments[] = {&grid, const_cast<F*>(&f)};
    on_cuda::detail::launch({operation}, {v.images, v.channels, v.size[0], v.size[1], v.size[2]},
                            reinterpret_cast<const void*>(on_cuda::visit_places<F>), dim3(blocks),
                            on_cuda::block_threads, arguments, stream);
    for (Storage* storage : writes) storage->bump_version();
#else
    static_assert(detail::always_false<F>,
                  "weft: images on Cuda are processed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }
};

}  // namespace weft
