// Scans of a formula: its operands are read where the scan would read its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/scan/formula_plan.hpp"
#include "weft/cuda/scan/tiles.hpp"

namespace weft::on_cuda {

#if defined(__CUDACC__)

namespace detail {

/// Where elements of a row are that a thread's vectors hold: offsets of the row, and what is left
/// of it from `start` on.
template <class Tile>
struct RowPart {
  const int* offset;
  const int* along;  // strides
  int start;
  int length;

  __device__ __forceinline__ int count(int r) const {
    const int left = length - start - Tile::place(r);
    return left < Tile::lanes ? left : Tile::lanes;
  }
  __device__ __forceinline__ int at(int k, int r) const {
    return offset[k] + (start + Tile::place(r)) * along[k];
  }
  __device__ __forceinline__ RowPart from(int operand) const {
    return {offset + operand, along + operand, start, length};
  }
};

/// One vector of a thread, of the lanes that share a row.
template <int V>
struct LanesTile {
  static constexpr int lanes = V;
  __device__ __forceinline__ static int place(int) { return 0; }
};

/// count(Types{}), which device code may not call.
template <class Types>
inline constexpr int counted_types = weft::detail::count(Types{});

/// Computes what a thread scans at a time: all operands' vectors are on their way before the first
/// is used. `data` holds the operands' addresses from index 1 on.
template <class Types, class Tile, class Program, class C, int V, int R>
__device__ __forceinline__ void load_formula(char* const* data, const Program& program,
                                             const RowPart<Tile>& part, Vector<C, V> (&out)[R]) {
  constexpr int n = counted_types<Types> + 1;
  Registers<Types, V> registers[R];
#pragma unroll
  for (int r = 0; r < R; ++r) {
    // Past the end of the row only operands that broadcast along it are read.
    int at[n];
#pragma unroll
    for (int k = 1; k < n; ++k) at[k] = part.at(k, r);
    registers[r].load(data, at, part.along, 0, part.count(r));
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
#pragma unroll
    for (int j = 0; j < V; ++j)
      out[r].lane[j] = program(Lane<Registers<Types, V>>{registers[r], j});
  }
}

/// No program behind a scan.
struct ScanAlone {
  static constexpr int operands = 0;
  template <bool Early, int V, int R, class Tile>
  struct Rest : AsScanned {
    __device__ __forceinline__ Rest(const ScanAlone&, char* const*, const RowPart<Tile>&) {}
  };
};

/// A program that reads a scan's values, of type Value, and operands of its own.
template <class Types, class Value, class Program>
struct ScanRead {
  static constexpr int operands = counted_types<Types>;
  static constexpr std::uint64_t all = ~std::uint64_t{0};
  Program program;
  std::uint64_t values;  // bit i: operand i is the scan's value

  /// Loads a vector of an operand that is not the scan's value.
  template <class Tile>
  struct Load {
    std::uint64_t values;
    char* const* data;
    RowPart<Tile> part;
    int r;
    template <int I, class T, int V>
    __device__ __forceinline__ void operator()(Vector<T, V>& vector) const {
      if ((values >> I & 1U) != 0) return;
      on_cuda::load(vector, data[I], part.at(I, r), part.along[I], 0, part.count(r));
    }
  };
  template <int V>
  struct Put {
    std::uint64_t values;
    const Vector<Value, V>& scanned;
    template <int I, class T>
    __device__ __forceinline__ void operator()(Vector<T, V>& vector) const {
      if constexpr (std::is_same_v<T, Value>) {
        if ((values >> I & 1U) != 0) vector = scanned;
      }
    }
  };

  /// A thread's vectors of these operands, loaded before the scan or, to save registers, behind it.
  template <bool Early, int V, int R, class Tile>
  struct Rest {
    template <class Out>
    using value = Value;
    const ScanRead& read;
    char* const* data;
    const RowPart<Tile>& part;
    Registers<Types, V> registers[Early ? R : 1];

    __device__ __forceinline__ Rest(const ScanRead& reader, char* const* addresses,
                                    const RowPart<Tile>& in_row)
        : read(reader), data(addresses), part(in_row) {
      if constexpr (Early) {
#pragma unroll
        for (int r = 0; r < R; ++r) load(registers[r], r);
      }
    }
    __device__ __forceinline__ void load(Registers<Types, V>& out, int r) const {
      out.template load_each<all>(Load<Tile>{read.values, data, part, r});
    }
    template <class Out>
    __device__ __forceinline__ Vector<Out, V> stored(int r, const Vector<Value, V>& values,
                                                     int last) {
      Registers<Types, V>& all_of = registers[Early ? r : 0];
      if constexpr (!Early) load(all_of, r);
      all_of.template load_each<all>(Put<V>{read.values, values});
      return compute<Out, V>(all_of, read.program, 0, last);
    }
  };
};

}  // namespace detail

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
