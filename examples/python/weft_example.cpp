// A Python module whose functions take and return tensors of any library, without copies.
// SPDX-License-Identifier: Apache-2.0
#include "capsule.hpp"

#include <nanobind/stl/tuple.h>

using namespace weft;

/// A new array: softmax along the last axis, while other Python threads run.
static Exported softmax_of(nb::handle object, std::uintptr_t stream) {
  return with_tensor<const float>(object, stream,
                                  [](const auto& x) { return Exported(Tensor(softmax(x))); });
}

/// Writes into the caller's own array.
static void scale(nb::handle object, float factor, std::uintptr_t stream) {
  with_tensor<float>(object, stream, [&](const auto& x) { x *= factor; });
}

NB_MODULE(weft_example, m) {
  nb::class_<Exported>(m, "Tensor")
      .def("__dlpack__", &Exported::dlpack)
      .def("__dlpack_device__", &Exported::device);
  m.def("softmax", &softmax_of, nb::arg("x"), nb::arg("stream") = 0);
  m.def("scale", &scale, nb::arg("x"), nb::arg("factor"), nb::arg("stream") = 0);
#if defined(__CUDACC__)
  m.attr("takes_gpu_arrays") = true;
#else
  m.attr("takes_gpu_arrays") = false;
#endif
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const Error& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
}
