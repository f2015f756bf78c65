// Planning copies by tiles of several short axes, with long rows in the order of source and target.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// A copy of tiles of any number of short axes: those innermost in the source, in whose order a
/// tile is read to shared memory, and those innermost in the target, in whose order it is written.
struct TiledCopy {
  /// A tile's axis: its part of it, from an element to the next in memory and in shared memory.
  struct Axis {
    FastDivmod size;
    int stride = 0;
    int place = 0;
  };
  /// An axis along which tiles lie side by side. The last one ends with the axis, and may have
  /// elements in common with the one before.
  struct Outer {
    FastDivmod tiles;
    int part = 1;
    int last = 0;  // where the last one begins
    int from_stride = 0;
    int to_stride = 0;
  };
  const char* from = nullptr;
  char* to = nullptr;
  int elements = 1;     // of a tile
  bool pairs = false;   // read and written two at a time; `read` then counts pairs
  int rank = 0;         // axes of a tile,
  Axis read[max_rank];  // innermost of the source first
  Axis written[max_rank];
  unsigned tiles = 1;
  int outer = 0;
  Outer across[max_rank];
};

/// How a copy is launched; no blocks if the loop over elements is better.
struct CopyLaunch {
  bool turned = false;
  bool tiled = false;
  unsigned blocks = 0;
  int shared_bytes = 0;
};

/// The number of a tile's elements, or pairs of these, that a thread moves, whatever the axes.
WEFT_HD constexpr int tiled_lanes(int itemsize) { return itemsize == 2 || itemsize == 8 ? 6 : 10; }

