// cuBLASLt: handles, the problem as it sees it, and its choice of algorithm, queried once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>

#include "weft/cuda/primitive/launch.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft::on_cuda {

/// Throws Error unless `status` is success: `[operation] CUBLAS_STATUS_NAME: details`.
template <class... Parts>
void check(cublasStatus_t status, const char* operation, const Parts&... details) {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  const Text what = weft::detail::join({weft::detail::Part(details)...});
  fail<DeviceError>(operation, cublasLtGetStatusName(status), ": ", what);
}

namespace detail {

/// One call of cuBLASLt. It is column-major and weft row-major, so its A is weft's b, and its D,
/// with n rows, weft's result. All numbers of 64 bits: it is compared as bytes.
struct LtProblem {
  int64_t in = 0;   // cudaDataType of both operands
  int64_t out = 0;  // and of the result and addend
  int64_t scale = 0;
  int64_t compute = 0;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t batches = 1;
  int64_t transposed[2] = {};  // of a and b
  int64_t step[4] = {};        // of a, b, result and addend
  int64_t stride[4] = {};      // from one matrix of the batch to the next
  int64_t align[5] = {};       // bytes: a, b, result, addend, bias
  int64_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  int64_t adds = 0;
};

/// Addresses of a call: a, b, result, addend (the result where none is added) and bias.
struct LtPointers {
  const void* at[5] = {};
};

/// An algorithm for a problem, or that there is none.
struct LtChoice {
  LtProblem problem;
  cublasLtMatmulAlgo_t algorithm;
  std::size_t workspace = 0;
  bool found = false;
  bool used = false;
};

/// What a GPU's products share. A handle serves one call at a time, so there are as many as calls
/// at once; like streams they are never destroyed.
struct LtDevice {
  static constexpr int ways = 4;
  static constexpr int sets = 256;
  static constexpr int most_handles = 64;
  Mutex mutex;
  int handles = 0;
  cublasLtHandle_t handle[most_handles] = {};
  LtChoice* choices = nullptr;  // of sets * ways; old ones are written over
  unsigned next = 0;
};
[[gnu::visibility("default")]] inline LtDevice lt_devices[max_devices];

/// A handle of the device for the length of a scope.
class LtHandle {
 public:
  [[gnu::noinline]] explicit LtHandle(int ordinal) : device_(lt_devices[ordinal]) {
    {
      const Lock lock(device_.mutex);
      if (device_.handles > 0) handle_ = device_.handle[--device_.handles];
    }
    if (handle_ != nullptr) return;
    const RelaxedCapture relaxed;
    check(cublasLtCreate(&handle_), "matmul", "making a handle of cuBLASLt on cuda:", ordinal);
    watch_for_exit();
  }
  [[gnu::noinline]] ~LtHandle() {
    {
      const Lock lock(device_.mutex);
      if (device_.handles < LtDevice::most_handles) {
        device_.handle[device_.handles++] = handle_;
        return;
      }
    }
    cublasLtDestroy(handle_);
  }
  LtHandle(const LtHandle&) = delete;
  LtHandle& operator=(const LtHandle&) = delete;
  operator cublasLtHandle_t() const { return handle_; }

 private:
  LtDevice& device_;
  cublasLtHandle_t handle_ = nullptr;
};

/// cuBLASLt's descriptions of a problem, which live on the stack.
class LtDescription {
 public:
  [[gnu::noinline]] LtDescription(const LtProblem& p, const void* bias) {
    const auto in = static_cast<cudaDataType>(p.in);
    const auto out = static_cast<cudaDataType>(p.out);
    check(cublasLtMatmulDescInit(&operation, static_cast<cublasComputeType_t>(p.compute),
                                 static_cast<cudaDataType>(p.scale)),
          "matmul");
    const cublasOperation_t transposes[] = {CUBLAS_OP_N, CUBLAS_OP_T};
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposes[p.transposed[1]]);
    set(CUBLASLT_MATMUL_DESC_TRANSB, transposes[p.transposed[0]]);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<cublasLtEpilogue_t>(p.epilogue));
    if (bias != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    place(a, in, p.transposed[0] != 0 ? p.m : p.k, p.transposed[0] != 0 ? p.k : p.m, p, 0);
    place(b, in, p.transposed[1] != 0 ? p.k : p.n, p.transposed[1] != 0 ? p.n : p.k, p, 1);
    place(result, out, p.n, p.m, p, 2);
    place(addend, out, p.n, p.m, p, 3);
  }

  cublasLtMatmulDescOpaque_t operation;
  cublasLtMatrixLayoutOpaque_t a;
  cublasLtMatrixLayoutOpaque_t b;
  cublasLtMatrixLayoutOpaque_t result;
  cublasLtMatrixLayoutOpaque_t addend;

