// SequenceLengths: the lengths of the padded sequences in a batch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/compose.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft::nn {

/// The lengths of padded sequences, each from 1 to the padded length. Steps after a sequence's end
/// do not change its state, and their outputs are 0. A tensor on a GPU is not checked, so that it
/// can be used in a recorded graph.
template <class D>
class SequenceLengths {
 public:
  SequenceLengths() = default;
  SequenceLengths(std::initializer_list<int64_t> lengths) : given_(lengths) {}
  SequenceLengths(std::vector<int64_t> lengths)
      : given_(static_cast<decltype(lengths)&&>(lengths)) {}
  SequenceLengths(const Tensor<int64_t, D>& lengths) : tensor_(lengths) {}

  /// Throws if the lengths do not match.
  void check(const char* operation, int64_t time, int64_t batch) const {
    if (given_.empty() && tensor_.size() == 0) return;
    check_each(operation, time, given_);
    if constexpr (std::is_same_v<D, Cpu>) check_each(operation, time, tensor_.to_vector());
    const Shape shape = given_.empty() ? tensor_.shape() : Shape{std::ssize(given_)};
    if (!(shape == Shape{batch})) {
      fail<ShapeError>(operation, "lengths of shape ", shape, " for a batch of ", batch,
                       ", expected (", batch, ",)");
    }
  }
  /// Whether the host knows the lengths, which it does not if they are a tensor.
  bool is_known() const { return tensor_.size() == 0; }
  const std::vector<int64_t>& known() const { return given_; }
  /// Which steps are inside: (time, batch, 1); empty where no lengths are given.
  Tensor<bool, D> inside(D device, int64_t time) const {
    if (given_.empty() && tensor_.size() == 0) return {};
    const Tensor<int64_t, D> lengths =
        given_.empty() ? tensor_ : Tensor<int64_t, D>(weft::tensor(given_, {-1}, device));
    return (arange<int64_t>(time, device).unsqueeze(1) < lengths).eval().unsqueeze(2);
  }

 private:
  static void check_each(const char* operation, int64_t time, const std::vector<int64_t>& lengths) {
    for (const int64_t length : lengths) {
      if (length >= 1 && length <= time) continue;
      fail<ValueError>(operation, "a sequence of length ", length, ", expected 1 to ", time);
    }
  }

  std::vector<int64_t> given_;
  Tensor<int64_t, D> tensor_;
};

}  // namespace weft::nn
