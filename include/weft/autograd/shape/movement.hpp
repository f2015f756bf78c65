// Views of a Var: reshape, permute, slices, expand and the others, whose gradients are views too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/var.hpp"
#include "weft/ops/shape/axes.hpp"

namespace weft::autograd {

/// Whether a view shows each element, some, or some several times.
enum class Coverage {
  renamed,  ///< the view has each element, in the same order
  each,     ///< each once
  some,     ///< each once or not at all
  several   ///< elements stand several times
};

/// Writes zeros to the elements of a buffer without gaps that a view of it does not show.
template <class T, class D>
void fill_around(const Tensor<T, D>& buffer, const Tensor<T, D>& view) {
  constexpr std::int64_t few = 1 << 22;  // bytes; a launch for each side takes as long
  const bool is_box = view.rank() == buffer.rank() && view.strides() == buffer.strides() &&
                      buffer.is_contiguous() && view.size() > 0;
  // Bytes. Below, filling the ends of rows takes longer than filling the rows.
  constexpr std::int64_t long_row = 1 << 11;
  const int last = buffer.rank() - 1;
  const bool ends_rows = last >= 0 && is_box && view.size(last) < buffer.size(last) &&
                         (buffer.size(last) - view.size(last)) * 8 > buffer.size(last) &&
                         buffer.size(last) * static_cast<std::int64_t>(sizeof(T)) < long_row;
  if (!is_box || ends_rows || buffer.size() * static_cast<std::int64_t>(sizeof(T)) < few) {
    buffer.fill(compute_t<T>(0));
    return;
  }
  Tensor<T, D> inside = buffer;
  std::int64_t first = view.data() - buffer.data();
  for (int d = 0; d < buffer.rank(); ++d) {
    const std::int64_t stride = buffer.strides()[d];
    const std::int64_t begin = buffer.size(d) > 1 ? first / stride : 0;
    const std::int64_t end = begin + view.size(d);
    first -= begin * stride;
    if (begin > 0) inside.narrow(d, 0, begin).fill(compute_t<T>(0));
    if (end < buffer.size(d)) {
      inside.narrow(d, end, buffer.size(d) - end).fill(compute_t<T>(0));
    }
    inside = inside.narrow(d, begin, view.size(d));
  }
}

/// The node of a view. `view` makes it from a tensor of the operand's shape.
template <class T, class D, class F>
class Movement final : public NodeOf<1>, public InPlace<T, D> {
 public:
  Movement(const char* operation, const Var<T, D>& x, F view, Coverage coverage)
      : operation_(operation),
        shape_(x.shape()),
        device_(x.device()),
        view_(view),
        coverage_(coverage) {
    this->edges[0] = Ref<Variable>(x.variable().get());
  }

  Text name() const override { return operation_; }
  void check() const override {}
  /// Neighbours in the view are neighbours in memory, so that kernels write either equally fast.
  static bool keeps_neighbours(const Tensor<T, D>& value) {
    for (int d = value.rank() - 1; d >= 0; --d) {
      if (value.size(d) > 1) return value.strides()[d] == 1 || value.strides()[d] == -1;
    }
    return true;
  }
  Sink<T, D> open() override {
    const Sink<T, D> sink = operand()->open(shape_, device_, true);
    const Tensor<T, D> target = view_(sink.buffer);
    if (!sink.adds && coverage_ == Coverage::some) fill_around(sink.buffer, target);
    return {target, sink.adds};
  }
  void backward() override {
    const auto& viewed = *static_cast<VariableOf<T, D>*>(this->output);
    if (!viewed.has_pending) return;  // it is in its place
    const Tensor<T, D>& gradient = viewed.pending;
    auto* const input = operand();
    if (coverage_ == Coverage::renamed && gradient.is_contiguous() &&
        weft::detail::Access::storage(gradient).owners() == 1) {
      return input->give(gradient.reshape(shape_));  // it has no other owner, and is dropped next
    }
    const Sink<T, D> sink = input->open(shape_, device_, true);
    const Tensor<T, D> target = view_(sink.buffer);
    if (!sink.adds && coverage_ == Coverage::some) fill_around(sink.buffer, target);
    if (!sink.adds && coverage_ == Coverage::several) sink.buffer.fill(compute_t<T>(0));
    const bool copies = target.storage() != sink.buffer.storage();  // clone() does
    if (coverage_ == Coverage::renamed && (copies || !sink.buffer.is_contiguous())) {
      const Tensor<T, D> back = gradient.reshape(shape_);  // the buffer may have no such view
      if (sink.adds) {
        sink.buffer.assign(sink.buffer + back);
      } else {
        sink.buffer.assign(back);
      }
      return;
    }
    if (coverage_ == Coverage::several) {
      add_repeated(sink.buffer, gradient);
    } else if (sink.adds) {
      target.assign(target + gradient);
    } else {
      target.assign(gradient);
    }
  }
  void release() override { this->drop_edges(); }

