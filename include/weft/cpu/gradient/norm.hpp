// layer_norm's and rms_norm's gradients on the CPU: each row once, with the sums over all rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/elementwise/vector.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/eval/program/program.hpp"
#include "weft/eval/rows/norm.hpp"

namespace weft {

namespace cpu::detail {

/// What the gradients of one row need.
template <class C>
struct NormRow {
  const C* x;
  const C* gradient;
  const C* weight;
  C* to_weight;  // added to
  C* to_bias;    // added to, if the norm is centred
  C centre;
  C scale;
};

/// All C at once, or what is left of a row one by one.
template <bool Centred, class C>
class NormLoops {
  using V = typename VectorOf<C>::type;
  static constexpr int size = VectorOf<C>::size;

 public:
  /// The sums along a row, which is added to those of the columns.
  WEFT_ALWAYS_INLINE static void add(const NormRow<C>& row, int64_t n, C& level, C& along) {
    V levels[2] = {V{}, V{}};
    V alongs[2] = {V{}, V{}};
    int64_t i = 0;
    for (; i + 2 * size <= n; i += 2 * size) {
      step(row, i, levels[0], alongs[0]);
      step(row, i + size, levels[1], alongs[1]);
    }
    if (i + size <= n) {
      step(row, i, levels[0], alongs[0]);
      i += size;
    }
    const V both = levels[0] + levels[1];
    const V sums = alongs[0] + alongs[1];
    level = along = C(0);
    for (; i < n; ++i) step(row, i, level, along);
    C parts[2][size];
    __builtin_memcpy(parts[0], &both, sizeof(V));
    __builtin_memcpy(parts[1], &sums, sizeof(V));
    for (int k = 0; k < size; ++k) {
      if constexpr (Centred) level += parts[0][k];
      along += parts[1][k];
    }
  }

  /// out = scale * (gradient * weight - level - centred * scale * along), of means.
  template <bool Adds, class O>
  WEFT_ALWAYS_INLINE static void write(const NormRow<C>& row, int64_t n, C level, C along, O* out) {
    const C shift = Centred ? row.scale * level : C(0);
    const C slope = row.scale * row.scale * along;
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t i = 0; i < n; ++i) {
      const C centred = Centred ? row.x[i] - row.centre : row.x[i];
      C value = row.gradient[i] * row.weight[i] * row.scale - centred * slope - shift;
      if constexpr (Adds) value += load_element(out[i]);
      put(out[i], store_element<O>(value));
    }
  }

 private:
  template <class X>
  WEFT_ALWAYS_INLINE static void step(const NormRow<C>& row, int64_t i, X& level, X& along) {
    X x, gradient, weight, sum;
    load_vector(x, row.x + i);
    load_vector(gradient, row.gradient + i);
    load_vector(weight, row.weight + i);
    load_vector(sum, row.to_weight + i);
    if constexpr (Centred) x -= row.centre;
    x *= row.scale;
    sum += gradient * x;
    __builtin_memcpy(row.to_weight + i, &sum, sizeof(X));
    if constexpr (Centred) {
      load_vector(sum, row.to_bias + i);
      sum += gradient;
      __builtin_memcpy(row.to_bias + i, &sum, sizeof(X));
    }
    gradient *= weight;
    if constexpr (Centred) level += gradient;
    along += gradient * x;
  }
};

/// n numbers as a C each: where they are, or else in `room`.
template <class C, class T>
WEFT_INLINE const C* widened(const T* from, int64_t n, C* room) {
  if constexpr (std::is_same_v<T, C>) {
    return from;
  } else {
    for (int64_t i = 0; i < n; ++i) room[i] = load_element(from[i]);
    return room;
  }
}

/// Some rows of a norm, whatever their number: T in memory, O the type of x's gradient.
template <bool Centred, class T, class C, class O>
struct NormRows {
  const T* x;
  const T* gradient;
  const C* weight;
  const C* centre;
  const C* scale;
  O* out;
  bool adds;
  int64_t columns;

