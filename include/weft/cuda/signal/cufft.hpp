// cuFFT: plans by shape, type, stream and device, and running one on weft's stream and memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cufft.h>

#include <vector>

#include "weft/core/dtype.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// cuFFT's name for a status.
inline const char* name_of_status(cufftResult status) {
  switch (static_cast<int>(status)) {
    case CUFFT_ALLOC_FAILED:
      return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_PLAN:
      return "CUFFT_INVALID_PLAN";
    case CUFFT_INVALID_VALUE:
      return "CUFFT_INVALID_VALUE";
    case CUFFT_INTERNAL_ERROR:
      return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED:
      return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED:
      return "CUFFT_SETUP_FAILED";
    case CUFFT_INVALID_SIZE:
      return "CUFFT_INVALID_SIZE";
    case CUFFT_NOT_SUPPORTED:
      return "CUFFT_NOT_SUPPORTED";
    default:
      return "cuFFT's status";
  }
}

/// Throws Error unless `status` is success: `[operation] CUFFT_STATUS_NAME (number): details`.
template <class... Parts>
void check(cufftResult status, const char* operation, const Parts&... details) {
  if (status == CUFFT_SUCCESS) [[likely]]
    return;
  const Text what = weft::detail::join({weft::detail::Part(details)...});
  fail<DeviceError>(operation, name_of_status(status), " (", static_cast<int>(status), "): ", what);
}

namespace detail {

/// What a plan is made for. All numbers of 64 bits: it is compared as bytes.
struct CufftProblem {
  int64_t type = CUFFT_C2C;
  int64_t rank = 1;
  int64_t n[3] = {};
  int64_t in_size[3] = {};  // of the arrays that the lines lie in
  int64_t out_size[3] = {};
  int64_t in_step = 1;
  int64_t out_step = 1;
  int64_t in_apart = 0;  // from one transform to the next
  int64_t out_apart = 0;
  int64_t batch = 1;
  int64_t stream = 0;
};

struct CufftPlan {
  CufftProblem problem;
  cufftHandle handle = CUFFT_PLAN_NULL;
  std::size_t room = 0;
  int users = 0;  // calls that are about to run it, and captures; the plans' mutex guards it
  Mutex mutex;    // held by the call that sets its stream and work area and runs it

  CufftPlan() = default;
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;
  ~CufftPlan() {
    if (handle != CUFFT_PLAN_NULL) cufftDestroy(handle);
  }
};

/// Destroys a plan that could not be made.
struct PlanUntilMade {
  mutable CufftPlan* plan;
  ~PlanUntilMade() { delete plan; }
};

/// A GPU's plans, most recently used first. Like streams they are not destroyed at the end.
struct CufftPlans {
  static constexpr std::size_t most = 256;
  Mutex mutex;
  std::vector<CufftPlan*>* all = nullptr;
};
[[gnu::visibility("default")]] inline CufftPlans cufft_plans[max_devices];

WEFT_ONCE inline CufftPlan* make_cufft_plan(const char* operation, const CufftProblem& p) {
  long long n[3];
  long long in[3];
  long long out[3];
  for (int i = 0; i < 3; ++i) {
    n[i] = p.n[i];
    in[i] = p.in_size[i];
    out[i] = p.out_size[i];
  }
  auto* const plan = new CufftPlan;
  const PlanUntilMade guard{plan};
  plan->problem = p;
  check(cufftCreate(&plan->handle), operation, "making a plan");
  check(cufftSetAutoAllocation(plan->handle, 0), operation, "making a plan");
  check(cufftMakePlanMany64(plan->handle, static_cast<int>(p.rank), n, in, p.in_step, p.in_apart,
                            out, p.out_step, p.out_apart, static_cast<cufftType>(p.type), p.batch,
                            &plan->room),
        operation, "making a plan of ", p.batch, " transforms of length ", p.n[p.rank - 1]);
  guard.plan = nullptr;
  return plan;
}

/// The plan for a problem, cached or new. In a capture none is destroyed, since that would free GPU
/// memory.
[[gnu::noinline]] inline CufftPlan& plan_cufft(const char* operation, const CufftProblem& p,
                                               Cuda device, bool capturing) {
  CufftPlans& known = cufft_plans[device.ordinal];
  const Lock lock(known.mutex);
  if (known.all == nullptr) known.all = new std::vector<CufftPlan*>;
  std::vector<CufftPlan*>& all = *known.all;
  std::size_t i = 0;
  while (i < all.size() && __builtin_memcmp(&all[i]->problem, &p, sizeof(p)) != 0) ++i;
  if (i == all.size()) {
    CufftPlan* const plan = make_cufft_plan(operation, p);
    watch_for_exit();
    if (i >= CufftPlans::most && !capturing) {
      std::size_t oldest = i;
      while (oldest > 0 && all[oldest - 1]->users > 0) --oldest;
      if (oldest > 0) {
        delete all[oldest - 1];
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(oldest) - 1);
        --i;
      }
    }
    all.push_back(plan);
  }
  CufftPlan* const found = all[i];
  for (; i > 0; --i) all[i] = all[i - 1];
  all[0] = found;
  found->users += capturing ? 2 : 1;  // a graph reads its tables for as long as it is replayed
  return *found;
}

