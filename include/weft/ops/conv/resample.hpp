// interpolate, pixel_shuffle, pixel_unshuffle: images of another size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/resample_run.hpp"

namespace weft {

/// Images (batch, channel, ...) resized: PyTorch's interpolate, without antialiasing. Evaluated at
/// the call, in the memory format of x.
template <ExpressionLike X>
auto interpolate(const X& e, const InterpolateOptions& options) {
  using Check = detail::OperandCheck<resampling::Kind, X>;
  static_assert(!is_dual<typename X::value_type>,
                "weft: interpolate has gradients, but no Hessian-vector products");
  if constexpr (!is_dual<typename X::value_type> && Check::report()) {
    const auto x = detail::as_tensor(e);
    const auto window = resampling::plan<compute_t<typename Check::element>>(x.shape(), options);
    using V = std::remove_cvref_t<decltype(x)>;
    if constexpr (detail::is_var<V>) {
      return resampling::Recorded<V>::run(window, x);
    } else {
      return resampling::values(window, x);
    }
  } else {
    return typename Check::first{};
  }
}

/// Images (batch, channel r r, row, column) rearranged into r times as many rows and columns:
/// (batch, channel, row r, column r). Shi et al. 2016.
template <ExpressionLike X>
auto pixel_shuffle(const X& e, int64_t r) {
  const auto x = detail::as_tensor(e);
  const Shape& s = x.shape();
  if (s.rank() != 4 || r < 1 || s[1] % (r * r) != 0) {
    fail<ShapeError>("pixel_shuffle", "an input of shape ", s, " by ", r,
                     ", expected (batch, channel, row, column) with channels divisible by ", r * r);
  }
  return x.reshape({s[0], s[1] / (r * r), r, r, s[2], s[3]})
      .permute({0, 1, 4, 2, 5, 3})
      .reshape({s[0], s[1] / (r * r), s[2] * r, s[3] * r});
}

/// The inverse of pixel_shuffle.
template <ExpressionLike X>
auto pixel_unshuffle(const X& e, int64_t r) {
  const auto x = detail::as_tensor(e);
  const Shape& s = x.shape();
  if (s.rank() != 4 || r < 1 || s[2] % r != 0 || s[3] % r != 0) {
    fail<ShapeError>("pixel_unshuffle", "an input of shape ", s, " by ", r,
                     ", expected (batch, channel, row, column) with rows and columns divisible by ",
                     r);
  }
  return x.reshape({s[0], s[1], s[2] / r, r, s[3] / r, r})
      .permute({0, 1, 3, 5, 2, 4})
      .reshape({s[0], s[1] * r * r, s[2] / r, s[3] / r});
}

}  // namespace weft