  /// Rows first to last - 1; the sums of their columns to `sums`, for the weight and for the bias.
  void run(int64_t first, int64_t last, C* sums) const {
    std::vector<C> room(std::is_same_v<T, C> ? 0 : static_cast<std::size_t>(2 * columns));
    run_loop([this, first, last, sums, &room]() WEFT_ALWAYS_INLINE {
      const NormRows mine = *this;
      const int64_t n = mine.columns;
      for (int64_t i = 0; i < (Centred ? 2 : 1) * n; ++i) sums[i] = C(0);
      for (int64_t r = first; r < last; ++r) {
        const NormRow<C> row{widened<C>(mine.x + r * n, n, room.data()),
                             widened<C>(mine.gradient + r * n, n, room.data() + n),
                             mine.weight,
                             sums,
                             sums + n,
                             Centred ? mine.centre[r] : C(0),
                             mine.scale[r]};
        C level, along;
        NormLoops<Centred, C>::add(row, n, level, along);
        level /= static_cast<C>(n);
        along /= static_cast<C>(n);
        if (mine.adds) {
          NormLoops<Centred, C>::template write<true>(row, n, level, along, mine.out + r * n);
        } else {
          NormLoops<Centred, C>::template write<false>(row, n, level, along, mine.out + r * n);
        }
      }
    });
  }
};

/// target = the sums of all pieces, or it is added to.
template <class T, class C>
void finish_norm_sums(const NormTarget<T, Cpu>& target, const C* sums, int64_t n) {
  T* const to = target.buffer.data();
  for (int64_t i = 0; i < n; ++i) {
    const C value = target.adds ? load_element(to[i]) + sums[i] : sums[i];
    put(to[i], store_element<T>(value));
  }
}

}  // namespace cpu::detail

template <>
struct NormExecutor<Cpu> {
  /// What the norm is of is a tensor, and its gradient goes to one.
  static constexpr bool reads_tensors = true;

  template <class T>
  static bool serves(const Tensor<T, Cpu>& gradient, const Tensor<T, Cpu>& weight) {
    return gradient.size() > 0 && gradient.is_contiguous() && weight.is_contiguous();
  }

  /// All gradients of a norm of x, which is contiguous, with x's own to `to_x`.
  template <bool Centred, class T, class C, class O>
  static void run(const NormGradients<T, C, Cpu>& all, const Tensor<T, Cpu>& x,
                  const NormTarget<O, Cpu>& to_x) {
    const int64_t rows = all.rows();
    const int64_t n = all.columns();
    std::vector<C> room(std::is_same_v<T, C> ? 0 : static_cast<std::size_t>(n));
    const C* const weight = cpu::detail::widened<C>(all.weight.data(), n, room.data());
    const cpu::detail::NormRows<Centred, T, C, O> work{
        x.data(),         all.gradient.data(), weight,    Centred ? all.centre->data() : nullptr,
        all.scale.data(), to_x.buffer.data(),  to_x.adds, n};
    // Where the sums over rows are cut, and so their bits, depends only on the shape.
    constexpr int64_t most_rows = 512, least_elements = 1 << 13, most_pieces = 64;
    int64_t piece = (rows + most_pieces - 1) / most_pieces;
    if (piece > most_rows) piece = most_rows;
    const int64_t least = (least_elements + n - 1) / n;
    if (piece < least) piece = least;
    const int64_t pieces = (rows + piece - 1) / piece;
    const int64_t width = (Centred ? 2 : 1) * n;
    std::vector<C> sums(static_cast<std::size_t>(pieces * width));
    cpu::parallel(pieces, rows * n, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        const int64_t end = (p + 1) * piece < rows ? (p + 1) * piece : rows;
        work.run(p * piece, end, sums.data() + p * width);
      }
    });
    for (int64_t step = 1; step < pieces; step *= 2) {
      for (int64_t p = 0; p + step < pieces; p += 2 * step) {
        C* const to = sums.data() + p * width;
        const C* const from = to + step * width;
        for (int64_t i = 0; i < width; ++i) to[i] += from[i];
      }
    }
    cpu::detail::finish_norm_sums(all.to_weight, sums.data(), n);
    if (Centred) cpu::detail::finish_norm_sums(all.to_bias, sums.data() + n, n);
  }
};

}  // namespace weft
