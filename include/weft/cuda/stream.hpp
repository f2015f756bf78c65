// Stream: a queue of work on a GPU; the default one, the current one, and guards that change it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/event.hpp"
#include "weft/cuda/runtime/failure.hpp"

namespace weft::on_cuda {

/// Streams of high priority are served before normal ones.
enum class Priority { normal, high };

namespace detail {
/// weft's own streams of a device. They are never destroyed, so no tensor refers to a dead one.
struct StreamPool {
  static constexpr int each = 32;             // streams of one priority
  static constexpr int slots = 2 * each + 2;  // 0 is the default stream, the last one frees memory
  cudaStream_t streams[slots] = {};
  unsigned next[2] = {};
  Mutex mutex;
};
[[gnu::visibility("default")]] inline StreamPool stream_pools[max_devices];

WEFT_ONCE inline cudaStream_t make_stream(int ordinal, int slot) {
  StreamPool& pool = stream_pools[ordinal];
  const DeviceGuard guard(Cuda{ordinal});
  const RelaxedCapture relaxed;
  const Lock lock(pool.mutex);
  if (pool.streams[slot] != nullptr) return pool.streams[slot];
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "stream");
  const bool high = slot > StreamPool::each && slot < StreamPool::slots - 1;
  const unsigned flags = slot == 0 ? cudaStreamDefault : cudaStreamNonBlocking;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, flags, high ? greatest : least), "stream");
  watch_for_exit();
  __atomic_store_n(&pool.streams[slot], stream, __ATOMIC_RELEASE);
  return stream;
}

inline cudaStream_t pool_stream(int ordinal, int slot) {
  const cudaStream_t known =
      __atomic_load_n(&stream_pools[ordinal].streams[slot], __ATOMIC_ACQUIRE);
  return known != nullptr ? known : make_stream(ordinal, slot);
}

/// The place of a stream in its device's pool; -1 for the user's own streams.
WEFT_OUTLINED inline int slot_of(int ordinal, cudaStream_t stream) noexcept {
  for (int slot = 0; slot < StreamPool::slots - 1; ++slot) {
    if (__atomic_load_n(&stream_pools[ordinal].streams[slot], __ATOMIC_ACQUIRE) == stream) {
      return slot;
    }
  }
  return -1;
}

/// Waits for weft's own streams of a device, those that are being captured left out.
WEFT_ONCE inline void synchronize_streams(int ordinal) noexcept {
  const RelaxedCapture relaxed;
  for (cudaStream_t& slot : stream_pools[ordinal].streams) {
    const cudaStream_t stream = __atomic_load_n(&slot, __ATOMIC_ACQUIRE);
    unsigned long long capture = 0;
    if (stream == nullptr || !find_capture(stream, capture) || capture != 0) continue;
    quiet(cudaStreamSynchronize(stream));
  }
}

/// Later work on `waiter` waits for what `runner`, a stream of GPU `ordinal`, has been given so
/// far.
WEFT_OUTLINED inline void join(cudaStream_t waiter, cudaStream_t runner, int ordinal) {
  const PooledEvent event(ordinal);
  check(cudaEventRecord(event, runner), "Stream::wait");
  check(cudaStreamWaitEvent(waiter, event, 0), "Stream::wait");
}

/// The calling thread's current streams; null where it is the default one.
[[gnu::visibility("default")]] inline cudaStream_t& current_slot(int ordinal) {
  static thread_local cudaStream_t current[max_devices] = {};
  return current[ordinal];
}
}  // namespace detail

/// A handle to a stream: copying it names the same stream.
class Stream {
 public:
  /// One of weft's own streams, 32 of each priority per GPU, handed out in turn. They run
  /// concurrently with the default stream and with each other.
  explicit Stream(Cuda device = {}, Priority priority = Priority::normal)
      : ordinal_(resolve(device)) {
    const int high = priority == Priority::high;
    const unsigned turn =
        __atomic_fetch_add(&detail::stream_pools[ordinal_].next[high], 1u, __ATOMIC_RELAXED);
    const int each = detail::StreamPool::each;
    handle_ = detail::pool_stream(ordinal_, 1 + high * each + static_cast<int>(turn % each));
  }

