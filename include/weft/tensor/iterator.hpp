// Iteration over the views along a tensor's first axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
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
  friend auto operator<=>(const RowIterator& a, const RowIterator& b) { return a.at_ <=> b.at_; }
  friend std::ptrdiff_t operator-(const RowIterator& a, const RowIterator& b) {
    return a.at_ - b.at_;
  }
  // No random access, which algorithms that move elements need: says what to write.
  template <class Y = X>
  RowIterator operator+(std::ptrdiff_t) const {
    static_assert(
        !std::same_as<X, Y>,
        "weft: iterators of a tensor give views, which std::sort(x.begin(), x.end()) cannot move: "
        "write sort(x), or std::sort(x.data(), x.data() + x.size())");
    return *this;
  }
  RowIterator operator-(std::ptrdiff_t n) const { return *this + n; }
  RowIterator& operator--() { return *this = *this + 1; }

 private:
  X tensor_;
  int64_t at_ = 0;
};

}  // namespace weft
