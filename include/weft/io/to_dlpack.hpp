// to_dlpack: a tensor for another library, without copying.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/io/dlpack_device.hpp"

namespace weft {

namespace detail {
/// The record that is handed over, and what it points to.
template <class M, class T, class D>
struct Lent {
  M managed{};
  Tensor<T, D> tensor;  // an owner, so that weft does not write into its elements unasked
  int64_t shape[max_rank] = {};
  int64_t strides[max_rank] = {};
};

template <class M, class T, class D>
M* lend(const Tensor<T, D>& x, const DlpackOptions& options) {
  using There = DlpackDevice<std::conditional_t<is_cuda<D>, Cuda, D>>;
  constexpr dlpack::DataType type = dlpack::type_of(dtype_of<std::remove_const_t<T>>);
  static_assert(type.code != 255, "weft: DLPack has no Dual numbers: export the values");
  if (x.storage() != nullptr) There::lend(x.storage(), options.stream);
  auto* const lent = new Lent<M, T, D>{{}, x};
  for (int i = 0; i < x.rank(); ++i) {
    lent->shape[i] = x.shape()[i];
    lent->strides[i] = x.strides()[i];
  }
  lent->managed.tensor = {const_cast<void*>(static_cast<const void*>(x.data())),
                          There::device(x.storage()),
                          x.rank(),
                          type,
                          lent->shape,
                          lent->strides,
                          0};
  lent->managed.context = lent;
  lent->managed.deleter = [](M* self) { delete static_cast<Lent<M, T, D>*>(self->context); };
  return &lent->managed;
}

/// The tensor of a tensor, an expression or a Var.
template <class X>
auto to_lend(const X& x) {
  if constexpr (requires { x.detach(); }) {
    return x.detach();
  } else if constexpr (TensorLike<X>) {
    return x;
  } else {
    return Tensor(x);
  }
}
}  // namespace detail

/// The elements of a tensor (an expression is evaluated, a Var gives its values) for another
/// library, shared with it: DLPack 1.0. Tensor<const T> is marked read-only. The recipient of the
/// pointer from release() must call its deleter, in any thread. On CUDA the consumer's stream waits
/// for earlier writes, and weft's later writes wait for that stream.
template <class X>
dlpack::Owned to_dlpack(const X& x, DlpackOptions options = {}) {
  const auto tensor = detail::to_lend(x);
  using T = std::remove_pointer_t<decltype(tensor.data())>;
  if constexpr (detail::can_exchange<
                    typename std::remove_cvref_t<decltype(tensor)>::device_type>()) {
    auto* const out = detail::lend<dlpack::ManagedVersioned>(tensor, options);
    out->major = 1;
    out->flags = std::is_const_v<T> ? dlpack::read_only : 0;
    return dlpack::Owned(out);
  } else {
    return nullptr;
  }
}

/// The same for libraries from before DLPack 1.0.
template <class X>
dlpack::OwnedLegacy to_dlpack_legacy(const X& x, DlpackOptions options = {}) {
  const auto tensor = detail::to_lend(x);
  using T = std::remove_pointer_t<decltype(tensor.data())>;
  static_assert(!std::is_const_v<T>,
                "weft: before version 1 DLPack could not say that elements are read-only: "
                "write to_dlpack(x), or export x.clone()");
  if constexpr (detail::can_exchange<
                    typename std::remove_cvref_t<decltype(tensor)>::device_type>()) {
    return dlpack::OwnedLegacy(detail::lend<dlpack::Managed>(tensor, options));
  } else {
    return nullptr;
  }
}

}  // namespace weft
