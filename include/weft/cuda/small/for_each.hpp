// CUDA's loop over tensors of Small: one kernel per statement, which stages them in shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/small/staging.hpp"

namespace weft::on_cuda {

/// The arguments of a kernel over N operands, targets first.
template <int N>
struct SmallGrid {
  unsigned items = 0;
  int rank = 0;
  std::uint64_t flat = 0;      // operands whose elements lie as the items are counted, a bit each
  std::uint64_t wide = 0;      // those that begin at a multiple of 16 bytes
  std::uint64_t repeated = 0;  // those that are another one again, whose place they have
  FastDivmod size[max_rank];
  char* data[N];
  int place[N];             // of an operand that is staged: bytes of shared memory before it
  int stride[N][max_rank];  // innermost first
};

#if defined(__CUDACC__)
namespace detail {

/// Where a thread of such a kernel finds and leaves its elements.
template <int N>
struct SmallPlace {
  const SmallGrid<N>& grid;
  char* shared;
  unsigned first;  // item of the block
  int count;       // of its items
  int mine;        // the thread's, below count

  __device__ __forceinline__ bool is_flat(int k) const { return (grid.flat >> k & 1U) != 0; }
  __device__ __forceinline__ bool is_wide(int k) const { return (grid.wide >> k & 1U) != 0; }

  /// In elements from the operand's first.
  __device__ __forceinline__ int offset(int k) const {
    unsigned item = first + static_cast<unsigned>(mine);
    if (is_flat(k)) return static_cast<int>(item);
    int out = 0;
#pragma unroll 1
    for (int d = 0; d + 1 < grid.rank; ++d) {
      const unsigned next = grid.size[d].divide(item);
      out += static_cast<int>(item - next * grid.size[d].divisor) * grid.stride[k][d];
      item = next;
    }
    return out + static_cast<int>(item) * grid.stride[k][grid.rank - 1];
  }

  /// Starts staging the operands from K on.
  template <int K, class T, class... Rest>
  __device__ __forceinline__ void start() const {
    if constexpr (is_staged<T>) {
      if (is_flat(K) && (grid.repeated >> K & 1U) == 0) {
        start_staging<T>(shared + grid.place[K], grid.data[K] + std::size_t{first} * sizeof(T),
                         count, is_wide(K));
      }
    }
    if constexpr (sizeof...(Rest) > 0) start<K + 1, Rest...>();
  }

  /// Fills the registers of the operands from K on.
  template <int K, class T, class... Rest>
  __device__ __forceinline__ void load(Pack<Vector<T, 1>, Vector<Rest, 1>...>& values) const {
    if constexpr (is_staged<T>) {
      if (is_flat(K)) {
        values.head.lane[0] =
            *reinterpret_cast<const T*>(shared + grid.place[K] + staged_pitch<T> * mine);
      } else {
        values.head.lane[0] = reinterpret_cast<const T*>(grid.data[K])[offset(K)];
      }
    } else {
      on_cuda::load(values.head, grid.data[K], offset(K), 0, 0, 1);
    }
    if constexpr (sizeof...(Rest) > 0) load<K + 1>(values.tail);
  }

