// x.to(device): copies between devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/assign.hpp"

namespace weft {

/// Copies from a device to another, specialised in cuda/copy.hpp; Transferable says what it
/// provides.
template <class From, class To>
struct Transfer;

/// Two devices between which contiguous bytes are copied, into memory that allocate() gives.
template <class From, class To>
concept Transferable = requires(To device, Storage* from, const void* source, Storage* to,
                                void* target, int64_t bytes, CopyOptions options) {
  { Transfer<From, To>::allocate(device, bytes, options) } -> std::same_as<Storage*>;
  Transfer<From, To>::copy(from, source, to, target, bytes, options);
};

namespace detail {

template <class T, class D, class To>
Tensor<T, To> transfer(const Tensor<T, D>& x, To device, CopyOptions options) {
  if constexpr (std::is_same_v<D, Cpu> && std::is_same_v<To, Cpu>) {
    return x;
  } else {
    if constexpr (is_included<std::conditional_t<is_cuda<To>, To, D>>()) {
      using Copy = Transfer<loops_of<D>, loops_of<To>>;
      // CudaAt<M> and CudaAt<N> are never the same GPU.
      if constexpr (is_cuda<D> && is_cuda<To> &&
                    !std::is_same_v<common_device_t<D, To>, NoDevice>) {
        if (x.storage() != nullptr && x.storage()->ordinal == Copy::resolve(device)) return x;
      }
      const Tensor<T, D> source = x.contiguous();
      const int64_t bytes = source.size() * static_cast<int64_t>(sizeof(T));
      StorageHandle storage(Copy::allocate(device, bytes, options));
      T* target = static_cast<T*>(storage->data);
      if (bytes > 0) {
        Copy::copy(source.storage(), source.data(), storage.get(), target, bytes, options);
      }
      return Access::make<T, To>(static_cast<StorageHandle&&>(storage), target, x.shape(),
                                 contiguous_strides(x.shape()));
    }
    return Tensor<T, To>();
  }
}

}  // namespace detail

template <class T, Device D>
std::vector<typename Tensor<T, D>::value_type> Tensor<T, D>::to_vector() const {
  if constexpr (std::is_same_v<D, Cpu>) {
    const Tensor packed = contiguous();
    return std::vector<value_type>(packed.data(), packed.data() + packed.size());
  } else {
    return to(Cpu{}).to_vector();
  }
}

namespace detail {
/// Splits x, a tensor or Var, into views of `length` elements along an axis; the last may be
/// shorter.
template <class X>
std::vector<X> pieces(const X& x, int64_t length, int64_t axis) {
  if (length <= 0) fail<ValueError>("split", "pieces of length ", length, ", expected at least 1");
  const int64_t n = x.size(axis);
  std::vector<X> out;
  for (int64_t start = 0; start < n || start == 0; start += length) {
    out.push_back(x.narrow(axis, start, length < n - start ? length : n - start));
  }
  return out;
}

/// The length of at most `count` equal pieces of a shape along an axis.
inline int64_t piece_length(const Shape& shape, int64_t count, int64_t axis) {
  if (count <= 0) fail<ValueError>("chunk", count, " pieces, expected at least 1");
  const int64_t n = shape[normalize_axis("chunk", axis, shape.rank())];
  return n > count ? (n + count - 1) / count : 1;
}
}  // namespace detail

template <class T, Device D>
std::vector<Tensor<T, D>> Tensor<T, D>::split(int64_t length, int64_t axis) const {
  return detail::pieces(*this, length, axis);
}
template <class T, Device D>
std::vector<Tensor<T, D>> Tensor<T, D>::chunk(int64_t count, int64_t axis) const {
  return detail::pieces(*this, detail::piece_length(shape(), count, axis), axis);
}

}  // namespace weft
