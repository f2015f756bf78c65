// CudnnGraph: operations of cuDNN's graph interface, and the plan that runs them as one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_CUDNN)

#include <initializer_list>
#include <vector>

#include "weft/cuda/linalg/cudnn.hpp"

namespace weft::on_cuda::detail {

/// A tensor of four axes in a graph.
struct CudnnTensor {
  cudnnBackendDescriptor_t descriptor = nullptr;
  int64_t id = 0;
  int64_t size[4] = {};
  int64_t stride[4] = {};
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
};

/// Operations that cuDNN runs as one, built by its C interface: its C++ one costs half a minute to
/// compile. The first error stays in `status`, and what follows does nothing. Its descriptors live
/// as long as the process, unless drop() is called.
class CudnnGraph {
 public:
  enum class Kind : unsigned char { array, virtual_value, host_scalar };

  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  cudnnBackendDescriptor_t plan = nullptr;
  int64_t workspace = 0;

  CudnnTensor tensor(cudnnDataType_t type, std::initializer_list<int64_t> size,
                     std::initializer_list<int64_t> stride, Kind kind = Kind::array) {
    CudnnTensor t;
    t.type = type;
    t.id = ++ids_;
    for (int i = 0; i < 4; ++i) {
      t.size[i] = size.begin()[i];
      t.stride[i] = stride.begin()[i];
    }
    t.descriptor = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const int64_t alignment = 16;
    const bool is_virtual = kind == Kind::virtual_value;
    const bool by_value = kind == Kind::host_scalar;
    set(t.descriptor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    set(t.descriptor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, t.size, 4);
    set(t.descriptor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, t.stride, 4);
    set(t.descriptor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, t.id);
    set(t.descriptor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, alignment);
    if (is_virtual) {
      set(t.descriptor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, is_virtual);
    }
    if (by_value) set(t.descriptor, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, by_value);
    finalize(t.descriptor);
    return t;
  }
  /// A value between two operations, without gaps.
  CudnnTensor between(int64_t a, int64_t b, int64_t c, int64_t d,
                      cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return tensor(type, {a, b, c, d}, {b * c * d, c * d, d, 1}, Kind::virtual_value);
  }
  CudnnTensor like(const CudnnTensor& x, cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return between(x.size[0], x.size[1], x.size[2], x.size[3], type);
  }
  /// A number passed with each call, in host memory.
  CudnnTensor scalar(cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return tensor(type, {1, 1, 1, 1}, {1, 1, 1, 1}, Kind::host_scalar);
  }
  /// The same memory with the last two axes exchanged.
  CudnnTensor transposed(cudnnDataType_t type, const int64_t* size, const int64_t* stride) {
    return tensor(type, {size[0], size[1], size[3], size[2]},
                  {stride[0], stride[1], stride[3], stride[2]});
  }

  void matmul(const CudnnTensor& a, const CudnnTensor& b, const CudnnTensor& c) {
    const auto how = make(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    set(how, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    finalize(how);
    const auto op = make(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    set(op, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
    set(op, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
    set(op, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
    set(op, CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, how);
    add(op);
  }
  /// A convolution of two spatial axes; groups follow from the filters' channels.
  void convolution(const CudnnTensor& x, const CudnnTensor& w, const CudnnTensor& y,
                   const int64_t* padding, const int64_t* stride, const int64_t* dilation) {
    const auto how = make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    const int64_t axes = 2;
    const auto mode = CUDNN_CROSS_CORRELATION;
    set(how, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    set(how, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, mode);
    set(how, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, axes);
    set(how, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, padding, axes);
    set(how, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, padding, axes);
    set(how, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, stride, axes);
    set(how, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, dilation, axes);
    finalize(how);
    const auto op = make(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    const double one = 1;
    const double zero = 0;
    set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
    set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w);
    set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y);
    set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_DOUBLE, one);
    set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_DOUBLE, zero);
    set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, how);
    add(op);
  }
  void unary(cudnnPointwiseMode_t mode, const CudnnTensor& x, const CudnnTensor& y) {
    pointwise(mode, x, nullptr, nullptr, y);
  }
  void binary(cudnnPointwiseMode_t mode, const CudnnTensor& a, const CudnnTensor& b,
              const CudnnTensor& y) {
    pointwise(mode, a, &b, nullptr, y);
  }
  /// a where `chosen`, else b.
  void select(const CudnnTensor& chosen, const CudnnTensor& a, const CudnnTensor& b,
              const CudnnTensor& y) {
    pointwise(CUDNN_POINTWISE_BINARY_SELECT, a, &b, &chosen, y);
  }
  /// Each element's place along an axis.
  void index(const CudnnTensor& x, int64_t axis, const CudnnTensor& y) {
    pointwise(CUDNN_POINTWISE_GEN_INDEX, x, nullptr, nullptr, y, axis);
  }
  void reduce(cudnnReduceTensorOp_t with, const CudnnTensor& x, const CudnnTensor& y) {
    const auto how = make(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    set(how, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, with);
    set(how, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    finalize(how);
    const auto op = make(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    set(op, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
    set(op, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
    set(op, CUDNN_ATTR_OPERATION_REDUCTION_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, how);
    add(op);
  }
  void reshape(const CudnnTensor& x, const CudnnTensor& y) {
    const auto op = make(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    set(op, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x);
    set(op, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y);
    add(op);
  }
  /// 1 with probability `share`, else 0; seed and offset are arrays of one int64.
  void bernoulli(double share, const CudnnTensor& seed, const CudnnTensor& offset,
                 const CudnnTensor& y) {
    const auto how = make(CUDNN_BACKEND_RNG_DESCRIPTOR);
    const auto kind = CUDNN_RNG_DISTRIBUTION_BERNOULLI;
    set(how, CUDNN_ATTR_RNG_DISTRIBUTION, CUDNN_TYPE_RNG_DISTRIBUTION, kind);
    set(how, CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, CUDNN_TYPE_DOUBLE, share);
    finalize(how);
    const auto op = make(CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR);
    set(op, CUDNN_ATTR_OPERATION_RNG_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, how);
    set(op, CUDNN_ATTR_OPERATION_RNG_YDESC, y);
    set(op, CUDNN_ATTR_OPERATION_RNG_SEED, seed);
    set(op, CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC, offset);
    add(op);
  }

  /// Takes cuDNN's first engine for all operations, in its order, skipping those with one of the
  /// `refused` notes (a bit each) or a workspace of more than `most_bytes`; returns false, with the
  /// reason in `status`, if there is none.
  bool find_plan(cudnnHandle_t handle, unsigned refused = 0, int64_t most_bytes = INT64_MAX) {
    const auto graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle);
    set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations_.data(),
        static_cast<int64_t>(operations_.size()));
    finalize(graph);
    const auto heuristics = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    const auto mode = CUDNN_HEUR_MODE_A;
    set(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, graph);
    set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    finalize(heuristics);
    constexpr int most = 8;
    cudnnBackendDescriptor_t ways[most] = {};
    for (auto& way : ways) way = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    int64_t count = 0;
    if (status == CUDNN_STATUS_SUCCESS) {
      status = cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                        CUDNN_TYPE_BACKEND_DESCRIPTOR, most, &count, ways);
    }
    if (status != CUDNN_STATUS_SUCCESS) return false;
    status = CUDNN_STATUS_NOT_SUPPORTED;
    for (int64_t i = 0; i < count && i < most; ++i) {
      status = CUDNN_STATUS_SUCCESS;
      if ((notes(ways[i]) & refused) != 0) {
        status = CUDNN_STATUS_NOT_SUPPORTED;
        continue;
      }
      const auto candidate = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      set(candidate, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle);
      set(candidate, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR,
          ways[i]);
      finalize(candidate);
      if (status != CUDNN_STATUS_SUCCESS) continue;
      int64_t found = 0;
      status = cudnnBackendGetAttribute(candidate, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                        CUDNN_TYPE_INT64, 1, &found, &workspace);
      if (status == CUDNN_STATUS_SUCCESS && workspace > most_bytes) {
        status = CUDNN_STATUS_NOT_SUPPORTED;
      }
      if (status != CUDNN_STATUS_SUCCESS) continue;
      plan = candidate;
      return true;
    }
    return false;
  }

  /// Frees everything that was made.
  void drop() {
    for (auto i = made_.size(); i > 0; --i) cudnnBackendDestroyDescriptor(made_[i - 1]);
    made_.clear();
    operations_.clear();
    plan = nullptr;
  }

 private:
  std::vector<cudnnBackendDescriptor_t> made_;
  std::vector<cudnnBackendDescriptor_t> operations_;
  int64_t ids_ = 0;

  cudnnBackendDescriptor_t make(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made = nullptr;
    if (status != CUDNN_STATUS_SUCCESS) return made;
    status = cudnnBackendCreateDescriptor(type, &made);
    if (status == CUDNN_STATUS_SUCCESS) made_.push_back(made);
    return made;
  }
  template <class X>
  void set(cudnnBackendDescriptor_t of, cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type, const X* values, int64_t count) {
    if (status != CUDNN_STATUS_SUCCESS) return;
    status = cudnnBackendSetAttribute(of, name, type, count, values);
  }
  template <class X>
  void set(cudnnBackendDescriptor_t of, cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type, const X& value) {
    set(of, name, type, &value, 1);
  }
  void set(cudnnBackendDescriptor_t of, cudnnBackendAttributeName_t name, const CudnnTensor& x) {
    set(of, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, x.descriptor);
  }
  /// cuDNN's notes on an engine's numerics: cudnnBackendNumericalNote_t, a bit each.
  unsigned notes(cudnnBackendDescriptor_t way) {
    auto engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendNumericalNote_t found[CUDNN_NUMERICAL_NOTE_TYPE_COUNT] = {};
    int64_t count = 0;
    if (status != CUDNN_STATUS_SUCCESS ||
        cudnnBackendGetAttribute(way, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                 &count, &engine) != CUDNN_STATUS_SUCCESS ||
        cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                 CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &count,
                                 found) != CUDNN_STATUS_SUCCESS) {
      return 0;
    }
    unsigned all = 0;
    for (int64_t i = 0; i < count && i < CUDNN_NUMERICAL_NOTE_TYPE_COUNT; ++i) {
      all |= 1U << static_cast<unsigned>(found[i]);
    }
    return all;
  }
  void finalize(cudnnBackendDescriptor_t descriptor) {
    if (status == CUDNN_STATUS_SUCCESS) status = cudnnBackendFinalize(descriptor);
  }
  void add(cudnnBackendDescriptor_t operation) {
    finalize(operation);
    operations_.push_back(operation);
  }
  void pointwise(cudnnPointwiseMode_t mode, const CudnnTensor& x, const CudnnTensor* b,
                 const CudnnTensor* t, const CudnnTensor& y, int64_t axis = -1) {
    const auto how = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    set(how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
    const auto computed =
        y.type == CUDNN_DATA_BOOLEAN || (y.type == CUDNN_DATA_INT32 && b != nullptr)
            ? y.type
            : CUDNN_DATA_FLOAT;
    set(how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, computed);
    if (axis >= 0) set(how, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, axis);
    finalize(how);
    const auto op = make(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    set(op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_TYPE_BACKEND_DESCRIPTOR, how);
    set(op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
    if (b != nullptr) set(op, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b);
    if (t != nullptr) set(op, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, *t);
    set(op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    add(op);
  }
};

}  // namespace weft::on_cuda::detail

#endif