  /// Puts values into shared memory, or where they belong if they do not go through it.
  template <int K, class T, class... Rest>
  __device__ __forceinline__ void leave(const Pack<Vector<T, 1>, Vector<Rest, 1>...>& values,
                                        int at, bool valid) const {
    if constexpr (is_staged<T>) {
      if (is_flat(K)) {
        if (valid)
          *reinterpret_cast<T*>(shared + at + staged_pitch<T> * mine) = values.head.lane[0];
      } else if (valid) {
        reinterpret_cast<T*>(grid.data[K])[offset(K)] = values.head.lane[0];
      }
      at += staged_pitch<T> * static_cast<int>(blockDim.x);
    } else {
      if (valid) reinterpret_cast<T*>(grid.data[K])[offset(K)] = values.head.lane[0];
    }
    if constexpr (sizeof...(Rest) > 0) leave<K + 1>(values.tail, at, valid);
  }
  /// Writes what is in shared memory.
  template <int K, class T, class... Rest>
  __device__ __forceinline__ void write(const Pack<Vector<T, 1>, Vector<Rest, 1>...>& values,
                                        int at) const {
    if constexpr (is_staged<T>) {
      if (is_flat(K)) {
        write_staged<T>(shared + at, grid.data[K] + std::size_t{first} * sizeof(T), count,
                        is_wide(K));
      }
      at += staged_pitch<T> * static_cast<int>(blockDim.x);
    }
    if constexpr (sizeof...(Rest) > 0) write<K + 1>(values.tail, at);
  }
};

template <class T>
__device__ __forceinline__ Pack<Vector<T, 1>> packed(const Vector<T, 1>& value) {
  return {value, {}};
}
template <class... Vs>
__device__ __forceinline__ const Pack<Vs...>& packed(const Pack<Vs...>& values) {
  return values;
}

}  // namespace detail

/// targets = programs over the others, one element per thread.
template <class Out, class Types, int N, class Program>
struct SmallKernel;
template <class Out, class... Ts, int N, class Program>
struct SmallKernel<Out, weft::detail::TypeList<Ts...>, N, Program> {
  __device__ __forceinline__ static void run(const SmallGrid<N>& grid, const Program& program,
                                             char* shared) {
    constexpr int targets = weft::detail::target_count<Out>;
    const unsigned first = blockIdx.x * blockDim.x;
    const unsigned left = grid.items - first;
    const int count = static_cast<int>(left < blockDim.x ? left : blockDim.x);
    const int thread = static_cast<int>(threadIdx.x);
    const bool valid = thread < count;  // the others compute the block's last element
    const detail::SmallPlace<N> place{grid, shared, first, count, valid ? thread : count - 1};
    Registers<weft::detail::TypeList<Ts...>, 1> registers;
    if constexpr (sizeof...(Ts) > 0) {
      if constexpr ((is_staged<Ts> || ...)) {
        place.template start<targets, Ts...>();
        wait_for_copies();
      }
      place.template load<targets>(registers.values);
    }
    const auto& values = compute_all<Out, 1>(registers, program, 0, 1);
    if constexpr ((is_staged<Ts> || ...)) __syncthreads();  // the targets take the operands' place
    place.template leave<0>(detail::packed(values), 0, valid);
    __syncthreads();
    place.template write<0>(detail::packed(values), 0);
  }
};

template <class Out, class Types, int N, class Program>
__global__ void __launch_bounds__(staged_threads)
    small_kernel(const __grid_constant__ SmallGrid<N> grid,
                 const __grid_constant__ Program program) {
  extern __shared__ __align__(16) char shared[];
  SmallKernel<Out, Types, N, Program>::run(grid, program, shared);
}
#endif

namespace detail {

/// Strides, addresses and which operands are staged, of one piece.
WEFT_OUTLINED inline void plan_small(const Loops& loops, const Operand* operands, int n,
                                     FastDivmod* size, char** data, int (*stride)[max_rank],
                                     std::uint64_t& flat, std::uint64_t& wide) {
  const int rank = loops.rank;
  for (int d = 0; d < rank; ++d)
    size[d] = FastDivmod(static_cast<unsigned>(loops.size[rank - 1 - d]));
  for (int i = 0; i < n; ++i) {
    data[i] = operands[i].data;
    int64_t step = 1;
    bool is_flat = operands[i].itemsize > 0 && !operands[i].gathered;
    for (int d = 0; d < rank; ++d) {
      const int64_t along = operands[i].stride[rank - 1 - d];
      const int64_t length = loops.size[rank - 1 - d];
      stride[i][d] = static_cast<int>(along);
      is_flat = is_flat && (along == step || length == 1);
      step *= length;
    }
    if (!is_flat) continue;
    flat |= std::uint64_t{1} << i;
    if (reinterpret_cast<std::uintptr_t>(data[i]) % 16 == 0) wide |= std::uint64_t{1} << i;
  }
}

/// Where staged operands are in shared memory; one that is read several times has one place.
/// `before` has the bytes per thread in front of each.
WEFT_OUTLINED inline void place_small(const Operand* operands, int n, int targets,
                                      const int* before, int threads, std::uint64_t flat,
                                      int* place, std::uint64_t& repeated) {
  for (int i = 0; i < n; ++i) {
    int same = i;
    for (int j = targets; j < i && same == i && (flat >> i & 1U) != 0; ++j) {
      if ((flat >> j & 1U) != 0 && operands[j].data == operands[i].data &&
          operands[j].itemsize == operands[i].itemsize) {
        same = j;
      }
    }
    place[i] = before[same] * threads;
    if (same != i) repeated |= std::uint64_t{1} << i;
  }
}

/// The bytes of shared memory per thread in front of each operand's element, from out[0] on.
template <class... Ts>
constexpr void small_places([[maybe_unused]] int* out, weft::detail::TypeList<Ts...>) {
  [[maybe_unused]] int at = 0;
  ((*out++ = at, at += is_staged<Ts> ? staged_pitch<Ts> : 0), ...);
}

/// Plans and launches such a kernel, in pieces where it is very large.
template <int N>
WEFT_OUTLINED void run_small(const Name& name, Cuda device, const Shape& shape, Operand* operands,
                             int targets, const int* before, const void* kernel, int threads,
                             int shared_bytes, const void* program) {
  Loops loops = weft::detail::loops_over(shape);
  const DeviceGuard guard(device);
  const Stream stream = current_stream(device);
  order(operands, N, stream, targets);
  weft::detail::simplify(loops, operands, N);
  in_pieces(loops, operands, N, [&](const Loops& piece) {
    SmallGrid<N> grid;
    grid.items = static_cast<unsigned>(piece.count());
    grid.rank = piece.rank;
    plan_small(piece, operands, N, grid.size, grid.data, grid.stride, grid.flat, grid.wide);
    if (grid.rank == 0) grid.flat = ~std::uint64_t{0};
    place_small(operands, N, targets, before, threads, grid.flat, grid.place, grid.repeated);
    void* arguments[] = {&grid, const_cast<void*>(program)};
    const auto per_block = static_cast<unsigned>(threads);
    launch(name, shape, kernel, (grid.items + per_block - 1) / per_block, per_block, arguments,
           stream, shared_bytes);
  });
}

template <class T>
struct ListOf {
  using type = weft::detail::TypeList<T>;
};
template <class... Ts>
struct ListOf<weft::detail::TypeList<Ts...>> {
  using type = weft::detail::TypeList<Ts...>;
};

/// The most shared memory of a block, so that several fit on a multiprocessor.
inline constexpr int most_staged_bytes = 48 * 1024;

}  // namespace detail

#if defined(__CUDACC__)
/// A statement on Small, planned and launched.
template <class Out, class Types, class Program>
struct SmallStatement {
  static constexpr int n = weft::detail::count(Types{}) + weft::detail::target_count<Out>;
  static_assert(sizeof(Program) + sizeof(SmallGrid<n>) <= 4096 && n <= 64,
                "weft: the expression is too large for one kernel: store a part of it in a Tensor");

