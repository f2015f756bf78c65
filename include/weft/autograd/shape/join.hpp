// cat and stack of Vars: each part gets its part of the gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/shape/movement.hpp"
#include "weft/ops/join.hpp"

namespace weft {

namespace autograd {

/// The node of cat(parts, axis(n)).
template <class T, class D>
class Join final : public Node {
 public:
  Join(const char* operation, const std::vector<Var<T, D>>& parts, int axis)
      : operation_(operation), axis_(axis) {
    for (const auto& part : parts) {
      sizes_.push_back(part.shape()[axis]);
      edges_.push_back(part.requires_grad() ? Ref<Variable>(part.variable().get())
                                            : Ref<Variable>());
    }
  }

  Text name() const override { return operation_; }
  int input_count() const override { return static_cast<int>(edges_.size()); }
  Variable* input(int index) const override {
    return edges_[static_cast<std::size_t>(index)].get();
  }
  void check() const override {}
  void backward() override {
    const Tensor<T, D>& gradient = static_cast<VariableOf<T, D>*>(this->output)->pending;
    int64_t at = 0;
    for (std::size_t k = 0; k < edges_.size(); ++k) {
      const Tensor<T, D> part = gradient.narrow(axis_, at, sizes_[k]);
      at += sizes_[k];
      if (edges_[k] && edges_[k]->active) {
        store(static_cast<VariableOf<T, D>*>(edges_[k].get())->open(part.shape(), part.device()),
              part);
      }
    }
  }
  void release() override {
    for (auto& edge : edges_)
      edge = Ref<Variable>();  // clang 14 never destroys a parameter made of {}
    this->released = true;
  }

 private:
  const char* operation_;
  int axis_;
  std::vector<int64_t> sizes_;
  std::vector<Ref<Variable>> edges_;
};

}  // namespace autograd

/// As cat of tensors; parts that require no gradient may be among them.
template <class T, Device D, class A = Axes>
Var<T, D> cat(const std::vector<Var<T, D>>& parts, const A& axis = {0}) {
  if constexpr (detail::is_axis<A>()) {
    const auto value =
        detail::join<T, D>("cat", parts, axis,
                           [](const auto& part, const auto& place) { place.assign(part.value()); });
    bool wanted = false;
    for (const auto& part : parts) wanted = wanted || part.requires_grad();
    if (!wanted || !is_grad_enabled()) return Var<T, D>(value);
    const int along = detail::one_axis("cat", axis, value.rank());
    autograd::Ref<autograd::Node> node(new autograd::Join<T, D>("cat", parts, along));
    return Var<T, D>(value, autograd::computed_by<T, D>(static_cast<decltype(node)&&>(node)));
  }
  return {};
}

/// As stack of tensors.
template <class T, Device D, class A = Axes>
Var<T, D> stack(const std::vector<Var<T, D>>& parts, const A& axis = {0}) {
  if constexpr (detail::is_axis<A>()) {
    if (parts.empty()) fail<ValueError>("stack", "no tensors, expected at least one");
    const int at = detail::one_axis("stack", axis, parts[0].rank() + 1);
    std::vector<Var<T, D>> raised;
    for (const auto& part : parts) raised.push_back(part.unsqueeze(at));
    return cat(raised, weft::axis(at));
  }
  return {};
}

}  // namespace weft
