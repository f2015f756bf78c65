// channels_last(x): images whose channels are adjacent in memory, as tensor cores read them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/access.hpp"

namespace weft {

/// The strides of a tensor of shape (batch, channel, ...) whose channels are adjacent in memory.
WEFT_OUTLINED inline Strides channels_last_strides(const Shape& shape) {
  Strides out = contiguous_strides(shape);
  if (shape.rank() < 3) return out;
  int64_t step = shape[1] > 0 ? shape[1] : 1;
  for (int i = shape.rank() - 1; i >= 2; --i) {
    out[i] = step;
    step *= shape[i] > 0 ? shape[i] : 1;
  }
  out[1] = 1;
  out[0] = step;
  return out;
}

/// Whether the strides are channels_last and not also contiguous. The strides of axes of size 1
/// count too, so that a tensor with one channel can have the format.
WEFT_OUTLINED inline bool is_channels_last(const Shape& shape, const Strides& strides) {
  if (shape.rank() < 3 || shape.rank() > 5 || strides[1] != 1 || shape.size() == 0) return false;
  return strides == channels_last_strides(shape) && !(strides == contiguous_strides(shape));
}

/// Whether the channels of x, of shape (batch, channel, ...), are adjacent in memory.
template <class X>
  requires requires(const X& x) { x.strides(); }
bool is_channels_last(const X& x) { return is_channels_last(x.shape(), x.strides()); }

namespace detail {
/// New storage for a tensor in one of the two formats.
template <class T, class D>
Tensor<T, D> allocate_format(const Shape& shape, D device, bool last,
                             const char* operation = "empty") {
  Tensor<T, D> out = Access::allocate<T, D>(shape, device, operation);
  if (!last) return out;
  return Access::make<T, D>(StorageHandle(Access::storage(out)), out.data(), shape,
                            channels_last_strides(shape));
}

/// Whether the elements of x lie in one of the two formats; strides of axes of size 1 may differ.
template <class T, class D>
bool lies_in_format(const Tensor<T, D>& x, bool last) {
  const Strides wanted = last ? channels_last_strides(x.shape()) : contiguous_strides(x.shape());
  bool lies_so = true;
  for (int i = 0; i < x.rank(); ++i) {
    lies_so = lies_so && (x.shape()[i] == 1 || x.strides()[i] == wanted[i]);
  }
  return lies_so || x.size() == 0;
}

/// x in one of the two formats: x itself if it has it, or a copy.
template <class T, class D>
Tensor<T, D> in_format(const Tensor<T, D>& x, bool last) {
  if (lies_in_format(x, last)) {
    const Strides wanted = last ? channels_last_strides(x.shape()) : contiguous_strides(x.shape());
    return Access::make<T, D>(StorageHandle(Access::storage(x)), x.data(), x.shape(), wanted);
  }
  const Tensor<T, D> out = allocate_format<T, D>(x.shape(), x.device(), last);
  out.assign(x);
  return out;
}

/// x where it is in one of the formats, else a contiguous copy.
template <class T, class D>
Tensor<T, D> in_any_format(const Tensor<T, D>& x) {
  return is_channels_last(x) ? x : in_format(x, false);
}
}  // namespace detail

/// x, of shape (batch, channel, ...), with the same shape and elements but its channels adjacent in
/// memory; x itself if they already are. Convolutions, pooling and element-wise statements keep the
/// format of their input, so only a network's input needs converting.
template <TensorLike X>
auto channels_last(const X& x) {
  if (x.rank() < 3 || x.rank() > 5) {
    fail<ShapeError>("channels_last", "a tensor of shape ", x.shape(),
                     ", expected (batch, channel, ...) of 3 to 5 axes");
  }
  return detail::in_format(detail::Access::unconst(x), true);
}
/// channels_last of an expression, which is evaluated first.
template <ExpressionLike X>
  requires(!TensorLike<X>)
auto channels_last(const X& e) { return channels_last(e.eval()); }

}  // namespace weft
