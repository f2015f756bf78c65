// Dropout, Dropout2d, Flatten, the activation functions as modules, and Sequential.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/compose.hpp"
#include "weft/autograd/movement.hpp"
#include "weft/nn/fields.hpp"
#include "weft/ops/random/random.hpp"

namespace weft::nn {

/// In training each element becomes 0 with probability p, and the others are divided by 1 - p
/// (Srivastava and others 2014). Backward draws the same numbers again instead of keeping a mask.
struct Dropout {
  double p = 0.5;
  bool training = true;

  auto fields() { return nn::fields("p", p); }

  template <ExpressionLike X>
  auto operator()(const X& x) const {
    using Value = decltype(Var(x));
    using C = compute_t<typename X::value_type>;
    if (!(p >= 0 && p <= 1)) fail<ValueError>("Dropout", "p = ", p, ", expected 0 to 1");
    if (!training || p == 0) return Value(x);
    const auto scale = static_cast<C>(p == 1 ? 0 : 1 / (1 - p));
    return Value(where(trials(1 - p, x.shape()), x * scale, C(0)));
  }
};

/// In training each channel of each image becomes 0 with probability p, and the others are divided
/// by 1 - p (Tompson and others 2015). Of x (batch, channel, ...).
struct Dropout2d {
  double p = 0.5;
  bool training = true;

  auto fields() { return nn::fields("p", p); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    using T = typename X::value_type;
    using C = compute_t<T>;
    const Var x = e;
    if (!(p >= 0 && p <= 1)) fail<ValueError>("Dropout2d", "p = ", p, ", expected 0 to 1");
    if (x.rank() < 3) {
      fail<ShapeError>("Dropout2d", "an input of shape ", x.shape(),
                       ", expected (batch, channel, ...)");
    }
    using V = std::remove_const_t<decltype(x)>;
    if (!training || p == 0) return V(x);
    Shape channels = x.shape();
    for (int i = 2; i < x.rank(); ++i) channels[i] = 1;
    const auto scale = static_cast<C>(p == 1 ? 0 : 1 / (1 - p));
    using D = typename V::device_type;
    const Tensor<T, D> kept =
        where(trials(1 - p, channels), full<T>(channels, scale, x.device()), C(0));
    return V(x * kept);
  }
};

/// The axes from `first` to `last` as one; by default all but the batch.
struct Flatten {
  int first = 1;
  int last = -1;

  auto fields() { return nn::fields("first", first, "last", last); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    const Var x = e;
    const int begin = first < 0 ? first + x.rank() : first;
    const int end = last < 0 ? last + x.rank() : last;
    if (begin < 0 || begin > end || end >= x.rank()) {
      fail<ShapeError>("Flatten", "axes ", first, " to ", last, " of shape ", x.shape());
    }
    Shape shape;
    int64_t size = 1;
    for (int i = 0; i < x.rank(); ++i) {
      if (i >= begin && i <= end) size *= x.shape()[i];
      if (i == end) shape.push_back(size);
      if (i < begin || i > end) shape.push_back(x.shape()[i]);
    }
    return x.reshape(shape);
  }
};

// Activation functions give expressions: what follows them is computed with them, in one kernel.

struct ReLU {
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return relu(x); }
};
/// At most 6.
struct ReLU6 {
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const {
    using C = compute_t<typename std::remove_cvref_t<decltype(x)>::value_type>;
    return clamp(x, C(0), C(6));
  }
};
struct Hardswish {
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return hardswish(x); }
};
struct Hardsigmoid {
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return hardsigmoid(x); }
};
/// What it is given.
struct Identity {
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return x; }
};
struct GELU {
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return gelu(x); }
};
struct SiLU {
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return silu(x); }
};
struct Tanh {
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return tanh(x); }
};
struct Sigmoid {
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return sigmoid(x); }
};
/// Along one axis, the last by default.
struct Softmax {
  int along = -1;
  auto fields() { return nn::fields("along", along); }
  auto operator()(const ExpressionLike auto& x) const { return softmax(x, axis(along)); }
};

/// Modules one after the other, named "0", "1", ...: Sequential net{Linear{64, 32}, ReLU{}, ...}.
template <class... Ms>
struct Sequential {
  static_assert((std::is_class_v<Ms> && ...),
                "weft: a Sequential holds modules: write nn::ReLU{} for a function such as relu");
  std::tuple<Ms...> modules;

  Sequential() = default;
  explicit Sequential(Ms... ms) requires(sizeof...(Ms) > 0) : modules(static_cast<Ms&&>(ms)...) {}

  auto fields() { return numbered(std::index_sequence_for<Ms...>{}); }

  template <std::size_t I>
  auto& get() {
    return std::get<I>(modules);
  }

  /// Always a Var, which is recorded where something in it requires a gradient.
  auto operator()(const ExpressionLike auto& x) const {
    const Var y = from<0>(x);
    return y;
  }

 private:
  template <std::size_t... I>
  auto numbered(std::index_sequence<I...>) {
    return std::tuple<Field<Ms>...>(Field<Ms>{std::to_string(I), std::get<I>(modules)}...);
  }
  template <std::size_t I, class X>
  auto from(const X& x) const {
    if constexpr (I == sizeof...(Ms)) {
      return x;
    } else {
      using M = std::tuple_element_t<I, std::tuple<Ms...>>;
      constexpr bool callable = std::is_invocable_v<const M&, const X&>;  // nvcc refuses m(x) here
      static_assert(callable,
                    "weft: a module in a Sequential is called with the value before it: give it a "
                    "const operator()(x); nn::ReLU{} stands for relu");
      if constexpr (callable) {
        return from<I + 1>(std::get<I>(modules)(x));
      } else {
        return x;
      }
    }
  }
};

}  // namespace weft::nn
