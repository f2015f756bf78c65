// The gradients of Fourier transforms, which are transforms in the other direction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/signal/fft.hpp"
#include "weft/ops/signal/frames.hpp"

namespace weft {

namespace op {
/// The weight of element k in half a spectrum: `inside` if its conjugate is left out, otherwise 1.
template <class T>
struct half_spectrum_weight {
  using result_type = complex<T>;
  static constexpr const char* text = "half_spectrum_weight";
  long long n;
  T inside;
  WEFT_HD complex<T> value(long long k) const {
    return complex<T>(k == 0 || 2 * k == n ? T(1) : inside);
  }
};
}  // namespace op

namespace autograd {

/// The node of y = f(x) for a linear f, which needs neither x nor y: the gradient of x is
/// back(gradient).
template <class T, class U, class D, class F>
class Linear final : public NodeOf<1> {
 public:
  Linear(const char* operation, const Var<T, D>& x, const F& back)
      : operation_(operation), back_(back) {
    this->edges[0] = Ref<Variable>(x.variable().get());
  }
  Text name() const override { return operation_; }
  void check() const override {}
  void backward() override {
    auto* const input = static_cast<VariableOf<T, D>*>(this->edges[0].get());
    input->give(back_(static_cast<VariableOf<U, D>*>(this->output)->pending));
  }
  void release() override { this->drop_edges(); }

 private:
  const char* operation_;
  F back_;
};

/// The Var of a value that a linear function computed from x.
template <class T, class U, class D, class F>
Var<U, D> linear_of(const char* operation, const Var<T, D>& x, const Tensor<U, D>& y,
                    const F& back) {
  if (!is_grad_enabled() || !x.requires_grad()) return Var<U, D>(y);
  Ref<Node> node(new Linear<T, U, D, F>(operation, x, back));
  return Var<U, D>(y, computed_by<U, D>(static_cast<Ref<Node>&&>(node)));
}

/// The adjoint of a transform of something of the given shape: the direction is reversed, and what
/// was cropped gets no gradient.
struct FourierAdjoint {
  fourier::Problem problem;
  Shape shape;

  template <class Way, class G>
  auto of(const G& g) const {
    using T = real_t<typename G::value_type>;
    fourier::Problem p = problem;
    p.inverse = !p.inverse;
    if constexpr (std::is_same_v<Way, fourier::Forth>) {
      return fitted(fourier::transform(p, g));
    } else if constexpr (std::is_same_v<Way, fourier::Halved>) {
      const G weighted = g * weight<T>(g.shape(), T(0.5));
      return fitted(fourier::inverse_real_transform(p, weighted));
    } else {
      auto spectrum = fourier::real_transform(p, g);
      spectrum *= weight<T>(spectrum.shape(), T(2));
      return fitted(spectrum);
    }
  }

 private:
  template <class T>
  auto weight(Shape like, T inside) const {
    const int last = problem.axes.rank() - 1;
    const int axis = static_cast<int>(problem.axes[last]);
    for (int i = 0; i < like.rank(); ++i) like[i] = i == axis ? like[i] : 1;
    return generated(like, op::half_spectrum_weight<T>{problem.lengths[last], inside});
  }
  template <class X>
  X fitted(X x) const {
    Shape shared = shape;
    for (int i = 0; i < shape.rank(); ++i) {
      if (x.shape()[i] > shape[i]) x = x.narrow(i, 0, shape[i]);
      shared[i] = x.shape()[i];
    }
    if (shared == shape) return x.contiguous();
    const auto out = zeros<typename X::value_type>(shape, x.device());
    X part = out;
    for (int i = 0; i < shape.rank(); ++i) part = part.narrow(i, 0, shared[i]);
    part.assign(x);
    return out;
  }
};

}  // namespace autograd

namespace fourier {
/// Frames and their sum are each other's gradients.
template <class T, class D>
struct RecordedFrames<Var<T, D>> {
  static Var<T, D> frames_of(const Var<T, D>& x, int axis, int64_t n, int64_t hop) {
    const int64_t length = x.shape()[axis];
    const Tensor<T, D> y = fourier::frames_of(x.value(), axis, n, hop);
    return autograd::linear_of("frames_of", x, y, [=](const Tensor<T, D>& g) {
      return fourier::overlap_add(g, axis, hop, length).contiguous();
    });
  }
  static Var<T, D> overlap_add(const Var<T, D>& x, int axis, int64_t hop, int64_t length) {
    const int64_t n = x.shape()[x.rank() - 1];
    const int64_t reach = (x.shape()[axis] - 1) * hop + n;
    const Tensor<T, D> y = fourier::overlap_add(x.value(), axis, hop, length);
    return autograd::linear_of("overlap_add", x, y, [=](const Tensor<T, D>& g) {
      Shape shape = g.shape();
      shape[axis] = reach;
      const int64_t shared = reach < length ? reach : length;
      const Tensor<T, D> whole = zeros<T>(shape, g.device());
      whole.narrow(axis, 0, shared).assign(g.narrow(axis, 0, shared));
      return fourier::frames_of(whole, axis, n, hop).contiguous();
    });
  }
};

template <class T, class D>
struct Recorded<Var<T, D>> {
  template <class Way>
  static auto run(const Problem& p, const Var<T, D>& x) {
    const autograd::FourierAdjoint adjoint{p, x.shape()};
    return autograd::linear_of(p.operation, x, Way::run(p, x.value()),
                               [adjoint](const auto& g) { return adjoint.template of<Way>(g); });
  }
};
}  // namespace fourier

}  // namespace weft