namespace detail {

inline int divided_up(int64_t n, int64_t by) { return static_cast<int>((n + by - 1) / by); }

/// Parts of `n`, none longer than `most`, in multiples of `unit` unless one is enough.
inline int even_part(int n, int most, int unit) {
  if (n <= most) return n;
  return divided_up(divided_up(n, divided_up(n, most / unit * unit)), unit) * unit;
}

/// The dimensions of a copy from the innermost of the source outward.
WEFT_OUTLINED inline void order_by_source(const Operand& from, int rank, int* order) {
  const auto step = [&](int d) { return from.stride[d] < 0 ? -from.stride[d] : from.stride[d]; };
  for (int i = 0; i < rank; ++i) {
    int at = i;
    const int d = rank - 1 - i;
    for (; at > 0 && step(order[at - 1]) > step(d); --at) order[at] = order[at - 1];
    order[at] = d;
  }
}

/// Adds dimensions to a tile, in an order, until a row of it has `wanted` elements. Returns how
/// many it has; fewer if gaps follow.
WEFT_OUTLINED inline int64_t add_run(const Loops& loops, const Operand& x, const int* order,
                                     int64_t wanted, int64_t* part) {
  int64_t run = 1;
  for (int i = 0; i < loops.rank && run < wanted; ++i) {
    const int d = order[i];
    if (x.stride[d] != run) break;
    const int64_t most = (wanted + run - 1) / run;
    const int64_t least = even_part(static_cast<int>(loops.size[d]), static_cast<int>(most), 1);
    if (loops.size[d] <= 2 * most) part[d] = loops.size[d];
    if (part[d] < least) part[d] = least;
    run *= part[d];
    if (part[d] < loops.size[d]) break;
  }
  return run;
}

/// Whether the elements of a tile, of which `part` has so many along each dimension, are pairs in
/// an operand's memory: neighbours from a multiple of two on.
WEFT_OUTLINED inline bool has_pairs(const Loops& loops, const Operand& x, const int* order,
                                    const int64_t* part) {
  int64_t run = 1;
  bool runs = true;
  for (int i = 0; i < loops.rank; ++i) {
    const int d = order[i];
    runs = runs && x.stride[d] == run;
    if (runs) {
      run *= part[d];
      // Tiles beside this one begin `part` further, the last one where the axis ends.
      const int64_t last = loops.size[d] - part[d];
      if (last > 0 && (part[d] * x.stride[d] % 2 != 0 || last * x.stride[d] % 2 != 0)) return false;
      runs = last == 0;
    } else if (loops.size[d] > 1 && x.stride[d] % 2 != 0) {
      return false;
    }
  }
  return run % 2 == 0 && reinterpret_cast<std::uintptr_t>(x.data) % (2U * x.itemsize) == 0;
}

/// Plans a copy by tiles of several axes, with tiles of elements or of pairs; false where neither
/// rows of the source nor of the target would be of some length.
WEFT_OUTLINED inline bool plan_tiles(const Loops& loops, const Operand* operands, bool pairs,
                                     TiledCopy& out, CopyLaunch& launch) {
  const Operand& to = operands[0];
  const Operand& from = operands[1];
  const int itemsize = to.itemsize;
  const int rank = loops.rank;
  const int64_t most =
      int64_t{tiled_lanes(itemsize)} * static_cast<int>(block_threads) * (pairs ? 2 : 1);
  int by_source[max_rank];
  int by_target[max_rank];
  order_by_source(from, rank, by_source);
  order_by_source(to, rank, by_target);
  int64_t part[max_rank];
  for (int d = 0; d < rank; ++d) part[d] = 1;
  // Lines of 128 bytes of either, or two thirds of that if the other's are long.
  const int64_t wanted = itemsize < 4 ? 32 : 128 / itemsize;
  const int64_t read = add_run(loops, from, by_source, wanted, part);
  const int64_t written = add_run(loops, to, by_target, wanted, part);
  int64_t elements = 1;
  for (int d = 0; d < rank; ++d) elements *= part[d];
  if (elements > most || read * itemsize < 32 || written * itemsize < 32) return false;
  // As large as possible, along the innermost axes of the target and then of the source.
  for (const int* order : {by_target, by_source}) {
    for (int i = 0; i < rank; ++i) {
      const int d = order[i];
      const int64_t rest = elements / part[d];
      if (part[d] == loops.size[d] || most / rest <= part[d]) continue;
      const auto size = static_cast<int>(loops.size[d]);
      const int larger = even_part(size, static_cast<int>(most / rest), 1);
      // As many tiles, but larger ones, would only move more elements twice.
      if (divided_up(size, larger) >= divided_up(size, static_cast<int>(part[d]))) continue;
      part[d] = larger;
      elements = rest * part[d];
    }
  }
  if (2 * elements < static_cast<int>(block_threads)) return false;
  if (pairs && !(part[by_source[0]] % 2 == 0 && has_pairs(loops, from, by_source, part) &&
                 has_pairs(loops, to, by_target, part))) {
    return false;
  }

  out.pairs = pairs;
  out.from = from.data;
  out.to = to.data;
  out.elements = static_cast<int>(elements);
  // Neighbours of the target read words of different banks: rows of those that are short follow
  // each other there.
  const int first = by_target[0];
  const int lanes = itemsize == 8 ? 16 : 32;
  const int line = 128 / itemsize;
  const int word = itemsize < 4 ? 4 / itemsize : 1;
  const int beside = divided_up(lanes, static_cast<int>(part[first] < lanes ? part[first] : lanes));
  const int shifted = divided_up(beside, word) * word % line;
  int place[max_rank];
  int64_t reach = 1;
  for (int i = 0; i < rank; ++i) {
    const int d = by_source[i];
    if (d == first && reach > 1 && part[d] > 1) {
      reach += ((shifted - reach) % line + line) % line;
    }
    place[d] = static_cast<int>(reach);
    reach *= part[d];
  }
  out.rank = 0;
  for (int i = 0; i < rank; ++i) {
    const int d = by_source[i];
    if (part[d] == 1) continue;
    if (pairs && place[d] % 2 != 0 && d != by_source[0]) return false;
    const int each = pairs && d == by_source[0] ? 2 : 1;
    out.read[out.rank++] = {FastDivmod(static_cast<unsigned>(part[d] / each)),
                            each * static_cast<int>(from.stride[d]), each * place[d]};
  }
  out.rank = 0;
  for (int i = 0; i < rank; ++i) {
    const int d = by_target[i];
    if (part[d] == 1) continue;
    out.written[out.rank++] = {FastDivmod(static_cast<unsigned>(part[d])),
                               static_cast<int>(to.stride[d]), place[d]};
  }
  int64_t tiles = 1;
  out.outer = 0;
  for (int i = 0; i < rank; ++i) {
    const int d = by_target[i];
    if (part[d] == loops.size[d]) continue;
    const int here = divided_up(loops.size[d], static_cast<int>(part[d]));
    out.across[out.outer++] = {FastDivmod(static_cast<unsigned>(here)), static_cast<int>(part[d]),
                               static_cast<int>(loops.size[d] - part[d]),
                               static_cast<int>(from.stride[d]), static_cast<int>(to.stride[d])};
    tiles *= here;
  }
  out.tiles = static_cast<unsigned>(tiles);
  // A block finds its places in a tile once for all of its tiles.
  const int64_t each = tiles / 1024;
  launch.tiled = true;
  launch.blocks = static_cast<unsigned>(divided_up(tiles, static_cast<int>(each < 1    ? 1
                                                                           : each > 16 ? 16
                                                                                       : each)));
  launch.shared_bytes = static_cast<int>(reach) * itemsize;
  return launch.shared_bytes <= granted_shared_bytes;
}

/// The same with pairs where they can be, in elements of two bytes: words of four take half as many
/// loads and stores, and twice as much is under way.
WEFT_OUTLINED inline bool plan_tiled(const Loops& loops, const Operand* operands, TiledCopy& out,
                                     CopyLaunch& launch) {
  return (operands[0].itemsize == 2 && plan_tiles(loops, operands, true, out, launch)) ||
         plan_tiles(loops, operands, false, out, launch);
}

}  // namespace detail

}  // namespace weft::on_cuda
