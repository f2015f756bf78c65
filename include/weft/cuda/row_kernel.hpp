// The row kernel: reductions in order, each over a row kept on the chip, then the outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/row_threads.hpp"

#if defined(__CUDACC__)

namespace weft::cuda {

namespace detail {

using weft::detail::TypeList;

/// Bit I for each operand I that a program reads.
template <class P>
inline constexpr std::uint64_t uses_of = 0;
template <int I, class T>
inline constexpr std::uint64_t uses_of<Arg<I, T>> = std::uint64_t{1} << I;
template <class Op, class... Ps>
inline constexpr std::uint64_t uses_of<Apply<Op, Ps...>> = (uses_of<Ps> | ... | 0);

/// The registers of a vector of a row, as a program reads lane j of them.
template <int First, class Registers, class Values>
struct RowLane {
  const Registers& registers;
  const Values& values;
  int j;
  template <int I>
  __device__ __forceinline__ auto get() const {
    return load_element(weft::get<I - First>(registers).lane[j]);
  }
  template <int I>
  __device__ __forceinline__ auto reduced() const {
    return weft::get<I>(values).lane[j];
  }
};

/// A vector of a row: its place, and which of its lanes lie in the row.
struct RowItem {
  unsigned step;    // counted over the thread's own vectors
  unsigned outer;   // coordinate of all but the innermost dimension
  long long start;  // of lane 0 along the innermost
  int first;
  int last;
};

template <class Outs, class Types, int V, class Program>
class RowThread;

/// One thread of a row kernel.
template <class... Outs, class... Ts, int V, class... Rs, class... Ps>
class RowThread<TypeList<Outs...>, TypeList<Ts...>, V, RowProgram<Pack<Rs...>, Pack<Ps...>>> {
 public:
  static constexpr int outputs = sizeof...(Outs);
  static constexpr int leaves = sizeof...(Ts);
  static constexpr int reductions = sizeof...(Rs);
  static constexpr int n = outputs + leaves + reductions;
  static constexpr std::uint64_t output_uses = (uses_of<Ps> | ...);
  using Grid = RowGrid<n>;
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;

  __device__ __forceinline__ RowThread(const Grid& grid, const Program& program, char* partials,
                                       char* shared)
      : grid_(grid), program_(program), partials_(partials), shared_(shared) {
    const unsigned row_block = grid.parts.divide(blockIdx.x);
    part_ = blockIdx.x - row_block * grid.parts.divisor;
    unsigned slot = 0;
    if (grid.columns) {
      slot = threadIdx.x % 32;
      lane_ = threadIdx.x / 32;
      row_ = row_block * 32 + slot;
    } else {
      slot = threadIdx.x / grid.group;
      lane_ = threadIdx.x - slot * grid.group;
      row_ = row_block * (blockDim.x / grid.group) + slot;
    }
    active_ = row_ < grid.rows;
    if (!active_) row_ = 0;
    unsigned rest = row_;
#pragma unroll 1
    for (int d = 0; d < grid.kept_rank; ++d) {
      const unsigned next = grid.kept[d].divide(rest);
      const auto at = static_cast<int64_t>(rest - next * grid.kept[d].divisor);
      rest = next;
#pragma unroll
      for (int i = 0; i < n; ++i) base_[i] += at * grid.kept_stride[i][d];
    }
    if (grid.head_operand >= 0) {
      const auto k = static_cast<unsigned>(grid.head_operand);
      const auto address = reinterpret_cast<unsigned long long>(grid.data[k]);
      head_ = static_cast<int>(
          (address / static_cast<unsigned>(grid.itemsize[k]) +
           static_cast<unsigned long long>(row_offset(k))) % V);
    }
    items_ = !active_ ? 0
             : grid.reduced_rank > 1
                 ? grid.length
                 : static_cast<unsigned>((grid.inner + head_ + V - 1) / V);
  }

  __device__ __forceinline__ void run() {
    if (grid_.slots > 0) keep_row();
    reduce_all(std::make_index_sequence<reductions>{});
    if (grid_.target < 0) store_outputs(std::make_index_sequence<outputs>{});
    if (grid_.cluster) cluster_barrier();  // others may still read this block's shared memory
  }

 private:
  using Registers = Pack<Vector<Ts, V>...>;
  using Values = Pack<Vector<typename Rs::value, V>...>;
  using Lane = RowLane<outputs, Registers, Values>;

  /// The offset of this row in operand k, which is known at run time only.
  __device__ int64_t row_offset(unsigned k) const {
    int64_t offset = 0;
    unsigned rest = row_;
#pragma unroll 1
    for (int d = 0; d < grid_.kept_rank; ++d) {
      const unsigned next = grid_.kept[d].divide(rest);
      offset += static_cast<int64_t>(rest - next * grid_.kept[d].divisor) * grid_.kept_stride[k][d];
      rest = next;
    }
    return offset;
  }
  /// What the coordinate of the outer dimensions of the row adds to the offset in operand k.
  __device__ __forceinline__ int64_t outer_offset(unsigned k, unsigned outer) const {
    int64_t offset = 0;
#pragma unroll 1
    for (int d = 1; d < grid_.reduced_rank; ++d) {
      const unsigned next = grid_.reduced[d].divide(outer);
      offset +=
          static_cast<int64_t>(outer - next * grid_.reduced[d].divisor) * grid_.reduced_stride[k][d];
      outer = next;
    }
    return offset;
  }
  __device__ __forceinline__ int64_t offset_in_row(unsigned k, const RowItem& item) const {
    int64_t offset = item.start * grid_.lane[k];
    if (grid_.reduced_rank > 1) offset += outer_offset(k, item.outer);
    return offset;
  }