 private:
  VariableOf<T, D>* operand() const { return static_cast<VariableOf<T, D>*>(this->edges[0].get()); }
  /// An expanded operand gets the sum of its copies' gradients.
  void add_repeated(const Tensor<T, D>& target, const Tensor<T, D>& gradient) const {
    const weft::detail::ReducedAxes axes = broadcast_axes(shape_, gradient.shape());
    const Reduce<reducer::sum, Tensor<T, D>> sum(reducer::sum{}, Tensor<T, D>(gradient), axes);
    const Tensor<T, D> summed = sum.eval().reshape(shape_);
    target.assign(target + summed);
  }

  const char* operation_;
  Shape shape_;
  D device_;
  F view_;
  Coverage coverage_;
};

/// The view of a Var that `view` makes of its values; if that copies them, so does this.
template <class T, class D, class F>
Var<T, D> moved(const char* operation, const Var<T, D>& x, F view,
                Coverage coverage = Coverage::each) {
  Tensor<T, D> value = view(x.value());
  if (!is_grad_enabled() || !x.requires_grad()) return Var<T, D>(value);
  using Moved = Movement<T, D, F>;
  Moved* const movement = new Moved(operation, x, view, coverage);
  Ref<Node> node(movement);
  auto variable = computed_by<T, D>(static_cast<Ref<Node>&&>(node));
  if ((coverage == Coverage::each || coverage == Coverage::some) &&
      value.storage() == x.value().storage() && Moved::keeps_neighbours(value)) {
    variable->view = movement;
  }
  return Var<T, D>(value, variable);
}

/// The node of x.to(device): the gradient goes back.
template <class T, class D, class To>
class Transferred final : public NodeOf<1> {
 public:
  explicit Transferred(const Var<T, D>& x) : device_(x.device()) {
    this->edges[0] = Ref<Variable>(x.variable().get());
  }
  Text name() const override { return "to"; }
  void check() const override {}
  void backward() override {
    const Tensor<T, To>& gradient = static_cast<VariableOf<T, To>*>(this->output)->pending;
    Tensor<T, D> back = gradient.to(device_);
    if constexpr (std::is_same_v<D, To>) back = back.clone();
    static_cast<VariableOf<T, D>*>(this->edges[0].get())->give(static_cast<Tensor<T, D>&&>(back));
  }
  void release() override { this->drop_edges(); }

 private:
  D device_;
};

}  // namespace weft::autograd

