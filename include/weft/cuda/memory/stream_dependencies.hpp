// CudaStorage: which streams use a block of GPU memory, and the waits that keep them in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/expression.hpp"
#include "weft/core/list.hpp"
#include "weft/cuda/memory/recording.hpp"

namespace weft::on_cuda {

class Allocator;

/// A stream that a storage was used on. The handle is read without a lock.
struct StreamUse {
  cudaStream_t handle = nullptr;
  int ordinal = 0;

  cudaStream_t load() const { return __atomic_load_n(&handle, __ATOMIC_ACQUIRE); }
  void store(cudaStream_t stream, int device) {
    __atomic_store_n(&ordinal, device, __ATOMIC_RELAXED);
    __atomic_store_n(&handle, stream, __ATOMIC_RELEASE);
  }
};

/// A block of GPU memory. All of its uses so far come before the tails of `writer` and `readers`: a
/// new use or the release has to wait for these streams only.
struct CudaStorage : Storage {
  static constexpr int near_readers = 4;

  Allocator* allocator = nullptr;   ///< where the block goes back to; null for borrowed memory
  int64_t capacity = 0;             ///< the bytes that the allocator was asked for
  StreamUse home;                   ///< the current stream when it was made
  StreamUse writer;                 ///< the stream of the last write
  StreamUse readers[near_readers];  ///< other streams that have read since
  weft::detail::List<StreamUse> more_readers;  ///< and yet more of them; under the lock
  unsigned long long capture = 0;              ///< CUDA's capture that allocated it; 0 for none
  unsigned long recorded = 0;   ///< the last Recording that holds it; touched atomically
  CudaStorage* next = nullptr;  ///< in the list of those to be freed after a capture
  Mutex mutex;                  ///< for changing the uses

  /// Calls f(handle, ordinal) for each stream of its uses but `stream`.
  template <class F>
  void for_each_other(cudaStream_t stream, F f) const {
    call_for_others(
        stream,
        [](void* g, const StreamUse& use) { (*static_cast<F*>(g))(use.handle, use.ordinal); }, &f);
  }

