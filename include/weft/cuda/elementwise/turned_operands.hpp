// Operands of a reduction or row program that lie across the others, copied into their order first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>

#include "weft/cuda/elementwise/copy.hpp"

namespace weft::on_cuda {

/// The transposing copies of elements of 2, 4 and 8 bytes, by the logarithm of the size; null where
/// a program has no such operand.
struct TurnKernels {
  const void* of_size[4] = {};

#if defined(__CUDACC__)
  template <class... Ts>
  static TurnKernels of(weft::detail::TypeList<Ts...>) {
    TurnKernels out;
    (out.add<Ts>(), ...);
    return out;
  }
#endif

  /// Null if elements of this size are never turned.
  const void* of(int itemsize) const {
    return itemsize == 2 || itemsize == 4 || itemsize == 8 ? of_size[itemsize / 4 + 1] : nullptr;
  }

 private:
#if defined(__CUDACC__)
  template <class T>
  void add() {
    constexpr int size = sizeof(T);
    if constexpr (!std::is_same_v<T, IndexOperand> && (size == 2 || size == 4 || size == 8)) {
      of_size[size / 4 + 1] = reinterpret_cast<const void*>(copy_turned<size>);
    }
  }
#endif
};

/// The copy of one operand.
struct TurnedOperand {
  weft::detail::Operand ends[2];  // the copy, then the operand, with the strides of `loops`
  weft::detail::Loops loops;
  int64_t bytes = 0;
  int64_t stride[max_rank] = {};  // of the copy, along the kept axes, then the reduced ones
  TurnedCopy copy;
  CopyLaunch launch;
};

namespace detail {

/// The least bytes of an operand that is copied, and the least sizes of both axes: others are read
/// across nearly as fast. Rows up to this length are read as they are, in a reduction up to this
/// length for each byte of an element, since a block reads whole sectors.
inline constexpr int64_t least_turned_bytes = 4 << 20, least_turned_axis = 32;
inline constexpr int64_t longest_mixed_row = 128, longest_mixed_row_a_byte = 64;

/// The operands of a reduction or row program, whose strides are those along the kept axes, then
/// along the reduced ones; the first `targets` are written.
class RowOperands {
 public:
  RowOperands(const Shape& kept, const Shape& reduced, Operand* operands, int targets, int end)
      : operands_(operands), targets_(targets), end_(end), kept_(kept.rank()) {
    for (int i = 0; i < kept.rank(); ++i) size_[rank_++] = kept[i];
    for (int i = 0; i < reduced.rank(); ++i) size_[rank_++] = reduced[i];
  }

 protected:
  /// Elements without those that x repeats.
  int64_t elements(const Operand& x) const {
    int64_t n = 1;
    for (int d = 0; d < rank_; ++d) n *= x.stride[d] != 0 ? size_[d] : 1;
    return n;
  }
  int64_t bytes_of(const Operand& x) const { return elements(x) * x.itemsize; }
  bool is_same(const Operand& x, const Operand& y) const {
    bool same =
        x.data == y.data && x.itemsize == y.itemsize && x.gathered == 0 && x.rows == nullptr;
    for (int d = 0; same && d < rank_; ++d) same = x.stride[d] == y.stride[d];
    return same;
  }
  /// Whether an operand before number i is the same.
  bool occurs_before(int i) const {
    for (int j = 0; j < i; ++j) {
      if (is_same(operands_[j], operands_[i])) return true;
    }
    return false;
  }
  /// Calls copy(operand i), which sets its data or returns false if it has to stay, and gives it
  /// the strides of the copy, as well as those behind it that are the same.
  template <class F>
  void replace(int i, const int64_t* stride, const F& copy) {
    Operand& x = operands_[i];
    const Operand before = x;  // also keeps its memory until the copy is launched
    if (!copy(x)) return;
    for (int j = i; j < end_; ++j) {
      Operand& other = operands_[j];
      if (j > i && !is_same(other, before)) continue;
      other.data = x.data;
      other.keep = x.keep;
      other.storage = x.storage;
      for (int d = 0; d < rank_; ++d) other.stride[d] = stride[d];
    }
  }

  Operand* operands_;
  int targets_;
  int end_;
  int kept_;
  int rank_ = 0;
  int64_t size_[max_rank] = {};
};

/// Along what operands may be copied: the reduced axes alone, or the results too.
enum class TurnTo { rows, rows_or_results };

/// Finds those that lie across the others.
class OperandTurner : RowOperands {
 public:
  OperandTurner(TurnTo to, const Shape& kept, const Shape& reduced, Operand* operands, int targets,
                int end)
      : RowOperands(kept, reduced, operands, targets, end), to_(to), length_(reduced.size()) {
    if (kept.size() * length_ >= least_turned_bytes / 8) find_common();
  }

  /// Calls copy(operand, turned) for each operand to be copied, which sets its data or returns
  /// false, if it has to stay; then sets its strides. An operand that occurs again takes the same
  /// copy.
  template <class F>
  void run(const TurnKernels& kernels, const F& copy) {
    if (common_ < 0) return;
    for (int i = targets_; i < end_; ++i) {
      const Operand& x = operands_[i];
      TurnedOperand turned;
      if (kernels.of(x.itemsize) == nullptr || !plan(x, turned) || occurs_before(i)) continue;
      replace(i, turned.stride, [&](Operand& original) { return copy(original, turned); });
    }
  }

