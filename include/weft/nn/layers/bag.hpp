// EmbeddingBag: sums, means or maxima of the rows of a table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "weft/nn/layers/linear.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft::nn {

enum class BagMode : unsigned char { sum, mean, max };

struct EmbeddingBagOptions {
  BagMode mode = BagMode::mean;
  std::optional<int64_t> padding_index = {};  ///< counts as absent from a bag
};

/// For each bag of indices the sum, the mean or the maximum of their rows, in one reduction; an
/// empty bag gives 0. Initialised from a normal distribution.
template <Device D = Cpu, class T = float>
struct EmbeddingBag {
  Var<T, D> weight;  // (count, width)
  BagMode mode = BagMode::mean;
  std::optional<int64_t> padding_index;

  EmbeddingBag() = default;
  EmbeddingBag(int64_t count, int64_t width, EmbeddingBagOptions options = {}, D device = {})
      : weight(
            Embedding<D, T>(count, width, {.padding_index = options.padding_index}, device).weight),
        mode(options.mode),
        padding_index(options.padding_index) {
    if (padding_index && *padding_index < 0) *padding_index += count;
  }

  auto fields() {
    return nn::fields("weight", weight, "mode", mode, "padding_index", padding_index);
  }

  /// Bags of one size: indices of shape (bags, size) give (bags, width).
  Var<T, D> operator()(const Tensor<int64_t, D>& indices) const {
    if (indices.rank() != 2) {
      fail<ShapeError>("EmbeddingBag", "indices of shape ", indices.shape(),
                       ", expected (bags, size), or a vector with offsets");
    }
    if (!padding_index) return reduce(indices, {});
    return reduce(indices, (indices != *padding_index).eval());
  }

  /// Bag number i has the indices from offsets[i] to offsets[i + 1], the last those to the end.
  /// Waits for the offsets, which the host reads.
  Var<T, D> operator()(const Tensor<int64_t, D>& indices, const Tensor<int64_t, D>& offsets) const {
    const std::vector<int64_t> first = offsets.to_vector();
    const int64_t all_indices = indices.size();
    int64_t longest = 1;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const int64_t next = i + 1 < first.size() ? first[i + 1] : all_indices;
      if (indices.rank() != 1 || (i == 0 && first[0] != 0) || next < first[i] ||
          next > all_indices) {
        fail<ValueError>("EmbeddingBag", "offset ", first[i], " and then ", next,
                         " for indices of ", "shape ", indices.shape(),
                         ", expected a vector, 0 first and none smaller "
                         "than the one before");
      }
      longest = std::max(longest, next - first[i]);
    }
    const auto bags = static_cast<int64_t>(first.size());
    if (bags == 0 || all_indices == 0) {
      return Var<T, D>(zeros<T>({bags, weight.size(1)}, weight.device()));
    }
    const Tensor<int64_t, D> begin = offsets.unsqueeze(1);
    std::vector<int64_t> ends(first.begin() + 1, first.end());
    ends.push_back(all_indices);
    const Tensor<int64_t, D> end = tensor(ends, {-1, 1}, weight.device());
    const Tensor<int64_t, D> place = begin + arange<int64_t>(longest, weight.device());
    Tensor<bool, D> inside = place < end;
    const Tensor<int64_t, D> rows = take(indices, minimum(place, all_indices - 1).eval(), axis(0));
    if (padding_index) inside = inside && rows != *padding_index;
    return reduce(rows, inside);
  }

 private:
  /// rows and inside of shape (bags, size); without `inside` all are.
  Var<T, D> reduce(const Tensor<int64_t, D>& rows, const Tensor<bool, D>& inside) const {
    using C = compute_t<T>;
    const Var<T, D> found = take(weight, rows, axis(0));  // (bags, size, width)
    if (inside.size() == 0) {
      if (mode == BagMode::sum) return sum(found, axis(1));
      if (mode == BagMode::mean) return mean(found, axis(1));
      return max(found, axis(1));
    }
    const Tensor<bool, D> here = inside.unsqueeze(2);
    if (mode == BagMode::max) {
      const Tensor<bool, D> full = any(inside, axis(1), keepdims);
      const C least = -std::numeric_limits<C>::infinity();
      return where(full, max(where(here, found, least), axis(1)), C(0));
    }
    const Var<T, D> total = sum(where(here, found, C(0)), axis(1));
    if (mode == BagMode::sum) return total;
    const Tensor<C, D> count = sum(cast<C>(inside), axis(1), keepdims);
    return total * cast<T>(C(1) / maximum(count, C(1)));
  }
};

WEFT_MODEL(Module<EmbeddingBag<>>);

}  // namespace weft::nn
