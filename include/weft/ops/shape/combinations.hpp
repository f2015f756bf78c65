// cartesian_prod and combinations: choices of elements from vectors, as rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <vector>

#include "weft/ops/index/gather.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/shape/grid.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft {

/// All combinations of one element of each vector: (count, number of vectors), the last one's
/// elements changing fastest.
template <ExpressionLike X, ExpressionLike... Xs>
auto cartesian_prod(const X& x, const Xs&... xs) {
  using V = typename detail::Evaluated<X>::type;
  return std::apply(
      [](const auto&... grids) {
        return stack(std::vector<V>{V(grids.reshape({-1}))...}, axis(1));
      },
      meshgrid(x, xs...));
}

namespace detail {
/// The places of all choices of `count` out of n elements, in order.
[[gnu::noinline]] inline std::vector<int64_t> choices(int64_t n, int64_t count, bool repeats) {
  std::vector<int64_t> out;
  std::vector<int64_t> now;
  const auto left = [&](int64_t k) { return repeats ? 0 : count - 1 - k; };  // behind place k
  for (int64_t next = 0;;) {
    while (static_cast<int64_t>(now.size()) < count &&
           next < n - left(static_cast<int64_t>(now.size()))) {
      now.push_back(next);
      if (!repeats) ++next;
    }
    if (static_cast<int64_t>(now.size()) == count) out.insert(out.end(), now.begin(), now.end());
    if (now.empty()) return out;
    next = now.back() + 1;
    now.pop_back();
  }
}
}  // namespace detail

/// All choices of `count` elements of a vector, in their order: (choices, count); with `repeats`
/// an element may be chosen again.
template <ExpressionLike X>
auto combinations(const X& e, int64_t count = 2, bool repeats = false) {
  const auto x = e.eval();
  if (x.rank() != 1 || count < 0) {
    fail<ShapeError>("combinations", count, " elements of shape ", x.shape(),
                     ", expected at least 0 elements of a vector");
  }
  if (count == 0) return x.narrow(0, 0, 0);  // as PyTorch
  const auto places = detail::choices(x.size(), count, repeats);
  const auto rows = static_cast<int64_t>(places.size()) / count;
  const auto at = tensor(places, {rows, count}, x.device());
  return std::remove_const_t<decltype(x)>(take(x, at));
}

}  // namespace weft
