// from_dlpack: another library's tensor, without copying.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "weft/io/dlpack_device.hpp"
#include "weft/tensor/any_tensor.hpp"

namespace weft {

/// A tensor that another library has handed over, checked; its deleter runs when this and all
/// tensors that share the elements are gone.
class DlpackTensor {
 public:
  /// Takes over `managed` in any case: if this throws, its deleter has run.
  explicit DlpackTensor(dlpack::ManagedVersioned* managed, DlpackOptions options = {})
      : options_(options) {
    if (managed == nullptr) fail<ValueError>("from_dlpack", "a null pointer, expected a tensor");
    dlpack::Owned owned(managed);
    if (managed->major != 1) {  // nothing but the deleter is where it was
      fail<ValueError>("from_dlpack", "DLPack of version ", managed->major, ".", managed->minor,
                       ", expected 1");
    }
    read_only_ = (managed->flags & dlpack::read_only) != 0;
    take(managed->tensor, owned);
  }
  explicit DlpackTensor(dlpack::Managed* managed, DlpackOptions options = {}) : options_(options) {
    if (managed == nullptr) fail<ValueError>("from_dlpack", "a null pointer, expected a tensor");
    dlpack::OwnedLegacy owned(managed);
    take(managed->tensor, owned);
  }
  ~DlpackTensor() {
    if (foreign_.managed != nullptr) foreign_.finish(foreign_.managed);
  }
  DlpackTensor(DlpackTensor&& other) noexcept
      : foreign_(other.foreign_),
        data_(other.data_),
        shape_(other.shape_),
        strides_(other.strides_),
        device_(other.device_),
        dtype_(other.dtype_),
        read_only_(other.read_only_),
        options_(other.options_) {
    other.foreign_.managed = nullptr;
  }
  DlpackTensor& operator=(DlpackTensor&&) = delete;

  Dtype dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  bool is_read_only() const { return read_only_; }
  bool is_on_cpu() const { return detail::DlpackDevice<Cpu>::is(device_.type); }

  /// The tensor, sharing the elements; to be called once. Use `get<const float>()` if they may be
  /// read-only. Throws ValueError for a different element type or read-only elements, DeviceError
  /// for a different device.
  template <class T, Device D = Cpu>
  Tensor<T, D> get() && {
    using U = std::remove_const_t<T>;
    if constexpr (detail::can_exchange<D>()) {
      using There = detail::DlpackDevice<std::conditional_t<is_cuda<D>, Cuda, D>>;
      if (dtype_ != dtype_of<U>) {
        fail<ValueError>("from_dlpack", "a tensor of type ", dtype_, ", expected ", dtype_of<U>);
      }
      if (read_only_ && !std::is_const_v<T>) {
        fail<ValueError>("from_dlpack",
                         "a read-only tensor, expected a writable one: write get<const ", dtype_,
                         ">() and clone() it");
      }
      if (!There::is(device_.type)) {
        fail<DeviceError>("from_dlpack", "a tensor on device type ", device_.type, ", number ",
                          device_.id, ", expected ", D{});
      }
      StorageHandle storage(There::adopt(foreign_, options_.stream));
      foreign_.managed = nullptr;  // the storage has it now
      if constexpr (is_cuda<D> && !std::is_same_v<D, Cuda>) {
        return detail::Access::make<T, Cuda>(static_cast<StorageHandle&&>(storage),
                                             static_cast<T*>(data_), shape_, strides_);
      } else {
        return detail::Access::make<T, D>(static_cast<StorageHandle&&>(storage),
                                          static_cast<T*>(data_), shape_, strides_);
      }
    } else {
      return {};
    }
  }

 private:
  template <class M>
  void take(const dlpack::Tensor& x, std::unique_ptr<M, dlpack::Delete>& owned) {
    read(x);
    foreign_.managed = owned.release();
    foreign_.finish = [](void* managed) { dlpack::Delete{}(static_cast<M*>(managed)); };
  }

