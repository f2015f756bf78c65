// Allocator: the source of a GPU's memory; weft's own is a stream-ordered pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "weft/cuda/stream.hpp"

namespace weft::on_cuda {

/// The bytes of the widest aligned vector that kernels read whole though a row ends within it: of
/// weft's memory all of them may be read.
inline constexpr int64_t memory_word = 64;

/// A source of memory on one GPU, ordered by streams. Derive from it and call set_allocator to
/// replace weft's own. All members may be called by several threads at once.
class Allocator {
 public:
  /// Memory for work on `stream`, or null if there is none. weft asks for multiples of memory_word.
  /// `capturing` says that the stream is being captured: the block must then be valid whenever the
  /// graph runs.
  virtual void* allocate(int64_t bytes, cudaStream_t stream, bool capturing) = 0;

  /// Takes a block back; it may be handed out again for work after all that is now on `stream`,
  /// which need not be the stream that it was allocated on. `capturing` as above.
  virtual void deallocate(void* data, int64_t bytes, cudaStream_t stream,
                          bool capturing) noexcept = 0;

  /// Returns unused memory to the driver.
  virtual void trim() noexcept {}

  /// Bytes held from the driver now and at most since the last reset; 0 where that is not known.
  virtual int64_t reserved() const noexcept { return 0; }
  virtual int64_t max_reserved() const noexcept { return 0; }
  virtual void reset_peak() noexcept {}

  /// Lets the GPU `ordinal` read and write what this allocator hands out.
  virtual void allow_peer([[maybe_unused]] int ordinal) {}

 protected:
  ~Allocator() = default;
};

/// weft's own: a CUDA memory pool that keeps its memory, behind a list of small blocks per stream
/// (a block goes back to the stream that it was used on, without a call to CUDA). Plain cudaMalloc
/// if the driver has no pools.
class PoolAllocator final : public Allocator {
 public:
  WEFT_ONCE explicit PoolAllocator(int ordinal)
      : ordinal_(ordinal), total_(properties(Cuda{ordinal}).total_memory) {
    if (!properties(Cuda{ordinal}).memory_pools) return;
    const DeviceGuard guard(Cuda{ordinal});
    const detail::RelaxedCapture relaxed;
    cudaMemPoolProps wanted = {};
    wanted.allocType = cudaMemAllocationTypePinned;
    wanted.location.type = cudaMemLocationTypeDevice;
    wanted.location.id = ordinal;
    check(cudaMemPoolCreate(&pool_, &wanted), "allocate", "making the pool of cuda:", ordinal);
    set(cudaMemPoolAttrReleaseThreshold, UINT64_MAX);
  }

  [[gnu::noinline]] void* allocate(int64_t bytes, cudaStream_t stream, bool capturing) override {
    const int kind = kind_of(bytes);
    const int64_t size = kind < kinds ? smallest << kind : bytes;
    if (kind < kinds && !capturing) {
      if (void* block = take(kind, stream)) return block;
    }
    if (size > total_) return nullptr;
    const detail::RelaxedCapture relaxed;  // the calling thread may be capturing another stream
    void* data = nullptr;
    const auto count = static_cast<std::size_t>(size);
    const cudaError_t status = pool_ != nullptr
                                   ? cudaMallocFromPoolAsync(&data, count, pool_, stream)
                                   : plain_allocate(&data, count);
    if (status == cudaErrorMemoryAllocation) {
      detail::quiet(status);
      return nullptr;
    }
    check(status, "allocate", bytes, " bytes on cuda:", ordinal_);
    return data;
  }

  [[gnu::noinline]] void deallocate(void* data, int64_t bytes, cudaStream_t stream,
                                    bool capturing) noexcept override {
    const int kind = kind_of(bytes);
    if (capturing && pool_ == nullptr) return;  // plain memory stays with the graph
    if (kind < kinds && !capturing && put(kind, stream, data)) return;
    give_up(data, kind < kinds ? smallest << kind : bytes, stream);
  }

  WEFT_ONCE void trim() noexcept override {
    const detail::RelaxedCapture relaxed;
    const Lock lock(mutex_);
    for (int slot = 0; slot < slots; ++slot) {
      if (caches_[slot] == nullptr) continue;
      const cudaStream_t stream = detail::stream_pools[ordinal_].streams[slot];
      unsigned long long capture = 0;
      if (!detail::find_capture(stream, capture) || capture != 0) continue;
      for (int kind = 0; kind < kinds; ++kind) {
        int& count = caches_[slot]->counts[kind];
        while (count > 0) {
          give_up(caches_[slot]->blocks[kind][--count], smallest << kind, stream);
        }
      }
      detail::quiet(cudaStreamSynchronize(stream));
    }
    if (pool_ != nullptr) detail::quiet(cudaMemPoolTrimTo(pool_, 0));
  }

