// CUDA's scans on CUB's primitives: one pass over memory along any axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/scan/columns.hpp"
#include "weft/cuda/scan/formula.hpp"
#include "weft/cuda/scan/tiles.hpp"
#include "weft/cuda/scan/waves.hpp"
#include "weft/ops/order/scan.hpp"

namespace weft {

namespace on_cuda::detail {

WEFT_OUTLINED inline unsigned checked_blocks(const char* name, int64_t n, const char* what) {
  if (n > INT32_MAX) fail<ShapeError>(name, n, " ", what, " on CUDA, expected below 2^31");
  return static_cast<unsigned>(n);
}

/// The loops of a scan of operands[1] into operands[0] along an axis of `shape`; true when
/// neighbouring rows lie side by side in the target.
WEFT_OUTLINED inline bool plan_scan(const char* name, const Shape& shape, int axis,
                                    Operand* operands, ScanGrid& grid) {
  Loops rows = weft::detail::loops_over(shape);
  grid.length = rows.size[axis];
  grid.along[0] = operands[0].stride[axis];
  grid.along[1] = operands[1].stride[axis];
  rows.size[axis] = 1;
  weft::detail::simplify(rows, operands, 2, true);
  grid.rows = checked_blocks(name, rows.count(), "rows to scan");
  grid.rank = rows.rank;
  for (int i = 0; i < 2; ++i) grid.data[i] = operands[i].data;
  for (int d = 0; d < rows.rank; ++d) {
    grid.size[d] = FastDivmod(static_cast<unsigned>(rows.size[rows.rank - 1 - d]));
    for (int i = 0; i < 2; ++i) grid.stride[i][d] = operands[i].stride[rows.rank - 1 - d];
  }
  return grid.along[0] != 1 && grid.rank > 0 && grid.length > 1;
}

/// Whether columns are short, and as many as the GPU has threads for with eight elements of each
/// under way.
WEFT_OUTLINED inline bool has_many_columns(const ScanGrid& grid, int multiprocessors) {
  return grid.length <= most_of_thread &&
         grid.rows >= static_cast<unsigned>(multiprocessors) * 1024;
}

/// Cuts the columns of a scan into tiles across and, where these are few, pieces along.
WEFT_OUTLINED inline unsigned plan_column_scan(const char* name, int multiprocessors,
                                               ScanGrid& grid) {
  const int64_t across = grid.size[0].divisor;
  // As wide as there are columns, up to a warp; wider if they are short.
  while (grid.width < 32 && grid.width < across) grid.width *= 2;
  while (grid.width < scan_threads && grid.width < across &&
         scan_threads / grid.width * scan_run >= 2 * grid.length) {
    grid.width *= 2;
  }
  const int64_t stacks = (across + grid.width - 1) / grid.width;
  grid.tiles = FastDivmod(static_cast<unsigned>(stacks));
  const int64_t groups = grid.rows / across * stacks;
  const int64_t tile = int64_t{scan_threads} / grid.width * scan_run;
  const int64_t tiles = (grid.length + tile - 1) / tile;
  int64_t pieces = 1;
  if (groups < 2 * multiprocessors) {
    pieces = (int64_t{4} * multiprocessors + groups - 1) / groups;
    if (pieces > tiles / 4) pieces = tiles / 4 > 0 ? tiles / 4 : 1;
  }
  grid.piece = checked_blocks(name, (tiles + pieces - 1) / pieces, "tiles along an axis");
  grid.pieces = static_cast<unsigned>((tiles + grid.piece - 1) / grid.piece);
  return checked_blocks(name, groups * grid.pieces, "tiles to scan");
}

#if defined(__CUDACC__)
/// Plans a scan and runs it in the form that suits its shape.
template <class S, class In, class Out>
void run_scan(Cuda device, const Shape& shape, int axis, Operand* operands, bool repeats) {
  using Carry = typename S::template Carry<compute_t<In>>;
  constexpr int v = 16 / static_cast<int>(sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));
  constexpr bool plain = std::is_arithmetic_v<typename S::template State<compute_t<In>>>;
  constexpr int r = plain ? 8 : 4;
  constexpr int r_rows = plain ? 4 : 2;
  constexpr ScanTiles items{32 * v * r_rows, tile_threads * v * r};
  const Name name{S::text};
  const int processors = properties(device).multiprocessors;
  const Stream stream = current_stream(device);
  ScanGrid grid;
  const auto memory = [&](int64_t bytes) {
    return StorageHandle(Memory<Cuda>::allocate(device, bytes > 0 ? bytes : 1));
  };
  Carry* totals = nullptr;
  if (plan_scan(S::text, shape, axis, operands, grid)) {
    if (has_many_columns(grid, processors)) {
      void* arguments[] = {&grid};
      return launch_row_scan(name, shape,
                             reinterpret_cast<const void*>(scan_many_columns<Out, In, S>),
                             grid.rows, grid.length, 1, sizeof(In), arguments, stream);
    }
    const unsigned blocks = plan_column_scan(S::text, processors, grid);
    const auto kernel = reinterpret_cast<const void*>(scan_columns<Out, In, S>);
    void* arguments[] = {&grid, &totals};
    StorageHandle room;
    if (grid.pieces > 1) {
      room = memory(int64_t{blocks} * grid.width * static_cast<int64_t>(sizeof(Carry)));
      totals = static_cast<Carry*>(room->data);
      grid.pass = ScanGrid::totals;
      launch(name, shape, kernel, blocks, scan_threads, arguments, stream);
      grid.pass = ScanGrid::from_totals;
    }
    return launch(name, shape, kernel, blocks, scan_threads, arguments, stream);
  }
  if (grid.length <= 32 * v) {
    while (grid.width * v < grid.length) grid.width *= 2;
    void* arguments[] = {&grid};
    return launch_row_scan(name, shape,
                           reinterpret_cast<const void*>(scan_short_rows<Out, In, S, v>), grid.rows,
                           grid.length, grid.width, sizeof(In), arguments, stream);
  }
  if constexpr (has_wave_types<S, In, Out>()) {
    const auto kernel = reinterpret_cast<const void*>(scan_waves<Out, In, S>);
    if (suits_waves(grid) &&
        properties(device).shared_memory_per_block > wave_shared_bytes + 4096 &&
        has_bulk_copies(kernel, device)) {
      const int64_t a_row = (grid.length + wave_tile - 1) / wave_tile;
      unsigned tiles = checked_blocks(S::text, grid.rows * a_row, "tiles to scan");
      grid.tiles = FastDivmod(static_cast<unsigned>(a_row));
      const int64_t bytes =
          int64_t{tiles} *
          static_cast<int64_t>(2 * sizeof(typename S::template State<compute_t<In>>));
      const StorageHandle room = memory(bytes);
      check(cudaMemsetAsync(room->data, 0, static_cast<std::size_t>(bytes), stream.handle()),
            S::text);
      void* arguments[] = {&grid, &tiles, &room->data};
      const unsigned most = wave_blocks < static_cast<unsigned>(processors)
                                ? wave_blocks
                                : static_cast<unsigned>(processors);
      return launch(name, shape, kernel, tiles < most ? tiles : most, wave_threads, arguments,
                    stream, wave_shared_bytes, Start::cooperative);
    }
  }
  if (!wants_tiles(grid.rows, grid.length, items, processors)) {
    void* arguments[] = {&grid};
    return launch_row_scan(name, shape,
                           reinterpret_cast<const void*>(scan_rows<Out, In, S, v, r_rows>),
                           grid.rows, grid.length, 32, sizeof(In), arguments, stream);
  }
  const int64_t a_row = (grid.length + items.block_items - 1) / items.block_items;
  const unsigned blocks = checked_blocks(S::text, grid.rows * a_row, "tiles to scan");
  grid.tiles = FastDivmod(static_cast<unsigned>(a_row));
  using Tiles = cub::ScanTileState<Carry>;
  const auto kernel = reinterpret_cast<const void*>(scan_tiles<Out, In, S, v, r, Tiles>);
  Tiles tiles;
  void* arguments[] = {&grid, &tiles, &totals};
  StorageHandle room;
  if (repeats) {
    room = memory(int64_t{blocks} * static_cast<int64_t>(sizeof(Carry)));
    totals = static_cast<Carry*>(room->data);
    auto tiles_a_row = static_cast<unsigned>(a_row);
    void* middle[] = {&totals, &tiles_a_row};
    grid.pass = ScanGrid::totals;
    launch(name, shape, kernel, blocks, tile_threads, arguments, stream);
    launch(name, shape, reinterpret_cast<const void*>(scan_totals<S, Carry>), grid.rows, 32, middle,
           stream);
    grid.pass = ScanGrid::from_totals;
  } else {
    std::size_t bytes = 0;
    auto count = static_cast<int>(blocks);
    check(Tiles::AllocationSize(count, bytes), S::text);
    room = memory(static_cast<int64_t>(bytes));
    check(tiles.Init(count, room->data, bytes), S::text);
    void* starting[] = {&tiles, &count};
    launch(name, shape, reinterpret_cast<const void*>(start_tiles<Tiles>),
           (blocks + block_threads - 1) / block_threads, block_threads, starting, stream);
  }
  launch(name, shape, kernel, blocks, tile_threads, arguments, stream);
}
#endif

}  // namespace on_cuda::detail

