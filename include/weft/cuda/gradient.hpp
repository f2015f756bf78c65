// CUDA's joint programs: all gradients of a statement in one kernel, sums of broadcast ones begun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/for_each.hpp"
#include "weft/cuda/reduce.hpp"

namespace weft::cuda {

/// What the kernel does with one target.
enum class SumMode : signed char {
  skip,
  store,
  add,
  whole,    ///< written in the type it was computed in, as a temporary
  rows,     ///< summed over the rows: a value for each place of a row
  columns,  ///< summed along each row
  all
};

/// The loops of the kernel, over N operands of which the first K are targets. A thread has Lanes
/// neighbours of the innermost dimension in every row_step-th row.
template <int N, int K>
struct SumGrid {
  char* data[N];
  long long lane[N];                  // strides of the innermost dimension
  long long stride[N][max_rank - 1];  // of the others, innermost first
  Divider size[max_rank - 1];
  int outer = 0;        // dimensions but the innermost
  long long inner = 1;  // elements of the innermost dimension
  long long vectors = 1;
  unsigned rows = 1;
  unsigned row_step = 1;
  unsigned steps = 1;
  int width = 1;  // threads side by side in a row, a power of two
  int shift = 0;  // its logarithm
  SumMode mode[K];
  char* sum[K];   // partial sums
  int parts = 1;  // of a row's sum
};

#if defined(__CUDACC__)
namespace detail {

/// One target in a thread: its running sum, if it has one.
template <class Out, class T, int V>
struct Target {
  T sum[V];
};

template <int V, class T>
__device__ __forceinline__ T sum_of_lanes(const Vector<T, V>& values, int last) {
  T total{};
#pragma unroll
  for (int j = 0; j < V; ++j) total += j < last ? values.lane[j] : T{};
  return total;
}
/// The sum over neighbouring threads, in the first of them; `width` is a power of two up to 32.
template <class T>
__device__ __forceinline__ T sum_of_threads(T value, int width) {
  for (int step = width / 2; step > 0; step /= 2) {
    value += __shfl_down_sync(0xFFFFFFFFU, value, static_cast<unsigned>(step));
  }
  return value;
}

/// Where a thread is in the row, and the row.
struct SumPlace {
  long long start;  // the first of its elements
  int last;         // how many of its lanes hold one
  unsigned row;
  int part;  // of the row's sum
};

template <int J, int V, int N, int K>
__device__ __forceinline__ void take_all(weft::detail::TypeList<>, const SumGrid<N, K>&,
                                         const long long*, const SumPlace&, const Pack<>&,
                                         Pack<>&) {}
template <int J, int V, int N, int K, class Out, class... Outs, class T, class... Ts>
__device__ __forceinline__ void take_all(weft::detail::TypeList<Out, Outs...>,
                                         const SumGrid<N, K>& grid, const long long* offset,
                                         const SumPlace& place,
                                         const Pack<Vector<T, V>, Vector<Ts, V>...>& values,
                                         Pack<Target<Out, T, V>, Target<Outs, Ts, V>...>& targets) {
  const SumMode mode = grid.mode[J];
  const Vector<T, V>& value = values.head;
  if (mode == SumMode::store || mode == SumMode::add) {
    Out* out = reinterpret_cast<Out*>(grid.data[J]) + offset[J];
    const bool vector = grid.lane[J] == 1 && place.last == V &&
                        reinterpret_cast<unsigned long long>(out) % (sizeof(Out) * V) == 0;
    if (vector) {
      auto* to = reinterpret_cast<Vector<Out, V>*>(out);
      *to = mode == SumMode::add ? sum_of(value, *to) : stored<Out>(value);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j >= place.last) continue;
        Out& to = out[j * grid.lane[J]];
        to = mode == SumMode::add ? store_element<Out>(load_element(to) + value.lane[j])
                                  : store_element<Out>(value.lane[j]);
      }
    }
  } else if (mode == SumMode::whole) {
    T* out = reinterpret_cast<T*>(grid.sum[J]) + place.row * grid.inner + place.start;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j < place.last) out[j] = value.lane[j];
    }
  } else if (mode == SumMode::rows || mode == SumMode::all) {
#pragma unroll
    for (int j = 0; j < V; ++j) targets.head.sum[j] += j < place.last ? value.lane[j] : T{};
  } else if (mode == SumMode::columns) {
    const int width = grid.width < 32 ? grid.width : 32;
    const T total = sum_of_threads(sum_of_lanes<V>(value, place.last), width);
    if (place.part >= 0)
      reinterpret_cast<T*>(grid.sum[J])[place.row * 1LL * grid.parts + place.part] = total;
  }
  take_all<J + 1, V>(weft::detail::TypeList<Outs...>{}, grid, offset, place, values.tail,
                     targets.tail);
}

