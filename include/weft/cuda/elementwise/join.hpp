// Joins of short pieces: all parts in one kernel, which writes its target from end to end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/join_plan.hpp"
#include "weft/cuda/elementwise/tiled_copy.hpp"
#include "weft/ops/join.hpp"

namespace weft {

namespace on_cuda {

#if defined(__CUDACC__)

namespace detail {

/// Writes 16 aligned bytes, at once or word by word from the pieces that they belong to.
template <int Word>
__host__ __device__ __forceinline__ void join_vector(const JoinedRows& plan,
                                                     const JoinedRows::Part* parts, unsigned item) {
  using T = weft::detail::word_t<Word>;
  constexpr int lanes = 16 / Word;
  struct alignas(16) Lanes {
    T lane[lanes];
  };
  const int start = static_cast<int>(item) * lanes - plan.head;
  const auto count = static_cast<int>(plan.count);
  if (start >= count) return;
  const int first = start < 0 ? -start : 0;
  const int last = count - start < lanes ? count - start : lanes;
  unsigned row = plan.width.divide(static_cast<unsigned>(start + first));
  unsigned column = static_cast<unsigned>(start + first) - row * plan.width.divisor;
  unsigned k = 0;
  if (plan.even) {
    k = plan.each.divide(column);
  } else {
    WEFT_KERNEL_LOOP
    for (unsigned step = JoinedRows::most_parts / 2; step > 0; step /= 2) {
      const unsigned next = k + step;
      if (next < static_cast<unsigned>(plan.parts) && parts[next].begin <= column) k = next;
    }
  }
  const auto at = [&] {
    const JoinedRows::Part part = parts[k];
    return part.data + (row * part.pitch + (column - part.begin)) * Word;
  };
  const char* from = at();
  unsigned left = parts[k + 1].begin - column;
  T* const to = reinterpret_cast<T*>(plan.to) + start;
  if (last - first == lanes && left >= lanes &&
      reinterpret_cast<unsigned long long>(from) % 16 == 0) {
    *reinterpret_cast<Lanes*>(to) = *reinterpret_cast<const Lanes*>(from);
    return;
  }
  Lanes values;
  WEFT_KERNEL_UNROLL
  for (int j = 0; j < lanes; ++j) {
    if (j < first || j >= last) continue;
    values.lane[j] = *reinterpret_cast<const T*>(from);
    from += Word;
    if (--left == 0) {
      const bool end = k + 1 == static_cast<unsigned>(plan.parts);
      row += end ? 1 : 0;
      k = end ? 0 : k + 1;
      column = parts[k].begin;
      left = parts[k + 1].begin - column;
      from = at();
    }
  }
  if (last - first == lanes) {
    *reinterpret_cast<Lanes*>(to) = values;
  } else {
    WEFT_KERNEL_UNROLL
    for (int j = 0; j < lanes; ++j) {
      if (j >= first && j < last) to[j] = values.lane[j];
    }
  }
}

/// The same if each of N parts has one word of a row, without gaps: reads each part's words at
/// once.
template <int Word, int N>
__host__ __device__ __forceinline__ void merge_vector(const JoinedRows& plan, unsigned item) {
  using T = weft::detail::word_t<Word>;
  constexpr int lanes = 16 / Word;
  constexpr int rows = lanes / N;
  struct alignas(16) Lanes {
    T lane[lanes];
  };
  struct alignas(Word * rows) Words {
    T lane[rows];
  };
  const unsigned start = item * lanes;
  if (start >= plan.count) return;
  const unsigned row = start / N;
  T* const to = reinterpret_cast<T*>(plan.to) + start;
  if (start + lanes <= plan.count) {
    Words words[N];
    WEFT_KERNEL_UNROLL
    for (int k = 0; k < N; ++k) {
      words[k] = *reinterpret_cast<const Words*>(plan.part[k].data + int64_t{row} * Word);
    }
    Lanes values;
    WEFT_KERNEL_UNROLL
    for (int j = 0; j < lanes; ++j) values.lane[j] = words[j % N].lane[j / N];
    *reinterpret_cast<Lanes*>(to) = values;
    return;
  }
  WEFT_KERNEL_UNROLL
  for (int j = 0; j < lanes; ++j) {
    if (start + j < plan.count) {
      to[j] = reinterpret_cast<const T*>(plan.part[j % N].data)[row + j / N];
    }
  }
}

}  // namespace detail

/// A join, 16 bytes a thread.
template <int Word>
__global__ void __launch_bounds__(block_threads)
    join_rows(const __grid_constant__ JoinedRows plan) {
  __shared__ JoinedRows::Part parts[JoinedRows::most_parts + 1];
  if (static_cast<int>(threadIdx.x) <= plan.parts) parts[threadIdx.x] = plan.part[threadIdx.x];
  __syncthreads();
  detail::join_vector<Word>(plan, parts, blockIdx.x * block_threads + threadIdx.x);
}

/// A join of N parts with one word of a row each.
template <int Word, int N>
__global__ void __launch_bounds__(block_threads)
    merge_words(const __grid_constant__ JoinedRows plan) {
  detail::merge_vector<Word, N>(plan, blockIdx.x * block_threads + threadIdx.x);
}

namespace detail {

/// The kernel that joins elements of `Size` bytes as planned; only powers of two are.
template <int Size>
const void* join_kernel(const JoinLaunch& launch, int parts) {
  constexpr int word = Size < 2 ? 1 : Size < 4 ? 2 : Size < 8 ? 4 : 8;
  if (launch.merges) {
    if constexpr (word <= 2) {
      if (parts == 8) return reinterpret_cast<const void*>(merge_words<word, 8>);
    }
    if constexpr (word <= 4) {
      if (parts == 4) return reinterpret_cast<const void*>(merge_words<word, 4>);
    }
    return reinterpret_cast<const void*>(merge_words<word, 2>);
  }
  if (launch.word != word) return reinterpret_cast<const void*>(join_rows<4>);
  return reinterpret_cast<const void*>(join_rows<word>);
}

/// Joins parts with short pieces, to `elements` elements.
WEFT_OUTLINED inline void run_join(const char* operation, const Shape& shape, char* to,
                                   int64_t elements, JoinSource* parts, int n, int itemsize,
                                   const void* (*kernel)(const JoinLaunch&, int),
                                   const Stream& stream) {
  int64_t width = 0;
  for (int k = 0; k < n; ++k) width += parts[k].width;
  for (int64_t rows = elements / width; rows > 0;) {
    JoinedRows plan;
    JoinLaunch planned;
    const int64_t here = plan_join(to, rows, parts, n, itemsize, plan, planned);
    void* arguments[] = {&plan};
    launch(Name{operation}, shape, kernel(planned, n), planned.blocks, block_threads, arguments,
           stream);
    rows -= here;
    to += here * width * itemsize;
    for (int k = 0; k < n; ++k) parts[k].data += here * parts[k].pitch * itemsize;
  }
}

}  // namespace detail

#endif

}  // namespace on_cuda

template <>
struct Joiner<Cuda> {
  /// Of elements of so many bytes, along an axis.
  Joiner(int axis, std::size_t itemsize) : axis_(axis), itemsize_(static_cast<int>(itemsize)) {}

