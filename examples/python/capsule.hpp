// DLPack's capsules: any Python object's tensor as weft's, and weft's as one that Python libraries
// take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/io.hpp>
#include <weft/weft.hpp>

#include <nanobind/nanobind.h>

#include <tuple>

namespace nb = nanobind;

/// Shares the elements of whatever has `__dlpack__`: arrays of NumPy, JAX and CuPy, PyTorch's
/// tensors.
inline weft::DlpackTensor imported(nb::handle object) {
  nb::object capsule;
  try {
    capsule = object.attr("__dlpack__")(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error& error) {  // from before DLPack 1.0
    if (!error.matches(PyExc_TypeError)) throw;
    capsule = object.attr("__dlpack__")();
  }
  // Renamed, a capsule no longer runs the deleter when it dies: weft does.
  const bool versioned = PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0;
  const char* const name = versioned ? "dltensor_versioned" : "dltensor";
  void* const managed = PyCapsule_GetPointer(capsule.ptr(), name);
  if (managed == nullptr) throw nb::python_error();
  PyCapsule_SetName(capsule.ptr(), versioned ? "used_dltensor_versioned" : "used_dltensor");
  if (versioned) return weft::from_dlpack(static_cast<weft::dlpack::ManagedVersioned*>(managed));
  return weft::from_dlpack(static_cast<weft::dlpack::Managed*>(managed));
}

/// What NumPy, PyTorch and others turn into an array without copying, by their from_dlpack().
class Exported {
 public:
  explicit Exported(weft::Tensor<float> x) : x_(std::move(x)) {}

  nb::object dlpack(nb::kwargs arguments) const {
    const nb::object version = arguments.get("max_version", nb::none());
    if (!version.is_none() && nb::cast<int>(version[0]) >= 1) {
      return capsule("dltensor_versioned", weft::to_dlpack(x_));
    }
    return capsule("dltensor", weft::to_dlpack_legacy(x_));
  }
  std::tuple<int, int> device() const { return {weft::dlpack::cpu, 0}; }

 private:
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

  weft::Tensor<float> x_;
};
