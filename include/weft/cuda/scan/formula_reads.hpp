// The operands of a formula that is scanned, and of what reads the scan, as a thread loads them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
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

#endif

}  // namespace weft::on_cuda
