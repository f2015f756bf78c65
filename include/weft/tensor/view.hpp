// View<T>: a tensor's pointer, shape and strides without ownership, for loops and user kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "weft/core/shape.hpp"

namespace weft {

/// A tensor as a kernel sees it: trivially copyable, indexed like std::mdspan, not bounds-checked.
/// Invalid once the tensor is gone, and after the next `tensor = expression`.
template <class T>
class View {
 public:
  using element_type = T;

  View() = default;
  View(T* data, const Shape& shape, const Strides& strides) : data_(data), rank_(shape.rank()) {
    for (int i = 0; i < rank_; ++i) {
      sizes_[i] = shape[i];
      strides_[i] = strides[i];
    }
  }

  /// A read-only view of the same elements.
  template <class U>
    requires(std::is_same_v<const U, T>)
  View(const View<U>& other) : data_(other.data_), rank_(other.rank_) {
    for (int i = 0; i < rank_; ++i) {
      sizes_[i] = other.sizes_[i];
      strides_[i] = other.strides_[i];
    }
  }

  /// The element at the given coordinates, one for each dimension.
  template <class... I>
  WEFT_HD T& operator()(I... index) const {
    int64_t at = 0;
    int axis = 0;
    ((at += static_cast<int64_t>(index) * strides_[axis++]), ...);
    return data_[at];
  }

  WEFT_HD T* data_handle() const { return data_; }
  WEFT_HD int rank() const { return rank_; }
  WEFT_HD int64_t extent(int axis) const { return sizes_[axis]; }
  WEFT_HD int64_t stride(int axis) const { return strides_[axis]; }
  WEFT_HD int64_t size() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= sizes_[i];
    return n;
  }

 private:
  template <class>
  friend class View;

  T* data_ = nullptr;
  int64_t sizes_[max_rank] = {};
  int64_t strides_[max_rank] = {};
  int rank_ = 0;
};

}  // namespace weft
