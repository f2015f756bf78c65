// NCCL's names for weft's element types and reductions; empty unless WEFT_NCCL is defined.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef WEFT_NCCL
#include <nccl.h>

#include "weft/dist/call.hpp"
#include "weft/dist/error.hpp"

namespace weft::dist::detail {

inline void check_nccl(ncclResult_t status, const char* operation) {
  if (status == ncclSuccess || status == ncclInProgress) return;
  fail<DistributedError>(operation, "NCCL: ", ncclGetErrorString(status), ": ",
                         ncclGetLastError(nullptr), " (NCCL_DEBUG=INFO says more)");
}

/// How NCCL sees elements: its type, and how many of it make an element. Elements that are only
/// moved are bytes if NCCL has no such type.
struct NcclElements {
  ncclDataType_t type = ncclUint8;
  std::size_t each = 1;
};
inline NcclElements nccl_elements(const Call& call) {
  switch (call.dtype) {
    case Dtype::boolean:
    case Dtype::uint8:
      return {ncclUint8, 1};
    case Dtype::int8:
      return {ncclInt8, 1};
    case Dtype::int32:
      return {ncclInt32, 1};
    case Dtype::int64:
      return {ncclInt64, 1};
    case Dtype::uint32:
      return {ncclUint32, 1};
    case Dtype::uint64:
      return {ncclUint64, 1};
    case Dtype::float16:
      return {ncclFloat16, 1};
    case Dtype::bfloat16:
      return {ncclBfloat16, 1};
    case Dtype::float32:
      return {ncclFloat32, 1};
    case Dtype::float64:
      return {ncclFloat64, 1};
    case Dtype::complex64:
      return {ncclFloat32, 2};
    case Dtype::complex128:
      return {ncclFloat64, 2};
    default:
      break;
  }
  if (reduces(call.kind)) {
    fail<ValueError>(name(call.kind), "NCCL does not reduce ", call.dtype,
                     ", expected another type: write cast<std::int32_t>(x)");
  }
  return {ncclUint8, static_cast<std::size_t>(element_size(call.dtype))};
}
inline ncclRedOp_t nccl_op(const Call& call) {
  const bool parts = call.dtype == Dtype::complex64 || call.dtype == Dtype::complex128;
  if (parts && call.op != Reduce::sum && call.op != Reduce::average) {
    fail<ValueError>(name(call.kind), "NCCL has no ", name(call.op), " of ", call.dtype,
                     ", expected the sum or the average");
  }
  const bool truth = call.dtype == Dtype::boolean;
  switch (call.op) {
    case Reduce::sum:
      return truth ? ncclMax : ncclSum;
    case Reduce::product:
      return truth ? ncclMin : ncclProd;
    case Reduce::minimum:
      return ncclMin;
    case Reduce::maximum:
      return ncclMax;
    case Reduce::average:
      break;
  }
  return ncclAvg;
}

}  // namespace weft::dist::detail
#endif
