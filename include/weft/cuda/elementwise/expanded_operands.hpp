// Small operands that repeat along some of a row's axes, written out so that these become one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/turned_operands.hpp"

namespace weft::on_cuda {

/// A small operand written out.
struct ExpandedOperand {
  FlatCopy copy;
  int itemsize = 1;
  int64_t bytes = 0;
  unsigned blocks = 0;
  int64_t stride[max_rank] = {};  // of the copy, along the kept axes, then the reduced ones
};

#if defined(__CUDACC__)
/// Writes elements of a size that is known at run time: a program needs one kernel for all types.
template <class Elements = FlatCopy>
__global__ void __launch_bounds__(block_threads)
    copy_expanded(const __grid_constant__ Elements plan, int itemsize) {
  const unsigned element = blockIdx.x * block_threads + threadIdx.x;
  if (element >= plan.count) return;
  int64_t offset = 0;
  unsigned rest = element;
#pragma unroll 1
  for (int d = 0; d < plan.rank; ++d) {
    const unsigned next = plan.size[d].divide(rest);
    offset += static_cast<int64_t>(rest - next * plan.size[d].divisor) * plan.stride[d];
    rest = next;
  }
  const auto move = [&](auto word) {
    using Word = decltype(word);
    reinterpret_cast<Word*>(plan.to)[element] = reinterpret_cast<const Word*>(plan.from)[offset];
  };
  if (itemsize == 1) move(std::uint8_t{});
  if (itemsize == 2) move(std::uint16_t{});
  if (itemsize == 4) move(std::uint32_t{});
  if (itemsize == 8) move(std::uint64_t{});
}
#endif

/// The kernels that copy operands of a reduction or row program before it runs.
struct CopyKernels {
  TurnKernels turn;
  const void* expand = nullptr;  // null where no operand lies beside another
  std::uint64_t positions = 0;   // bit i: operand i, behind the targets, has no memory

#if defined(__CUDACC__)
  template <class... Ts>
  static CopyKernels of(weft::detail::TypeList<Ts...> types) {
    CopyKernels out{TurnKernels::of(types)};
    if constexpr (sizeof...(Ts) > 1) out.expand = reinterpret_cast<const void*>(copy_expanded<>);
    out.positions = weft::detail::positions_of(types);
    return out;
  }
#endif
};

namespace detail {

/// The least elements of a statement for which operands are written out, the largest share of its
/// largest operand that all copies may have, and the elements along the innermost axis from which a
/// reduction goes along it as fast as along several.
inline constexpr int64_t least_expanded = 1 << 20, least_share_expanded = 16;
inline constexpr int64_t long_enough = 512;

/// Finds small operands that repeat along some of several axes, where all others go along these as
/// along one: along all reduced axes of a row program, along the innermost reduced axes or results
/// of a reduction.
class OperandExpander : RowOperands {
 public:
  OperandExpander(TurnTo to, const Shape& kept, const Shape& reduced, Operand* operands,
                  int targets, int end, std::uint64_t positions)
      : RowOperands(kept, reduced, operands, targets, end),
        to_(to),
        positions_(positions << targets),
        pays_(kept.size() * reduced.size() >= least_expanded) {}

  /// Calls copy(operand, expanded) for each operand to be written out, which sets its data or
  /// returns false, if it has to stay; then sets its strides.
  template <class F>
  void run(const F& copy) {
    if (!pays_) return;
    run_along(kept_, rank_, copy);
    if (to_ == TurnTo::rows_or_results && goes_down()) run_along(0, kept_, copy);
  }

 private:
  /// Whether the largest operand's neighbours belong to neighbouring results.
  bool goes_down() const {
    int largest = targets_;
    for (int i = targets_; i < end_; ++i) {
      if (!is_position(i) && bytes_of(operands_[i]) > bytes_of(operands_[largest])) largest = i;
    }
    for (int d = kept_ - 1; d >= 0; --d) {
      if (size_[d] > 1) return !is_position(largest) && operands_[largest].stride[d] == 1;
    }
    return false;
  }
  bool is_position(int i) const { return (positions_ >> i & 1U) != 0; }
  /// Whether x goes along the axes from `first` to last - 1 as along one.
  bool merges(const Operand& x, int first, int last) const {
    int64_t step = 0;
    bool seen = false;
    for (int d = last - 1; d >= first; --d) {
      if (size_[d] == 1) continue;
      if (seen && x.stride[d] != step) return false;
      seen = true;
      step = x.stride[d] * size_[d];
    }
    return true;
  }
  bool all_merge(int first, int last) const {
    for (int i = 0; i < end_; ++i) {
      if (!merges(operands_[i], first, last)) return false;
    }
    return true;
  }
  /// Elements of x written out along the axes from `first` to last - 1.
  int64_t expanded(const Operand& x, int first, int last) const {
    int64_t n = 1;
    for (int d = 0; d < rank_; ++d) {
      n *= (d >= first && d < last) || x.stride[d] != 0 ? size_[d] : 1;
    }
    return n;
  }

