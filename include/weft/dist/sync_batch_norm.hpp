// SyncBatchNorm: BatchNorm1d whose mean and variance are those of all ranks' samples.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/dist/differentiable.hpp"
#include "weft/nn/norm.hpp"

namespace weft::dist {

/// BatchNorm1d, and the same without training; in training statistics are over the batches of all
/// ranks of the group, which may differ in size. Two small all_reduces each way.
template <class D = Cpu, class T = float>
struct SyncBatchNorm : nn::BatchNorm1d<D, T> {
  using Base = nn::BatchNorm1d<D, T>;
  Group group;

  SyncBatchNorm() = default;
  SyncBatchNorm(int64_t size, Group g, nn::BatchNormOptions options = {}, D device = {})
      : Base(size, options, device), group(std::move(g)) {}

  auto fields() { return std::tuple_cat(Base::fields(), nn::fields("group", group)); }

  Var<T, D> operator()(const Var<T, D>& x) const {
    if (group.size() == 1 || (!this->training && this->running_mean)) return Base::operator()(x);
    using C = compute_t<T>;
    if ((x.rank() != 2 && x.rank() != 3) || x.size(1) != this->channels) {
      fail<ShapeError>("SyncBatchNorm", "an input of shape ", x.shape(), ", expected (batch, ",
                       this->channels, ") or (batch, ", this->channels, ", length)");
    }
    const bool rows = x.rank() == 3;
    const Shape row = rows ? Shape{this->channels, 1} : Shape{this->channels};
    const Axes axes = rows ? axis(0, 2) : axis(0);
    const D device = x.device();
    const int64_t mine = this->channels > 0 ? x.size() / this->channels : 0;
    const Tensor<T, D> n = full<T>({1}, static_cast<C>(mine), device);
    group.all_reduce(n);
    const Var<T, D> m = sum_over_ranks(group, Var<T, D>(sum(x, axes, keepdims))) / n;
    const Var<T, D> v = sum_over_ranks(group, Var<T, D>(sum(square(x - m), axes, keepdims))) / n;
    if (this->training && this->running_mean) track(m.detach(), v.detach(), n);
    const Var<T, D> w =
        nn::detail::flat_or<T, D>(this->weight, {this->channels}, 1, device).reshape(row);
    const Var<T, D> b =
        nn::detail::flat_or<T, D>(this->bias, {this->channels}, 0, device).reshape(row);
    return (x - m) * rsqrt(v + static_cast<C>(this->epsilon)) * w + b;
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
