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
/// along x instead. On a GPU, where F::neighbours > 1 and f.takes_neighbours(), a thread calls
/// f.compute(place, values) for as many results along x, and stores them at f.target(place) on,
/// f.step_of_targets() apart.
template <class D>
struct Visitor;

namespace conv {

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