 private:
  WEFT_ONCE void call_for_others(cudaStream_t stream, void (*f)(void*, const StreamUse&),
                                 void* context) const {
    if (writer.handle != stream) f(context, writer);
    for (const StreamUse& r : readers) {
      if (r.handle != nullptr && r.handle != stream) f(context, r);
    }
    for (const StreamUse& r : more_readers) {
      if (r.handle != stream) f(context, r);
    }
  }
};

namespace detail {
/// Orders later work on `waiter` after all work now on `runner`. A captured stream cannot wait for
/// work outside the capture, so the calling thread does instead, once.
WEFT_ONCE inline void order_after(cudaStream_t waiter, cudaStream_t runner, int ordinal) {
  const bool waiter_captured = is_capturing(waiter);
  const bool runner_captured = is_capturing(runner);
  if (waiter_captured && !runner_captured) {
    const RelaxedCapture relaxed;
    check(cudaStreamSynchronize(runner), "capture");
    return;
  }
  if (runner_captured && !waiter_captured) {
    fail<DeviceError>("capture",
                      "a tensor last used on a stream that is being captured is used on ",
                      "one that is not, expected side.wait(captured_stream) if the second stream ",
                      "shall be captured too, or the end of the capture first");
  }
  join(waiter, runner, ordinal);
}

/// The slow path of order_read: a stream that has not read since the last write.
WEFT_ONCE inline void add_reader(CudaStorage& storage, const Stream& stream) {
  const Lock lock(storage.mutex);
  const cudaStream_t handle = stream.handle();
  for (const StreamUse& r : storage.readers) {
    if (r.handle == handle) return;
  }
  for (const StreamUse& r : storage.more_readers) {
    if (r.handle == handle) return;
  }
  order_after(handle, storage.writer.handle, storage.writer.ordinal);
  const int ordinal = stream.device().ordinal;
  for (StreamUse& r : storage.readers) {
    if (r.handle == nullptr) return r.store(handle, ordinal);
  }
  storage.more_readers.push_back({handle, ordinal});
}

/// The slow path of order_write: another stream has a use that is not ordered yet.
WEFT_ONCE inline void take_over(CudaStorage& storage, const Stream& stream) {
  const Lock lock(storage.mutex);
  const cudaStream_t handle = stream.handle();
  storage.for_each_other(
      handle, [&](cudaStream_t other, int ordinal) { order_after(handle, other, ordinal); });
  storage.writer.store(handle, stream.device().ordinal);
  for (StreamUse& r : storage.readers) r.store(nullptr, 0);
  storage.more_readers.clear();
}

/// Makes the calling thread's recording hold a storage that a captured statement uses.
WEFT_ONCE inline void record_use(Recording& mine, CudaStorage& storage, const Stream& stream,
                                 bool write) {
  mine.enter(stream);
  if (__atomic_load_n(&storage.recorded, __ATOMIC_RELAXED) != mine.draws.serial) {
    mine.uses.push_back({share(&storage)});
    __atomic_store_n(&storage.recorded, mine.draws.serial, __ATOMIC_RELAXED);
  }
  std::size_t i = mine.uses.size();
  while (write && mine.uses[--i].storage.get() != &storage) {
  }
  if (write) mine.uses[i].written = true;
}

/// After a capture its streams are reused. Their work has been waited for (order_after), so the
/// default stream replaces them here.
WEFT_ONCE inline void leave_streams(Recording& recorded) {
  const cudaStream_t stream = default_stream(Cuda{recorded.ordinal});
  auto leave = [&](StreamUse& use) {
    for (cudaStream_t captured : recorded.streams) {
      if (use.handle == captured) use.store(stream, recorded.ordinal);
    }
  };
  for (Recorded& each : recorded.uses) {
    auto& storage = static_cast<CudaStorage&>(*each.storage.get());
    const Lock lock(storage.mutex);
    leave(storage.writer);
    for (StreamUse& reader : storage.readers) leave(reader);
    for (StreamUse& reader : storage.more_readers) leave(reader);
  }
}
}  // namespace detail

/// Call before giving `stream` work that reads the storage. Several threads may do so at once for
/// the same storage. Where another stream wrote last, `stream` waits for it.
inline void order_read(Storage* storage, const Stream& stream) {
  auto& mine = static_cast<CudaStorage&>(*storage);
  if (detail::Recording* const r = detail::recording()) detail::record_use(*r, mine, stream, false);
  const cudaStream_t handle = stream.handle();
  if (mine.writer.load() == handle) return;
  for (const StreamUse& r : mine.readers) {
    if (r.load() == handle) return;
  }
  detail::add_reader(mine, stream);
}

/// Call before giving `stream` work that writes the storage. Waits for the last writer's stream and
/// for all that have read since. As with any object, no other thread may use it meanwhile.
inline void order_write(Storage* storage, const Stream& stream) {
  auto& mine = static_cast<CudaStorage&>(*storage);
  if (detail::Recording* const r = detail::recording()) detail::record_use(*r, mine, stream, true);
  if (mine.writer.load() == stream.handle() && mine.readers[0].load() == nullptr) return;
  detail::take_over(mine, stream);
}

/// The same for a raw handle of a stream on the storage's own GPU.
inline void order_read(Storage* storage, cudaStream_t stream) {
  order_read(storage, Stream::borrow(stream, Cuda{storage->ordinal}));
}
inline void order_write(Storage* storage, cudaStream_t stream) {
  order_write(storage, Stream::borrow(stream, Cuda{storage->ordinal}));
}

/// The same for a tensor that a kernel of your own reads or writes on `stream`.
template <class T, class D>
void order_read(const Tensor<T, D>& x, const Stream& stream) {
  if (x.storage() != nullptr) order_read(x.storage(), stream);
}
template <class T, class D>
void order_write(const Tensor<T, D>& x, const Stream& stream) {
  if (x.storage() != nullptr) order_write(x.storage(), stream);
}

/// Records that `now` has waited, by an event of its own, for the reads of `stream`, so that later
/// uses need not wait for other work of `stream`. Does nothing if another stream wrote.
WEFT_ONCE inline void forget_reader(Storage* storage, const Stream& stream, const Stream& now) {
  auto& mine = static_cast<CudaStorage&>(*storage);
  const Lock lock(mine.mutex);
  if (mine.writer.handle != now.handle()) return;
  int kept = 0;
  for (StreamUse& r : mine.readers) {
    const StreamUse use = r;
    r.store(nullptr, 0);
    if (use.handle != nullptr && use.handle != stream.handle()) {
      mine.readers[kept++].store(use.handle, use.ordinal);
    }
  }
  for (std::size_t i = mine.more_readers.size(); i-- > 0;) {
    if (mine.more_readers[i].handle == stream.handle()) mine.more_readers.remove(i);
  }
  // order_write assumes that there are no readers if readers[0] is free.
  for (; kept < CudaStorage::near_readers && !mine.more_readers.empty(); ++kept) {
    const StreamUse use = mine.more_readers.back();
    mine.more_readers.pop_back();
    mine.readers[kept].store(use.handle, use.ordinal);
  }
}

/// How many handles the calling thread's capture has to the storage.
inline long recorded_handles(const Storage* storage) {
  const detail::Recording* const r = detail::recording();
  if (r == nullptr) return 0;
  const auto& mine = static_cast<const CudaStorage&>(*storage);
  return __atomic_load_n(&mine.recorded, __ATOMIC_RELAXED) == r->draws.serial ? 1 : 0;
}

/// True when a write on `stream` need not wait for another stream and the memory is valid (that of
/// a graph captured without weft::cuda::capture is so only during the capture and while the graph
/// runs). A captured statement waits for nothing: its graph waits before each replay.
inline bool used_only_on(const Storage* storage, cudaStream_t stream) {
  const auto& mine = static_cast<const CudaStorage&>(*storage);
  if (mine.capture != 0 && mine.capture != capture_id(stream)) return false;
  const detail::Recording* const r = detail::recording();
  if (r != nullptr && r->covers(stream)) return true;
  return mine.writer.load() == stream && mine.readers[0].load() == nullptr;
}

}  // namespace weft::on_cuda