/// A plan for the length of a scope.
class CufftUse {
 public:
  CufftUse(const char* operation, const CufftProblem& p, Cuda device, bool capturing)
      : known_(cufft_plans[device.ordinal]), plan_(plan_cufft(operation, p, device, capturing)) {}
  ~CufftUse() {
    const Lock lock(known_.mutex);
    --plan_.users;
  }
  CufftUse(const CufftUse&) = delete;
  CufftUse& operator=(const CufftUse&) = delete;
  CufftPlan& plan() const { return plan_; }

 private:
  CufftPlans& known_;
  CufftPlan& plan_;
};

/// Runs a transform of arrays laid out as the problem says. From complex to real, cuFFT may write
/// to the input.
[[gnu::noinline]] inline void run_cufft(const char* operation, const Shape& shape, Storage* from,
                                        void* in, Storage* to, void* out, CufftProblem p,
                                        bool inverse) {
  const Cuda device{to->ordinal};
  const DeviceGuard guard(device);
  const Stream stream = current_stream(device);
  if (from != to) order_read(from, stream);
  order_write(to, stream);
  p.stream = static_cast<int64_t>(reinterpret_cast<std::intptr_t>(stream.handle()));
  const RelaxedCapture relaxed;  // plans have tables on the GPU, and kernels that are loaded
  const CufftUse use(operation, p, device, is_capturing(stream));
  CufftPlan& plan = use.plan();
  StorageHandle room;
  if (plan.room > 0) {
    room = StorageHandle(Memory<Cuda>::allocate(device, static_cast<int64_t>(plan.room)));
  }
  const ObservedLaunch observed({operation});
  const Lock lock(plan.mutex);
  check(cufftSetStream(plan.handle, stream.handle()), operation, "setting a stream");
  if (room) check(cufftSetWorkArea(plan.handle, room->data), operation, "setting a work area");
  cufftResult status = CUFFT_SUCCESS;
  const int direction = inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
  switch (p.type) {
    case CUFFT_C2C:
      status = cufftExecC2C(plan.handle, static_cast<cufftComplex*>(in),
                            static_cast<cufftComplex*>(out), direction);
      break;
    case CUFFT_Z2Z:
      status = cufftExecZ2Z(plan.handle, static_cast<cufftDoubleComplex*>(in),
                            static_cast<cufftDoubleComplex*>(out), direction);
      break;
    case CUFFT_R2C:
      status =
          cufftExecR2C(plan.handle, static_cast<cufftReal*>(in), static_cast<cufftComplex*>(out));
      break;
    case CUFFT_D2Z:
      status = cufftExecD2Z(plan.handle, static_cast<cufftDoubleReal*>(in),
                            static_cast<cufftDoubleComplex*>(out));
      break;
    case CUFFT_C2R:
      status =
          cufftExecC2R(plan.handle, static_cast<cufftComplex*>(in), static_cast<cufftReal*>(out));
      break;
    default:
      status = cufftExecZ2D(plan.handle, static_cast<cufftDoubleComplex*>(in),
                            static_cast<cufftDoubleReal*>(out));
  }
  check(status, operation, "evaluating ", operation, " of shape ", shape);
  if (sync_requested() && !is_capturing(stream)) {
    check(cudaStreamSynchronize(stream.handle()), operation, "evaluating ", operation, " of shape ",
          shape);
  }
  to->bump_version();
}

}  // namespace detail
}  // namespace weft::on_cuda
