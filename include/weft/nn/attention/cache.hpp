// KeyValueCache: the keys and values of the tokens generated so far.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/factory.hpp"

namespace weft::nn {

/// Keys and values of one attention, (batch, heads, length, width), which grow at their end. For
/// generation in a NoGrad: no gradients pass through it.
template <Device D = Cpu, class T = float>
class KeyValueCache {
 public:
  /// The number of positions.
  int64_t length() const { return length_; }
  /// All of them, as views.
  Tensor<T, D> keys() const { return keys_.narrow(2, 0, length_); }
  Tensor<T, D> values() const { return values_.narrow(2, 0, length_); }

  /// Appends the keys and values of new positions; memory doubles when it is full. Throws
  /// ShapeError if batch, heads or width differ.
  void append(const Tensor<T, D>& keys, const Tensor<T, D>& values) {
    put(keys_, keys, "keys");
    put(values_, values, "values");
    length_ += keys.size(2);
  }
  /// Discards everything after the first `length` positions.
  void truncate(int64_t length) {
    if (length < 0 || length > length_) {
      fail<ValueError>("KeyValueCache", "truncate(", length, ") of ", length_, " positions");
    }
    length_ = length;
  }

 private:
  void put(Tensor<T, D>& all, const Tensor<T, D>& more, const char* what) const {
    const bool first = all.rank() != 4;
    const bool fits =
        more.rank() == 4 && (first || (more.size(0) == all.size(0) && more.size(1) == all.size(1) &&
                                       more.size(3) == all.size(3)));
    if (!fits) {
      fail<ShapeError>("KeyValueCache", what, " of shape ", more.shape(),
                       ", expected (batch, heads, length, width) as before: ", all.shape());
    }
    const int64_t needed = length_ + more.size(2);
    if (first || needed > all.size(2)) {
      const int64_t twice = first ? 16 : 2 * all.size(2);
      const Shape room{more.size(0), more.size(1), needed > twice ? needed : twice, more.size(3)};
      const Tensor<T, D> larger = empty<T>(room, more.device());
      if (length_ > 0) larger.narrow(2, 0, length_).assign(all.narrow(2, 0, length_));
      all = larger;
    }
    all.narrow(2, length_, more.size(2)).assign(more);
  }

  Tensor<T, D> keys_;
  Tensor<T, D> values_;
  int64_t length_ = 0;
};

}  // namespace weft::nn
