// Recording: what a capture in progress keeps for its graph besides CUDA's nodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/list.hpp"
#include "weft/core/random/generator.hpp"
#include "weft/cuda/stream.hpp"
#include "weft/tensor/storage.hpp"

namespace weft::on_cuda::detail {

/// A storage that captured work uses.
struct Recorded {
  StorageHandle storage;
  bool written = false;
  bool own = false;  // allocated in the capture
};

/// Filled while weft::cuda::capture runs its function, then kept by the graph.
struct Recording {
  int ordinal = 0;
  unsigned long long capture = 0;            // CUDA's number for it
  weft::detail::List<Recorded> uses;         // on the GPU
  weft::detail::List<StorageHandle> pinned;  // blocks that captured copies read and write
  weft::detail::List<cudaStream_t> streams;  // that took part
  DrawRecorder draws;

  bool covers(cudaStream_t stream) const { return capture_id(stream) == capture; }

  /// Notes the stream of a captured statement; throws if it would run instead of being captured.
  WEFT_ONCE void enter(const Stream& stream) {
    for (cudaStream_t known : streams) {
      if (known == stream.handle()) return;
    }
    if (!covers(stream)) {
      fail<DeviceError>("capture", "a statement on a stream of ", stream.device(),
                        " that takes no part in the capture on ", Cuda{ordinal},
                        ", expected its current stream, or one that waits for it first");
    }
    streams.push_back(stream.handle());
  }
};

/// Streams that nothing but captures uses, kept for reuse. A stream of the common pool might be
/// given other work by another thread, which would then be captured too.
struct CaptureStreams {
  static constexpr int capacity = 16;
  Mutex mutex;
  int count = 0;
  cudaStream_t streams[capacity] = {};
};
[[gnu::visibility("default")]] inline CaptureStreams capture_streams[max_devices];

WEFT_ONCE inline cudaStream_t take_capture_stream(int ordinal) {
  CaptureStreams& kept = capture_streams[ordinal];
  {
    const Lock lock(kept.mutex);
    if (kept.count > 0) return kept.streams[--kept.count];
  }
  const DeviceGuard guard(Cuda{ordinal});
  const RelaxedCapture relaxed;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "capture");
  return stream;
}

WEFT_ONCE inline void put_capture_stream(int ordinal, cudaStream_t stream) noexcept {
  unsigned long long capture = 0;
  if (!find_capture(stream, capture) || capture != 0) return;  // not to be used again
  CaptureStreams& kept = capture_streams[ordinal];
  {
    const Lock lock(kept.mutex);
    if (kept.count < CaptureStreams::capacity) {
      kept.streams[kept.count++] = stream;
      return;
    }
  }
  quiet(cudaStreamDestroy(stream));
}

/// How many captures there are now in all threads.
[[gnu::visibility("default")]] inline int recordings = 0;
/// The serial number of the last one.
[[gnu::visibility("default")]] inline unsigned long last_recording = 0;

/// The calling thread's; null outside of weft::cuda::capture.
[[gnu::visibility("default")]] inline Recording*& recording_slot() {
  static thread_local Recording* current = nullptr;
  return current;
}
inline Recording* recording() {
  return __atomic_load_n(&recordings, __ATOMIC_RELAXED) == 0 ? nullptr : recording_slot();
}

/// One more handle to a storage that somebody holds.
inline StorageHandle share(Storage* storage) {
  __atomic_fetch_add(&storage->owners, 1l, __ATOMIC_RELAXED);
  return StorageHandle(storage);
}

/// From here on the calling thread's statements are recorded; stop_recording ends that.
WEFT_ONCE inline void start_recording(Recording& mine) {
  mine.draws.serial = __atomic_add_fetch(&last_recording, 1ul, __ATOMIC_RELAXED);
  recording_slot() = &mine;
  weft::detail::draw_recorder = &mine.draws;
  __atomic_fetch_add(&recordings, 1, __ATOMIC_RELAXED);
}
WEFT_ONCE inline void stop_recording() noexcept {
  recording_slot() = nullptr;
  weft::detail::draw_recorder = nullptr;
  __atomic_fetch_sub(&recordings, 1, __ATOMIC_RELAXED);
}

}  // namespace weft::on_cuda::detail