template <int J, int V, int N, int K>
__device__ __forceinline__ void finish_all(weft::detail::TypeList<>, const SumGrid<N, K>&,
                                           long long, unsigned, bool, const Pack<>&) {}
/// Writes a thread's or a warp's sums. `line` numbers the threads that share columns.
template <int J, int V, int N, int K, class Out, class... Outs, class T, class... Ts>
__device__ __forceinline__ void finish_all(
    weft::detail::TypeList<Out, Outs...>, const SumGrid<N, K>& grid, long long start, unsigned line,
    bool inside, const Pack<Target<Out, T, V>, Target<Outs, Ts, V>...>& targets) {
  T* out = reinterpret_cast<T*>(grid.sum[J]);
  if (grid.mode[J] == SumMode::rows) {
    if (inside) {
      out += line * grid.inner + start;
      if (grid.inner % V == 0) {
        Vector<T, V> sum;
#pragma unroll
        for (int j = 0; j < V; ++j) sum.lane[j] = targets.head.sum[j];
        *reinterpret_cast<Vector<T, V>*>(out) = sum;
      } else {
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (start + j < grid.inner) out[j] = targets.head.sum[j];
        }
      }
    }
  } else if (grid.mode[J] == SumMode::all) {
    T total{};
#pragma unroll
    for (int j = 0; j < V; ++j) total += targets.head.sum[j];
    total = sum_of_threads(total, 32);
    const unsigned warp =
        (blockIdx.y * gridDim.x + blockIdx.x) * (block_threads / 32) + threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) out[warp] = total;
  }
  finish_all<J + 1, V>(weft::detail::TypeList<Outs...>{}, grid, start, line, inside, targets.tail);
}

template <int V, class Outs, class Values>
struct TargetsOf;
template <int V, class... Outs, class... Ts>
struct TargetsOf<V, weft::detail::TypeList<Outs...>, weft::detail::TypeList<Ts...>> {
  using type = Pack<Target<Outs, Ts, V>...>;
};
}  // namespace detail

/// The targets of a joint program, of any strides; those that are summed as partial sums.
template <class Outs, class Types, int V, int N, int K, class Program>
__global__ void __launch_bounds__(block_threads)
    gradient_kernel(const __grid_constant__ SumGrid<N, K> grid,
                    const __grid_constant__ Program program) {
  const unsigned width = static_cast<unsigned>(grid.width);
  const unsigned x = threadIdx.x & (width - 1);
  const long long vector = static_cast<long long>(blockIdx.x) * width + x;
  const bool inside = vector < grid.vectors;
  const long long start = inside ? vector * V : 0;
  const long long left = grid.inner - start;
  const int lanes = !inside ? 0 : left < V ? static_cast<int>(left) : V;
  const unsigned line = blockIdx.y * (block_threads >> grid.shift) + (threadIdx.x >> grid.shift);
  const int part = x % 32 == 0 && inside ? static_cast<int>(vector / 32) : -1;
  typename detail::TargetsOf<V, Outs, typename Program::values>::type targets{};
#pragma unroll 1
  for (unsigned step = 0; step < grid.steps; ++step) {
    const unsigned wanted = line + step * grid.row_step;
    const bool there = wanted < grid.rows;
    const unsigned row = there ? wanted : grid.rows - 1;
    long long offset[N] = {};
    unsigned rest = row;
#pragma unroll 1
    for (int d = 0; d < grid.outer; ++d) {
      const unsigned next = grid.size[d].divide(rest);
      const long long index = rest - next * grid.size[d].divisor;
      rest = next;
#pragma unroll
      for (int i = 0; i < N; ++i) offset[i] += index * grid.stride[i][d];
    }
#pragma unroll
    for (int i = 0; i < N; ++i) offset[i] += start * grid.lane[i];
    const int last = there ? lanes : 0;
    int lane[N];
#pragma unroll
    for (int i = 0; i < N; ++i) lane[i] = static_cast<int>(grid.lane[i]);
    Registers<Types, V> registers;
    registers.load(grid.data + (K - 1), offset + (K - 1), lane + (K - 1), 0, last);
    const auto values = compute_all<Outs, V>(registers, program, 0, last).values;
    detail::take_all<0, V>(Outs{}, grid, offset, {start, last, row, there ? part : -1}, values,
                           targets);
  }
  detail::finish_all<0, V>(Outs{}, grid, start, line, inside, targets);
}
#endif

