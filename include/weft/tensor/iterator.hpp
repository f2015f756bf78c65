// Iteration over the views along a tensor's first axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>  // for the iterator tags: <iterator> would bring <string>

#include "weft/core/shape.hpp"

namespace weft {

/// Iterates over the views x[0], x[1], ... of a tensor. Each is a separate handle: `row = e`
/// rebinds it, `row.assign(e)` writes into x. Elements of a vector convert to numbers: `for (float
/// v : x)`.
template <class X>
class RowIterator {
 public:
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;
  using value_type = X;
  using difference_type = std::ptrdiff_t;
  using reference = X;
  using pointer = void;

  RowIterator() = default;
  RowIterator(const X& tensor, int64_t at) : tensor_(tensor), at_(at) {}

  X operator*() const { return tensor_[at_]; }
  RowIterator& operator++() {
    ++at_;
    return *this;
  }
  RowIterator operator++(int) {
    RowIterator before = *this;
    ++at_;
    return before;
  }
  friend bool operator==(const RowIterator& a, const RowIterator& b) { return a.at_ == b.at_; }

 private:
  X tensor_;
  int64_t at_ = 0;
};

}  // namespace weft
