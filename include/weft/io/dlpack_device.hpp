// What DLPack needs of a device: its number, and who waits for whom when memory changes hands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/io/dlpack_types.hpp"
#include "weft/tensor/access.hpp"

namespace weft {

/// The stream that the other library uses. For CUDA: a cudaStream_t, null for the legacy default
/// stream, with which weft's default stream is ordered.
struct DlpackOptions {
  void* stream = nullptr;
};

namespace detail {
/// A tensor that was handed over: where its elements are, and whom to tell when they are no longer
/// needed.
struct Foreign {
  void* low = nullptr;  // the lowest address of an element
  int64_t bytes = 0;    // from there to the end of the highest
  int ordinal = 0;
  void* managed = nullptr;
  void (*finish)(void* managed) = nullptr;
};

/// How device D supports DLPack; for CUDA in io/cuda.hpp.
///   static dlpack::Device device(const Storage* storage);
///   static bool is(int32_t device_type);
///   static void lend(Storage* storage, void* stream);         // the other one reads on `stream`
///   static Storage* adopt(const Foreign& x, void* stream);    // the other one wrote on `stream`
template <class D>
struct DlpackDevice;

template <>
struct DlpackDevice<Cpu> {
  static dlpack::Device device(const Storage*) { return {dlpack::cpu, 0}; }
  static bool is(std::int32_t type) { return type == dlpack::cpu || type == dlpack::cuda_host; }
  static void lend(Storage*, void*) {}
  static Storage* adopt(const Foreign& x, void*) {
    struct Adopted : Storage {
      Foreign foreign;
    };
    auto* const storage = new Adopted;
    storage->foreign = x;
    storage->data = x.low;
    storage->bytes = x.bytes;
    storage->borrowed = true;
    storage->release = [](Storage* s) noexcept {
      auto* const self = static_cast<Adopted*>(s);
      self->foreign.finish(self->foreign.managed);
      delete self;
    };
    return storage;
  }
};

/// Whether the header with D's part is included; if not, one compile error that names it.
template <class D>
constexpr bool can_exchange() {
  using Here = std::conditional_t<is_cuda<D>, Cuda, D>;
  constexpr bool here = requires { sizeof(DlpackDevice<Here>); };
  static_assert(here, "weft: DLPack tensors on Cuda are in <weft/io/cuda.hpp>: include it");
  return here;
}
}  // namespace detail

}  // namespace weft