  static constexpr int bytes_for(int threads) {
    const int inputs = staged_bytes(threads, Types{});
    const int outputs = staged_bytes(threads, typename detail::ListOf<Out>::type{});
    return inputs > outputs ? inputs : outputs;
  }
  static constexpr int threads = [] {
    int out = staged_threads;
    while (out > 32 && bytes_for(out) > detail::most_staged_bytes) out /= 2;
    return out;
  }();

  /// For explain: fills in a kernel's description.
  template <class Kernel>
  static void explain(Kernel& kernel, const Shape& shape, weft::detail::Operand* operands) {
    weft::detail::Loops loops = weft::detail::loops_over(shape);
    weft::detail::simplify(loops, operands, n);
    kernel.kind = "staged " + kernel.kind;
    kernel.threads = threads;
    kernel.shared_bytes = bytes_for(threads);
    kernel.launches = 0;
    detail::in_pieces(loops, operands, n, [&](const weft::detail::Loops& piece) {
      const auto blocks = static_cast<unsigned>((piece.count() + threads - 1) / threads);
      if (blocks > kernel.blocks) kernel.blocks = blocks;
      ++kernel.launches;
    });
  }

  static void run(const weft::detail::Name& name, Cuda device, const Shape& shape,
                  weft::detail::Operand* operands, const Program& program) {
    constexpr int targets = weft::detail::target_count<Out>;
    int before[n] = {};
    detail::small_places(before + targets, Types{});
    detail::run_small<n>(name, device, shape, operands, targets, before,
                         reinterpret_cast<const void*>(small_kernel<Out, Types, n, Program>),
                         threads, bytes_for(threads), &program);
  }
};
#endif

}  // namespace weft::on_cuda
