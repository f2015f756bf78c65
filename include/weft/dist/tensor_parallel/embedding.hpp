// ParallelEmbedding: an embedding whose rows are split among the ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/index/indexing.hpp"
#include "weft/dist/tensor_parallel/linear.hpp"

namespace weft::dist {

/// Each rank has count / n of the rows of an Embedding(count, width); the result, the same on all
/// ranks, is the sum of all ranks' contributions, by one all_reduce (Shoeybi et al. 2019). The
/// weights are the same as in an Embedding created with the same seed.
template <class D = Cpu, class T = float>
struct ParallelEmbedding {
  nn::Embedding<D, T> part;  // (count / n, width)
  int64_t count = 0;
  int64_t first = 0;  ///< the row that is this rank's first
  Group group;

  ParallelEmbedding() = default;
  ParallelEmbedding(int64_t rows, int64_t width, Group g, nn::EmbeddingOptions options = {},
                    D device = {})
      : count(rows), group(std::move(g)) {
    const int64_t mine = detail::part_of("ParallelEmbedding", "rows", rows, group);
    first = mine * group.rank();
    const nn::Embedding<D, T> all(rows, width, options, device);
    part.weight = Var<T, D>(all.weight.value().narrow(0, first, mine).clone(), true);
    if (all.padding_index && *all.padding_index >= first && *all.padding_index < first + mine) {
      part.padding_index = *all.padding_index - first;
    }
  }
  auto fields() { return nn::fields("part", part, "count", count, "first", first, "group", group); }

  /// Integers of any shape, the same on all ranks; the result has an additional last axis of
  /// `width`. Throws IndexError for an index outside the whole table.
  template <TensorLike I>
  Var<T, D> operator()(const I& indices) const {
    using E = typename I::value_type;
    using C = compute_t<E>;
    const auto begin = static_cast<C>(first);
    const auto end = static_cast<C>(first + part.weight.size(0));
    const Tensor<bool, D> mine = indices >= begin && indices < end;
    // Indices of another rank's rows read row 0; indices outside the whole table stay outside.
    const Tensor<E, D> local = where(mine, indices - begin,
                                     where(indices >= C(0) && indices < static_cast<C>(count), C(0),
                                           static_cast<C>(part.weight.size(0))));
    const Var<T, D> rows = part(local);
    return reduce_from_ranks(group, Var<T, D>(where(mine.unsqueeze(-1), rows, compute_t<T>(0))));
  }
};

}  // namespace weft::dist
