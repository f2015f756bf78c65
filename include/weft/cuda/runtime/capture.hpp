// Whether a stream is being captured into a CUDA graph, and calls that must not disturb a capture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/error.hpp"

namespace weft::on_cuda {

namespace detail {
/// Sets `id`, to 0 if the stream is not being captured; false if the query fails.
WEFT_OUTLINED inline bool find_capture(cudaStream_t stream, unsigned long long& id) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long raw = 0;
  if (!quiet(cudaStreamGetCaptureInfo(stream, &status, &raw))) return false;
  id = status == cudaStreamCaptureStatusNone ? 0 : raw + 1;
  return true;
}

/// While it lives, calls that allocate or query are allowed although some stream is captured.
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept { quiet(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~RelaxedCapture() { quiet(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};
}  // namespace detail

/// The id of the capture that the stream takes part in; 0 if there is none.
WEFT_OUTLINED inline unsigned long long capture_id(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long raw = 0;
  check(cudaStreamGetCaptureInfo(stream, &status, &raw), "capture_id");
  return status == cudaStreamCaptureStatusNone ? 0 : raw + 1;
}

/// True while work given to the stream is captured into a graph instead of running.
inline bool is_capturing(cudaStream_t stream) { return capture_id(stream) != 0; }

/// Throws if the stream is being captured; for operations that block the calling thread.
WEFT_OUTLINED inline void refuse_capture(cudaStream_t stream, const char* operation) {
  if (is_capturing(stream)) {
    fail<DeviceError>(operation, "the stream is being captured into a graph, where nothing runs ",
                      "that could be waited for, expected the call before or after the capture");
  }
}

}  // namespace weft::on_cuda
