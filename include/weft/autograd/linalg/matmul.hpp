// The gradients of matrix products: two products, and a sum for a bias.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/linalg/product_statement.hpp"

namespace weft::autograd {

template <class K, class A, class B>
inline constexpr bool rounds_gradient<Product<K, A, B>> = true;

namespace detail {
/// The matrix of a vector that stands on the left (a row) or on the right (a column).
template <class T, class D>
Tensor<T, D> as_matrix(const Tensor<T, D>& x, bool left) {
  return x.rank() > 1 ? x : x.unsqueeze(left ? 0 : 1);
}

/// The conjugates of complex elements; others as they are.
template <class T, class D>
Tensor<T, D> conjugated(const Tensor<T, D>& x) {
  if constexpr (is_complex<T>) {
    return conj(x);
  } else {
    return x;
  }
}

/// The sum of a gradient over the axes in which `shape` was broadcast, as an expression that keeps
/// them with size 1.
template <class T, class D>
Reduce<reducer::sum, Tensor<T, D>> sum_to(const Tensor<T, D>& gradient, const Shape& shape) {
  return {reducer::sum{}, Tensor<T, D>(gradient), broadcast_axes(shape, gradient.shape())};
}
/// The same of shape `shape`.
template <class T, class D>
Tensor<T, D> summed_to(const Tensor<T, D>& gradient, const Shape& shape) {
  if (gradient.shape() == shape) return gradient;
  return sum_to(gradient, shape).eval().reshape(shape);
}

/// Writes the sum of a gradient to a target that was broadcast to its shape, or adds it.
template <class T, class D, class G>
void store_sum(const Sink<T, D>& sink, const Tensor<G, D>& gradient) {
  const Shape& shape = sink.buffer.shape();
  if constexpr (std::is_same_v<T, G>) {
    if (!sink.adds && !(gradient.shape() == shape)) {
      const auto sum = sum_to(gradient, shape);
      sink.buffer.reshape(sum.shape()).assign(sum);
      return;
    }
  }
  store(sink, summed_to(gradient, shape));
}

/// Rows of all batches as rows of one matrix.
template <class T, class D>
Tensor<T, D> all_rows(const Tensor<T, D>& x) {
  int64_t rows = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.shape()[i];
  return x.reshape({rows, x.shape()[x.rank() - 1]});
}

/// Writes the product of a and b, or adds it.
template <class S, class M, class T, class D>
void put_product(const S& sink, const M& matrix, const Tensor<T, D>& a, const Tensor<T, D>& b) {
  const auto product = weft::detail::multiply<product::matmul>(a, b);
  if (!(product.shape() == matrix.shape())) {
    store(sink, summed_to(Tensor<T, D>(product), matrix.shape()).reshape(sink.buffer.shape()));
  } else if (sink.adds) {
    matrix.assign(product + matrix);
  } else {
    matrix.assign(product);
  }
}

/// Gives a factor the product of a and b, which has its shape except for batches.
template <class E, class T, class D>
void pass_product(const without_vars_t<E>& e, Variable* const* edges, const Tensor<T, D>& a,
                  const Tensor<T, D>& b, bool left) {
  pass_to<E>(e, edges,
             [&](const auto& sink) { put_product(sink, as_matrix(sink.buffer, left), a, b); });
}

/// The variable of the weight whose transpose linear() multiplies with, where the gradient may go
/// to it at once: a product with its factors in the other order instead of one and a copy.
template <class T, class D>
VariableOf<T, D>* weight_behind(Variable* transposed) {
  const auto* const view = static_cast<VariableOf<T, D>*>(transposed);
  const bool alone = view->uses == 1 && !view->is_pending() && !view->retains;
  if (!alone || view->is_leaf() || !view->hooks.empty() || state::checks) return nullptr;
  return static_cast<VariableOf<T, D>*>(view->creator->input(0));
}
}  // namespace detail

template <class K, class A, class B>
  requires(has_var<A> || has_var<B>)
struct Rule<Product<K, A, B>> {
  using T = typename A::value_type;
  using D = weft::detail::common_device_of<A, B>;

  template <class G>
  static void backward(const Product<K, without_vars_t<A>, without_vars_t<B>>& e,
                       Variable* const* edges, const Tensor<G, D>& gradient) {
    const Tensor<T, D> a = detail::as_matrix(Tensor<T, D>(e.left()), true);
    const Tensor<T, D> b = detail::as_matrix(Tensor<T, D>(e.right()), false);
    Tensor<T, D> g = cast<T>(gradient);
    if (e.left().shape().rank() == 1) g = g.unsqueeze(e.right().shape().rank() == 1 ? -1 : -2);
    if (e.right().shape().rank() == 1) g = g.unsqueeze(-1);
    if (g.size() == 0) {
      fill_zero<A>(e.left(), edges);
      return fill_zero<B>(e.right(), edges + var_count<A>);
    }
    // One matrix on the right, as in a layer: all batches are rows of one product.
    const bool flat = b.rank() == 2 && a.rank() > 2;
    const auto pass_left = [&] {
      if constexpr (has_var<A>) {
        detail::pass_product<A>(e.left(), edges, g, detail::conjugated(b.transpose(-1, -2)), true);
      }
    };
    if constexpr (has_var<B>) {
      const Tensor<T, D> rows = detail::conjugated(flat ? detail::all_rows(a) : a);
      const Tensor<T, D> upstream = flat ? detail::all_rows(g) : g;
      if constexpr (std::is_same_v<K, product::linear> && std::is_same_v<B, Var<T, D>>) {
        VariableOf<T, D>* const weight = any_active(edges + var_count<A>, 1)
                                             ? detail::weight_behind<T, D>(edges[var_count<A>])
                                             : nullptr;
        const bool first = weight != nullptr && weight->can_complete_early();
        if (!first) pass_left();
        if (weight != nullptr) {
          const auto sink = weight->open({b.shape()[1], b.shape()[0]}, b.device());
          detail::put_product(sink, sink.buffer, upstream.transpose(-1, -2), rows);
          if (!first) return;
          weight->complete_early();
          return pass_left();
        }
      } else {
        pass_left();
      }
      detail::pass_product<B>(e.right(), edges + var_count<A>, rows.transpose(-1, -2), upstream,
                              false);
    } else {
      pass_left();
    }
  }