namespace detail {

/// What a target's strides say of its sum: along rows, along columns, all, or none of these.
[[gnu::noinline]] inline SumMode sum_mode(const Loops& loops, const Operand& target) {
  const int last = loops.rank - 1;
  bool zero = true;
  bool dense = true;
  int64_t step = 1;
  for (int d = last - 1; d >= 0; --d) {
    zero = zero && target.stride[d] == 0;
    dense = dense && target.stride[d] == step;
    step *= loops.size[d];
  }
  if (last < 0 || (zero && target.stride[last] == 0)) return SumMode::all;
  if (zero && target.stride[last] == 1) return SumMode::rows;
  return dense && target.stride[last] == 0 ? SumMode::columns : SumMode::whole;
}

/// What the host keeps of a sum that the kernel has begun.
struct BegunSum {
  Operand target;
  StorageHandle memory;
  SumMode mode = SumMode::skip;
};

/// Fills the grid but for the strides: rows, and how threads share them.
template <int N, int K>
void plan_sum_rows(const Loops& loops, int lanes, bool sums, SumGrid<N, K>& grid,
                   unsigned& blocks_x, unsigned& blocks_y) {
  grid.outer = loops.rank > 0 ? loops.rank - 1 : 0;
  grid.inner = loops.rank > 0 ? loops.size[grid.outer] : 1;
  int64_t rows = 1;
  for (int d = 0; d < grid.outer; ++d) {
    grid.size[d] = Divider(static_cast<unsigned>(loops.size[grid.outer - 1 - d]));
    rows *= loops.size[d];
  }
  if (rows > INT32_MAX || grid.inner / lanes / block_threads >= INT32_MAX) {
    fail<ShapeError>("backward", "a gradient of ", rows, " rows of ", grid.inner,
                     " elements is too large for one kernel: split the statement");
  }
  grid.rows = static_cast<unsigned>(rows);
  grid.vectors = (grid.inner + lanes - 1) / lanes;
  while (grid.width < grid.vectors && grid.width < block_threads) {
    grid.width *= 2;
    ++grid.shift;
  }
  blocks_x = static_cast<unsigned>((grid.vectors + grid.width - 1) / grid.width);
  const auto lines = static_cast<int64_t>(block_threads >> grid.shift);
  // A sum's partial results are read again: each stands for 16 rows or more, where there are enough
  // for all multiprocessors to have work.
  int64_t blocks = (rows + lines - 1) / lines;
  if (sums) {
    const int64_t busy = 132 * 8 / blocks_x + 1;
    const int64_t few = (rows + 16 * lines - 1) / (16 * lines);
    blocks = blocks < busy ? blocks : few > busy ? few : busy;
    if (blocks > 4 * busy) blocks = 4 * busy;
  }
  blocks_y = static_cast<unsigned>(blocks < 65535 ? blocks : 65535);
  grid.row_step = static_cast<unsigned>(blocks_y * lines);
  grid.steps = (grid.rows + grid.row_step - 1) / grid.row_step;
  grid.parts = static_cast<int>((grid.vectors + 31) / 32);
}

}  // namespace detail
}  // namespace weft::cuda