template <>
struct Scanner<Cuda> {
  /// target = the running values of x along the axis.
  template <class S, class In, class X, class Out, class Y>
  static void scan([[maybe_unused]] const Tensor<In, X>& x,
                   [[maybe_unused]] const Tensor<Out, Y>& target, [[maybe_unused]] int axis,
                   [[maybe_unused]] bool repeats) {
#if defined(__CUDACC__)
    const Cuda device{target.storage()->ordinal};
    // The kernels reach the neighbours in a vector with 32-bit offsets.
    const int64_t step = x.strides()[axis];
    const auto source = step > (1 << 24) || step < -(1 << 24) ? x.contiguous() : x;
    detail::Operand operands[2];
    operands[0].set(target.data(), sizeof(Out), target.shape(), target.strides(), target.storage());
    operands[1].set(source.data(), sizeof(In), source.shape(), source.strides(), source.storage());
    const on_cuda::DeviceGuard guard(device);
    on_cuda::detail::order(operands, 2, on_cuda::current_stream(device));
    on_cuda::detail::run_scan<S, In, Out>(device, target.shape(), axis, operands, repeats);
#else
    static_assert(detail::always_false<S>,
                  "weft: a scan on Cuda is evaluated in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

  /// The same of a formula, whose operands are read where its values are needed if that is as fast
  /// as its value in memory; false, with nothing done, where it is not.
  template <class S, class E, class Out, class Y>
  static bool scan_formula([[maybe_unused]] const E& e,
                           [[maybe_unused]] const Tensor<Out, Y>& target,
                           [[maybe_unused]] int axis) {
#if defined(__CUDACC__)
    using Lowered = detail::Lowered<E, detail::Route::elementwise>;
    using Types = typename Lowered::types;
    constexpr int n = Lowered::n;
    Lowered lowered(e);
    lowered.operands[0].set(target.data(), sizeof(Out), target.shape(), target.strides(),
                            target.storage());
    detail::broadcast_operands(lowered.operands, n, target.shape());
    const Cuda device{target.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    on_cuda::detail::order(lowered.operands, n, on_cuda::current_stream(device));
    return on_cuda::detail::run_formula_scan<S, Out, Types, Types>(
        device, target.shape(), axis, lowered.operands, lowered.program,
        on_cuda::detail::ScanAlone{});
#else
    return false;
#endif
  }

  /// Computes a scan and what reads it into operands[0]; the operands are the lowered statement's,
  /// and bit i of `values` says that operand i is the scan's value. False, with nothing launched,
  /// where two kernels do better.
  template <class Out, class L>
  static bool finish([[maybe_unused]] L& lowered, [[maybe_unused]] detail::Operand* operands,
                     [[maybe_unused]] std::uint64_t values, [[maybe_unused]] const Shape& shape,
                     [[maybe_unused]] Cuda device) {
#if defined(__CUDACC__)
    using Node = typename L::Node;
    using Types = typename L::types;
    using Scanned = typename L::scanned_types;
    using Read =
        on_cuda::detail::ScanRead<Types, typename Node::opaque_type, decltype(lowered.program)>;
    const on_cuda::DeviceGuard guard(device);
    on_cuda::detail::order(operands, L::n, on_cuda::current_stream(device));
    return on_cuda::detail::run_formula_scan<typename Node::scanner, Out, Scanned,
                                             typename detail::Join<Types, Scanned>::type>(
        device, shape, lowered.scan.axis(), operands, lowered.scanned,
        Read{lowered.program, values});
#else
    return false;
#endif
  }
};

WEFT_MODEL(ScanningDevice<Cuda, scanner::cumsum>);

}  // namespace weft