  void read(const dlpack::Tensor& x) {
    device_ = x.device;
    foreign_.ordinal = x.device.id;
    const bool known = device_.type == dlpack::cpu || device_.type == dlpack::cuda ||
                       device_.type == dlpack::cuda_host || device_.type == dlpack::cuda_managed;
    if (!known) {
      fail<DeviceError>("from_dlpack", "device type ", device_.type,
                        ", expected 1 or 3 (cpu), 2 or 13 (cuda)");
    }
    if (x.ndim < 0 || x.ndim > max_rank || (x.ndim > 0 && x.shape == nullptr)) {
      fail<ShapeError>("from_dlpack", x.ndim, " dimensions",
                       x.shape == nullptr ? " of no shape" : "",
                       ", expected 0 to 8 with their sizes");
    }
    dtype_ = dtype_of_type(x.dtype);
    shape_ = {};
    for (int i = 0; i < x.ndim; ++i) shape_.push_back(x.shape[i]);
    for (const int64_t size : shape_) {
      if (size < 0)
        fail<ShapeError>("from_dlpack", "shape ", shape_, ", expected no negative size");
    }
    strides_ = contiguous_strides(shape_);
    for (int i = 0; i < x.ndim && x.strides != nullptr; ++i) strides_[i] = x.strides[i];
    place(x);
  }

  /// Where the elements lie, in a space that must not overflow.
  void place(const dlpack::Tensor& x) {
    const int64_t width = element_size(dtype_);
    const int64_t size = shape_.size();
    if (size == 0) return;
    if (x.data == nullptr) {
      fail<ValueError>("from_dlpack", "no memory for shape ", shape_, ", expected an address");
    }
    int64_t low = 0, high = 0;
    bool overflow = false;
    for (int i = 0; i < shape_.rank(); ++i) {
      int64_t reach = 0;
      overflow |= __builtin_mul_overflow(shape_[i] - 1, strides_[i], &reach);
      int64_t& end = reach < 0 ? low : high;
      overflow |= __builtin_add_overflow(end, reach, &end);
    }
    int64_t begin = 0, bytes = 0;
    overflow |= __builtin_mul_overflow(low, width, &begin);
    overflow |= __builtin_sub_overflow(high + (overflow ? 0 : 1), low, &bytes);
    overflow |= __builtin_mul_overflow(bytes, width, &bytes);
    std::uint64_t address = 0, end = 0;
    overflow |=
        __builtin_add_overflow(reinterpret_cast<std::uint64_t>(x.data), x.byte_offset, &address);
    std::uint64_t first = 0;
    overflow |= __builtin_add_overflow(address, begin, &first);
    overflow |= __builtin_add_overflow(first, bytes, &end);
    if (overflow) {
      fail<ShapeError>("from_dlpack", "strides ", strides_, " of shape ", shape_,
                       " reach beyond the address space");
    }
    const std::uint64_t alignment = width == 16 ? 8 : static_cast<std::uint64_t>(width);
    if (address % alignment != 0) {
      fail<ValueError>("from_dlpack", "elements of ", dtype_,
                       " at an address that is not a multiple of ", alignment);
    }
    data_ = reinterpret_cast<void*>(address);
    foreign_.low = reinterpret_cast<void*>(first);
    foreign_.bytes = bytes;
  }

  static Dtype dtype_of_type(const dlpack::DataType& type) {
    for (int i = 0; i <= static_cast<int>(Dtype::complex128); ++i) {
      const dlpack::DataType known = dlpack::type_of(static_cast<Dtype>(i));
      if (known.code == type.code && known.bits == type.bits && type.lanes == 1) {
        return static_cast<Dtype>(i);
      }
    }
    fail<ValueError>("from_dlpack", "elements of type code ", int{type.code}, " with ",
                     int{type.bits}, " bits in ", int{type.lanes},
                     " lanes, expected one of weft's element types");
  }

  detail::Foreign foreign_;
  void* data_ = nullptr;
  Shape shape_{};
  Strides strides_{};
  dlpack::Device device_{};
  Dtype dtype_ = Dtype::float32;
  bool read_only_ = false;
  DlpackOptions options_;
};

/// `from_dlpack(managed).get<float>()` imports a tensor from another library without a copy; the
/// record is taken over even if this throws. On CUDA (weft/io/cuda.hpp) weft's work waits for the
/// producer's stream, and before its deleter runs that stream waits for weft's.
inline DlpackTensor from_dlpack(dlpack::ManagedVersioned* managed, DlpackOptions options = {}) {
  return DlpackTensor(managed, options);
}
inline DlpackTensor from_dlpack(dlpack::Managed* managed, DlpackOptions options = {}) {
  return DlpackTensor(managed, options);
}

}  // namespace weft