  /// Names a part's shape. All are named before the first is added.
  void name(const Shape& shape) {
    if (shape.size() == 0) return;
    if (n_ < on_cuda::JoinedRows::most_parts) {
      parts_[n_].width = 1;
      for (int d = axis_; d < shape.rank(); ++d) parts_[n_].width *= shape[d];
    }
    ++n_;
  }
  /// Whether the pieces are short, so that one pass writes all of them.
  bool suits() const { return on_cuda::detail::has_short_pieces(parts_, n_, itemsize_); }

  /// The bytes of the longest piece.
  int64_t longest() const {
    int64_t most = 0;
    for (int k = 0; k < n_; ++k) most = parts_[k].width > most ? parts_[k].width : most;
    return most * itemsize_;
  }

  /// Adds the next part. A part whose rows are not evenly spaced is copied first.
  template <class T, class D>
  void add(const Tensor<T, D>& x) {
    if (x.size() == 0) return;
    if (!on_cuda::detail::find_rows(x.shape(), x.strides(), axis_, parts_[added_])) {
      return add(x.clone());
    }
    parts_[added_].data = reinterpret_cast<const char*>(x.data());
    if (x.storage() != nullptr) {
      x.storage()->share();
      storages_[added_] = StorageHandle(x.storage());
    }
    ++added_;
  }

  /// Writes all parts to a contiguous target.
  template <class T, class D>
  void write([[maybe_unused]] const char* operation, [[maybe_unused]] const Tensor<T, D>& target) {
#if defined(__CUDACC__)
    const Cuda device{target.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::order_write(target.storage(), stream);
    for (int k = 0; k < n_; ++k) {
      if (storages_[k]) on_cuda::order_read(storages_[k].get(), stream);
    }
    on_cuda::detail::run_join(operation, target.shape(), reinterpret_cast<char*>(target.data()),
                              target.size(), parts_, n_, itemsize_,
                              on_cuda::detail::join_kernel<sizeof(T)>, stream);
#else
    static_assert(detail::always_false<T>,
                  "weft: tensors on Cuda are joined in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

 private:
  int axis_;
  int itemsize_;
  int n_ = 0;
  int added_ = 0;
  on_cuda::JoinSource parts_[on_cuda::JoinedRows::most_parts];
  StorageHandle storages_[on_cuda::JoinedRows::most_parts];
};

}  // namespace weft
