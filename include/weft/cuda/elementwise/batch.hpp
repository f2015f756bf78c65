// Batches on CUDA: statements of one form over many tensors in one kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/eval/batch.hpp"

namespace weft {
namespace on_cuda {

/// The argument of a batch's kernel: for each of `count` statements its operands, targets first,
/// and its first block. Bit I of `splats`: operand I is one element for the whole statement.
template <int N>
struct BatchGrid {
  static constexpr unsigned capacity = 12288 / (8 * N + 8);
  unsigned count = 0;
  unsigned splats = 0;
  unsigned first_block[capacity];
  int size[capacity];
  char* data[capacity][N];
};

#if defined(__CUDACC__)
template <class Out, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    batch_kernel(const __grid_constant__ BatchGrid<N> grid,
                 const __grid_constant__ Program program) {
  unsigned at = 0;
  for (unsigned end = grid.count; end - at > 1;) {
    const unsigned middle = (at + end) / 2;
    (grid.first_block[middle] <= blockIdx.x ? at : end) = middle;
  }
  const unsigned item = (blockIdx.x - grid.first_block[at]) * block_threads + threadIdx.x;
  const int start = static_cast<int>(item) * V;
  const int left = grid.size[at] - start;
  if (left <= 0) return;
  const int last = left < V ? left : V;
  int offset[N];
  int lane[N];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    lane[i] = (grid.splats >> i & 1U) != 0 ? 0 : 1;
    offset[i] = start * lane[i];
  }
  constexpr int first_input = weft::detail::target_count<Out> - 1;
  Registers<Types, V> registers;
  registers.load(grid.data[at] + first_input, offset + first_input, lane + first_input, 0, last);
  store_all(compute_all<Out, V>(registers, program, 0, last), grid.data[at], offset, lane, 0, last);
}
#endif

/// Whether two programs of one type contain the same numbers.
inline bool same_program(const Pack<>&, const Pack<>&) { return true; }
template <int I, class T>
bool same_program(const Arg<I, T>&, const Arg<I, T>&) {
  return true;
}
template <class T>
bool same_program(const Constant<T>& a, const Constant<T>& b) {
  return std::memcmp(&a.value, &b.value, sizeof(T)) == 0;
}
template <class Op, class... Ps>
bool same_program(const Apply<Op, Ps...>& a, const Apply<Op, Ps...>& b);
template <class P, class... Ps>
bool same_program(const Pack<P, Ps...>& a, const Pack<P, Ps...>& b) {
  return same_program(a.head, b.head) && same_program(a.tail, b.tail);
}
template <class Op, class... Ps>
bool same_program(const Apply<Op, Ps...>& a, const Apply<Op, Ps...>& b) {
  if constexpr (!std::is_empty_v<Op>) {
    if (std::memcmp(&a.op, &b.op, sizeof(Op)) != 0) return false;
  }
  return same_program(a.programs, b.programs);
}

/// The storages that queued statements read and write, by address.
class TouchedStorages {
 public:
  enum Use : unsigned { read = 1, write = 2 };

  /// Whether queueing `use` would violate the order between statements.
  bool conflicts(const Storage* storage, Use use) const {
    if (slots_.empty()) return false;
    const Slot& slot = slots_[find(storage)];
    return slot.storage == storage && (use == write || (slot.uses & write) != 0);
  }
  void add(const Storage* storage, Use use) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[find(storage)];
    count_ += slot.storage == nullptr ? 1 : 0;
    slot.storage = storage;
    slot.uses |= use;
  }
  void clear() {
    slots_.assign(slots_.size(), Slot{});
    count_ = 0;
  }