  /// f(item) for this thread's vectors below `end`.
  template <class F>
  __device__ __forceinline__ void for_items(unsigned end, const F& f) const {
    const unsigned stride = grid_.group * grid_.parts.divisor;
    RowItem item{};
    for (unsigned k = part_ * grid_.group + lane_; k < end; k += stride, ++item.step) {
      unsigned column = k;
      if (grid_.reduced_rank > 1) {
        item.outer = grid_.items.divide(k);
        column = k - item.outer * grid_.items.divisor;
      }
      item.start = static_cast<long long>(column) * V - head_;
      item.first = item.start < 0 ? static_cast<int>(-item.start) : 0;
      item.last = grid_.inner - item.start < V ? static_cast<int>(grid_.inner - item.start) : V;
      f(item);
    }
  }

  __device__ __forceinline__ char* kept(unsigned slot_offset, unsigned step, int bytes) const {
    return shared_ + slot_offset +
           (step * blockDim.x + threadIdx.x) * static_cast<unsigned>(bytes);
  }

  /// Copies this thread's vectors of the kept operands to shared memory, where only it reads them.
  __device__ __forceinline__ void keep_row() const {
#pragma unroll 1
    for (int s = 0; s < grid_.slots; ++s) {
      const unsigned k = grid_.slot_operand[s];
      const int size = grid_.itemsize[k];
      const int bytes = size * V;
      const char* const row = grid_.data[k] + row_offset(k) * size;
      const int lane = grid_.lane[k];
      for_items(items_, [&](const RowItem& item) {
        char* to = kept(grid_.slot_offset[k], item.step, bytes);
        const char* from = row + offset_in_row(k, item) * size;
        const bool full = lane == 1 && item.last - item.first == V;
        const int unit = bytes < 16 ? bytes : 16;
        if (full && unit >= 4 && reinterpret_cast<unsigned long long>(from) % unit == 0) {
          copy_async(to, from, bytes);
        } else {
#pragma unroll 1
          for (int j = item.first; j < item.last; ++j) {
            copy_element(to + j * size, from + static_cast<int64_t>(j) * lane * size, size);
          }
        }
      });
    }
    wait_for_copies();
  }

  template <std::uint64_t Uses>
  __device__ __forceinline__ void load(Registers& registers, const RowItem& item) {
    load_leaves<Uses>(registers, item, std::make_index_sequence<leaves>{});
    if (grid_.varies != 0) load_values(item, std::make_index_sequence<reductions>{});
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void load_leaves(Registers& registers, const RowItem& item,
                                              std::index_sequence<I...>) const {
    (load_leaf<outputs + static_cast<int>(I), (Uses >> (outputs + I) & 1U) != 0>(
         weft::get<static_cast<int>(I)>(registers), item),
     ...);
  }
  template <int K, bool Used, class T>
  __device__ __forceinline__ void load_leaf(Vector<T, V>& out, const RowItem& item) const {
    if constexpr (Used) {
      if constexpr (!std::is_same_v<T, Position>) {
        if (grid_.slot_offset[K] != RowLoops::not_kept) {
          out = *reinterpret_cast<const Vector<T, V>*>(
              kept(grid_.slot_offset[K], item.step, sizeof(T) * V));
          return;
        }
      }
      cuda::load(out, grid_.data[K], base_[K] + offset_in_row(K, item), grid_.lane[K], item.first,
                 item.last);
    }
  }
  template <std::size_t... I>
  __device__ __forceinline__ void load_values(const RowItem& item, std::index_sequence<I...>) {
    (load_value<static_cast<int>(I)>(weft::get<static_cast<int>(I)>(values_), item), ...);
  }
  template <int I, class T>
  __device__ __forceinline__ void load_value(Vector<T, V>& out, const RowItem& item) const {
    constexpr int k = outputs + leaves + I;
    if ((grid_.varies >> I & 1U) != 0) {
      cuda::load(out, grid_.data[k], base_[k] + offset_in_row(k, item), grid_.lane[k], item.first,
                 item.last);
    }
  }

  template <std::size_t... I>
  __device__ __forceinline__ void reduce_all(std::index_sequence<I...>) {
    (reduce<static_cast<int>(I)>(weft::get<static_cast<int>(I)>(program_.reductions)), ...);
  }

  template <int I, class Reduction>
  __device__ __forceinline__ void reduce(const Reduction& reduction) {
    using weft::detail::RowMode;
    using T = typename Reduction::value;
    constexpr int k = outputs + leaves + I;
    T value{};
    if (grid_.mode[I] == RowMode::load) {
      if (active_) value = reinterpret_cast<const T*>(grid_.data[k])[base_[k]];
    } else if (grid_.mode[I] == RowMode::same) {
      take_same<I>(value, std::make_index_sequence<I>{});
    } else if (grid_.mode[I] == RowMode::compute) {
      using State = typename Reduction::state;
      const State state =
          merge_group(reduction.reducer, state_of(reduction), grid_, shared_, turn_++);
      if (grid_.stage == RowLoops::partial) {
        if (active_ && lane_ == 0) {
          reinterpret_cast<State*>(partials_)[static_cast<int64_t>(row_) * grid_.parts.divisor +
                                              part_] = state;
        }
        return;
      }
      value = static_cast<T>(reduction.reducer.finish(state, grid_.count));
    }
    if (grid_.target == I && active_ && lane_ == 0 && part_ == 0) {
      reinterpret_cast<T*>(grid_.data[k])[base_[k]] = value;
    }
    auto& lanes = weft::get<I>(values_).lane;
#pragma unroll
    for (int j = 0; j < V; ++j) lanes[j] = value;
  }

  /// What this thread's vectors of the row come to, or the pieces that an earlier kernel left.
  template <class Reduction>
  __device__ __forceinline__ typename Reduction::state state_of(const Reduction& reduction) {
    using State = typename Reduction::state;
    State total{};
    if (grid_.stage == RowLoops::merge) {
      const State* pieces =
          reinterpret_cast<const State*>(partials_) + static_cast<int64_t>(row_) * grid_.splits;
      for (unsigned s = lane_; active_ && s < grid_.splits; s += grid_.group) {
        reduction.reducer.merge(total, pieces[s]);
      }
      return total;
    }
    State group{};  // of 16 vectors, so that rounding does not grow with the row
    for_items(items_, [&](const RowItem& item) {
      Registers registers;
      load<uses_of<decltype(reduction.program)>>(registers, item);
      const long long position = item.outer * grid_.inner + item.start;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j >= item.first && j < item.last) {
          reduction.reducer.add(group, reduction.program(Lane{registers, values_, j}),
                                position + j);
        }
      }
      if (item.step % 16 == 15) {
        reduction.reducer.merge(total, group);
        group = State{};
      }
    });
    reduction.reducer.merge(total, group);
    return total;
  }

