// Recurrent layers on CUDA by cuDNN, where a program is built with weft::cudnn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/cudnn_use.hpp"

#if defined(WEFT_CUDNN)

#include "weft/cuda/linalg/cudnn.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/tf32.hpp"
#include "weft/ops/linalg/recurrent.hpp"

namespace weft {

namespace on_cuda::detail {

/// cuDNN's descriptions of a problem, for the length of a scope.
class CudnnRnn {
 public:
  cudnnRNNDescriptor_t layers = nullptr;
  cudnnRNNDataDescriptor_t x = nullptr;
  cudnnRNNDataDescriptor_t y = nullptr;
  cudnnTensorDescriptor_t h = nullptr;
  cudnnTensorDescriptor_t c = nullptr;
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

  [[gnu::noinline]] CudnnRnn(cudnnHandle_t handle, const RecurrentProblem& p, cudnnDataType_t type,
                             bool exact) {
    note(cudnnCreateRNNDescriptor(&layers));
    note(cudnnCreateDropoutDescriptor(&dropout_));
    note(cudnnCreateRNNDataDescriptor(&x));
    note(cudnnCreateRNNDataDescriptor(&y));
    note(cudnnCreateTensorDescriptor(&h));
    note(cudnnCreateTensorDescriptor(&c));
    if (status != CUDNN_STATUS_SUCCESS) return;
    note(cudnnSetDropoutDescriptor(dropout_, handle, 0, nullptr, 0, 0));
    const auto sums = type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const bool narrow = type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16;
    constexpr cudnnRNNMode_t cells[] = {CUDNN_RNN_TANH, CUDNN_RNN_RELU, CUDNN_LSTM, CUDNN_GRU};
    note(cudnnSetRNNDescriptor_v8(
        layers, CUDNN_RNN_ALGO_STANDARD, cells[static_cast<int>(p.cell)],
        p.bias ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_NO_BIAS,
        p.directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, type,
        sums,
        narrow  ? CUDNN_TENSOR_OP_MATH
        : exact ? CUDNN_FMA_MATH
                : CUDNN_DEFAULT_MATH,
        number(p.in), number(p.width), number(p.out), number(p.layers), dropout_,
        p.lengths.empty() ? CUDNN_RNN_PADDED_IO_DISABLED : CUDNN_RNN_PADDED_IO_ENABLED));
    const std::vector<int> lengths =
        p.lengths.empty() ? std::vector<int>(static_cast<std::size_t>(p.batch), number(p.time))
                          : p.lengths;
    const auto layout = p.lengths.empty() ? CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED
                                          : CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
    double zero = 0;  // of any type, behind the sequences' ends
    const auto place = [&](cudnnRNNDataDescriptor_t to, int64_t columns) {
      note(cudnnSetRNNDataDescriptor(to, type, layout, number(p.time), number(p.batch),
                                     number(columns), lengths.data(), &zero));
    };
    place(x, p.in);
    place(y, p.directions * p.out);
    const auto state = [&](cudnnTensorDescriptor_t to, int64_t columns) {
      const int size[] = {number(p.layers * p.directions), number(p.batch), number(columns)};
      const int stride[] = {size[1] * size[2], size[2], 1};
      note(cudnnSetTensorNdDescriptor(to, type, 3, size, stride));
    };
    state(h, p.out);
    state(c, p.width);
  }
  ~CudnnRnn() {
    cudnnDestroyTensorDescriptor(c);
    cudnnDestroyTensorDescriptor(h);
    cudnnDestroyRNNDataDescriptor(y);
    cudnnDestroyRNNDataDescriptor(x);
    cudnnDestroyDropoutDescriptor(dropout_);
    cudnnDestroyRNNDescriptor(layers);
  }
  CudnnRnn(const CudnnRnn&) = delete;
  CudnnRnn& operator=(const CudnnRnn&) = delete;