 private:
  struct Slot {
    const Storage* storage = nullptr;
    unsigned uses = 0;
  };
  std::size_t find(const Storage* storage) const {
    std::size_t at = reinterpret_cast<std::uintptr_t>(storage) / 64 * 0x9E3779B97F4A7C15U;
    for (;; ++at) {
      const std::size_t slot = at % slots_.size();
      if (slots_[slot].storage == storage || slots_[slot].storage == nullptr) return slot;
    }
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.storage != nullptr) slots_[find(slot.storage)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace on_cuda

template <>
struct BatchQueue<Cuda> {
  /// Launches the queue.
  void run() {
    if (waiting_ == 0) return;
    launch_(*this);
    forget();
  }

  /// Queues the statement, running the queue first if needed. False if the statement does not fit a
  /// batch.
  template <class Out, class Types, class Program>
  bool add([[maybe_unused]] const detail::Name& name, [[maybe_unused]] Cuda device,
           [[maybe_unused]] const Shape& shape, [[maybe_unused]] const detail::Operand* operands,
           [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    using Mine = Form<Out, Types, Program>;
    constexpr int targets = detail::target_count<Out>;
    unsigned splats = 0;
    if (!is_flat(shape, operands, Mine::n, targets, splats)) return false;
    const bool joins = waiting_ > 0 && launch_ == Mine::launch && splats == splats_ &&
                       device.ordinal == device_.ordinal &&
                       !conflicts(operands, Mine::n, targets) &&
                       on_cuda::same_program(Mine::program(*this), program);
    if (!joins || waiting_ == on_cuda::BatchGrid<Mine::n>::capacity) run();
    if (waiting_ == 0) {
      name_ = name;
      device_ = device;
      splats_ = splats;
      launch_ = Mine::launch;
      std::memcpy(program_, &program, sizeof(Program));
    }
    for (int i = 0; i < Mine::n; ++i) {
      touched_.add(operands[i].storage,
                   i < targets ? on_cuda::TouchedStorages::write : on_cuda::TouchedStorages::read);
      operands[i].storage->share();
      kept_.emplace_back(operands[i].storage);
      data_.push_back(operands[i].data);
    }
    sizes_.push_back(static_cast<int>(shape.size()));
    ++waiting_;
    return true;
#else
    static_assert(detail::always_false<Program>,
                  "weft: a Batch on Cuda runs in a file that nvcc compiles: move it to a .cu file");
    return false;
#endif
  }

 private:
  static constexpr std::size_t program_bytes = 2048;

#if defined(__CUDACC__)
  /// Statements of one type.
  template <class Out, class Types, class Program>
  struct Form {
    static constexpr int n = detail::count(Types{}) + detail::target_count<Out>;
    static_assert(sizeof(Program) <= program_bytes,
                  "weft: the expression is too large for a Batch: write it without one");

    static const Program& program(const BatchQueue& queue) {
      return *reinterpret_cast<const Program*>(queue.program_);
    }
    static void launch(BatchQueue& queue) {
      constexpr int lanes = on_cuda::lanes_of_widest<Out>(Types{});
      on_cuda::BatchGrid<n> grid;
      unsigned blocks = 0;
      for (; grid.count < queue.waiting_; ++grid.count) {
        grid.first_block[grid.count] = blocks;
        grid.size[grid.count] = queue.sizes_[grid.count];
        for (int i = 0; i < n; ++i) {
          grid.data[grid.count][i] = queue.data_[grid.count * n + static_cast<unsigned>(i)];
        }
        const int block = static_cast<int>(on_cuda::block_threads) * lanes;
        blocks += static_cast<unsigned>((grid.size[grid.count] + block - 1) / block);
      }
      grid.splats = queue.splats_;
      const on_cuda::DeviceGuard guard(queue.device_);
      const on_cuda::Stream stream = on_cuda::current_stream(queue.device_);
      queue.order(stream, n, detail::target_count<Out>);
      void* arguments[] = {&grid, queue.program_};
      const auto kernel = on_cuda::batch_kernel<Out, Types, lanes, n, Program>;
      on_cuda::detail::launch(queue.name_, Shape{queue.waiting_},
                              reinterpret_cast<const void*>(kernel), blocks, on_cuda::block_threads,
                              arguments, stream);
    }
  };
#endif

  /// Whether each operand is contiguous or a single element; a bit for each of the latter.
  static bool is_flat(const Shape& shape, const detail::Operand* operands, int n, int targets,
                      unsigned& splats) {
    if (shape.size() >= int64_t{1} << 30) return false;
    for (int i = 0; i < n; ++i) {
      const detail::Operand& x = operands[i];
      if (x.storage == nullptr) return false;
      bool flat = true;
      bool splat = i >= targets && shape.rank() > 0;
      int64_t stride = 1;
      for (int d = shape.rank() - 1; d >= 0; --d) {
        flat = flat && (x.stride[d] == stride || shape[d] == 1);
        splat = splat && x.stride[d] == 0;
        stride *= shape[d];
      }
      if (splat) {
        splats |= 1U << i;
      } else if (!flat) {
        return false;
      }
    }
    return true;
  }

  bool conflicts(const detail::Operand* operands, int n, int targets) const {
    for (int i = 0; i < n; ++i) {
      const auto use =
          i < targets ? on_cuda::TouchedStorages::write : on_cuda::TouchedStorages::read;
      if (touched_.conflicts(operands[i].storage, use)) return true;
    }
    return false;
  }

  /// Orders the stream after the work of other streams on the operands.
  void order(const on_cuda::Stream& stream, int n, int targets) {
    for (unsigned k = 0; k < waiting_; ++k) {
      for (int i = 0; i < n; ++i) {
        detail::Operand x;
        x.storage = kept_[k * static_cast<unsigned>(n) + static_cast<unsigned>(i)].get();
        on_cuda::detail::order(&x, 1, stream, i < targets ? 1 : 0);
      }
    }
  }

  void forget() {
    waiting_ = 0;
    kept_.clear();
    data_.clear();
    sizes_.clear();
    touched_.clear();
  }

  unsigned waiting_ = 0;
  unsigned splats_ = 0;
  Cuda device_;
  detail::Name name_{};
  void (*launch_)(BatchQueue&) = nullptr;
  alignas(16) char program_[program_bytes];
  std::vector<StorageHandle> kept_;
  std::vector<char*> data_;
  std::vector<int> sizes_;
  on_cuda::TouchedStorages touched_;
};

template <>
struct Executor<detail::Queued<Cuda>> {
  template <class Out, class Types, class Program>
  static void for_each(const detail::Name& name, const detail::Queued<Cuda>& queued,
                       const Shape& shape, detail::Operand* operands, const Program& program) {
    if (queued.queue->add<Out, Types>(name, queued.device, shape, operands, program)) return;
    queued.queue->run();
#if defined(__CUDACC__)
    // Only the kernel for any layout: statements with a faster one have joined the batch.
    constexpr int n = detail::count(Types{}) + detail::target_count<Out>;
    constexpr int lanes = on_cuda::lanes_of_widest<Out>(Types{});
    on_cuda::ForEachKernels kernels{detail::target_count<Out>, lanes};
    kernels.general =
        reinterpret_cast<const void*>(on_cuda::for_each_kernel<Out, Types, lanes, n, Program>);
    on_cuda::detail::run_for_each<n>(name, queued.device, shape, operands, kernels, &program);
#endif
  }
};

}  // namespace weft