namespace weft {

template <class T, Device D>
Var<T, D> Var<T, D>::permute(const Shape& axes) const {
  return autograd::moved("permute", *this, [axes](const auto& x) { return x.permute(axes); });
}
template <class T, Device D>
Var<T, D> Var<T, D>::transpose(int64_t a, int64_t b) const {
  return autograd::moved("transpose", *this, [a, b](const auto& x) { return x.transpose(a, b); });
}
template <class T, Device D>
Var<T, D> Var<T, D>::t() const {
  return autograd::moved("t", *this, [](const auto& x) { return x.t(); });
}
template <class T, Device D>
Var<T, D> Var<T, D>::reshape(const Shape& to) const {
  // The gradient is a buffer without gaps, so it can always be viewed in another shape.
  return autograd::moved(
      "reshape", *this, [to](const auto& x) { return x.reshape(to); }, autograd::Coverage::renamed);
}
template <class T, Device D>
Var<T, D> Var<T, D>::view(const Shape& to) const {
  return autograd::moved(
      "view", *this, [to](const auto& x) { return x.view(to); }, autograd::Coverage::renamed);
}
template <class T, Device D>
Var<T, D> Var<T, D>::flatten() const {
  return reshape({-1});
}
template <class T, Device D>
Var<T, D> Var<T, D>::flatten(int64_t first, int64_t last) const {
  return weft::flatten(*this, first, last);
}
template <class T, Device D>
Var<T, D> Var<T, D>::squeeze() const {
  return autograd::moved(
      "squeeze", *this, [](const auto& x) { return x.squeeze(); }, autograd::Coverage::renamed);
}
template <class T, Device D>
Var<T, D> Var<T, D>::squeeze(int64_t axis) const {
  return autograd::moved(
      "squeeze", *this, [axis](const auto& x) { return x.squeeze(axis); },
      autograd::Coverage::renamed);
}
template <class T, Device D>
Var<T, D> Var<T, D>::unsqueeze(int64_t axis) const {
  return autograd::moved(
      "unsqueeze", *this, [axis](const auto& x) { return x.unsqueeze(axis); },
      autograd::Coverage::renamed);
}
template <class T, Device D>
Var<T, D> Var<T, D>::expand(const Shape& to) const {
  return autograd::moved(
      "expand", *this, [to](const auto& x) { return x.expand(to); }, autograd::Coverage::several);
}
template <class T, Device D>
Var<T, D> Var<T, D>::flip(int64_t axis) const {
  return autograd::moved("flip", *this, [axis](const auto& x) { return x.flip(axis); });
}
template <class T, Device D>
Var<T, D> Var<T, D>::diagonal(int64_t k, int64_t axis1, int64_t axis2) const {
  return autograd::moved(
      "diagonal", *this, [=](const auto& x) { return x.diagonal(k, axis1, axis2); },
      autograd::Coverage::some);
}
template <class T, Device D>
Var<T, D> Var<T, D>::narrow(int64_t axis, int64_t start, int64_t length) const {
  return autograd::moved(
      "narrow", *this, [=](const auto& x) { return x.narrow(axis, start, length); },
      autograd::Coverage::some);
}
template <class T, Device D>
std::vector<Var<T, D>> Var<T, D>::split(int64_t length, int64_t axis) const {
  return detail::pieces(*this, length, axis);
}
template <class T, Device D>
std::vector<Var<T, D>> Var<T, D>::chunk(int64_t count, int64_t axis) const {
  return detail::pieces(*this, detail::piece_length(shape(), count, axis), axis);
}
template <class T, Device D>
Var<T, D> Var<T, D>::clone() const {
  return autograd::moved(
      "clone", *this, [](const auto& x) { return x.clone(); }, autograd::Coverage::renamed);
}
template <class T, Device D>
Var<T, D> Var<T, D>::operator()(Slice a, Slice b, Slice c, Slice d, Slice e, Slice f, Slice g,
                                Slice h) const {
  return autograd::moved(
      "slice", *this, [=](const auto& x) { return x(a, b, c, d, e, f, g, h); },
      autograd::Coverage::some);
}
template <class T, Device D>
template <class To>
Var<T, To> Var<T, D>::to(To device) const {
  const Tensor<T, To> value = value_.to(device);
  if (!is_grad_enabled() || !requires_grad()) return Var<T, To>(value);
  autograd::Ref<autograd::Node> node(new autograd::Transferred<T, D, To>(*this));
  return Var<T, To>(value, autograd::computed_by<T, To>(static_cast<decltype(node)&&>(node)));
}

}  // namespace weft
