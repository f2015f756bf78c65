// Convolutions as matrix products, on every device: forward, and the gradients of image and weight.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/columns.hpp"
#include "weft/ops/conv/visit.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft::conv {

/// A convolution by im2col: a matrix holds what the kernel sees at each place, for some images at a
/// time. Images and weights are contiguous.
template <class T, class D>
class ByMatmul {
  using C = compute_t<T>;
  using Images = Tensor<T, D>;
  using Loops = std::conditional_t<is_cuda<D>, Cuda, D>;

 public:
  ByMatmul(const char* operation, const Problem& p)
      : operation_(operation), p_(p), pointwise_(p.is_pointwise()), step_(images_at_once()) {}

  /// y = the convolution of x.
  void results(const Images& x, const Images& w, const Images& y) const {
    const Images filters = w.reshape({1, p_.groups, p_.filters / p_.groups, p_.depth()});
    for_some([&](int64_t first, int64_t count) {
      const Images some = x.narrow(0, first, count);
      const Images seen = pointwise_ ? some : columns(some, true);
      multiply(filters, seen.reshape({count, p_.groups, p_.depth(), p_.places()}),
               by_group(y.narrow(0, first, count)));
    });
  }

  /// dx = the gradient of the images, given the results' gradient.
  void images(const Images& g, const Images& w, const Images& dx) const {
    const Images filters =
        w.reshape({1, p_.groups, p_.filters / p_.groups, p_.depth()}).transpose(-1, -2);
    for_some([&](int64_t first, int64_t count) {
      const Images some = dx.narrow(0, first, count);
      const Shape matrix{count, p_.groups, p_.depth(), p_.places()};
      if (pointwise_) {
        return multiply(filters, by_group(g.narrow(0, first, count)), some.reshape(matrix));
      }
      const Images seen = weft::detail::Access::allocate<T, D>(matrix, g.device());
      multiply(filters, by_group(g.narrow(0, first, count)), seen);
      const FromColumns<T> add{Window(p_), seen.data(), Planes<T>(some), p_.places(),
                               p_.channels * p_.taps() * p_.places()};
      visit(operation_, g.device(), volume_of(some), add, {seen.storage()}, {some.storage()});
    });
  }

  /// The gradient of the weight, in the type of sums.
  Tensor<C, D> weights(const Images& x, const Images& g) const {
    const int64_t each = p_.filters / p_.groups;
    const Tensor<C, D> sum =
        weft::detail::Access::allocate<C, D>({p_.groups, each, p_.depth()}, x.device());
    for_some([&](int64_t first, int64_t count) {
      const Images some = x.narrow(0, first, count);
      const Images seen = pointwise_ ? Images(some.transpose(0, 1).clone())
                                     : columns(some, false);  // (row, image, place)
      const Images upstream = g.narrow(0, first, count).transpose(0, 1).clone();
      const Images left = upstream.reshape({p_.groups, each, count * p_.places()});
      const Images right = seen.reshape({p_.groups, p_.depth(), count * p_.places()});
      if (first == 0) return multiply(left, right.transpose(-1, -2), sum);
      const Tensor<C, D> more = weft::detail::Access::allocate<C, D>(sum.shape(), x.device());
      multiply(left, right.transpose(-1, -2), more);
      sum.assign(sum + more);
    });
    if (p_.images == 0 || p_.places() == 0) sum.fill(C(0));
    return sum.reshape(p_.weight_shape());
  }

 private:
  /// Calls f(first, count) for images whose matrix has a fitting size.
  template <class F>
  void for_some(const F& f) const {
    for (int64_t first = 0; first < p_.images; first += step_) {
      f(first, p_.images - first < step_ ? p_.images - first : step_);
    }
  }
  /// A matrix that stays in the caches of a CPU, or does not fill a GPU's memory.
  int64_t images_at_once() const {
    constexpr int64_t room = is_cuda<D> ? int64_t{256} << 20 : int64_t{4} << 20;
    const int64_t bytes = p_.channels * p_.taps() * p_.places() * static_cast<int64_t>(sizeof(T));
    return bytes > 0 && bytes < room ? room / bytes : 1;
  }
  Images by_group(const Images& y) const {
    return y.reshape({y.shape()[0], p_.groups, p_.filters / p_.groups, p_.places()});
  }
  /// (image, row, place), or (row, image, place).
  Images columns(const Images& x, bool by_image) const {
    const int64_t rows = p_.channels * p_.taps();
    const int64_t count = x.shape()[0];
    const Images out = weft::detail::Access::allocate<T, D>({count, rows, p_.places()}, x.device());
    const IntoColumns<T> copy{Window(p_), Planes<const T>(x), out.data(),
                              by_image ? p_.places() : count * p_.places(),
                              by_image ? rows * p_.places() : p_.places()};
    visit(operation_, x.device(), copy.volume(count, p_.channels), copy, {x.storage()},
          {out.storage()});
    return out;
  }
  template <class Out>
  void multiply(const Images& a, const Images& b, const Tensor<Out, D>& target) const {
    if (target.size() == 0) return;
    if constexpr (weft::detail::can_multiply<Loops>()) {
      Multiplier<Loops>::multiply(operation_, a, b, target);
    }
  }

  const char* operation_;
  const Problem& p_;
  bool pointwise_;
  int64_t step_;
};

}  // namespace weft::conv
