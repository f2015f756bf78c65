// SyncBatchNorm: batch norm over the samples of all ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/dist/differentiable.hpp"
#include "weft/nn/layers/batch_norm.hpp"

namespace weft::dist {

/// nn::BatchNorm1d, 2d or 3d, whatever x is: (batch, channels, ...); in training, statistics are
/// over the batches of all ranks of the group, which may differ in size. Takes two small
/// all_reduces forward and two backward.
template <class D = Cpu, class T = float>
struct SyncBatchNorm : nn::BatchNorm1d<D, T> {
  using Base = nn::BatchNorm1d<D, T>;
  Group group;

  SyncBatchNorm() = default;
  SyncBatchNorm(int64_t size, Group g, nn::BatchNormOptions options = {}, D device = {})
      : Base(size, options, device), group(std::move(g)) {}

  auto fields() { return nn::fields(Base::fields(), "group", group); }

  Var<T, D> operator()(const Var<T, D>& x) const {
    using C = compute_t<T>;
    if (x.rank() < 2 || x.rank() > 5 || x.size(1) != this->channels) {
      fail<ShapeError>("SyncBatchNorm", "an input of shape ", x.shape(), ", expected (batch, ",
                       this->channels, ", ...)");
    }
    Shape row{this->channels};
    for (int i = 2; i < x.rank(); ++i) row.push_back(1);
    const Axes axes = x.rank() == 2   ? axis(0)
                      : x.rank() == 3 ? axis(0, 2)
                      : x.rank() == 4 ? axis(0, 2, 3)
                                      : axis(0, 2, 3, 4);
    const D device = x.device();
    const Var<T, D> w =
        nn::detail::flat_or<T, D>(this->weight, {this->channels}, 1, device).reshape(row);
    const Var<T, D> b =
        nn::detail::flat_or<T, D>(this->bias, {this->channels}, 0, device).reshape(row);
    const auto small = static_cast<C>(this->epsilon);
    if (!this->training && this->running_mean) {
      const auto m = this->running_mean->reshape(row);
      const auto v = this->running_var->reshape(row);
      return (x - m) * rsqrt(v + small) * w + b;
    }
    const int64_t mine = this->channels > 0 ? x.size() / this->channels : 0;
    const Tensor<T, D> n = full<T>({1}, static_cast<C>(mine), device);
    group.all_reduce(n);
    const auto over = [&](const auto& e) {
      return sum_over_ranks(group, Var<T, D>(sum(e, axes, keepdims)));
    };
    const Var<T, D> m = over(x) / n;
    const Var<T, D> v = over(square(x - m)) / n;
    if (this->training && this->running_mean) track(m.detach(), v.detach(), n);
    return (x - m) * rsqrt(v + small) * w + b;
  }

 private:
  void track(const Tensor<T, D>& m, const Tensor<T, D>& v, const Tensor<T, D>& n) const {
    using C = compute_t<T>;
    *this->num_batches_tracked += int64_t{1};
    const double share = this->momentum
                             ? *this->momentum
                             : 1 / static_cast<double>(this->num_batches_tracked->item());
    const auto a = static_cast<C>(1 - share);
    const auto c = static_cast<C>(share);
    const Shape flat{this->channels};
    tie(*this->running_mean, *this->running_var) =
        fuse(a * *this->running_mean + c * m.reshape(flat),
             a * *this->running_var + c * (n / (n - C(1))) * v.reshape(flat));
  }
};

}  // namespace weft::dist
