// Cpu, Cuda and CudaAt<N>: where a tensor lives, as a type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "weft/core/config.hpp"
#include "weft/core/text.hpp"

namespace weft {

/// The host's memory and processor cores.
struct Cpu {
  static constexpr int ordinal = -1;
  friend constexpr bool operator==(Cpu, Cpu) { return true; }
};

/// An NVIDIA GPU. `Cuda{1}` is the second one; `Cuda{}` the current one at the time of the call.
struct Cuda {
  static constexpr int current = -1;
  int ordinal = current;
  friend constexpr bool operator==(Cuda, Cuda) = default;
};

/// The GPU number N, fixed in the type: CudaAt<0> and CudaAt<1> do not mix at compile time.
template <int N>
struct CudaAt {
  static constexpr int ordinal = N;
  constexpr operator Cuda() const { return Cuda{N}; }
  friend constexpr bool operator==(CudaAt, CudaAt) { return true; }
};

/// The device of operands without one (scalars, generators): combines with every device.
struct AnyDevice {
  static constexpr int ordinal = -1;
};

template <class D>
inline constexpr bool is_cuda = std::is_same_v<D, Cuda>;
template <int N>
inline constexpr bool is_cuda<CudaAt<N>> = true;

/// A place where tensors can live.
template <class D>
concept Device = std::is_same_v<D, Cpu> || is_cuda<D>;

/// What two devices that do not mix have in common.
struct NoDevice {};

namespace detail {
template <class A, class B>
struct CommonDevice {
  using type = std::conditional_t<is_cuda<A> && is_cuda<B>, Cuda, NoDevice>;
};
template <class A>
struct CommonDevice<A, A> {
  using type = A;
};
template <class A>
struct CommonDevice<A, AnyDevice> {
  using type = A;
};
template <class B>
struct CommonDevice<AnyDevice, B> {
  using type = B;
};
template <>
struct CommonDevice<AnyDevice, AnyDevice> {
  using type = AnyDevice;
};
template <int M, int N>
  requires(M != N)
struct CommonDevice<CudaAt<M>, CudaAt<N>> {
  using type = NoDevice;
};
}  // namespace detail

/// The device of an expression over operands on A and on B; NoDevice when they do not mix.
template <class A, class B>
using common_device_t = typename detail::CommonDevice<A, B>::type;

inline Text text(Cpu) { return "cpu"; }
WEFT_ONCE inline Text text(Cuda d) {
  return d.ordinal < 0 ? "cuda" : "cuda:" + detail::text(d.ordinal);
}
template <int N>
Text text(CudaAt<N>) {
  return text(Cuda{N});
}

}  // namespace weft
