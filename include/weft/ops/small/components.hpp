// small<R, C>(x, ...), component(x, i, j), and the views between tensors of Small and of numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/ops/small/lift.hpp"
#include "weft/ops/small/value.hpp"
#include "weft/ops/views.hpp"

namespace weft::op {

/// A Small of as many numbers as it has, row by row.
template <int R, int C>
struct small_pack {
  using domain = Floating;
  static constexpr const char* text = "small";
  template <class T, class... Ts>
    requires(sizeof...(Ts) + 1 == R * C)
  WEFT_HD static constexpr Small<T, R, C> value(T x, Ts... xs) { return {x, xs...}; }
  template <int I, class G, class... Ts>
  WEFT_HD static constexpr auto vjp(const G& g, const Ts&...) {
    return g[I];
  }
};

/// Number k, counted along the rows.
template <int K>
struct small_component : OfSmall {
  static constexpr const char* text = "component";
  template <class T, int R, int C>
  WEFT_HD static constexpr T value(const Small<T, R, C>& x) {
    return x[K];
  }
  template <int, class T, class X>
  WEFT_HD static constexpr X vjp(T g, const X&, T) {
    X out{};
    out[K] = g;
    return out;
  }
};
template <int I>
struct small_row : OfSmall {
  static constexpr const char* text = "row";
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x) {
    return row(x, I);
  }
  template <int, class G, class X>
  WEFT_HD static constexpr X vjp(const G& g, const X&, const G&) {
    X out{};
    for (int j = 0; j < X::columns; ++j) out(I, j) = g[j];
    return out;
  }
};
template <int J>
struct small_column : OfSmall {
  static constexpr const char* text = "column";
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x) {
    return column(x, J);
  }
  template <int, class G, class X>
  WEFT_HD static constexpr X vjp(const G& g, const X&, const G&) {
    X out{};
    for (int i = 0; i < X::rows; ++i) out(i, J) = g[i];
    return out;
  }
};

}  // namespace weft::op