  template <int I, class T, std::size_t... J>
  __device__ __forceinline__ void take_same(T& value, std::index_sequence<J...>) const {
    (take_if_same<I, static_cast<int>(J)>(value), ...);
  }
  template <int I, int J, class T>
  __device__ __forceinline__ void take_if_same(T& value) const {
    using Other = std::remove_cvref_t<decltype(weft::get<J>(values_).lane[0])>;
    if constexpr (std::is_same_v<T, Other>) {
      if (grid_.same[I] == J) value = weft::get<J>(values_).lane[0];
    }
  }

  template <std::size_t... K>
  __device__ __forceinline__ void store_outputs(std::index_sequence<K...>) {
    const unsigned end = grid_.any_along_row ? items_ : active_ ? 1 : 0;
    for_items(end, [&](const RowItem& item) {
      Registers registers;
      load<output_uses>(registers, item);
      Pack<Vector<Outs, V>...> results;
      (compute(weft::get<static_cast<int>(K)>(results),
               weft::get<static_cast<int>(K)>(program_.outputs), registers),
       ...);
      (store_output<static_cast<int>(K)>(weft::get<static_cast<int>(K)>(results), item), ...);
    });
  }
  template <class Out, class P>
  __device__ __forceinline__ void compute(Vector<Out, V>& out, const P& program,
                                          const Registers& registers) const {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      out.lane[j] = store_element<Out>(program(Lane{registers, values_, j}));
    }
  }
  template <int K, class Out>
  __device__ __forceinline__ void store_output(const Vector<Out, V>& in,
                                               const RowItem& item) const {
    const bool along = (grid_.along_row >> K & 1U) != 0;
    if (!along && (item.step != 0 || lane_ != 0 || part_ != 0)) return;
    const int64_t offset = base_[K] + (along ? offset_in_row(K, item) : 0);
    store(in, grid_.data[K] + offset * static_cast<int>(sizeof(Out)), 0, grid_.lane[K], item.first,
          along ? item.last : item.first + 1);
  }

  const Grid& grid_;
  const Program& program_;
  char* partials_;
  char* shared_;
  int64_t base_[n] = {};
  unsigned row_ = 0;
  unsigned lane_ = 0;
  unsigned part_ = 0;
  unsigned items_ = 0;
  unsigned turn_ = 0;
  int head_ = 0;
  bool active_ = false;
  Values values_;
};

}  // namespace detail

/// Runs a task of a row program.
template <class Outs, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(row_block)
    row_kernel(const __grid_constant__ RowGrid<N> grid, const __grid_constant__ Program program,
               char* partials) {
  extern __shared__ __align__(128) char weft_row_shared[];
  detail::RowThread<Outs, Types, V, Program>(grid, program, partials, weft_row_shared).run();
}

}  // namespace weft::cuda

#endif