 private:
  /// The axis along which x is contiguous, or -1.
  int axis_along(const Operand& x) const {
    if (x.itemsize == 0 || x.gathered != 0 || x.rows != nullptr) return -1;
    for (int d = rank_ - 1; d >= 0; --d) {
      if (x.stride[d] == 1 && size_[d] > 1) return d;
    }
    return -1;
  }
  /// The axis along which most bytes lie, of those that the kernels go along: the reduced ones, and
  /// in a reduction the one of its results. And the operand with most of these bytes. None for a
  /// row program that lies along its results by more than half as much again: it goes along these.
  void find_common() {
    int64_t bytes[max_rank] = {};
    int largest[max_rank] = {};
    const bool reduction = to_ == TurnTo::rows_or_results;
    const int of_results = axis_along(operands_[0]);
    for (int i = reduction ? targets_ : 0; i < end_; ++i) {
      const int d = axis_along(operands_[i]);
      if (d < 0 || (reduction && d < kept_ && d != of_results) || occurs_before(i)) continue;
      if (bytes[d] == 0 || bytes_of(operands_[i]) > bytes_of(operands_[largest[d]])) largest[d] = i;
      bytes[d] += bytes_of(operands_[i]);
    }
    int64_t along_results = 0;
    for (int d = rank_ - 1; d >= 0; --d) {
      if (d < kept_ && !reduction) {
        along_results = bytes[d] > along_results ? bytes[d] : along_results;
      } else if (bytes[d] > along_common_) {
        along_common_ = bytes[d];
        common_ = d;
      }
    }
    if (2 * along_results > 3 * along_common_) common_ = -1;
    along_rows_ = common_ >= kept_;
    if (common_ >= 0) reference_ = largest[common_];
  }

  bool plan(const Operand& x, TurnedOperand& out) const {
    const int along = axis_along(x);
    if (along < 0 || along == common_ || x.stride[common_] == 0) return false;
    if (size_[along] < least_turned_axis || size_[common_] < least_turned_axis) return false;
    if (along_rows_ && length_ <= (to_ == TurnTo::rows ? longest_mixed_row
                                                       : longest_mixed_row_a_byte * x.itemsize)) {
      return false;
    }
    const int64_t count = elements(x);
    out.bytes = count * x.itemsize;
    if (out.bytes < least_turned_bytes || out.bytes > along_common_ || count > INT32_MAX) {
      return false;
    }
    int64_t reach = 0;
    for (int d = 0; d < rank_; ++d) reach += (size_[d] - 1) * std::abs(x.stride[d]);
    if (reach > INT32_MAX) return false;

    // x's axes in the order of the reference's, the innermost last.
    int axes[max_rank];
    int n = 0;
    for (int d = 0; d < rank_; ++d) {
      if (size_[d] > 1 && x.stride[d] != 0) axes[n++] = d;
    }
    const Operand& reference = operands_[reference_];
    std::stable_sort(axes, axes + n, [&](int a, int b) {
      const int64_t left = std::abs(reference.stride[a]);
      const int64_t right = std::abs(reference.stride[b]);
      return right != 0 && (left == 0 || left > right);
    });
    out.loops.rank = n;
    Operand& to = out.ends[0];
    Operand& from = out.ends[1];
    to.itemsize = from.itemsize = x.itemsize;
    from.data = x.data;
    int64_t step = 1;
    for (int k = n - 1; k >= 0; --k) {
      out.loops.size[k] = size_[axes[k]];
      to.stride[k] = out.stride[axes[k]] = step;
      from.stride[k] = x.stride[axes[k]];
      step *= size_[axes[k]];
    }
    weft::detail::simplify(out.loops, out.ends, 2);
    return plan_turned(out.loops, out.ends, out.copy, out.launch);
  }

  TurnTo to_;
  int64_t length_;  // of a row
  bool along_rows_ = true;
  int common_ = -1;
  int64_t along_common_ = 0;  // bytes
  int reference_ = 0;
};

#if defined(__CUDACC__)
/// Gives x memory for a copy of so many bytes; null, and x as it was, if there is none.
WEFT_OUTLINED inline char* place_copy(Operand& x, int64_t bytes, const Stream& stream) {
  try {
    x.keep = StorageHandle(Memory<Cuda>::allocate(stream.device(), bytes));
  } catch (const OutOfMemory&) {
    return nullptr;
  }
  x.storage = x.keep.get();
  return x.data = static_cast<char*>(x.storage->data);
}

/// Copies the operands that lie across the others on the stream, which has waited for them, as far
/// as there is memory.
WEFT_OUTLINED inline void turn_operands(const Name& name, TurnTo to, const Shape& kept,
                                        const Shape& reduced, Operand* operands, int targets,
                                        int end, const TurnKernels& kernels, const Stream& stream) {
  OperandTurner turner(to, kept, reduced, operands, targets, end);
  turner.run(kernels, [&](Operand& x, TurnedOperand& turned) {
    turned.copy.to = place_copy(x, turned.bytes, stream);
    if (turned.copy.to == nullptr) return false;
    void* arguments[] = {&turned.copy};
    launch(name, kept, kernels.of(x.itemsize), turned.launch.blocks, block_threads, arguments,
           stream, turned.launch.shared_bytes);
    return true;
  });
}
#endif

}  // namespace detail

}  // namespace weft::on_cuda