namespace weft {

/// Small<T, R, C> of R * C expressions or numbers, given row by row: `small<3>(x, y, z)`.
template <int R, int C = 1, class... Xs>
  requires OperandsOrMistakes<Xs...>
constexpr auto small(Xs&&... xs) {
  static_assert(sizeof...(Xs) == R * C,
                "weft: small<R, C>(...) takes as many operands as it has numbers, row by row");
  if constexpr (sizeof...(Xs) == R * C) {
    return lift(op::small_pack<R, C>{}, static_cast<Xs&&>(xs)...);
  } else {
    return typename detail::FirstExpression<std::remove_cvref_t<Xs>...>::type{};
  }
}

/// Number I of each element, of a matrix (I, J).
template <int I, int J = 0, SmallLike X>
constexpr auto component(X&& x) {
  using S = typename std::remove_cvref_t<X>::value_type;
  constexpr bool inside = I >= 0 && I < S::rows && J >= 0 && J < S::columns;
  static_assert(inside, "weft: component<I, J>(x) counts rows and columns from 0");
  constexpr int k = inside ? I * S::columns + J : 0;
  return lift(op::small_component<k>{}, static_cast<X&&>(x));
}
/// Row I of each matrix, as a vector.
template <int I, SmallLike X>
constexpr auto row(X&& x) {
  constexpr bool inside = I >= 0 && I < std::remove_cvref_t<X>::value_type::rows;
  static_assert(inside, "weft: row<I>(x) counts rows from 0");
  return lift(op::small_row < inside ? I : 0 > {}, static_cast<X&&>(x));
}
/// Column J of each matrix, as a vector.
template <int J, SmallLike X>
constexpr auto column(X&& x) {
  constexpr bool inside = J >= 0 && J < std::remove_cvref_t<X>::value_type::columns;
  static_assert(inside, "weft: column<J>(x) counts columns from 0");
  return lift(op::small_column < inside ? J : 0 > {}, static_cast<X&&>(x));
}

/// The numbers of a tensor of Small as a tensor with one more axis (vectors) or two (matrices): a
/// view. Of an expression, of its value.
template <class S, Device D>
  requires is_small<std::remove_const_t<S>>
auto components(const Tensor<S, D>& x) {
  using T = std::conditional_t<std::is_const_v<S>, const typename S::number, typename S::number>;
  Shape shape = x.shape();
  Strides strides = x.strides();
  for (int i = 0; i < strides.rank(); ++i) strides[i] *= S::count;
  const auto append = [&](int64_t size, int64_t stride) {
    if (shape.rank() == max_rank) {
      fail<ShapeError>("components", "shape ", x.shape(), ", expected at most ", max_rank,
                       " axes with those of the elements");
    }
    shape.push_back(size);
    strides.push_back(stride);
  };
  append(S::rows, S::columns);
  if constexpr (S::columns > 1) append(S::columns, 1);
  return detail::Access::make<T, D>(detail::Access::storage(x), reinterpret_cast<T*>(x.data()),
                                    shape, strides);
}
template <SmallLike X>
  requires(!TensorLike<X> && !detail::has_var<std::remove_cvref_t<X>>)
auto components(const X& x) { return components(x.eval()); }

namespace detail {
/// Whether `inner` axes of these sizes at the end of x are dense, so that one element of S lies
/// there; then shape and strides of the tensor of S.
template <class S, class T, class D>
bool find_small(const Tensor<T, D>& x, Shape& shape, Strides& strides) {
  constexpr int inner = S::columns > 1 ? 2 : 1;
  const int outer = x.rank() - inner;
  bool fits = outer >= 0 && x.shape()[outer] == S::rows;
  fits = fits && (S::rows == 1 || x.strides()[outer] == S::columns);
  if constexpr (inner == 2) {
    fits = fits && x.shape()[outer + 1] == S::columns && x.strides()[outer + 1] == 1;
  }
  fits = fits && reinterpret_cast<std::uintptr_t>(x.data()) % alignof(S) == 0;
  for (int i = 0; i < outer; ++i) {
    fits = fits && (x.strides()[i] % S::count == 0 || x.shape()[i] <= 1);
    shape.push_back(x.shape()[i]);
    strides.push_back(x.strides()[i] / S::count);
  }
  return fits;
}
}  // namespace detail

/// A tensor of numbers whose last axis has R numbers, or whose last two have R x C, as one of
/// Small<T, R, C>: a view, so these axes must be dense (and a clone() is). Of an expression, of its
/// value; of a Var a Var.
template <int R, int C = 1, class T, Device D>
auto as_small(const Tensor<T, D>& x) {
  using U = std::remove_const_t<T>;
  static_assert(std::is_same_v<U, float> || std::is_same_v<U, double>,
                "weft: as_small takes tensors of float or double: write cast<float>(x)");
  using S = Small<U, R, C>;
  using Result = std::conditional_t<std::is_const_v<T>, const S, S>;
  Shape shape;
  Strides strides;
  if (!detail::find_small<S>(x, shape, strides)) {
    const Text sizes = C > 1 ? detail::join({R, " x ", C}) : detail::join({R});
    fail<ShapeError>("as_small", "shape ", x.shape(), " with strides ", x.strides(),
                     ", expected dense last axes of ", sizes, " numbers from a multiple of ",
                     int{alignof(S)}, " bytes on: write x.clone() where the sizes are right");
  }
  return detail::Access::make<Result, D>(detail::Access::storage(x),
                                         reinterpret_cast<Result*>(x.data()), shape, strides);
}
template <int R, int C = 1, ExpressionLike X>
  requires(!TensorLike<X> && !detail::has_var<std::remove_cvref_t<X>>)
auto as_small(X&& x) { return as_small<R, C>(static_cast<X&&>(x).eval()); }

// Vars: views whose gradients are views. custom() is from <weft/autograd.hpp>, which every file
// with a Var includes.

template <int R, int C = 1, ExpressionLike X>
  requires(!TensorLike<X> && detail::has_var<std::remove_cvref_t<X>>)
auto as_small(const X& x) {
  const auto view = [](const auto& numbers) { return as_small<R, C>(numbers); };
  const auto back = [](const auto& g, const auto&, const auto&) { return components(g); };
  return custom(view, back, x);
}
template <SmallLike X>
  requires(!TensorLike<X> && detail::has_var<std::remove_cvref_t<X>>)
auto components(const X& x) {
  using S = typename X::value_type;
  const auto view = [](const auto& elements) { return components(elements); };
  const auto back = [](const auto& g, const auto&, const auto&) {
    Shape shape;
    Strides strides;
    const bool fits = detail::find_small<S>(g, shape, strides);
    return as_small<S::rows, S::columns>(fits ? g : g.clone());
  };
  return custom(view, back, x);
}

}  // namespace weft
