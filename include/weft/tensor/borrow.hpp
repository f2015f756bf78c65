// borrow: a tensor over memory of your own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/access.hpp"

namespace weft {

/// A tensor over your own memory, which must outlive it. Strides are in elements.
template <class T, Device D = Cpu>
Tensor<T, D> borrow(T* data, const Shape& shape, const Strides& strides, D device = {}) {
  if (strides.rank() != shape.rank()) {
    fail<ShapeError>("borrow", "strides ", strides, " for shape ", shape,
                     ", expected one stride for each axis");
  }
  if (data == nullptr && shape.size() > 0) {
    fail<ValueError>("borrow", "a null pointer for shape ", shape, ", expected memory");
  }
  using U = std::remove_const_t<T>;
  const auto bytes = shape.size() * static_cast<int64_t>(sizeof(T));
  auto* memory = const_cast<U*>(data);
  return detail::Access::make<U, D>(StorageHandle(Memory<D>::borrow(device, memory, bytes)), memory,
                                    shape, strides);
}
template <class T, Device D = Cpu>
Tensor<T, D> borrow(T* data, const Shape& shape, D device = {}) {
  return borrow(data, shape, contiguous_strides(shape), device);
}

/// A tensor over your own memory, for which `deleter(data)` runs when the last tensor over it is
/// gone.
template <class T, class Deleter, Device D = Cpu>
  requires std::is_invocable_v<Deleter&, T*> Tensor<T, D> borrow(T* data, const Shape& shape,
                                                                 Deleter deleter, D device = {}) {
    struct Adopted : Storage {
      Storage* inner;
      T* memory;
      Deleter deleter;
      Adopted(Storage* s, T* d, Deleter f)
          : Storage(*s), inner(s), memory(d), deleter(static_cast<Deleter&&>(f)) {}
    };
    static_assert(std::is_same_v<D, Cpu>, "weft: borrow with a deleter is for memory on the CPU");
    auto* storage = new Adopted(Memory<D>::borrow(device, const_cast<std::remove_const_t<T>*>(data),
                                                  shape.size() * static_cast<int64_t>(sizeof(T))),
                                data, static_cast<Deleter&&>(deleter));
    storage->release = [](Storage* s) noexcept {
      auto* self = static_cast<Adopted*>(s);
      self->deleter(self->memory);
      self->inner->release(self->inner);
      delete self;
    };
    return detail::Access::make<std::remove_const_t<T>, D>(
        StorageHandle(storage), const_cast<std::remove_const_t<T>*>(data), shape,
        contiguous_strides(shape));
  }

}  // namespace weft
