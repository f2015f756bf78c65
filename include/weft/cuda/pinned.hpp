// Pinned (page-locked) memory for tensors on the CPU, for asynchronous copies to and from GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <vector>

#include "weft/cuda/memory/recording.hpp"

namespace weft::on_cuda {

/// A page-locked block of host memory. The record and its block are kept for the next tensor of
/// about that size once the copies that use them are done.
struct PinnedStorage : Storage {
  struct Use {
    cudaStream_t stream;
    cudaEvent_t event;  // after the last copy on that stream
    int ordinal;
  };
  int kind = 0;           ///< the block has 4096 << kind bytes
  bool in_graph = false;  ///< named by a captured copy: it stays for good
  std::vector<Use> uses;  ///< copies that may still run; under the lock
  PinnedStorage* next = nullptr;
  Mutex mutex;
};

namespace detail {
struct PinnedPool {
  static constexpr int kinds = 36;
  static constexpr int64_t smallest = 4096;
  PinnedStorage* ready[kinds] = {};
  PinnedStorage* busy = nullptr;
  Mutex mutex;
};
[[gnu::visibility("default")]] inline PinnedPool pinned_pool;

inline void retire(PinnedStorage* storage) noexcept {
  storage->next = pinned_pool.ready[storage->kind];
  pinned_pool.ready[storage->kind] = storage;
}

/// Drops the uses that are over; true when none is left.
inline bool is_idle(PinnedStorage& storage) noexcept {
  const RelaxedCapture relaxed;
  while (!storage.uses.empty()) {
    const PinnedStorage::Use use = storage.uses.back();
    if (!quiet(cudaEventQuery(use.event))) return false;
    put_event(use.ordinal, use.event);
    storage.uses.pop_back();
  }
  return true;
}

/// Moves blocks whose copies are over to the ready ones; the pool is locked.
inline void sweep_pinned() noexcept {
  for (PinnedStorage** link = &pinned_pool.busy; *link != nullptr;) {
    PinnedStorage* const storage = *link;
    if (is_idle(*storage)) {
      *link = storage->next;
      retire(storage);
    } else {
      link = &storage->next;
    }
  }
}

[[gnu::visibility("default")]] inline void release_pinned(Storage* base) noexcept {
  auto* storage = static_cast<PinnedStorage*>(base);
  if (leaving() || storage->in_graph) return;
  const Lock lock(pinned_pool.mutex);
  if (is_idle(*storage)) return retire(storage);
  storage->next = pinned_pool.busy;
  pinned_pool.busy = storage;
}

inline PinnedStorage* take_pinned(int kind) noexcept {
  const Lock lock(pinned_pool.mutex);
  if (pinned_pool.ready[kind] == nullptr) sweep_pinned();
  PinnedStorage* const storage = pinned_pool.ready[kind];
  if (storage != nullptr) pinned_pool.ready[kind] = storage->next;
  return storage;
}
}  // namespace detail

/// Returns pinned blocks that no tensor and no copy uses to the system.
inline void empty_pinned_cache() noexcept {
  const detail::RelaxedCapture relaxed;
  const Lock lock(detail::pinned_pool.mutex);
  detail::sweep_pinned();
  for (PinnedStorage*& ready : detail::pinned_pool.ready) {
    while (ready != nullptr) {
      PinnedStorage* const storage = ready;
      ready = storage->next;
      detail::quiet(cudaFreeHost(storage->data));
      delete storage;
    }
  }
}

/// Page-locked memory for a Tensor<T, Cpu>; needs a GPU. `x = expr` never reuses it,
/// `x.assign(expr)` does.
inline Storage* allocate_pinned(int64_t bytes) {
  resolve(Cuda{});
  int kind = 0;
  while (kind < detail::PinnedPool::kinds && (detail::PinnedPool::smallest << kind) < bytes) ++kind;
  PinnedStorage* storage = nullptr;
  if (kind < detail::PinnedPool::kinds) storage = detail::take_pinned(kind);
  if (storage == nullptr && kind < detail::PinnedPool::kinds) {
    const auto size = static_cast<std::size_t>(detail::PinnedPool::smallest << kind);
    const detail::RelaxedCapture relaxed;
    void* block = nullptr;
    if (!detail::quiet(cudaHostAlloc(&block, size, cudaHostAllocPortable))) {
      empty_pinned_cache();
      block = nullptr;
      if (!detail::quiet(cudaHostAlloc(&block, size, cudaHostAllocPortable))) block = nullptr;
    }
    if (block != nullptr) {
      detail::watch_for_exit();
      storage = new PinnedStorage;
      storage->data = block;
      storage->kind = kind;
      storage->borrowed = true;  // `x = expr` must not write into what a copy may still read
      storage->release = detail::release_pinned;
    }
  }
  if (storage == nullptr) {
    fail<OutOfMemory>("allocate_pinned", bytes, " bytes of page-locked memory could not be had");
  }
  storage->bytes = bytes;
  storage->owners = 1;
  storage->version = 0;
  return storage;
}

/// True when a CPU tensor's storage is page-locked memory that weft allocated.
inline bool is_pinned(const Storage* storage) { return storage->release == detail::release_pinned; }

/// Call after giving `stream` a copy that reads or writes the pinned storage: its memory is not
/// used again before the copy is done. In weft's capture the graph keeps the block; in a user's own
/// capture it stays until the program ends.
inline void note_pinned_use(Storage* base, const Stream& stream) {
  auto& storage = static_cast<PinnedStorage&>(*base);
  const Lock lock(storage.mutex);
  if (is_capturing(stream)) {
    detail::Recording* const recording = detail::recording();
    if (recording != nullptr) {
      recording->pinned.push_back(detail::share(base));
    } else {
      storage.in_graph = true;
    }
    return;
  }
  for (const PinnedStorage::Use& use : storage.uses) {
    if (use.stream == stream.handle()) {
      return check(cudaEventRecord(use.event, stream.handle()), "note_pinned_use");
    }
  }
  const int ordinal = stream.device().ordinal;
  const cudaEvent_t event = detail::take_event(ordinal);
  storage.uses.push_back({stream.handle(), event, ordinal});
  check(cudaEventRecord(event, stream.handle()), "note_pinned_use");
}

/// The same for a raw handle of a stream on the current GPU.
inline void note_pinned_use(Storage* storage, cudaStream_t stream) {
  note_pinned_use(storage, Stream::borrow(stream));
}

}  // namespace weft::on_cuda
