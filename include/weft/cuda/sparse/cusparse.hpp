// cuSPARSE: handles, and products of a sparse and a dense matrix; with the macro WEFT_CUSPARSE.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_CUSPARSE)

#include <cusparse.h>

#include "weft/core/dtype.hpp"
#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// Throws Error unless `status` is success: `[operation] cuSPARSE: CUSPARSE_STATUS_NAME in call`.
[[gnu::noinline]] inline void check(cusparseStatus_t status, const char* operation,
                                    const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    fail<DeviceError>(operation, "cuSPARSE: ", cusparseGetErrorName(status), " in ", call);
  }
}

namespace detail {

/// A GPU's handles that no call uses. Like streams they are never destroyed.
struct IdleSparse {
  static constexpr int most = 64;
  Mutex mutex;
  int count = 0;
  cusparseHandle_t handles[most];
};
[[gnu::visibility("default")]] inline IdleSparse idle_sparse[max_devices];

/// A handle of the device for the length of a scope, whose calls go to the given stream.
class SparseHandle {
 public:
  [[gnu::noinline]] SparseHandle(const char* operation, int ordinal, cudaStream_t stream)
      : idle_(idle_sparse[ordinal]) {
    {
      const Lock lock(idle_.mutex);
      if (idle_.count > 0) handle_ = idle_.handles[--idle_.count];
    }
    if (handle_ == nullptr) {
      const RelaxedCapture relaxed;
      check(cusparseCreate(&handle_), operation, "cusparseCreate");
      watch_for_exit();
    }
    check(cusparseSetStream(handle_, stream), operation, "cusparseSetStream");
  }
  [[gnu::noinline]] ~SparseHandle() {
    const Lock lock(idle_.mutex);
    if (idle_.count < IdleSparse::most) {
      idle_.handles[idle_.count++] = handle_;
    } else {
      cusparseDestroy(handle_);
    }
  }
  SparseHandle(const SparseHandle&) = delete;
  SparseHandle& operator=(const SparseHandle&) = delete;
  operator cusparseHandle_t() const { return handle_; }

 private:
  IdleSparse& idle_;
  cusparseHandle_t handle_ = nullptr;
};

/// cuSPARSE's names of the element types that it multiplies with sums in the same type.
template <class T>
inline constexpr bool is_in_cusparse = false;
template <class T>
inline constexpr cudaDataType cusparse_type = CUDA_R_32F;
template <>
inline constexpr bool is_in_cusparse<float> = true;
template <>
inline constexpr bool is_in_cusparse<double> = true;
template <>
inline constexpr cudaDataType cusparse_type<double> = CUDA_R_64F;
template <>
inline constexpr bool is_in_cusparse<complex<float>> = true;
template <>
inline constexpr cudaDataType cusparse_type<complex<float>> = CUDA_C_32F;
template <>
inline constexpr bool is_in_cusparse<complex<double>> = true;
template <>
inline constexpr cudaDataType cusparse_type<complex<double>> = CUDA_C_64F;

/// A product as cuSPARSE sees it.
struct CusparseProduct {
  int64_t rows;
  int64_t columns;
  int64_t count;
  const void* crow;
  const void* col;
  const void* values;
  const void* x;
  void* out;
  int64_t n;
  int64_t step;  // from a row of x to the next
  cudaDataType type;
  const void* alpha;
  const void* zero;
};

/// The descriptions of a call, destroyed with the scope.
struct CusparseDescriptions {
  cusparseConstSpMatDescr_t a = nullptr;
  cusparseConstDnVecDescr_t vector = nullptr;
  cusparseDnVecDescr_t vector_out = nullptr;
  cusparseConstDnMatDescr_t matrix = nullptr;
  cusparseDnMatDescr_t matrix_out = nullptr;
  ~CusparseDescriptions() {
    if (a != nullptr) cusparseDestroySpMat(a);
    if (vector != nullptr) cusparseDestroyDnVec(vector);
    if (vector_out != nullptr) cusparseDestroyDnVec(vector_out);
    if (matrix != nullptr) cusparseDestroyDnMat(matrix);
    if (matrix_out != nullptr) cusparseDestroyDnMat(matrix_out);
  }
};

/// out = alpha A x on a stream, by the algorithms that give the same bits at each run. They may be
/// captured: what they need besides is weft's memory.
[[gnu::noinline]] inline void run_cusparse(const char* operation, const CusparseProduct& p,
                                           Cuda device, const Stream& stream) {
  const ObservedLaunch observed({operation});
  const SparseHandle handle(operation, device.ordinal, stream.handle());
  CusparseDescriptions d;
  check(cusparseCreateConstCsr(&d.a, p.rows, p.columns, p.count, p.crow, p.col, p.values,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                               p.type),
        operation, "cusparseCreateConstCsr");
  constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  std::size_t bytes = 0;
  StorageHandle room;
  const auto make_room = [&] {
    if (bytes == 0) return;
    room = StorageHandle(Memory<Cuda>::allocate(device, static_cast<int64_t>(bytes)));
    order_write(room.get(), stream);
  };
  if (p.n == 1 && p.step == 1) {
    check(cusparseCreateConstDnVec(&d.vector, p.columns, p.x, p.type), operation, "a vector");
    check(cusparseCreateDnVec(&d.vector_out, p.rows, p.out, p.type), operation, "a vector");
    check(cusparseSpMV_bufferSize(handle, plain, p.alpha, d.a, d.vector, p.zero, d.vector_out,
                                  p.type, CUSPARSE_SPMV_CSR_ALG2, &bytes),
          operation, "cusparseSpMV_bufferSize");
    make_room();
    check(cusparseSpMV(handle, plain, p.alpha, d.a, d.vector, p.zero, d.vector_out, p.type,
                       CUSPARSE_SPMV_CSR_ALG2, room ? room->data : nullptr),
          operation, "cusparseSpMV");
  } else {
    check(cusparseCreateConstDnMat(&d.matrix, p.columns, p.n, p.step, p.x, p.type,
                                   CUSPARSE_ORDER_ROW),
          operation, "a matrix");
    check(cusparseCreateDnMat(&d.matrix_out, p.rows, p.n, p.n, p.out, p.type, CUSPARSE_ORDER_ROW),
          operation, "a matrix");
    check(cusparseSpMM_bufferSize(handle, plain, plain, p.alpha, d.a, d.matrix, p.zero,
                                  d.matrix_out, p.type, CUSPARSE_SPMM_CSR_ALG3, &bytes),
          operation, "cusparseSpMM_bufferSize");
    make_room();
    check(cusparseSpMM(handle, plain, plain, p.alpha, d.a, d.matrix, p.zero, d.matrix_out, p.type,
                       CUSPARSE_SPMM_CSR_ALG3, room ? room->data : nullptr),
          operation, "cusparseSpMM");
  }
}

}  // namespace detail
}  // namespace weft::on_cuda

#endif