  template <class F>
  void run_along(int first, int last, const F& copy) {
    int inner = last - 1;
    while (inner > first && all_merge(inner - 1, last)) --inner;
    if (inner <= first) return;
    int64_t length = 1;
    for (int d = inner; d < last; ++d) length *= size_[d];
    if (to_ == TurnTo::rows) {
      if (may_expand(first, last)) expand(first, last, copy);
      return;
    }
    int best = inner;
    for (int d = inner - 1; d >= first && length < long_enough; --d) {
      if (size_[d] == 1) continue;
      if (!may_expand(d, last)) break;
      best = d;
      length *= size_[d];
    }
    if (best < inner) expand(best, last, copy);
  }
  /// Whether all that does not go along the axes as along one is small.
  bool may_expand(int first, int last) const {
    int64_t largest = 0;
    int64_t copies = 0;
    for (int i = 0; i < end_; ++i) {
      const Operand& x = operands_[i];
      if (!is_position(i) && bytes_of(x) > largest) largest = bytes_of(x);
      if (merges(x, first, last)) continue;
      const bool serves =
          i >= targets_ && !is_position(i) && x.gathered == 0 && x.rows == nullptr &&
          (x.itemsize == 1 || x.itemsize == 2 || x.itemsize == 4 || x.itemsize == 8);
      if (!serves) return false;
      if (!occurs_before(i)) copies += expanded(x, first, last) * x.itemsize;
    }
    return copies <= largest / least_share_expanded;
  }
  template <class F>
  void expand(int first, int last, const F& copy) {
    for (int i = targets_; i < end_; ++i) {
      if (merges(operands_[i], first, last)) continue;
      ExpandedOperand out;
      if (!plan(operands_[i], first, last, out)) return;
      replace(i, out.stride, [&](Operand& x) { return copy(x, out); });
    }
  }
  bool plan(const Operand& x, int first, int last, ExpandedOperand& out) const {
    int64_t step = 1;
    for (const bool along : {true, false}) {
      for (int d = rank_ - 1; d >= 0; --d) {
        if (along != (d >= first && d < last) || size_[d] == 1) continue;
        if (!along && x.stride[d] == 0) continue;
        if (x.stride[d] > INT32_MAX || x.stride[d] < INT32_MIN) return false;
        out.copy.size[out.copy.rank] = FastDivmod(static_cast<unsigned>(size_[d]));
        out.copy.stride[out.copy.rank++] = static_cast<int>(x.stride[d]);
        out.stride[d] = step;
        step *= size_[d];
      }
    }
    if (step > INT32_MAX) return false;
    out.copy.from = x.data;
    out.copy.count = static_cast<unsigned>(step);
    out.itemsize = x.itemsize;
    out.bytes = step * x.itemsize;
    out.blocks = static_cast<unsigned>(divided_up(step, int64_t{block_threads}));
    return true;
  }

  TurnTo to_;
  std::uint64_t positions_;
  bool pays_;
};

#if defined(__CUDACC__)
/// Writes small operands out on the stream, which has waited for them, as far as there is memory.
WEFT_OUTLINED inline void expand_operands(const Name& name, TurnTo to, const Shape& kept,
                                          const Shape& reduced, Operand* operands, int targets,
                                          int end, const CopyKernels& kernels,
                                          const Stream& stream) {
  if (kernels.expand == nullptr) return;
  OperandExpander expander(to, kept, reduced, operands, targets, end, kernels.positions);
  expander.run([&](Operand& x, ExpandedOperand& expanded) {
    expanded.copy.to = place_copy(x, expanded.bytes, stream);
    if (expanded.copy.to == nullptr) return false;
    void* arguments[] = {&expanded.copy, &expanded.itemsize};
    launch(name, kept, kernels.expand, expanded.blocks, block_threads, arguments, stream);
    return true;
  });
}

/// Copies the operands that another order, or fewer axes, serve better.
inline void copy_operands(const Name& name, TurnTo to, const Shape& kept, const Shape& reduced,
                          Operand* operands, int targets, int end, const CopyKernels& kernels,
                          const Stream& stream) {
  turn_operands(name, to, kept, reduced, operands, targets, end, kernels.turn, stream);
  expand_operands(name, to, kept, reduced, operands, targets, end, kernels, stream);
}
#endif

}  // namespace detail

}  // namespace weft::on_cuda
