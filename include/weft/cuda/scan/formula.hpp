// Scans of a formula: its operands are read where the scan would read its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/scan/tiles.hpp"

namespace weft::on_cuda {

#if defined(__CUDACC__)

namespace detail {

/// Computes what a warp scans at a time, from element `start` of a row on: all operands' vectors
/// are on their way before the first is used. `offset` is where the row begins in each.
template <class Types, class Tile, class Program, int N, class C, int V, int R>
__device__ __forceinline__ void load_formula(const Grid<N>& grid, const Program& program,
                                             const int (&offset)[N], int start,
                                             Vector<C, V> (&out)[R]) {
  Registers<Types, V> registers[R];
  const auto count = [&](int r) {
    const int left = grid.inner - start - Tile::place(r);
    return left < V ? left : V;
  };
#pragma unroll
  for (int r = 0; r < R; ++r) {
    // Past the end of the row only operands that broadcast along it are read.
    int at[N];
#pragma unroll
    for (int k = 0; k < N; ++k) at[k] = offset[k] + (start + Tile::place(r)) * grid.lane[k];
    registers[r].load(grid.data, at, grid.lane, 0, count(r));
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
#pragma unroll
    for (int j = 0; j < V; ++j)
      out[r].lane[j] = program(Lane<Registers<Types, V>>{registers[r], j});
  }
}

}  // namespace detail

/// scan_rows of a formula.
template <class Out, class Types, class S, int V, int R, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    scan_formula_rows(const __grid_constant__ Grid<N> grid, unsigned rows,
                      const __grid_constant__ Program program) {
  using C = typename Program::type;
  using Tile = detail::WarpTile<S, C, V, R>;
  using State = typename Tile::State;
  using Carry = typename S::template Carry<C>;
  const unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  int offset[N];
  go_to_row(grid, row, offset);
  Out* out = reinterpret_cast<Out*>(grid.data[0]) + offset[0];
  Carry carry = S::template identity<Carry>();
#pragma unroll 1
  for (int start = 0; start < grid.inner; start += Tile::items) {
    Vector<C, V> loaded[R];
    detail::load_formula<Types, Tile>(grid, program, offset, start, loaded);
    Tile tile;
    tile.scan(loaded, grid.inner - start);
    tile.store(out + start, grid.inner - start, scanner::prefix_of<State>(carry),
               S::template identity<State>());
    carry = S::join(carry, static_cast<Carry>(tile.total));
  }
}

/// scan_tiles of a formula.
template <class Out, class Types, class S, int V, int R, int N, class Program, class Tiles>
__global__ void __launch_bounds__(tile_threads, detail::tile_blocks_of<S, typename Program::type>)
    scan_formula_tiles(const __grid_constant__ Grid<N> grid, FastDivmod tiles_a_row, Tiles tiles,
                       const __grid_constant__ Program program) {
  using C = typename Program::type;
  using Tile = detail::WarpTile<S, C, V, R>;
  constexpr int warps = tile_threads / 32;
  const unsigned row = tiles_a_row.divide(blockIdx.x);
  const unsigned chunk = blockIdx.x - row * tiles_a_row.divisor;
  int offset[N];
  go_to_row(grid, row, offset);
  const int start = static_cast<int>(chunk) * (warps * Tile::items) +
                    static_cast<int>(threadIdx.x / 32) * Tile::items;
  Vector<C, V> loaded[R];
  detail::load_formula<Types, Tile>(grid, program, offset, start, loaded);
  Tile tile;
  tile.scan(loaded, grid.inner - start);
  typename S::template Carry<C>* const totals = nullptr;
  detail::finish_tile<S>(tile, tiles, totals, ScanGrid::look_back, chunk,
                         reinterpret_cast<Out*>(grid.data[0]) + offset[0] + start,
                         int64_t{grid.inner} - start);
}

namespace detail {

/// The loops of a scan's rows, followed by its axis; false if that is not the target's innermost
/// one, or there are too many elements for 32 bits.
WEFT_OUTLINED inline bool order_formula(const Shape& shape, int axis, Operand* operands, int n,
                                        Loops& loops) {
  loops = weft::detail::loops_over(shape);
  const int64_t length = loops.size[axis];
  int64_t along[64];
  if (n > 64 || length < 2 || operands[0].stride[axis] != 1) return false;
  for (int i = 0; i < n; ++i) along[i] = operands[i].stride[axis];
  Loops rows = loops;
  rows.size[axis] = 1;
  weft::detail::simplify(rows, operands, n, true);
  if (rows.rank == max_rank) return false;
  loops = rows;
  loops.size[loops.rank] = length;
  for (int i = 0; i < n; ++i) operands[i].stride[loops.rank] = along[i];
  ++loops.rank;
  return fits(loops, operands, n);
}

/// Runs a scan of a program over operands[1] and on, into operands[0]; false, with nothing done,
/// where another form suits it better.
template <class S, class Out, class Types, int N, class Program>
bool run_formula_scan(Cuda device, const Shape& shape, int axis, Operand* operands,
                      const Program& program) {
  using C = typename Program::type;
  using Carry = typename S::template Carry<C>;
  constexpr int bytes = 16 / lanes_of_widest<Out>(Types{});
  constexpr int widest = static_cast<int>(sizeof(C)) > bytes ? static_cast<int>(sizeof(C)) : bytes;
  constexpr int v = 16 / widest > 0 ? 16 / widest : 1;
  static_assert((v & (v - 1)) == 0);
  constexpr bool plain = std::is_arithmetic_v<typename S::template State<C>> && N <= 3;
  constexpr int r_tiles = 4;
  constexpr int r_rows = plain ? 4 : 2;
  Loops loops;
  if (!order_formula(shape, axis, operands, N, loops)) return false;
  const int64_t length = loops.size[loops.rank - 1];
  const int64_t rows = loops.count() / length;
  if (length <= 32 * v) return false;
  const Name name{S::text};
  const Stream stream = current_stream(device);
  Grid<N> grid;
  plan_row_items(loops, operands[0], v, grid);
  plan_operands(loops, operands, N, grid.data, grid.lane, grid.stride);
  auto count = static_cast<unsigned>(rows);
  auto* const given = const_cast<Program*>(&program);
  constexpr ScanTiles items{32 * v * r_rows, tile_threads * v * r_tiles};
  if (!wants_tiles(rows, length, items, properties(device).multiprocessors)) {
    void* arguments[] = {&grid, &count, given};
    const auto kernel = scan_formula_rows<Out, Types, S, v, r_rows, N, Program>;
    launch_row_scan(name, shape, reinterpret_cast<const void*>(kernel), count, length, 32, bytes,
                    arguments, stream);
    return true;
  }
  // For a state in two parts, the look-back is slower than a scan in waves of a stored value.
  if constexpr (std::is_arithmetic_v<Carry>) {
    using Tiles = cub::ScanTileState<Carry>;
    const int64_t a_row = (length + items.block_items - 1) / items.block_items;
    FastDivmod tiles_a_row(static_cast<unsigned>(a_row));
    auto blocks = static_cast<int>(rows * a_row);
    Tiles tiles;
    std::size_t room_bytes = 0;
    check(Tiles::AllocationSize(blocks, room_bytes), S::text);
    const StorageHandle room(Memory<Cuda>::allocate(device, static_cast<int64_t>(room_bytes)));
    check(tiles.Init(blocks, room->data, room_bytes), S::text);
    void* starting[] = {&tiles, &blocks};
    const auto threads = static_cast<unsigned>(block_threads);
    launch(name, shape, reinterpret_cast<const void*>(start_tiles<Tiles>),
           (static_cast<unsigned>(blocks) + threads - 1) / threads, threads, starting, stream);
    void* arguments[] = {&grid, &tiles_a_row, &tiles, given};
    launch(name, shape,
           reinterpret_cast<const void*>(
               scan_formula_tiles<Out, Types, S, v, r_tiles, N, Program, Tiles>),
           static_cast<unsigned>(blocks), tile_threads, arguments, stream);
    return true;
  }
  return false;
}

}  // namespace detail

#endif

}  // namespace weft::on_cuda
