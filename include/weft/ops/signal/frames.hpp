// frames_of and overlap_add: pieces of a signal that overlap, and the signal that they add up to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/binary.hpp"
#include "weft/tensor/access.hpp"
#include "weft/tensor/factory.hpp"
#include "weft/tensor/var_traits.hpp"

namespace weft::fourier {

/// frames_of and overlap_add of Vars, in autograd/signal/fft.hpp.
template <class V>
struct RecordedFrames;

/// The view of x whose element (..., f, ..., k) is x's element f hop + k along the axis, k being a
/// new last axis of n elements. No memory is copied.
template <class X>
X frames_of(const X& x, int axis, int64_t n, int64_t hop) {
  if constexpr (detail::is_var<X>) {
    return RecordedFrames<X>::frames_of(x, axis, n, hop);
  } else {
    Shape shape = x.shape();
    Strides strides = x.strides();
    shape[axis] = shape[axis] < n ? 0 : (shape[axis] - n) / hop + 1;
    shape.push_back(n);
    strides.push_back(strides[axis]);
    strides[axis] *= hop;
    return detail::Access::make<typename X::value_type, typename X::device_type>(
        StorageHandle(detail::Access::storage(x)), x.data(), shape, strides);
  }
}

/// The signal of `length` elements along the axis that frames (..., f, ..., k) add up to, each hop
/// further than the one before. Sums are in the same order on every device.
template <class X>
X overlap_add(const X& frames, int axis, int64_t hop, int64_t length) {
  if constexpr (detail::is_var<X>) {
    return RecordedFrames<X>::overlap_add(frames, axis, hop, length);
  } else {
    using T = typename X::value_type;
    const int last = frames.rank() - 1;
    const int64_t n = frames.shape()[last];
    const int64_t count = frames.shape()[axis];
    const int64_t pieces = (n + hop - 1) / hop;
    // (..., f + pieces - 1, ..., hop): piece p of a frame is added p hops further on.
    Shape shape = frames.shape();
    shape[axis] = count + pieces;
    while (shape[axis] * hop < length) ++shape[axis];
    shape[last] = hop;
    const X sums = zeros<T>(shape, frames.device());
    for (int64_t p = 0; p < pieces; ++p) {
      const int64_t width = n - p * hop < hop ? n - p * hop : hop;
      const X target = sums.narrow(axis, p, count).narrow(last, 0, width);
      const X piece = frames.narrow(last, p * hop, width);
      target.assign(target + piece);
    }
    Shape order;  // the hops beside their frames
    for (int i = 0; i < last; ++i) {
      order.push_back(i);
      if (i == axis) order.push_back(last);
    }
    Shape joined = shape;
    joined.erase(last);
    joined[axis] = shape[axis] * hop;
    return sums.permute(order).reshape(joined).narrow(axis, 0, length);
  }
}

}  // namespace weft::fourier
