// DLPack's capsules: any Python object's tensor as weft's, and weft's as one that Python libraries
// take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/io.hpp>
#include <weft/weft.hpp>

#if defined(__CUDACC__)
#include <weft/cuda.hpp>
#include <weft/cuda/reduce.hpp>
#include <weft/io/cuda.hpp>
#endif

#include <nanobind/nanobind.h>

#include <cstdint>
#include <tuple>
#include <utility>

namespace nb = nanobind;

/// Shares the elements of whatever has `__dlpack__`: arrays of NumPy, JAX and CuPy, PyTorch's
/// tensors. On a GPU `stream`, a cudaStream_t as a number, waits for them; 0 is the legacy default
/// stream, with which weft's own is ordered.
inline weft::DlpackTensor imported(nb::handle object, std::uintptr_t stream = 0) {
  const int device = nb::cast<int>(object.attr("__dlpack_device__")()[0]);
  const bool host = device == weft::dlpack::cpu || device == weft::dlpack::cuda_host;
  nb::dict arguments;
  if (!host) arguments["stream"] = stream != 0 ? stream : 1;  // DLPack's number for the default
  nb::object capsule;
  try {
    nb::dict newer;
    newer.update(arguments);
    newer["max_version"] = nb::make_tuple(1, 0);
    capsule = object.attr("__dlpack__")(**newer);
  } catch (nb::python_error& error) {  // from before DLPack 1.0
    if (!error.matches(PyExc_TypeError)) throw;
    capsule = object.attr("__dlpack__")(**arguments);
  }
  // Renamed, a capsule no longer runs the deleter when it dies: weft does.
  const bool versioned = PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0;
  const char* const name = versioned ? "dltensor_versioned" : "dltensor";
  void* const managed = PyCapsule_GetPointer(capsule.ptr(), name);
  if (managed == nullptr) throw nb::python_error();
  PyCapsule_SetName(capsule.ptr(), versioned ? "used_dltensor_versioned" : "used_dltensor");
  const weft::DlpackOptions options{reinterpret_cast<void*>(stream)};
  if (versioned) {
    return weft::from_dlpack(static_cast<weft::dlpack::ManagedVersioned*>(managed), options);
  }
  return weft::from_dlpack(static_cast<weft::dlpack::Managed*>(managed), options);
}

/// Calls f with the object's tensor on the device it is on, on a GPU with `stream` as the current
/// stream, while other Python threads run. T is const if f does not write.
template <class T, class F>
auto with_tensor(nb::handle object, std::uintptr_t stream, const F& f) {
  weft::DlpackTensor x = imported(object, stream);
#if defined(__CUDACC__)
  if (!x.is_on_cpu()) {
    const weft::Tensor there = std::move(x).get<T, weft::Cuda>();
    const nb::gil_scoped_release free;
    if (stream == 0) return f(there);
    const auto theirs =
        weft::cuda::Stream::borrow(reinterpret_cast<cudaStream_t>(stream), there.device());
    const weft::cuda::StreamGuard guard(theirs);
    return f(there);
  }
#endif
  const weft::Tensor here = std::move(x).get<T>();
  const nb::gil_scoped_release free;
  return f(here);
}

/// What NumPy, PyTorch and others turn into an array without copying, by their from_dlpack().
class Exported {
 public:
  explicit Exported(weft::Tensor<float> x) : here_(std::move(x)) {}
#if defined(__CUDACC__)
  explicit Exported(weft::Tensor<float, weft::Cuda> x) : there_(std::move(x)), on_gpu_(true) {}
#endif

  /// The consumer says `stream`: it waits for weft, and weft for it before it writes again.
  nb::object dlpack(nb::kwargs arguments) const {
    const nb::object version = arguments.get("max_version", nb::none());
    const bool versioned = !version.is_none() && nb::cast<int>(version[0]) >= 1;
#if defined(__CUDACC__)
    if (on_gpu_) {
      const nb::object stream = arguments.get("stream", nb::none());
      const auto number = stream.is_none() ? 0 : nb::cast<std::intptr_t>(stream);
      // None, -1, 0 and 1 stand for no particular stream, or the legacy default stream.
      return capsule(there_, versioned, {number > 1 ? reinterpret_cast<void*>(number) : nullptr});
    }
#endif
    return capsule(here_, versioned, {});
  }
  std::tuple<int, int> device() const {
#if defined(__CUDACC__)
    if (on_gpu_) return {weft::dlpack::cuda, there_.device().ordinal};
#endif
    return {weft::dlpack::cpu, 0};
  }

 private:
  template <class X>
  static nb::object capsule(const X& x, bool versioned, weft::DlpackOptions options) {
    if (versioned) return capsule("dltensor_versioned", weft::to_dlpack(x, options));
    return capsule("dltensor", weft::to_dlpack_legacy(x, options));
  }

  template <class Owner>
  static nb::object capsule(const char* name, Owner owner) {
    using M = typename Owner::element_type;
    // A capsule that nobody has taken still has its original name.
    const auto destroy = [](PyObject* self) {
      const char* const now = PyCapsule_GetName(self);
      if (now[0] == 'd') weft::dlpack::Delete{}(static_cast<M*>(PyCapsule_GetPointer(self, now)));
    };
    PyObject* const made = PyCapsule_New(owner.get(), name, destroy);
    if (made == nullptr) throw nb::python_error();
    owner.release();
    return nb::steal(made);
  }

  weft::Tensor<float> here_;
#if defined(__CUDACC__)
  weft::Tensor<float, weft::Cuda> there_;
  bool on_gpu_ = false;
#endif
};