 private:
  template <class E>
  static void fill_zero(const without_vars_t<E>& e, Variable* const* edges) {
    if constexpr (has_var<E>) {
      pass_to<E>(e, edges, [](const auto& sink) {
        if (!sink.adds) sink.buffer.fill(compute_t<T>(0));
      });
    }
  }
};

/// A bias passes the gradient on unchanged, and gets its sum.
template <class T, class K, class A, class B, class X>
  requires((has_var<A> || has_var<B>)&&(is_var<X> || TensorLike<X>))
struct Rule<Map<T, op::add, Product<K, A, B>, X>> {
  template <class G, class D>
  static void backward(const without_vars_t<Map<T, op::add, Product<K, A, B>, X>>& e,
                       Variable* const* edges, const Tensor<G, D>& gradient) {
    const auto& product = get<0>(e.args());
    if constexpr (is_var<X>) {
      pass_to<X>(get<1>(e.args()), edges + var_count<A> + var_count<B>,
                 [&](const auto& sink) { detail::store_sum(sink, gradient); });
      if (Variable* const bias = edges[var_count<A> + var_count<B>]) {
        static_cast<VariableOf<typename X::value_type, typename X::device_type>*>(bias)
            ->complete_early();
      }
    }
    if (!any_active(edges, var_count<A> + var_count<B>)) return;
    Rule<Product<K, A, B>>::backward(product, edges, detail::summed_to(gradient, product.shape()));
  }
};

/// So do both tensors that are added.
template <class T, class P, class Y>
  requires(is_biased_product<P> && (is_var<Y> || TensorLike<Y>))
struct Rule<Map<T, op::add, P, Y>> {
  template <class G, class D>
  static void backward(const without_vars_t<Map<T, op::add, P, Y>>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient) {
    const auto& product = get<0>(e.args());
    if constexpr (is_var<Y>) {
      pass_to<Y>(get<1>(e.args()), edges + var_count<P>,
                 [&](const auto& sink) { detail::store_sum(sink, gradient); });
    }
    if (!any_active(edges, var_count<P>)) return;
    Rule<P>::backward(product, edges, detail::summed_to(gradient, product.shape()));
  }
};

/// While an Autocast lives, in 16 bits; a bias is added in float.
template <class K, class A, class B>
  requires((has_var<A> || has_var<B>)&&std::is_same_v<typename A::value_type, float>&&
               std::is_same_v<typename A::device_type, typename B::device_type>)
struct CastStatement<Product<K, A, B>> {
  static constexpr bool possible = true;
  using D = typename A::device_type;
  static Var<float, D> run(const Caster<D>& caster, const Product<K, A, B>& e) {
    return caster.multiply(e.left(), e.right());
  }
};
template <class K, class A, class B, class X>
  requires(CastStatement<Product<K, A, B>>::possible &&
           (is_var<X> ||
            TensorLike<X>)&&std::is_same_v<typename A::device_type, typename X::device_type>)
struct CastStatement<Map<float, op::add, Product<K, A, B>, X>> {
  static constexpr bool possible = true;
  using D = typename A::device_type;
  static Var<float, D> run(const Caster<D>& caster,
                           const Map<float, op::add, Product<K, A, B>, X>& e) {
    const auto& product = get<0>(e.args());
    return caster.multiply(product.left(), product.right()) + get<1>(e.args());
  }
};
template <class P, class Y>
  requires(is_biased_product<P>&& CastStatement<P>::possible &&
           (is_var<Y> ||
            TensorLike<Y>)&&std::is_same_v<typename P::device_type, typename Y::device_type>)
struct CastStatement<Map<float, op::add, P, Y>> {
  static constexpr bool possible = true;
  using D = typename P::device_type;
  static Var<float, D> run(const Caster<D>& caster, const Map<float, op::add, P, Y>& e) {
    const auto& sum = get<0>(e.args());
    const auto& product = get<0>(sum.args());
    return caster.multiply(product.left(), product.right()) + get<1>(sum.args()) + get<1>(e.args());
  }
};

template <class E>
  requires(is_cut<E>&& HoistOpaque<E>::changes&& std::is_same_v<typename E::value_type, float>)
struct CastStatement<E> {
  static constexpr bool possible = true;
  using D = typename E::device_type;
  static Var<float, D> run(const Caster<D>&, const E& e) { return HoistOpaque<E>::of(e); }
};

}  // namespace weft::autograd
