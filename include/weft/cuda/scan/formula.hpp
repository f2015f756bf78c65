// Scans of a formula: its operands are read where the scan would read its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/scan/formula_plan.hpp"
#include "weft/cuda/scan/formula_reads.hpp"

namespace weft::on_cuda {

#if defined(__CUDACC__)

/// scan_rows of a formula, and what reads the scan.
template <class Out, class Types, class S, int V, int R, class Read, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    scan_formula_rows(const __grid_constant__ Grid<N> grid, unsigned rows,
                      const __grid_constant__ Program program, const __grid_constant__ Read read) {
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
    const detail::RowPart<Tile> part{offset, grid.lane, start, grid.inner};
    Vector<C, V> loaded[R];
    detail::load_formula<Types>(grid.data + Read::operands, program, part.from(Read::operands),
                                loaded);
    typename Read::template Rest<true, V, R, Tile> rest(read, grid.data, part);
    Tile tile;
    tile.scan(loaded, grid.inner - start);
    tile.store(out + start, grid.inner - start, scanner::prefix_of<State>(carry),
               S::template identity<State>(), rest);
    carry = S::join(carry, static_cast<Carry>(tile.total));
  }
}

/// scan_short_rows of a formula, and what reads the scan: `width` lanes scan a row.
template <class Out, class Types, class S, int V, class Read, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    scan_formula_short_rows(const __grid_constant__ Grid<N> grid, unsigned rows, unsigned width,
                            const __grid_constant__ Program program,
                            const __grid_constant__ Read read) {
  using C = typename Program::type;
  using State = typename S::template State<C>;
  using Tile = detail::LanesTile<V>;
  const unsigned row = blockIdx.x * (blockDim.x / width) + threadIdx.x / width;
  const unsigned x = threadIdx.x % width;
  const int start = static_cast<int>(x) * V;
  int offset[N] = {};
  if (row < rows) go_to_row(grid, row, offset);
  const detail::RowPart<Tile> part{offset, grid.lane, start, row < rows ? grid.inner : 0};
  const int last = part.count(0);
  Vector<C, V> loaded[1];
  detail::load_formula<Types>(grid.data + Read::operands, program, part.from(Read::operands),
                              loaded);
  using Rest = typename Read::template Rest<true, V, 1, Tile>;
  Rest rest(read, grid.data, part);
  State sums[V];
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const State element = j < last ? S::enter(loaded[0].lane[j]) : S::template identity<State>();
    sums[j] = j == 0 ? element : S::join(sums[j > 0 ? j - 1 : 0], element);
  }
  const State earlier = detail::before_lanes<S>(sums[V - 1], x, width);
  using Value = typename Rest::template value<Out>;
  Vector<Value, V> values;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    values.lane[j] = store_element<Value>(S::finish(S::join(earlier, sums[j])));
  }
  if (last <= 0) return;
  Out* const out = reinterpret_cast<Out*>(grid.data[0]) + offset[0] + start;
  on_cuda::store(rest.template stored<Out>(0, values, last), reinterpret_cast<char*>(out), 0, 1, 0,
                 last);
}

/// scan_tiles of a formula, and what reads the scan.
template <class Out, class Types, class S, int V, int R, class Read, int N, class Program,
          class Tiles>
__global__ void __launch_bounds__(tile_threads, detail::tile_blocks_of<S, typename Program::type>)
    scan_formula_tiles(const __grid_constant__ Grid<N> grid, FastDivmod tiles_a_row, Tiles tiles,
                       const __grid_constant__ Program program, const __grid_constant__ Read read) {
  using C = typename Program::type;
  using Tile = detail::WarpTile<S, C, V, R>;
  constexpr int warps = tile_threads / 32;
  const unsigned row = tiles_a_row.divide(blockIdx.x);
  const unsigned chunk = blockIdx.x - row * tiles_a_row.divisor;
  int offset[N];
  go_to_row(grid, row, offset);
  const int start = static_cast<int>(chunk) * (warps * Tile::items) +
                    static_cast<int>(threadIdx.x / 32) * Tile::items;
  const detail::RowPart<Tile> part{offset, grid.lane, start, grid.inner};
  Vector<C, V> loaded[R];
  detail::load_formula<Types>(grid.data + Read::operands, program, part.from(Read::operands),
                              loaded);
  typename Read::template Rest<false, V, R, Tile> rest(read, grid.data, part);
  Tile tile;
  tile.scan(loaded, grid.inner - start);
  typename S::template Carry<C>* const totals = nullptr;
  detail::finish_tile<S>(tile, tiles, totals, ScanGrid::look_back, chunk,
                         reinterpret_cast<Out*>(grid.data[0]) + offset[0] + start,
                         int64_t{grid.inner} - start, rest);
}