  /// A user's stream on `device`, which must outlive the tensors that are used on it. The legacy
  /// stream (nullptr) means weft's default stream, which is ordered with it.
  static Stream borrow(cudaStream_t handle, Cuda device = {}) {
    const int ordinal = resolve(device);
    if (handle == cudaStreamPerThread) {
      fail<ValueError>("Stream::borrow", "cudaStreamPerThread is another stream in each thread, ",
                       "expected one made with cudaStreamCreate or a weft::cuda::Stream");
    }
    const bool legacy = handle == nullptr || handle == cudaStreamLegacy;
    return Stream(legacy ? detail::pool_stream(ordinal, 0) : handle, ordinal);
  }

  cudaStream_t handle() const { return handle_; }
  operator cudaStream_t() const { return handle_; }
  Cuda device() const { return Cuda{ordinal_}; }

  /// Blocks the calling thread until the stream is empty; throws what kernels have reported.
  void synchronize() const {
    refuse_capture(handle_, "Stream::synchronize");
    check(cudaStreamSynchronize(handle_), "Stream::synchronize");
    check_failures();
  }

  /// True when all work given to the stream is done.
  bool query() const {
    refuse_capture(handle_, "Stream::query");
    const cudaError_t status = cudaStreamQuery(handle_);
    if (status == cudaErrorNotReady) return detail::quiet(status);
    check(status, "Stream::query");
    return true;
  }

  /// Later work on this stream waits for the event's mark; the calling thread does not.
  void wait(const Event& event) const {
    if (event.handle() == nullptr) return;
    check(cudaStreamWaitEvent(handle_, event.handle(), 0), "Stream::wait");
  }

  /// Later work on this stream waits for all earlier work on `other`. In a capture, this is how a
  /// second stream joins it.
  void wait(const Stream& other) const {
    if (other.handle_ == handle_) return;
    detail::join(handle_, other.handle_, other.ordinal_);
  }

  /// An event that marks the work given to the stream so far.
  Event record() const {
    Event event;
    event.record(*this);
    return event;
  }

  friend bool operator==(const Stream& a, const Stream& b) { return a.handle_ == b.handle_; }

 private:
  friend Stream default_stream(Cuda device);
  friend Stream current_stream(Cuda device);
  Stream(cudaStream_t handle, int ordinal) : handle_(handle), ordinal_(ordinal) {}

  cudaStream_t handle_ = nullptr;
  int ordinal_ = 0;
};

/// The stream that weft uses by default: one per GPU for the whole process, ordered with CUDA's
/// legacy stream, and so with the user's plain cudaMemcpy and `<<<>>>`.
WEFT_OUTLINED inline Stream default_stream(Cuda device = {}) {
  const int ordinal = resolve(device);
  return Stream(detail::pool_stream(ordinal, 0), ordinal);
}

/// The stream that the calling thread's weft statements on `device` use.
WEFT_OUTLINED inline Stream current_stream(Cuda device = {}) {
  const int ordinal = resolve(device);
  const cudaStream_t current = detail::current_slot(ordinal);
  return Stream(current != nullptr ? current : detail::pool_stream(ordinal, 0), ordinal);
}

/// Makes a stream, and the GPU it is on, current for the calling thread until the end of the scope.
class StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream)
      : device_(stream.device()),
        ordinal_(stream.device().ordinal),
        previous_(detail::current_slot(ordinal_)) {
    detail::current_slot(ordinal_) = stream.handle();
  }
  ~StreamGuard() { detail::current_slot(ordinal_) = previous_; }
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  DeviceGuard device_;
  int ordinal_;
  cudaStream_t previous_;
};

WEFT_OUTLINED inline void Event::record(const Stream& stream) {
  const int ordinal = stream.device().ordinal;
  if (handle_ != nullptr && ordinal != ordinal_) drop();
  if (handle_ == nullptr) {
    handle_ = timing_ ? detail::new_event(ordinal, cudaEventDefault) : detail::take_event(ordinal);
    ordinal_ = ordinal;
  }
  check(cudaEventRecord(handle_, stream.handle()), "Event::record");
}
inline void Event::record() { record(current_stream()); }

}  // namespace weft::on_cuda
