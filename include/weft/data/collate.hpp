// collate: combines samples into a batch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/data/sample.hpp"
#include "weft/eval/transfer.hpp"

namespace weft::data {

namespace detail {
/// Part I of all samples as one tensor.
template <std::size_t I, class Parts>
auto collate_part(const std::vector<Parts>& samples, HostMemory memory) {
  using P = std::tuple_element_t<I, Parts>;
  const auto count = static_cast<int64_t>(samples.size());
  if constexpr (TensorLike<P>) {
    using T = typename P::value_type;
    const Shape& each = std::get<I>(samples[0]).shape();
    Shape shape{count};
    for (const int64_t size : each) shape.push_back(size);
    auto out = memory.empty<T>(shape);
    const int64_t size = each.size();
    for (int64_t i = 0; i < count; ++i) {
      const P& part = std::get<I>(samples[static_cast<std::size_t>(i)]);
      if (part.shape() != each) {
        fail<ShapeError>("collate", "part ", I, " of the samples has shapes ", each, " and ",
                         part.shape(), ", expected the same in all of a batch");
      }
      if (size == 0) continue;
      const P packed = part.contiguous();
      std::memcpy(out.data() + i * size, packed.data(), static_cast<std::size_t>(size) * sizeof(T));
    }
    return out;
  } else {
    using T = typename weft::detail::Canonical<P>::type;
    auto out = memory.empty<T>({count});
    for (int64_t i = 0; i < count; ++i) {
      out.data()[i] = static_cast<T>(std::get<I>(samples[static_cast<std::size_t>(i)]));
    }
    return out;
  }
}
}  // namespace detail

/// Combines samples, given as tuples of their parts, into a batch: tensors of the same shape get a
/// new first axis, numbers become a vector. Throws ShapeError if shapes differ. Requires at least
/// one sample.
template <class... Ps>
auto collate(const std::vector<std::tuple<Ps...>>& samples, HostMemory memory = {}) {
  if (samples.empty()) fail<ValueError>("collate", "no samples, expected at least 1");
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return batch_of<std::tuple<Ps...>>(detail::collate_part<I>(samples, memory)...);
  }
  (std::index_sequence_for<Ps...>{});
}

}  // namespace weft::data
