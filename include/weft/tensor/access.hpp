// Access: how the evaluation and the factories reach a tensor's parts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/tensor.hpp"

namespace weft::detail {

struct Access {
  /// Throws if a shape has a negative size.
  static void check_sizes(const char* operation, const Shape& shape) {
    for (int64_t size : shape) {
      if (size < 0) fail<ShapeError>(operation, "shape ", shape, ", expected sizes of at least 0");
    }
  }

  template <class T, class D>
  static Tensor<T, D> make(StorageHandle storage, T* data, const Shape& shape,
                           const Strides& strides) {
    return {static_cast<StorageHandle&&>(storage), data, shape, strides};
  }

  /// New, uninitialised, contiguous storage.
  template <class T, class D>
  WEFT_OUTLINED static Tensor<T, D> allocate(const Shape& shape, D device,
                                             const char* operation = "empty") {
    check_sizes(operation, shape);
    int64_t bytes = 0;
    if (__builtin_mul_overflow(shape.size(), static_cast<int64_t>(sizeof(T)), &bytes)) {
      fail<OutOfMemory>(operation, "the bytes of shape ", shape, " do not fit in 63 bits");
    }
    StorageHandle storage(allocate_bytes(device, bytes));
    T* data = static_cast<T*>(storage->data);
    return make<T, D>(static_cast<StorageHandle&&>(storage), data, shape,
                      contiguous_strides(shape));
  }

  template <class D>
  static Storage* allocate_bytes([[maybe_unused]] D device, [[maybe_unused]] int64_t bytes) {
    if constexpr (is_included<D>()) return Memory<D>::allocate(device, bytes);
    return nullptr;
  }

  template <class T, class D>
  static const StorageHandle& storage(const Tensor<T, D>& x) {
    return x.storage_;
  }

  /// A handle to the same elements as non-const ones, for reading.
  template <class T, class D>
  static Tensor<std::remove_const_t<T>, D> unconst(Tensor<T, D> x) {
    if constexpr (std::is_const_v<T>) {
      return x.unconst();
    } else {
      return x;
    }
  }

  /// Gives a contiguous tensor another shape with the same number of elements.
  template <class T, class D>
  static void set_shape(Tensor<T, D>& x, const Shape& shape) {
    x.shape_ = shape;
    x.strides_ = contiguous_strides(shape);
  }

  /// The handle as an operand, for reading, constructed in place: it notes the storage's version.
  template <class T, class D>
  WEFT_OUTLINED static Tensor<std::remove_const_t<T>, D> operand(const Tensor<T, D>& x) noexcept {
    using U = std::remove_const_t<T>;
    return {StorageHandle(x.storage_), const_cast<U*>(x.data()), x.shape_, x.strides_,
            x.storage_ ? x.storage_->current_version() + 1 : 0};
  }
  template <class T, class D>
  WEFT_OUTLINED static Tensor<std::remove_const_t<T>, D> operand(Tensor<T, D>&& x) noexcept {
    using U = std::remove_const_t<T>;
    const unsigned long version = x.storage_ ? x.storage_->current_version() + 1 : 0;
    Tensor<T, D> taken = static_cast<Tensor<T, D>&&>(x);
    return {static_cast<StorageHandle&&>(taken.storage_), const_cast<U*>(taken.data()),
            taken.shape_, taken.strides_, version};
  }
  /// False when the storage was written since the handle became an operand.
  template <class T, class D>
  static bool is_current(const Tensor<T, D>& x) {
    return x.version_ == 0 || !x.storage_ || x.version_ == x.storage_->current_version() + 1;
  }
};

}  // namespace weft::detail