namespace weft {

template <>
struct GradientExecutor<Cuda> {
  template <class Outs, class Types, class Program>
  static void run([[maybe_unused]] const detail::Name& name, [[maybe_unused]] Cuda device,
                  [[maybe_unused]] const Shape& shape, [[maybe_unused]] detail::Operand* operands,
                  [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    constexpr int k = detail::target_count<Outs>;
    constexpr int n = detail::count(Types{}) + k;
    constexpr int lanes = cuda::lanes_of<Outs>(Types{});
    static_assert(sizeof(Program) + sizeof(cuda::SumGrid<n, k>) <= 4096,
                  "weft: the expression is too large for one kernel: store a part of it in a Var");
    const Stores stores = program.stores;
    const unsigned dense = stores.wanted & ~stores.sums;
    for (int j = 0; j < k; ++j) {
      if ((stores.wanted >> j & 1U) == 0) {
        operands[j].set(nullptr, static_cast<std::size_t>(operands[j].itemsize), Shape{}, Strides{},
                        nullptr);
      }
    }
    detail::broadcast_operands(operands, n, shape);
    cuda::DeviceGuard guard(device);
    const cuda::Stream stream = cuda::current_stream(device);
    cuda::detail::order(operands, n, stream, k);
    detail::Loops loops = detail::loops_over(shape);
    detail::simplify(loops, operands, n, true);
    if (stores.sums == 0 && (dense & 1U) != 0 &&
        run_aligned<Outs, Types, lanes, n>(name, shape, loops, operands, program, stream)) {
      return;
    }
    cuda::SumGrid<n, k> grid;
    unsigned blocks_x = 1;
    unsigned blocks_y = 1;
    cuda::detail::plan_sum_rows(loops, lanes, stores.sums != 0, grid, blocks_x, blocks_y);
    for (int i = 0; i < n; ++i) {
      grid.data[i] = operands[i].data;
      grid.lane[i] = loops.rank > 0 ? operands[i].stride[grid.outer] : 0;
      for (int d = 0; d < grid.outer; ++d)
        grid.stride[i][d] = operands[i].stride[grid.outer - 1 - d];
    }
    cuda::detail::BegunSum begun[k];
    begin_sums(typename Program::values{}, device, loops, operands, stores, grid,
               blocks_x * blocks_y, begun, std::make_index_sequence<k>{});
    void* arguments[] = {&grid, const_cast<Program*>(&program)};
    const auto kernel = cuda::gradient_kernel<Outs, Types, lanes, n, k, Program>;
    cuda::detail::launch(name, shape, reinterpret_cast<const void*>(kernel),
                         dim3(blocks_x, blocks_y), cuda::block_threads, arguments, stream);
    finish_sums(typename Program::values{}, name, device, shape, grid, blocks_x * blocks_y, begun,
                std::make_index_sequence<k>{});
#else
    static_assert(detail::always_false<Program>,
                  "weft: a gradient on Cuda is computed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

#if defined(__CUDACC__)
 private:
  /// The whole in the kernel for aligned operands, where they are.
  template <class Outs, class Types, int V, int N, class Program>
  static bool run_aligned(const detail::Name& name, const Shape& shape, const detail::Loops& loops,
                          detail::Operand* operands, const Program& program,
                          const cuda::Stream& stream) {
    if (!cuda::detail::fits(loops, operands, N) ||
        !cuda::detail::is_aligned(loops, operands, N, V, {})) {
      return false;
    }
    cuda::Grid<N> grid;
    grid.items = cuda::detail::plan_rows(loops, operands[0], V, grid.inner, grid.head,
                                         grid.head_mask, grid.outer, grid.row_items, grid.size);
    cuda::detail::plan_operands(loops, operands, N, grid.data, grid.lane, grid.stride);
    const auto kernel = cuda::for_each_aligned<Outs, Types, V, N, Program>;
    void* arguments[] = {&grid, const_cast<Program*>(&program)};
    cuda::detail::launch(name, shape, reinterpret_cast<const void*>(kernel),
                         (grid.items + cuda::block_threads - 1) / cuda::block_threads,
                         cuda::block_threads, arguments, stream);
    return true;
  }

  template <class... Vs, int N, int K, std::size_t... J>
  static void begin_sums(detail::TypeList<Vs...>, Cuda device, const detail::Loops& loops,
                         const detail::Operand* operands, Stores stores, cuda::SumGrid<N, K>& grid,
                         unsigned blocks, cuda::detail::BegunSum* begun,
                         std::index_sequence<J...>) {
    (begin_sum<Vs>(device, loops, operands[J], (stores.wanted >> J & 1U) != 0,
                   (stores.adds >> J & 1U) != 0, (stores.sums >> J & 1U) != 0, grid,
                   static_cast<int>(J), blocks, begun[J]),
     ...);
  }
  template <class V, int N, int K>
  static void begin_sum(Cuda device, const detail::Loops& loops, const detail::Operand& target,
                        bool wanted, bool adds, bool sums, cuda::SumGrid<N, K>& grid, int j,
                        unsigned blocks, cuda::detail::BegunSum& begun) {
    using cuda::SumMode;
    grid.sum[j] = nullptr;
    grid.mode[j] = !wanted ? SumMode::skip : adds ? SumMode::add : SumMode::store;
    if (!sums) return;
    begun.mode = grid.mode[j] = cuda::detail::sum_mode(loops, target);
    begun.target = target;
    const int64_t count = begun.mode == SumMode::rows      ? grid.row_step * grid.inner
                          : begun.mode == SumMode::columns ? grid.rows * int64_t{grid.parts}
                          : begun.mode == SumMode::all ? blocks * int64_t{cuda::block_threads / 32}
                                                       : grid.rows * grid.inner;
    begun.memory =
        StorageHandle(Memory<Cuda>::allocate(device, count * static_cast<int64_t>(sizeof(V))));
    grid.sum[j] = static_cast<char*>(begun.memory->data);
  }

  template <class... Vs, int N, int K, std::size_t... J>
  static void finish_sums(detail::TypeList<Vs...>, const detail::Name& name, Cuda device,
                          const Shape& shape, const cuda::SumGrid<N, K>& grid, unsigned blocks,
                          const cuda::detail::BegunSum* begun, std::index_sequence<J...>) {
    (finish_sum<Vs>(name, device, shape, grid.rows, grid.row_step, grid.inner, grid.parts, blocks,
                    begun[J]),
     ...);
  }
  /// target = the sum of the partial sums.
  template <class V>
  [[gnu::noinline]] static void finish_sum(const detail::Name& name, Cuda device,
                                           const Shape& shape, int64_t rows, int64_t row_step,
                                           int64_t inner, int64_t parts, unsigned blocks,
                                           const cuda::detail::BegunSum& begun) {
    using cuda::SumMode;
    if (begun.mode == SumMode::skip) return;
    Shape kept;
    Shape reduced;
    detail::Operand operands[2];
    operands[0] = begun.target;
    operands[1].set(begun.memory->data, sizeof(V), {}, {}, begun.memory.get());
    if (begun.mode == SumMode::whole) {
      operands[1].set(begun.memory->data, sizeof(V), shape, contiguous_strides(shape),
                      begun.memory.get());
      detail::Operand& target = operands[0];
      detail::ReducedAxes axes{0, true};
      for (int d = 0; d < shape.rank(); ++d) {
        if (target.size[d] != shape[d]) axes.mask |= 1U << d;
      }
      const Shape out = axes.result(shape);
      target.set(target.data, sizeof(V), out, contiguous_strides(out), target.storage);
      detail::split_axes(shape, axes, operands, 2, kept, reduced);
    } else {
      const bool by_rows = begun.mode == SumMode::rows;
      kept = {begun.mode == SumMode::all ? 1 : by_rows ? inner : rows};
      reduced = {begun.mode == SumMode::all ? blocks * int64_t{cuda::block_threads / 32}
                 : by_rows                  ? row_step
                                            : parts};
      operands[0].stride[0] = 1;
      operands[0].stride[1] = 0;
      operands[1].stride[0] = by_rows ? 1 : reduced[0];
      operands[1].stride[1] = by_rows ? inner : 1;
    }
    Reducer<Cuda>::reduce<V, detail::TypeList<V>>(name, reducer::sum{}, device, kept, reduced,
                                                  operands, Arg<1, V>{});
  }
#endif
};

}  // namespace weft
