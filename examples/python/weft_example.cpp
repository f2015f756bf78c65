// A Python module whose functions take and return tensors of any library, without copies.
// SPDX-License-Identifier: Apache-2.0
#include "capsule.hpp"

#include <nanobind/stl/tuple.h>

using namespace weft;

/// A new array: softmax along the last axis, while other Python threads run.
static Exported softmax_of(nb::handle object) {
  const Tensor<const float> x = imported(object).get<const float>();
  const nb::gil_scoped_release free;
  return Exported(Tensor(softmax(x)));
}

/// Writes into the caller's own array.
static void scale(nb::handle object, float factor) {
  const Tensor x = imported(object).get<float>();
  const nb::gil_scoped_release free;
  x *= factor;
}

NB_MODULE(weft_example, module) {
  nb::class_<Exported>(module, "Tensor")
      .def("__dlpack__", &Exported::dlpack)
      .def("__dlpack_device__", &Exported::device);
  module.def("softmax", &softmax_of);
  module.def("scale", &scale);
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const Error& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
}
