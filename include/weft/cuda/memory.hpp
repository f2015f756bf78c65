// GPU memory: reference-counted blocks that outlive every stream's use of them, with statistics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/allocator.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"

namespace weft::on_cuda {

namespace detail {
struct MemoryCounters {
  int64_t allocated = 0;
  int64_t peak = 0;
};
[[gnu::visibility("default")]] inline MemoryCounters memory_counters[max_devices];

/// Storages released during a capture, whose memory must not be freed inside its graph.
struct DeferredList {
  CudaStorage* head = nullptr;
  Mutex mutex;
};
[[gnu::visibility("default")]] inline DeferredList deferred;

inline void count(int ordinal, int64_t bytes) noexcept {
  MemoryCounters& counters = memory_counters[ordinal];
  const int64_t now = __atomic_add_fetch(&counters.allocated, bytes, __ATOMIC_RELAXED);
  int64_t peak = __atomic_load_n(&counters.peak, __ATOMIC_RELAXED);
  while (now > peak && !__atomic_compare_exchange_n(&counters.peak, &peak, now, true,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

/// What an allocator is asked for.
inline int64_t padded(int64_t bytes) {
  return (bytes + memory_word - 1) / memory_word * memory_word;
}

/// give_back for blocks that a capture or another stream uses.
WEFT_ONCE inline bool give_back_shared(CudaStorage& s, unsigned long long capture) noexcept {
  try {
    const cudaStream_t home = s.home.handle;
    if (s.capture != 0) {
      if (capture != s.capture) return true;
      s.for_each_other(home, [&](cudaStream_t other, int ordinal) { join(home, other, ordinal); });
      s.allocator->deallocate(s.data, padded(s.capacity), home, true);
      return true;
    }
    bool captured = capture != 0;
    bool shared = false;
    s.for_each_other(home, [&](cudaStream_t other, int) {
      shared = true;
      captured = captured || is_capturing(other);
    });
    if (captured) return false;
    cudaStream_t last = home;
    if (shared) {  // a stream of its own waits, so that home does not
      last = pool_stream(s.home.ordinal, StreamPool::slots - 1);
      join(last, home, s.home.ordinal);
      s.for_each_other(home, [&](cudaStream_t other, int ordinal) { join(last, other, ordinal); });
    }
    s.allocator->deallocate(s.data, padded(s.capacity), last, false);
  } catch (...) {  // CUDA has failed for good: better lost than freed under a running kernel
  }
  return true;
}

/// Gives the block back after its last use on every stream; false where a capture forbids it now.
/// A block that was allocated in a capture belongs to the graph unless it is released within.
WEFT_OUTLINED inline bool give_back(CudaStorage& s) noexcept {
  const cudaStream_t home = s.home.handle;
  unsigned long long capture = 0;
  if (!find_capture(home, capture)) return true;  // CUDA has shut down, and the memory with it
  const bool only_home = s.writer.handle == home && s.readers[0].handle == nullptr;
  if (capture != 0 || s.capture != 0 || !only_home) return give_back_shared(s, capture);
  s.allocator->deallocate(s.data, padded(s.capacity), home, false);
  return true;
}

WEFT_ONCE inline void defer(CudaStorage* storage) noexcept {
  const Lock lock(deferred.mutex);
  storage->next = deferred.head;
  __atomic_store_n(&deferred.head, storage, __ATOMIC_RELEASE);
}

WEFT_ONCE inline void free_deferred_list() noexcept {
  CudaStorage* list = nullptr;
  {
    const Lock lock(deferred.mutex);
    list = deferred.head;
    __atomic_store_n(&deferred.head, nullptr, __ATOMIC_RELEASE);
  }
  while (list != nullptr) {
    CudaStorage* const storage = list;
    list = list->next;
    if (give_back(*storage)) {
      delete storage;
    } else {
      defer(storage);
    }
  }
}

/// Frees what was released during captures that are over.
inline void free_deferred() noexcept {
  if (__atomic_load_n(&deferred.head, __ATOMIC_ACQUIRE) != nullptr) free_deferred_list();
}

inline void release(Storage* base) noexcept {
  auto* storage = static_cast<CudaStorage*>(base);
  if (!storage->borrowed && storage->data != nullptr) {
    if (storage->capture == 0) count(storage->ordinal, -storage->capacity);
    if (!leaving() && !give_back(*storage)) return defer(storage);
  }
  delete storage;
}

WEFT_OUTLINED inline CudaStorage* new_storage(const Stream& stream, void* data, int64_t bytes) {
  auto* storage = new CudaStorage;
  const int ordinal = stream.device().ordinal;
  storage->data = data;
  storage->bytes = bytes;
  storage->ordinal = ordinal;
  storage->home = {stream.handle(), ordinal};
  storage->writer = storage->home;
  storage->release = release;
  return storage;
}
}  // namespace detail

/// The free and total bytes of a GPU, as the driver sees them.
struct MemoryInfo {
  int64_t free = 0;
  int64_t total = 0;
};

WEFT_ONCE inline MemoryInfo mem_get_info(Cuda device = {}) {
  const DeviceGuard guard(device);
  const detail::RelaxedCapture relaxed;
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "mem_get_info");
  return {static_cast<int64_t>(free), static_cast<int64_t>(total)};
}

/// Bytes held by tensors on `device` now, and by graphs of weft::cuda::capture; neither borrowed
/// memory nor that of other graphs is counted.
/// Like all statistics here 0 on a machine without a GPU.
WEFT_ONCE inline int64_t memory_allocated(Cuda device = {}) {
  if (!is_available()) return 0;
  return __atomic_load_n(&detail::memory_counters[resolve(device)].allocated, __ATOMIC_RELAXED);
}

/// The largest memory_allocated() since the start or the last reset.
WEFT_ONCE inline int64_t max_memory_allocated(Cuda device = {}) {
  if (!is_available()) return 0;
  return __atomic_load_n(&detail::memory_counters[resolve(device)].peak, __ATOMIC_RELAXED);
}

/// Bytes that weft has reserved from the driver, including those kept for later tensors.
WEFT_ONCE inline int64_t memory_reserved(Cuda device = {}) {
  if (!is_available()) return 0;
  const int64_t reserved = allocator(device).reserved();
  const int64_t allocated = memory_allocated(device);
  return reserved > allocated ? reserved : allocated;
}

/// The largest memory_reserved() since the start or the last reset.
WEFT_ONCE inline int64_t max_memory_reserved(Cuda device = {}) {
  if (!is_available()) return 0;
  const int64_t reserved = allocator(device).max_reserved();
  const int64_t allocated = max_memory_allocated(device);
  return reserved > allocated ? reserved : allocated;
}

/// Resets both maxima to the current values.
WEFT_ONCE inline void reset_peak_memory_stats(Cuda device = {}) {
  if (!is_available()) return;
  allocator(device).reset_peak();
  __atomic_store_n(&detail::memory_counters[resolve(device)].peak, memory_allocated(device),
                   __ATOMIC_RELAXED);
}

/// Waits for weft's streams and returns memory that no tensor holds to the driver.
WEFT_ONCE inline void empty_cache(Cuda device = {}) {
  if (!is_available()) return;
  detail::free_deferred();
  detail::synchronize_streams(resolve(device));
  allocator(device).trim();
}

namespace detail {
WEFT_ONCE inline void make_room(const Stream& stream) {
  {
    const RelaxedCapture relaxed;
    check(cudaStreamSynchronize(stream), "allocate");  // it may be one of the user's
  }
  empty_cache(stream.device());
}

[[noreturn]] WEFT_ONCE inline void out_of_memory(int ordinal, int64_t bytes) {
  const Cuda device{ordinal};
  const MemoryInfo info = mem_get_info(device);
  fail<OutOfMemory>("allocate", bytes, " bytes could not be had on ", device, ", where ", info.free,
                    " of ", info.total, " are free and weft holds ", memory_reserved(device),
                    ", of them ", memory_allocated(device), " in tensors");
}

/// New storage for work on `stream`; `capture` is the number of its capture, or 0.
WEFT_OUTLINED inline CudaStorage* allocate_on(const Stream& stream, int64_t bytes,
                                              unsigned long long capture) {
  if (capture == 0) free_deferred();
  Allocator& source = allocator(stream.device());
  void* data = source.allocate(padded(bytes), stream, capture != 0);
  if (data == nullptr && capture == 0) {
    make_room(stream);
    data = source.allocate(padded(bytes), stream, false);
  }
  if (data == nullptr) out_of_memory(stream.device().ordinal, bytes);
  CudaStorage* storage = new_storage(stream, data, bytes);
  storage->allocator = &source;
  storage->capacity = bytes;
  storage->capture = capture;
  if (capture == 0) count(storage->ordinal, bytes);
  return storage;
}

/// Memory for a captured statement: what an earlier one on the same stream has released, or new
/// memory that counts as the default stream's. The graph keeps it, so addresses stay valid.
WEFT_ONCE inline Storage* allocate_recorded(Recording& mine, const Stream& stream, int64_t bytes) {
  mine.enter(stream);
  CudaStorage* best = nullptr;
  for (const Recorded& each : mine.uses) {
    if (!each.own || each.storage.owners() > 1) continue;
    auto* const storage = static_cast<CudaStorage*>(each.storage.get());
    const bool fits = storage->capacity >= bytes && storage->capacity / 2 <= bytes;
    const bool here = storage->writer.handle == stream && storage->readers[0].handle == nullptr;
    if (fits && here && (best == nullptr || storage->capacity < best->capacity)) best = storage;
  }
  if (best != nullptr) {
    best->bytes = bytes;
    __atomic_fetch_add(&best->owners, 1l, __ATOMIC_RELAXED);
    return best;
  }
  const RelaxedCapture relaxed;
  CudaStorage* const storage = allocate_on(default_stream(stream.device()), bytes, 0);
  mine.uses.push_back({StorageHandle(storage), true, true});
  storage->recorded = mine.draws.serial;
  storage->writer = {stream.handle(), storage->ordinal};
  __atomic_fetch_add(&storage->owners, 1l, __ATOMIC_RELAXED);
  return storage;
}
}  // namespace detail

}  // namespace weft::on_cuda

namespace weft {

template <>
struct Memory<Cuda> {
  static Storage* allocate(Cuda device, int64_t bytes) {
    const Cuda there{on_cuda::resolve(device)};
    const on_cuda::Stream stream = on_cuda::current_stream(there);
    on_cuda::detail::Recording* const recording = on_cuda::detail::recording();
    const bool recorded = recording != nullptr && recording->covers(stream);
    if (bytes == 0) {
      return on_cuda::detail::new_storage(recorded ? on_cuda::default_stream(there) : stream,
                                          nullptr, 0);
    }
    if (recorded) return on_cuda::detail::allocate_recorded(*recording, stream, bytes);
    return on_cuda::detail::allocate_on(stream, bytes, on_cuda::capture_id(stream));
  }

  /// The memory counts as written on the current stream so far; it must outlive the tensors on it.
  static Storage* borrow(Cuda device, void* data, int64_t bytes) {
    const bool recorded = on_cuda::detail::recording() != nullptr;
    on_cuda::CudaStorage* storage = on_cuda::detail::new_storage(
        recorded ? on_cuda::default_stream(device) : on_cuda::current_stream(device), data, bytes);
    storage->borrowed = true;
    return storage;
  }
};

template <int N>
struct Memory<CudaAt<N>> {
  static Storage* allocate(Cuda device, int64_t bytes) {
    return Memory<Cuda>::allocate(device, bytes);
  }
  static Storage* borrow(Cuda device, void* data, int64_t bytes) {
    return Memory<Cuda>::borrow(device, data, bytes);
  }
};

WEFT_MODEL(MemoryDevice<Cuda>&& MemoryDevice<CudaAt<0>>);

}  // namespace weft
