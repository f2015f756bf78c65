// conv::visit: calls a function at each place of a batch of images, on the images' device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/problem.hpp"

namespace weft {

/// The loops over images of device D (cpu/conv/visit.hpp, cuda/conv/visit.hpp):
///   template <class F>
///   static void run(const char* operation, D, const conv::Volume&, const F&,
///                   std::initializer_list<Storage*> reads, std::initializer_list<Storage*>
///                   writes);
/// F is trivially copyable and is called with each conv::Place, in any order and several at once.
/// On the CPU f.row(place, count), if there is one, is called with the first of `count` places
/// along x instead. An F with a member `look` splits a call into what depends on the place within
/// a plane, which a GPU's thread computes once for many planes, and the rest:
///   f.look<V>(place)            anything
///   f.compute(looked, plane, T (&values)[V])    the results at the place and behind it along x
///   f.target(plane), f.within(place)    where they go: from target + within on
///   F::neighbours, f.takes_neighbours()    how many a thread may compute, beside 1; it is asked
///                                          for more only where they lie side by side
template <class D>
struct Visitor;

namespace conv {

/// Calls f at a place.
template <class F>
WEFT_HD void visit_one(const F& f, const Place& at) {
  if constexpr (requires { f.template look<1>(at); }) {
    const Plane plane{static_cast<unsigned>(at.n), static_cast<unsigned>(at.c)};
    std::remove_reference_t<decltype(*f.target(plane))> value[1];
    f.compute(f.template look<1>(at), plane, value);
    f.target(plane)[f.within(at)] = value[0];
  } else {
    f(at);
  }
}

/// Calls f at each place of the volume. `reads` and `writes` are the tensors it touches.
template <class D, class F>
void visit(const char* operation, D device, const Volume& volume, const F& f,
           std::initializer_list<Storage*> reads, std::initializer_list<Storage*> writes) {
  using Loops = std::conditional_t<is_cuda<D>, Cuda, D>;
  constexpr bool here = requires { sizeof(Visitor<Loops>); };
  static_assert(here || !is_cuda<D>,
                "weft: for images on Cuda include <weft/cuda/conv.hpp>, and <weft/cuda/window.hpp> "
                "for pooling alone");
  static_assert(here || is_cuda<D>, "weft: for images on Cpu include <weft/conv.hpp>");
  if constexpr (here) {
    if (volume.count() > 0) Visitor<Loops>::run(operation, device, volume, f, reads, writes);
  }
}

}  // namespace conv
}  // namespace weft