  WEFT_ONCE int64_t reserved() const noexcept override {
    return pool_ != nullptr ? get(cudaMemPoolAttrReservedMemCurrent)
                            : __atomic_load_n(&held_, __ATOMIC_RELAXED);
  }
  WEFT_ONCE int64_t max_reserved() const noexcept override {
    return pool_ != nullptr ? get(cudaMemPoolAttrReservedMemHigh) : reserved();
  }
  WEFT_ONCE void reset_peak() noexcept override {
    if (pool_ == nullptr) return;
    std::uint64_t zero = 0;
    detail::quiet(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReservedMemHigh, &zero));
  }

  WEFT_ONCE void allow_peer(int ordinal) override {
    if (pool_ == nullptr) return;
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = ordinal;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    check(cudaMemPoolSetAccess(pool_, &access, 1), "enable_peer_access");
  }

 private:
  static constexpr int kinds = 12;  // block sizes 512 bytes << kind, up to 1 MiB
  static constexpr int64_t smallest = 512;
  static constexpr int depth = 32;  // blocks kept of each size
  static constexpr int slots = detail::StreamPool::slots;

  struct Cache {
    int counts[kinds] = {};
    void* blocks[kinds][depth] = {};
  };

  static int kind_of(int64_t bytes) {
    int kind = 0;
    while (kind < kinds && (smallest << kind) < bytes) ++kind;
    return kind;
  }

  void* take(int kind, cudaStream_t stream) {
    const int slot = detail::slot_of(ordinal_, stream);
    if (slot < 0) return nullptr;
    const Lock lock(mutex_);
    Cache* cache = caches_[slot];
    if (cache == nullptr || cache->counts[kind] == 0) return nullptr;
    return cache->blocks[kind][--cache->counts[kind]];
  }

  bool put(int kind, cudaStream_t stream, void* data) noexcept {
    const int slot = detail::slot_of(ordinal_, stream);
    if (slot < 0) return false;
    const Lock lock(mutex_);
    Cache*& cache = caches_[slot];
    if (cache == nullptr) cache = new (std::nothrow) Cache;
    if (cache == nullptr || cache->counts[kind] == depth) return false;
    cache->blocks[kind][cache->counts[kind]++] = data;
    return true;
  }

  WEFT_ONCE cudaError_t plain_allocate(void** data, std::size_t bytes) {
    const DeviceGuard guard(Cuda{ordinal_});
    const cudaError_t status = cudaMalloc(data, bytes);
    if (status == cudaSuccess) {
      __atomic_fetch_add(&held_, static_cast<int64_t>(bytes), __ATOMIC_RELAXED);
    }
    return status;
  }

  [[gnu::noinline]] void give_up(void* data, int64_t bytes, cudaStream_t stream) noexcept {
    const detail::RelaxedCapture relaxed;  // the calling thread may be capturing another stream
    if (pool_ != nullptr) {
      detail::quiet(cudaFreeAsync(data, stream));
    } else if (detail::quiet(cudaFree(data))) {
      __atomic_fetch_sub(&held_, bytes, __ATOMIC_RELAXED);
    }
  }

  WEFT_ONCE int64_t get(cudaMemPoolAttr which) const noexcept {
    std::uint64_t value = 0;
    detail::quiet(cudaMemPoolGetAttribute(pool_, which, &value));
    return static_cast<int64_t>(value);
  }
  void set(cudaMemPoolAttr which, std::uint64_t value) {
    check(cudaMemPoolSetAttribute(pool_, which, &value), "allocate");
  }

  int ordinal_;
  int64_t total_;
  int64_t held_ = 0;
  cudaMemPool_t pool_ = nullptr;
  Cache* caches_[slots] = {};
  Mutex mutex_;
};

namespace detail {
/// Null until there is one; never destroyed, since static tensors may be released late.
[[gnu::visibility("default")]] inline Allocator* own_allocators[max_devices] = {};
[[gnu::visibility("default")]] inline Allocator* chosen_allocators[max_devices] = {};
[[gnu::visibility("default")]] inline Mutex allocator_mutex;

WEFT_ONCE inline Allocator& make_allocator(int ordinal) {
  const Lock lock(allocator_mutex);
  if (own_allocators[ordinal] == nullptr) {
    __atomic_store_n(&own_allocators[ordinal], new PoolAllocator(ordinal), __ATOMIC_RELEASE);
  }
  return *own_allocators[ordinal];
}
}  // namespace detail

/// The allocator that new tensors on `device` take their memory from.
inline Allocator& allocator(Cuda device = {}) {
  const int ordinal = resolve(device);
  Allocator* chosen = __atomic_load_n(&detail::chosen_allocators[ordinal], __ATOMIC_ACQUIRE);
  if (chosen != nullptr) return *chosen;
  Allocator* own = __atomic_load_n(&detail::own_allocators[ordinal], __ATOMIC_ACQUIRE);
  return own != nullptr ? *own : detail::make_allocator(ordinal);
}

/// Makes new tensors on `device` take their memory from `replacement`, which must outlive them, or
/// from weft's own pool if it is null. Existing tensors return theirs to its own allocator.
inline void set_allocator(Cuda device, Allocator* replacement) {
  __atomic_store_n(&detail::chosen_allocators[resolve(device)], replacement, __ATOMIC_RELEASE);
}

}  // namespace weft::on_cuda