namespace detail {

/// Runs a scan of a program, and what reads it, into operands[0]. operands[1] and on are the
/// reader's, followed by the program's. False, with nothing launched, where another form suits it
/// better.
template <class S, class Out, class Types, class AllTypes, class Program, class Read>
bool run_formula_scan(Cuda device, const Shape& shape, int axis, Operand* operands,
                      const Program& program, const Read& read) {
  using C = typename Program::type;
  using Carry = typename S::template Carry<C>;
  using Vectors = FormulaVectors<S, C, Out, AllTypes>;
  constexpr int N = weft::detail::count(AllTypes{}) + 1;
  constexpr int v = Vectors::lanes;
  Loops loops;
  const FormulaScan plan = plan_formula(shape, axis, operands, N, Vectors::items, v, Vectors::tiles,
                                        properties(device).multiprocessors, loops);
  if (plan.form == FormulaScan::apart) return false;
  const Name name{S::text};
  const Stream stream = current_stream(device);
  Grid<N> grid;
  plan_row_items(loops, operands[0], v, grid);
  plan_operands(loops, operands, N, grid.data, grid.lane, grid.stride);
  auto count = static_cast<unsigned>(plan.count);
  auto* const given = const_cast<Program*>(&program);
  auto* const reader = const_cast<Read*>(&read);
  if (plan.form == FormulaScan::short_rows) {
    unsigned width = plan.width;
    void* arguments[] = {&grid, &count, &width, given, reader};
    const auto kernel = scan_formula_short_rows<Out, Types, S, v, Read, N, Program>;
    launch_row_scan(name, shape, reinterpret_cast<const void*>(kernel), count, plan.length, width,
                    Vectors::bytes, arguments, stream);
    return true;
  }
  if (plan.form == FormulaScan::rows) {
    void* arguments[] = {&grid, &count, given, reader};
    const auto kernel = scan_formula_rows<Out, Types, S, v, Vectors::in_rows, Read, N, Program>;
    launch_row_scan(name, shape, reinterpret_cast<const void*>(kernel), count, plan.length, 32,
                    Vectors::bytes, arguments, stream);
    return true;
  }
  if constexpr (Vectors::tiles) {
    using Tiles = cub::ScanTileState<Carry>;
    FastDivmod tiles_a_row(static_cast<unsigned>(plan.tiles));
    auto blocks = static_cast<int>(plan.blocks());
    Tiles tiles;
    std::size_t room_bytes = 0;
    check(Tiles::AllocationSize(blocks, room_bytes), S::text);
    const StorageHandle room(Memory<Cuda>::allocate(device, static_cast<int64_t>(room_bytes)));
    check(tiles.Init(blocks, room->data, room_bytes), S::text);
    void* starting[] = {&tiles, &blocks};
    const auto threads = static_cast<unsigned>(block_threads);
    launch(name, shape, reinterpret_cast<const void*>(start_tiles<Tiles>),
           (static_cast<unsigned>(blocks) + threads - 1) / threads, threads, starting, stream);
    void* arguments[] = {&grid, &tiles_a_row, &tiles, given, reader};
    launch(name, shape,
           reinterpret_cast<const void*>(
               scan_formula_tiles<Out, Types, S, v, Vectors::in_tiles, Read, N, Program, Tiles>),
           static_cast<unsigned>(blocks), tile_threads, arguments, stream);
  }
  return true;
}

}  // namespace detail

#endif

}  // namespace weft::on_cuda