 private:
  template <class V>
  void set(cublasLtMatmulDescAttributes_t which, const V& value) {
    check(cublasLtMatmulDescSetAttribute(&operation, which, &value, sizeof(V)), "matmul");
  }
  static void place(cublasLtMatrixLayoutOpaque_t& to, cudaDataType type, int64_t rows,
                    int64_t columns, const LtProblem& p, int which) {
    const auto count = static_cast<std::int32_t>(p.batches);
    const int64_t stride = p.stride[which];
    check(cublasLtMatrixLayoutInit(&to, type, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), p.step[which]),
          "matmul");
    if (count == 1) return;
    check(cublasLtMatrixLayoutSetAttribute(&to, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                           sizeof(count)),
          "matmul");
    check(cublasLtMatrixLayoutSetAttribute(&to, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                           &stride, sizeof(stride)),
          "matmul");
  }
};

/// Asks cuBLASLt for an algorithm. Sums split over blocks are joined in the type of the sums, not
/// in the result's type, which may have 16 bits.
WEFT_ONCE inline LtChoice ask_lt(cublasLtHandle_t handle, LtDescription& lt, const LtProblem& p,
                                 int major) {
  cublasLtMatmulPreferenceOpaque_t preference;
  check(cublasLtMatmulPreferenceInit(&preference), "matmul");
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t which, const auto& value) {
    check(cublasLtMatmulPreferenceSetAttribute(&preference, which, &value, sizeof(value)),
          "matmul");
  };
  const std::uint64_t room = (major >= 9 ? 32ULL : 4ULL) << 20;
  const std::uint32_t reductions =
      CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, room);
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, static_cast<std::uint32_t>(p.align[1]));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, static_cast<std::uint32_t>(p.align[0]));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, static_cast<std::uint32_t>(p.align[3]));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, static_cast<std::uint32_t>(p.align[2]));
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, &lt.operation, &lt.b, &lt.a, &lt.addend, &lt.result, &preference, 1, &found, &count);
  LtChoice choice;
  choice.problem = p;
  choice.used = true;
  choice.found =
      status == CUBLAS_STATUS_SUCCESS && count > 0 && found.state == CUBLAS_STATUS_SUCCESS;
  choice.algorithm = found.algo;
  choice.workspace = found.workspaceSize;
  return choice;
}

/// The algorithm for a problem, cached after the first time.
WEFT_OUTLINED inline LtChoice choose_lt(cublasLtHandle_t handle, LtDescription& lt,
                                        const LtProblem& p, Cuda device) {
  LtDevice& known = lt_devices[device.ordinal];
  std::uint64_t hash = 0;
  const auto* words = reinterpret_cast<const std::uint64_t*>(&p);
  for (std::size_t i = 0; i < sizeof(p) / 8; ++i) {
    hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32;
  }
  const std::size_t set = hash % LtDevice::sets * LtDevice::ways;
  {
    const Lock lock(known.mutex);
    if (known.choices == nullptr) known.choices = new LtChoice[LtDevice::sets * LtDevice::ways];
    for (std::size_t i = set; i < set + LtDevice::ways; ++i) {
      const LtChoice& choice = known.choices[i];
      if (choice.used && __builtin_memcmp(&choice.problem, &p, sizeof(p)) == 0) return choice;
    }
  }
  const LtChoice choice = ask_lt(handle, lt, p, properties(device).major);
  const Lock lock(known.mutex);
  std::size_t to = set;
  while (to < set + LtDevice::ways && known.choices[to].used) ++to;
  known.choices[to < set + LtDevice::ways ? to : set + known.next++ % LtDevice::ways] = choice;
  return choice;
}

/// result = epilogue(alpha a b + beta addend); returns false, having done nothing, if cuBLASLt
/// refuses. alpha and beta are of the scale's type.
WEFT_OUTLINED inline bool run_lt(const Name& name, const Shape& shape, Cuda device,
                                 const LtProblem& p, const LtPointers& pointers, const void* alpha,
                                 const void* beta) {
  const Stream stream = current_stream(device);
  const LtHandle handle(device.ordinal);
  LtDescription lt(p, pointers.at[4]);
  const RelaxedCapture relaxed;  // cuBLASLt loads its kernels at their first use
  const LtChoice choice = choose_lt(handle, lt, p, device);
  if (!choice.found) return false;
  StorageHandle room;
  if (choice.workspace > 0) {
    room = StorageHandle(Memory<Cuda>::allocate(device, static_cast<int64_t>(choice.workspace)));
  }
  const ObservedLaunch observed(name);
  const cublasStatus_t status = cublasLtMatmul(
      handle, &lt.operation, alpha, pointers.at[1], &lt.b, pointers.at[0], &lt.a, beta,
      pointers.at[3], &lt.addend, const_cast<void*>(pointers.at[2]), &lt.result, &choice.algorithm,
      room ? room->data : nullptr, choice.workspace, stream.handle());
  check(status, name.operation, "evaluating ", name, " of shape ", shape, ", depth ", p.k);
  if (sync_requested() && !is_capturing(stream)) {
    check(cudaStreamSynchronize(stream.handle()), name.operation, "evaluating ", name, " of shape ",
          shape);
  }
  return true;
}

}  // namespace detail
}  // namespace weft::on_cuda
