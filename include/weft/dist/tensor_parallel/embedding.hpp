// ParallelEmbedding: a table of which each rank has some of the rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/index/indexing.hpp"
#include "weft/dist/tensor_parallel/linear.hpp"

namespace weft::dist {

/// Of an Embedding(count, width) each rank has count / n of the rows; the result, alike on all
/// ranks, is the sum of what each has of it, one all_reduce (Shoeybi et al. 2019). The parts'
/// weights are those of one Embedding made with the same seed.
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

  /// Integers of any shape, alike on all ranks; the result with an axis of `width` behind. Throws
  /// IndexError for one that is not a row of the whole table.
  template <TensorLike I>
  Var<T, D> operator()(const I& indices) const {
    using E = typename I::value_type;
    using C = compute_t<E>;
    const auto begin = static_cast<C>(first);
    const auto end = static_cast<C>(first + part.weight.size(0));
    const Tensor<bool, D> mine = indices >= begin && indices < end;
    // What is on another rank reads row 0; what is on none stays outside of the table.
    const Tensor<E, D> local = where(mine, indices - begin,
                                     where(indices >= C(0) && indices < static_cast<C>(count), C(0),
                                           static_cast<C>(part.weight.size(0))));
    const Var<T, D> rows = part(local);
    return reduce_from_ranks(group, Var<T, D>(where(mine.unsqueeze(-1), rows, compute_t<T>(0))));
  }
};

}  // namespace weft::dist
