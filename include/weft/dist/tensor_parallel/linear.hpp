// ColumnLinear and RowLinear: layers whose weights are split over the ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/dist/differentiable.hpp"
#include "weft/nn/layers/linear.hpp"

namespace weft::dist {

namespace detail {
inline int64_t part_of(const char* layer, const char* what, int64_t n, const Group& group) {
  if (n % group.size() != 0) {
    fail<ValueError>(layer, n, " ", what, " on ", group.size(), " ranks, expected a multiple");
  }
  return n / group.size();
}
}  // namespace detail

/// Each rank computes out / n of the outputs of a Linear(in, out): from x, the same on all ranks,
/// its own part of y, for a RowLinear or the rank's attention heads to continue with. The weights
/// are the same as in a Linear created with the same seed.
template <class D = Cpu, class T = float>
struct ColumnLinear {
  nn::Linear<D, T> part;
  Group group;

  ColumnLinear() = default;
  ColumnLinear(int64_t in, int64_t out, Group g, D device = {}) : group(std::move(g)) {
    const int64_t mine = detail::part_of("ColumnLinear", "features", out, group);
    const nn::Linear<D, T> all(in, out, {}, device);
    part = nn::Linear<D, T>(in, mine, {}, device);
    part.weight.value().assign(all.weight.value().narrow(0, mine * group.rank(), mine));
    part.bias->value().assign(all.bias->value().narrow(0, mine * group.rank(), mine));
  }
  auto fields() { return nn::fields("part", part, "group", group); }
  Var<T, D> operator()(const Var<T, D>& x) const { return part(copy_to_ranks(group, x)); }
};

/// Each rank takes in / n of the inputs of a Linear(in, out), its part of the output of a
/// ColumnLinear; y is the sum over the ranks, the same on all.
template <class D = Cpu, class T = float>
struct RowLinear {
  nn::Linear<D, T> part;
  Var<T, D> bias;
  Group group;

  RowLinear() = default;
  RowLinear(int64_t in, int64_t out, Group g, D device = {}) : group(std::move(g)) {
    const int64_t mine = detail::part_of("RowLinear", "features", in, group);
    const nn::Linear<D, T> all(in, out, {}, device);
    part = nn::Linear<D, T>(mine, out, {.bias = false}, device);
    part.weight.value().assign(all.weight.value().narrow(1, mine * group.rank(), mine));
    bias = Var<T, D>(all.bias->value().clone(), true);
  }
  auto fields() { return nn::fields("bias", bias, "part", part, "group", group); }
  Var<T, D> operator()(const Var<T, D>& x) const {
    return reduce_from_ranks(group, part(x)) + bias;
  }
};

}  // namespace weft::dist
