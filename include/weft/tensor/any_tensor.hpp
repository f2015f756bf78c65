// AnyTensor: a tensor whose element type and device are known only at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/access.hpp"

namespace weft {

class AnyTensor;
namespace detail {
/// The elements of a tensor of type Tensor<T, D> on the CPU.
template <class T, class D>
AnyTensor on_cpu(const AnyTensor& x);
}  // namespace detail

/// A shared handle to the elements of any Tensor<T, D>, as stored in files and state dicts. It has
/// no operations; get<T>() returns the typed tensor.
class AnyTensor {
 public:
  /// No elements: float32 of shape (0,).
  AnyTensor() = default;

  /// Shares the elements of `x`; read-only ones are copied.
  template <class T, Device D>
  AnyTensor(const Tensor<T, D>& x) {
    using U = std::remove_const_t<T>;
    static_assert(!is_small<U>,
                  "weft: AnyTensor and StateDict hold numbers, not Small: write components(x), the "
                  "view of its numbers");
    if constexpr (std::is_const_v<T>) {
      *this = AnyTensor(Tensor<U, D>(x.clone()));
    } else {
      storage_ = detail::Access::storage(x);
      data_ = x.data();
      shape_ = x.shape();
      strides_ = x.strides();
      dtype_ = dtype_of<T>;
      if constexpr (is_cuda<D>) {
        to_cpu_ = detail::on_cpu<T, D>;
      }
    }
  }

  /// The value of an expression or a Var.
  template <ExpressionLike E>
    requires(!TensorLike<E>)
  AnyTensor(const E& e) {
    if constexpr (detail::has_var<E>) {
      *this = AnyTensor(e.eval().value());
    } else {
      *this = AnyTensor(e.eval());
    }
  }

  /// New, uninitialised elements on the CPU. A template so that only its use needs the CPU's
  /// memory.
  template <std::same_as<Cpu> D = Cpu>
  static AnyTensor empty(Dtype dtype, const Shape& shape, D device = {}) {
    int64_t bytes = element_size(dtype);
    for (int64_t size : shape) {
      if (size < 0) fail<ShapeError>("empty", "shape ", shape, ", expected sizes of at least 0");
      if (__builtin_mul_overflow(bytes, size, &bytes)) {
        fail<OutOfMemory>("empty", "the bytes of shape ", shape, " do not fit in 63 bits");
      }
    }
    const auto memory = detail::Access::allocate<std::uint8_t>({bytes}, device);
    AnyTensor out;
    out.storage_ = detail::Access::storage(memory);
    out.data_ = memory.data();
    out.shape_ = shape;
    out.strides_ = contiguous_strides(shape);
    out.dtype_ = dtype;
    return out;
  }

  Dtype dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  int rank() const { return shape_.rank(); }
  int64_t size() const { return shape_.size(); }
  /// The bytes of all elements.
  int64_t bytes() const { return size() * element_size(dtype_); }
  bool is_contiguous() const { return Layout{shape_, strides_, 0}.is_contiguous(); }
  bool is_on_cpu() const { return to_cpu_ == nullptr; }
  /// "cpu" or, for instance, "cuda:0".
  Text device_name() const {
    return is_on_cpu() ? text(Cpu{}) : text(Cuda{storage_ ? storage_->ordinal : -1});
  }
  /// The first element's address, on the tensor's device.
  void* data() const { return data_; }

  /// The typed tensor; throws if the element type differs (there is no silent conversion) or the
  /// elements are on another kind of device.
  template <Element T, Device D = Cpu>
  Tensor<T, D> get() const {
    if (dtype_ != dtype_of<T>) {
      fail<ValueError>("get", "a tensor of type ", dtype_, ", expected ", dtype_of<T>);
    }
    if (is_on_cpu() == is_cuda<D>) {
      fail<DeviceError>("get", "a tensor on ", device_name(), ", expected ", D{},
                        ": write to<T>(device)");
    }
    if constexpr (is_cuda<D> && !std::is_same_v<D, Cuda>) {
      return make<T, Cuda>();
    } else {
      return make<T, D>();
    }
  }

  /// The elements on `device`; shared if they are already there.
  template <Element T, Device D>
  Tensor<T, D> to(D device) const;

  /// The axes in another order, sharing the elements.
  AnyTensor permute(const Shape& axes) const {
    const Layout turned = layout::permute(Layout{shape_, strides_, 0}, axes);
    AnyTensor out = *this;
    out.shape_ = turned.shape;
    out.strides_ = turned.strides;
    return out;
  }

  /// The elements on the CPU; shared if they are already there.
  AnyTensor cpu() const { return is_on_cpu() ? *this : to_cpu_(*this); }

  /// This tensor if its elements are contiguous in row-major order, otherwise a copy; CPU only.
  template <std::same_as<Cpu> D = Cpu>
  AnyTensor contiguous() const {
    if (is_contiguous()) return *this;
    if (!is_on_cpu()) {
      fail<DeviceError>("contiguous", "a tensor on ", device_name(), ", expected cpu");
    }
    AnyTensor out = empty<D>(dtype_, shape_);
    char* to = static_cast<char*>(out.data());
    copy_axis(0, static_cast<const char*>(data()), to);
    return out;
  }

 private:
  template <class T, class D>
  Tensor<T, D> make() const {
    return detail::Access::make<T, D>(storage_, static_cast<T*>(data()), shape_, strides_);
  }

  /// Appends the elements from `axis` on, starting at `from`, to `to`.
  void copy_axis(int axis, const char* from, char*& to) const {
    const int width = element_size(dtype_);
    if (axis == rank()) {
      std::memcpy(to, from, static_cast<std::size_t>(width));
      to += width;
      return;
    }
    for (int64_t i = 0; i < shape_[axis]; ++i) {
      copy_axis(axis + 1, from + i * strides_[axis] * width, to);
    }
  }

  StorageHandle storage_;
  detail::HeldPointer<void> data_;
  detail::HeldShape shape_ = Shape{0};
  detail::HeldStrides strides_ = Strides{1};
  Dtype dtype_ = Dtype::float32;
  AnyTensor (*to_cpu_)(const AnyTensor&) = nullptr;  // null on the CPU
};

// Not inline: weft::lib holds it.
template <Element T, Device D>
Tensor<T, D> AnyTensor::to(D device) const {
  if constexpr (is_cuda<D>) {
    if (!is_on_cpu()) return get<T, Cuda>().to(device);
    return get<T>().to(device);
  } else {
    return cpu().get<T>();
  }
}

template <class T, class D>
AnyTensor detail::on_cpu(const AnyTensor& x) {
  return AnyTensor(x.get<T, D>().to(Cpu{}));
}

}  // namespace weft
