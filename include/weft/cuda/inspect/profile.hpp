// CUDA's stopwatch for profile(): events around the work on the current stream.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/event.hpp"
#include "weft/cuda/inspect/explain.hpp"
#include "weft/cuda/stream.hpp"
#include "weft/eval/inspect/profile.hpp"

namespace weft {

template <>
struct Stopwatch<Cuda> {
  static double seconds(Cuda device, int64_t runs, void (*f)(void*), void* context) {
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::refuse_capture(stream.handle(), "profile");
    on_cuda::Event begin(true);
    on_cuda::Event end(true);
    begin.record(stream);
    for (int64_t i = 0; i < runs; ++i) f(context);
    end.record(stream);
    end.synchronize();
    return 1e-3 * end.milliseconds_since(begin);
  }
};

namespace on_cuda {
/// The time of f(), statements that run on a GPU's current stream.
template <std::invocable F>
[[nodiscard]] Profile profile(F&& f, const ProfileOptions& options = {}) {
  return weft::profile(f, Cuda{}, options);
}
/// The same, compared with explain()'s report on the statement's expression.
template <std::invocable F>
[[nodiscard]] Profile profile(F&& f, const Explanation& explanation,
                              const ProfileOptions& options = {}) {
  return weft::profile(f, explanation, Cuda{}, options);
}
/// The time of evaluating `e`, compared with explain(e).
template <ExpressionLike E>
[[nodiscard]] Profile profile(const E& e, const ProfileOptions& options = {}) {
  return weft::profile(e, options);
}
}  // namespace on_cuda

}  // namespace weft
