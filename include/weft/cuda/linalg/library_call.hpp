// A call of cuSOLVER or cuBLAS: its device, stream, handles, memory and errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/cusolver.hpp"
#include "weft/cuda/linalg/small_solver.hpp"

#if defined(__CUDACC__) && defined(WEFT_CUSOLVER)

#include <vector>

namespace weft::on_cuda {

/// What the functions of LibraryFactors and LibrarySolver share.
struct LibraryCalls : SmallSolver {
  template <class T, class D>
  using Columns = linalg::Columns<T, D>;

 protected:
  template <class T>
  using Functions = detail::SolverFunctions<T>;
  template <class T>
  using Foreign = typename Functions<T>::type;
  template <class T>
  static constexpr cudaDataType data = Functions<T>::data;

  /// The libraries take 32-bit sizes in their older functions.
  static int small(int64_t n) {
    if (n > INT32_MAX) fail<ShapeError>("linalg", "a size of ", n, " on Cuda, expected below 2^31");
    return static_cast<int>(n);
  }
  /// The device, stream and library handles of one function, and the work around its calls.
  struct Call {
    const char* operation;
    Cuda device;
    DeviceGuard guard;
    Stream stream;
    detail::Solvers handles;
    Failure* failure;

    template <class X, class... Xs>
    explicit Call(const char* name, const X& x, const Xs&... tensors)
        : operation(name),
          device{x.storage()->ordinal},
          guard(device),
          stream(stream_of(device, x.storage(), tensors.storage()...)),
          handles(name, device.ordinal, stream.handle()),
          failure(failure_flag(device)) {}

    void check(cusolverStatus_t status, const char* call) const {
      on_cuda::check(status, operation, call);
    }
    void check_blas(cublasStatus_t status, const char* call) const {
      on_cuda::check_blas(status, operation, call);
    }
    /// The call with the memory that it asks for, on the device and on the host.
    template <class Size, class F>
    void with_room(const Size& size, const F& f, const char* name) const {
      std::size_t on_device = 0;
      std::size_t on_host = 0;
      check(size(&on_device, &on_host), name);
      StorageHandle room;
      if (on_device > 0) {
        room = StorageHandle(Memory<Cuda>::allocate(device, static_cast<int64_t>(on_device)));
      }
      std::vector<char> host(on_host);
      {
        const weft::detail::Name called{operation};
        const detail::ObservedLaunch observed(called);
        check(f(room ? room->data : nullptr, on_device, host.data(), on_host), name);
      }
      // The host's memory may be read until the call is over.
      if (on_host > 0) on_cuda::check(cudaStreamSynchronize(stream.handle()), operation);
    }
    /// A function whose memory is requested with the same arguments.
    template <class Size, class F, class... Xs>
    void run(const char* name, Size* size, F* f, int* info, const Xs&... arguments) const {
      with_room(
          [&](auto... room) { return size(handles.solver, handles.params, arguments..., room...); },
          [&](auto... room) {
            return f(handles.solver, handles.params, arguments..., room..., info);
          },
          name);
    }
    void launch(const void* kernel, int64_t items, void** arguments) const {
      constexpr int threads = 256;
      const int64_t blocks = (items + threads - 1) / threads;
      const weft::detail::Name name{operation};
      detail::launch(name, Shape{items}, kernel, static_cast<unsigned>(blocks), threads, arguments,
                     stream);
    }
    template <class D>
    void report(const Tensor<int, D>& info, const char* fact, bool has_pivot) const {
      const int* at = info.data();
      long long count = info.size();
      Failure* record = failure;
      const char* name = operation;
      int ordinal = device.ordinal;
      void* arguments[] = {&at, &count, &has_pivot, &record, &name, &fact, &ordinal};
      launch(reinterpret_cast<const void*>(report_info<int>), count, arguments);
    }

   private:
    template <class... S>
    static Stream stream_of(Cuda device, S*... storages) {
      const Stream current = current_stream(device);
      const auto order = [&](Storage* storage) {
        if (storage != nullptr) order_write(storage, current);
      };
      (order(storages), ...);
      return current;
    }
  };

  /// The addresses of a batch's matrices, on the device, as the libraries take them.
  template <class T>
  struct Addresses {
    StorageHandle list;
    operator Foreign<T>**() const { return static_cast<Foreign<T>**>(list->data); }
    operator Foreign<T>* const*() const { return static_cast<Foreign<T>* const*>(list->data); }
    operator const Foreign<T>* const*() const {
      return static_cast<const Foreign<T>* const*>(list->data);
    }
  };
  template <class T, class D>
  static Addresses<T> matrices(const Call& call, const Columns<T, D>& a) {
    long long count = a.count();
    StorageHandle list(Memory<Cuda>::allocate(call.device, count * int64_t{sizeof(T*)}));
    T** out = static_cast<T**>(list->data);
    T* first = a.data();
    long long step = a.rows() * a.columns();
    void* arguments[] = {&out, &first, &step, &count};
    call.launch(reinterpret_cast<const void*>(list_matrices<T>), count, arguments);
    return {static_cast<StorageHandle&&>(list)};
  }
};

}  // namespace weft::on_cuda
#endif
