// CUDA's loops over the places of images: a thread for each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/primitive/launch.hpp"
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
  bool last = false;  // channels are the fastest
};

/// Calls f at each place.
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
  at.x = take(grid.x);
  at.y = take(grid.y);
  at.z = take(grid.z);
  if (!grid.last) at.c = take(grid.c);
  at.n = grid.first + static_cast<int>(rest);
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
    const int64_t each = v.count() / v.images;
    if (each > most) {
      fail<ShapeError>(operation, "an image of ", v.channels, " channels and ", each,
                       " places in all, expected at most 2^30");
    }
    const int64_t images = most / each < v.images ? most / each : v.images;
    const auto divider = [](int64_t size) {
      return on_cuda::FastDivmod(static_cast<unsigned>(size));
    };
    on_cuda::VolumeGrid grid{divider(v.size[2]), divider(v.size[1]), divider(v.size[0]),
                             divider(v.channels)};
    grid.last = v.last;
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
