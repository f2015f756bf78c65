// Pointwise convolutions, which are products of matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/by_matmul.hpp"

namespace weft {

template <class D>
struct DepthwiseWeights;  // in ops/conv/run.hpp

namespace conv {

namespace detail {
template <class D>
using Loops = std::conditional_t<is_cuda<D>, Cuda, D>;
/// Images as a matrix with a row for each pixel.
template <class T, class D>
Tensor<T, D> rows_of_places(const Tensor<T, D>& x) {
  const int64_t places = x.size() / (x.shape()[0] * x.shape()[1]);
  using weft::detail::Access;
  return Access::make<T, D>(StorageHandle(Access::storage(x)), x.data(),
                            {x.shape()[0] * places, x.shape()[1]}, {x.shape()[1], 1});
}
}  // namespace detail

/// Convolutions of 1 x 1 of channels-last images, or of single places, which are products of
/// matrices as they lie.
template <class T, class D>
struct PointwiseProduct {
  using X = Tensor<T, D>;
  static bool takes(const Problem& p, bool last) {
    return (last || p.places() == 1) && p.is_pointwise() && p.groups == 1 && p.channels > 0 &&
           p.filters > 0 && p.images > 0 && weft::detail::can_multiply<detail::Loops<D>>();
  }
  /// Whether they are faster than a GPU's library: always in 16 bits, where it chooses badly, and
  /// for images that do not fill the GPU. With `otherwise` false large ones of floats are not.
  static bool is_faster(const Problem& p, bool last, bool otherwise) {
    const int64_t widest = p.channels > p.filters ? p.channels : p.filters;
    const bool small = p.images * p.places() <= (int64_t{1} << 23) / widest;
    return is_cuda<D> && takes(p, last) && (sizeof(T) == 2 || small || otherwise);
  }
  static void results(const char* operation, const Problem& p, const X& x, const X& w, const X& y) {
    const X filters = w.reshape({p.filters, p.channels});
    multiply(operation, detail::rows_of_places(x), filters.t(), detail::rows_of_places(y));
  }
  static void images(const char* operation, const Problem& p, const X& g, const X& w, const X& dx) {
    const X filters = w.reshape({p.filters, p.channels});
    multiply(operation, detail::rows_of_places(g), filters, detail::rows_of_places(dx));
  }
  static void weights(const char* operation, const Problem& p, const X& x, const X& g,
                      const X& dw) {
    if constexpr (is_cuda<D> && requires { sizeof(DepthwiseWeights<detail::Loops<D>>); }) {
      const int64_t count = parts(p);
      if (count > 1) return weights_in_parts(operation, p, x, g, dw, count);
    }
    multiply(operation, detail::rows_of_places(g).t(), detail::rows_of_places(x),
             dw.reshape({p.filters, p.channels}));
  }

  /// How many parts fill a GPU where few results are sums over many places: one product of each
  /// part, as one batch. 1 elsewhere.
  static int64_t parts(const Problem& p) {
    const int64_t rows = p.images * p.places();
    const int64_t tiles = (p.filters + 127) / 128 * ((p.channels + 127) / 128);
    if (sizeof(T) > 4 || tiles > 8 || rows < int64_t{1} << 15) return 1;
    int64_t count = 256 / tiles < 128 ? 256 / tiles : 128;
    while (count >= 16 && rows % count != 0) --count;
    return count >= 16 ? count : 1;
  }
  /// The gradient of the weight as the sum of those of `count` parts of the places, which are
  /// added in the type of sums.
  static void weights_in_parts(const char* operation, const Problem& p, const X& x, const X& g,
                               const X& dw, int64_t count) {
    using C = compute_t<T>;
    const int64_t each = p.images * p.places() / count;
    const X left = detail::rows_of_places(g).reshape({count, each, p.filters});
    const X right = detail::rows_of_places(x).reshape({count, each, p.channels});
    const Tensor<C, D> sums =
        weft::detail::Access::allocate<C, D>({count, p.filters, p.channels}, x.device());
    multiply(operation, left.transpose(-1, -2), right, sums);
    const X to = dw.reshape({p.filters, p.channels});
    if constexpr (std::is_same_v<T, C>) {
      to.assign(sum(sums, axis(0)));
    } else {
      to.assign(cast<T>(sum(sums, axis(0))));
    }
  }

 private:
  template <class Out>
  static void multiply(const char* operation, const X& a, const X& b, const Tensor<Out, D>& to) {
    if constexpr (weft::detail::can_multiply<detail::Loops<D>>()) {
      Multiplier<detail::Loops<D>>::multiply(operation, a, b, to);
    }
  }
};

}  // namespace conv
}  // namespace weft
