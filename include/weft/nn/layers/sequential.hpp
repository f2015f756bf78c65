// Flatten, Unflatten and Sequential, with Dropout and the activation functions as modules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/shape/movement.hpp"
#include "weft/nn/layers/activations.hpp"
#include "weft/nn/layers/dropout.hpp"
#include "weft/nn/watched.hpp"

namespace weft::nn {

/// Merges the axes from `first` to `last`; by default all but the batch.
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

/// Splits an axis into several of the given sizes, one of which may be -1: Unflatten{1, {8, 4, 4}}
/// makes images of rows.
struct Unflatten {
  int along = 1;
  Shape sizes;

  auto fields() { return nn::fields("along", along, "sizes", sizes); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    const Var x = e;
    const int at = along < 0 ? along + x.rank() : along;
    if (at < 0 || at >= x.rank()) {
      fail<ShapeError>("Unflatten", "axis ", along, " of shape ", x.shape());
    }
    const int64_t size = x.shape()[at];
    const Shape parts = layout::infer("Unflatten", sizes, size, Shape{size});
    Shape shape;
    for (int i = 0; i < x.rank(); ++i) {
      if (i != at) {
        shape.push_back(x.shape()[i]);
      } else {
        for (int64_t part : parts) shape.push_back(part);
      }
    }
    return x.reshape(shape);
  }
};

/// Modules one after the other, named "0", "1", ...: Sequential net{Linear{64, 32}, ReLU{}, ...}.
template <class... Ms>
struct Sequential {
  static_assert((std::is_class_v<Ms> && ...),
                "weft: a Sequential holds modules: write nn::ReLU{} for a function such as relu");
  std::tuple<Ms...> modules;

  Sequential() = default;
  explicit Sequential(Ms... ms) requires(sizeof...(Ms) > 0) : modules(static_cast<Ms&&>(ms)...) {}

  auto fields() { return fields_from<0>(); }

  /// Module number I: net.get<0>().
  template <std::size_t I>
  auto& get() {
    return std::get<I>(modules);
  }
  template <std::size_t I>
  const auto& get() const {
    return std::get<I>(modules);
  }

  /// Always returns a Var, which is recorded if something in it requires a gradient.
  auto operator()(const ExpressionLike auto& x) const {
    const Var y = from<0>(x);
    return y;
  }

 private:
  template <std::size_t I>
  auto fields_from() {
    if constexpr (I == sizeof...(Ms)) {
      return Fields<>();
    } else {
      return detail::before(FieldName(I), std::get<I>(modules), fields_from<I + 1>());
    }
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
        const M& module = std::get<I>(modules);
        const detail::Watched watched(module);
        return from<I + 1>(watched(module(x)));
      } else {
        return x;
      }
    }
  }
};

WEFT_MODEL(Module<Flatten>&& Module<Sequential<>>);

}  // namespace weft::nn