  /// Where each weight goes; false if a weight's gates are not consecutive.
  [[gnu::noinline]] bool place(cudnnHandle_t handle, const RecurrentProblem& p, int64_t bytes_each,
                               RecurrentWeightSpace& to) {
    std::size_t bytes = 0;
    note(cudnnGetRNNWeightSpaceSize(handle, layers, &bytes));
    if (status != CUDNN_STATUS_SUCCESS) return false;
    to.count = static_cast<int64_t>(bytes) / bytes_each;
    char* const base = reinterpret_cast<char*>(std::uintptr_t{1} << 20);  // only counted from
    cudnnTensorDescriptor_t matrix = nullptr;
    cudnnTensorDescriptor_t bias = nullptr;
    note(cudnnCreateTensorDescriptor(&matrix));
    note(cudnnCreateTensorDescriptor(&bias));
    bool follows = true;
    const auto gates = static_cast<int>(p.gates());
    for (int64_t k = 0; k < p.layers * p.directions; ++k) {
      const auto find = [&](int number, bool of_bias) {
        void* m = nullptr;
        void* b = nullptr;
        note(cudnnGetRNNWeightParams(handle, layers, static_cast<int>(k), bytes, base, number,
                                     matrix, &m, bias, &b));
        return (static_cast<char*>(of_bias ? b : m) - base) / bytes_each;
      };
      const auto add = [&](int number, int count, bool of_bias, int64_t each) {
        const int64_t first = find(number, of_bias);
        for (int i = 1; i < count; ++i) {
          follows = follows && find(number + i, of_bias) == first + i * each;
        }
        to.first.push_back(first);
      };
      const int64_t in = k < p.directions ? p.in : p.directions * p.out;
      add(0, gates, false, p.width * in);
      add(gates, gates, false, p.width * p.out);
      if (p.bias) add(0, gates, true, p.width);
      if (p.bias) add(gates, gates, true, p.width);
      if (p.projects()) add(2 * gates, 1, false, 0);
    }
    cudnnDestroyTensorDescriptor(bias);
    cudnnDestroyTensorDescriptor(matrix);
    return follows && status == CUDNN_STATUS_SUCCESS;
  }

 private:
  cudnnDropoutDescriptor_t dropout_ = nullptr;

  static int number(int64_t x) { return static_cast<int>(x); }
  void note(cudnnStatus_t next) {
    if (status == CUDNN_STATUS_SUCCESS) status = next;
  }
};

}  // namespace on_cuda::detail

template <>
struct RecurrentLibrary<Cuda> {
  /// A single layer with large products is faster by weft's own steps.
  template <class T, class D>
  static bool place(const RecurrentProblem& p, D device, RecurrentWeightSpace& to) {
    constexpr int64_t most = INT32_MAX / 8;
    if (!on_cuda::use_cudnn() || p.batch == 0 || p.time > most / p.batch) return false;
    if (p.in > most || p.width > most / p.gates()) return false;
    if (p.layers * p.directions == 1 && p.batch * p.width >= 65536) return false;
    const Run run(p.operation, device);
    on_cuda::detail::CudnnRnn rnn(run.handle, p, on_cuda::detail::cudnn_type<T>(), is_exact<T>());
    return rnn.place(run.handle, p, sizeof(T), to);
  }

  template <class T, class D>
  static void forward(const RecurrentProblem& p, const RecurrentArrays<T, D>& at,
                      Tensor<std::uint8_t, D>& kept) {
    const Run run(p.operation, at.x.device());
    on_cuda::detail::CudnnRnn rnn(run.handle, p, on_cuda::detail::cudnn_type<T>(), is_exact<T>());
    const auto mode = p.records ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
    Room<D> room(run, p, rnn, mode, at.x.device());
    kept = room.kept;
    for (const auto* x : {&at.x, &at.weights, &at.h0, &at.c0}) run.reads(*x);
    for (const auto* x : {&at.y, &at.h, &at.c}) run.writes(*x);
    const on_cuda::detail::ObservedLaunch observed({"forward", p.operation});
    on_cuda::check(
        cudnnRNNForward(run.handle, rnn.layers, mode, nullptr, rnn.x, at.x.data(), rnn.y,
                        at.y.data(), rnn.h, data(at.h0), data(at.h), rnn.c, data(at.c0), data(at.c),
                        bytes(at.weights), at.weights.data(), bytes(room.work), data(room.work),
                        bytes(room.kept), data(room.kept)),
        p.operation, "evaluating layers over (time, batch, width) ", at.x.shape());
  }

