// One call of a convolution by oneDNN, on the calling thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_ONEDNN)

#include "weft/cpu/conv/onednn_plan.hpp"

namespace weft::cpu {

/// The arrays of a call, of which one is written.
struct OneDnnArrays {
  float* image;
  float* filter;
  float* result;
  const float* bias;
};

namespace detail {

/// What a primitive works in during one call.
class OneDnnScratch {
 public:
  explicit OneDnnScratch(OneDnnLayout layout) {
    const std::size_t bytes = layout != nullptr ? dnnl_memory_desc_get_size(layout) : 0;
    if (bytes == 0) return;
    room_ = StorageHandle(Memory<Cpu>::allocate(Cpu{}, static_cast<int64_t>(bytes)));
    dnnl_memory_create(&memory_, layout, onednn_engine(), room_->data);
  }
  ~OneDnnScratch() {
    if (memory_ != nullptr) dnnl_memory_destroy(memory_);
  }
  OneDnnScratch(const OneDnnScratch&) = delete;
  OneDnnScratch& operator=(const OneDnnScratch&) = delete;

  /// Runs the primitive with `count` arguments, behind which there is room for one more.
  bool run(dnnl_primitive_t primitive, dnnl_stream_t stream, int count,
           dnnl_exec_arg_t* all) const {
    if (memory_ != nullptr) all[count++] = {DNNL_ARG_SCRATCHPAD, memory_};
    return dnnl_primitive_execute(primitive, stream, count, all) == dnnl_success;
  }

 private:
  StorageHandle room_;
  dnnl_memory_t memory_ = nullptr;
};

/// An array of a call in both layouts.
class OneDnnOperand {
 public:
  OneDnnOperand(const OneDnnArray& array, void* data) : array_(array) {
    const auto engine = onednn_engine();
    dnnl_memory_create(&given_, array.given, engine, data);
    if (array.copy == nullptr) return;
    const auto bytes = static_cast<int64_t>(dnnl_memory_desc_get_size(array.wanted));
    room_ = StorageHandle(Memory<Cpu>::allocate(Cpu{}, bytes));
    dnnl_memory_create(&wanted_, array.wanted, engine, room_->data);
  }
  ~OneDnnOperand() {
    dnnl_memory_destroy(given_);
    if (wanted_ != nullptr) dnnl_memory_destroy(wanted_);
  }
  OneDnnOperand(const OneDnnOperand&) = delete;
  OneDnnOperand& operator=(const OneDnnOperand&) = delete;

  dnnl_memory_t memory() const { return wanted_ != nullptr ? wanted_ : given_; }
  bool copy(dnnl_stream_t stream, bool written) const {
    if (array_.copy == nullptr) return true;
    dnnl_exec_arg_t both[3] = {{DNNL_ARG_FROM, written ? wanted_ : given_},
                               {DNNL_ARG_TO, written ? given_ : wanted_}};
    return OneDnnScratch(array_.scratch).run(array_.copy, stream, 2, both);
  }

 private:
  const OneDnnArray& array_;
  StorageHandle room_;
  dnnl_memory_t given_ = nullptr;
  dnnl_memory_t wanted_ = nullptr;
};

}  // namespace detail

/// Whether oneDNN takes a part of a convolution. Its primitives are made for one thread: weft's
/// threads share the images, so that results do not depend on how many there are.
inline bool takes_onednn(const OneDnnProblem& p) {
  const OpenMpTeam alone(1);
  return detail::plan_onednn(p).found;
}

/// Computes a part that oneDNN takes, on the calling thread; false where it fails.
[[gnu::noinline]] inline bool run_onednn(const OneDnnProblem& p, const OneDnnArrays& at) {
  using namespace detail;
  const OpenMpTeam alone(1);
  const OneDnnPlan& plan = plan_onednn(p);
  const auto part = static_cast<OneDnnPart>(p.part);
  const OneDnnOperand image(plan.image, at.image);
  const OneDnnOperand filter(plan.filter, at.filter);
  const OneDnnOperand result(plan.result, at.result);
  dnnl_stream_t stream = nullptr;
  if (dnnl_stream_create(&stream, onednn_engine(), dnnl_stream_default_flags) != dnnl_success) {
    return false;
  }
  const bool to_image = part == OneDnnPart::images;
  const bool to_filter = part == OneDnnPart::weights;
  const bool back = to_image || to_filter;
  dnnl_memory_t bias = nullptr;
  if (part == OneDnnPart::biased) {
    dnnl_memory_create(&bias, plan.bias, onednn_engine(), const_cast<float*>(at.bias));
  }
  const OneDnnScratch scratch(plan.scratch);
  dnnl_exec_arg_t all[5] = {{to_image ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, image.memory()},
                            {to_filter ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, filter.memory()},
                            {back ? DNNL_ARG_DIFF_DST : DNNL_ARG_DST, result.memory()},
                            {DNNL_ARG_BIAS, bias}};
  const bool done = (to_image || image.copy(stream, false)) &&
                    (to_filter || filter.copy(stream, false)) &&
                    (!back || result.copy(stream, false)) &&
                    scratch.run(plan.convolution, stream, bias != nullptr ? 4 : 3, all) &&
                    (to_image    ? image.copy(stream, true)
                     : to_filter ? filter.copy(stream, true)
                                 : result.copy(stream, true)) &&
                    dnnl_stream_wait(stream) == dnnl_success;
  if (bias != nullptr) dnnl_memory_destroy(bias);
  dnnl_stream_destroy(stream);
  return done;
}

}  // namespace weft::cpu

#endif