  template <class T, class D>
  static void backward(const RecurrentProblem& p, const RecurrentArrays<T, D>& of,
                       const Tensor<std::uint8_t, D>& kept, const RecurrentArrays<T, D>& from,
                       const RecurrentArrays<T, D>& to) {
    const Run run(p.operation, of.x.device());
    on_cuda::detail::CudnnRnn rnn(run.handle, p, on_cuda::detail::cudnn_type<T>(), is_exact<T>());
    Room<D> room(run, p, rnn, CUDNN_FWD_MODE_TRAINING, of.x.device(), kept);
    for (const auto* x : {&of.x, &of.weights, &of.h0, &of.c0, &of.y, &from.y, &from.h, &from.c}) {
      run.reads(*x);
    }
    to.weights.fill(compute_t<T>(0));
    for (const auto* x : {&to.x, &to.h0, &to.c0, &to.weights}) run.writes(*x);
    const on_cuda::detail::ObservedLaunch observed({"backward", p.operation});
    on_cuda::check(cudnnRNNBackwardData_v8(
                       run.handle, rnn.layers, nullptr, rnn.y, of.y.data(), from.y.data(), rnn.x,
                       to.x.data(), rnn.h, data(of.h0), data(from.h), data(to.h0), rnn.c,
                       data(of.c0), data(from.c), data(to.c0), bytes(of.weights), of.weights.data(),
                       bytes(room.work), data(room.work), bytes(kept), data(kept)),
                   p.operation, "the gradients of inputs of shape ", of.x.shape());
    on_cuda::check(cudnnRNNBackwardWeights_v8(
                       run.handle, rnn.layers, CUDNN_WGRAD_MODE_ADD, nullptr, rnn.x, of.x.data(),
                       rnn.h, data(of.h0), rnn.y, of.y.data(), bytes(to.weights), to.weights.data(),
                       bytes(room.work), data(room.work), bytes(kept), data(kept)),
                   p.operation, "the gradients of weights for inputs of shape ", of.x.shape());
  }

 private:
  /// The device, stream and handle of a call.
  struct Run {
    Cuda device;
    on_cuda::DeviceGuard guard;
    on_cuda::Stream stream;
    on_cuda::detail::CudnnHandle handle;
    on_cuda::detail::RelaxedCapture relaxed;  // cuDNN loads its kernels at their first use

    Run(const char* operation, Cuda on)
        : device(on),
          guard(on),
          stream(on_cuda::current_stream(on)),
          handle(operation, on.ordinal, stream.handle()) {}
    template <class X>
    void reads(const X& x) const {
      if (x.size() > 0) on_cuda::order_read(x.storage(), stream);
    }
    template <class X>
    void writes(const X& x) const {
      if (x.size() > 0) on_cuda::order_write(x.storage(), stream);
    }
  };
  /// Memory to work in, and to keep.
  template <class D>
  struct Room {
    Tensor<std::uint8_t, D> work;
    Tensor<std::uint8_t, D> kept;

    Room(const Run& run, const RecurrentProblem& p, on_cuda::detail::CudnnRnn& rnn,
         cudnnForwardMode_t mode, D device, Tensor<std::uint8_t, D> old = {})
        : kept(old) {
      on_cuda::check(rnn.status, p.operation, "describing layers");
      std::size_t to_work = 0;
      std::size_t to_keep = 0;
      on_cuda::check(
          cudnnGetRNNTempSpaceSizes(run.handle, rnn.layers, mode, rnn.x, &to_work, &to_keep),
          p.operation, "asking for memory");
      const auto make = [&](std::size_t bytes) {
        return detail::Access::allocate<std::uint8_t, D>({static_cast<int64_t>(bytes)}, device);
      };
      work = make(to_work);
      if (mode == CUDNN_FWD_MODE_TRAINING && kept.size() == 0) kept = make(to_keep);
      run.writes(work);
      run.writes(kept);
    }
  };

  template <class T>
  static bool is_exact() {
    return std::is_same_v<T, float> && !on_cuda::allow_tf32();
  }
  template <class X>
  static auto* data(const X& x) {
    return x.size() > 0 ? x.data() : nullptr;
  }
  template <class X>
  static std::size_t bytes(const X& x) {
    return static_cast<std::size_t>(x.size()) * sizeof(typename X::value_type);
  }
};

}  // namespace weft

#endif
