// The derivatives of reductions: how much of the result's gradient each element gets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/backward.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft::autograd {

struct NoExtras {
  template <class Reduce, class R, class E, class Y>
  static Pack<> extras(const Reduce&, const R&, const E&, const Y&) {
    return {};
  }
};

/// Whether a reducer has its own derivative, in terms of an element and the number of elements.
template <class R>
concept DerivesByElement = requires(float x) {
  { R::derivative(x, 1LL) } -> std::convertible_to<float>;
};

/// The derivative of a reduction by R of n elements, at element x, where the result is y:
///   static C of(const R&, C x, C y, C a, C b, long long n);
/// `extras(reduce, r, e, y)` gives a and b, which differ for each result, as a Pack of reductions
/// of the operand e where they are needed: reduce(reducer, expression) makes one. Specialised for
/// reducers whose derivative needs more than the element.
template <class R>
struct Derivative : NoExtras {
  static_assert(DerivesByElement<R>, "weft: this reduction has no gradient: write x.detach()");
  static constexpr bool reads_value = false;
  template <class C>
  WEFT_HD static C of(const R&, C x, C, C, C, long long n) {
    return R::derivative(x, n);
  }
};

/// The number of zeros and the product of the other elements, so that a single zero is no problem.
template <>
struct Derivative<reducer::prod> {
  static constexpr bool reads_value = true;
  template <class Reduce, class E, class Y>
  static auto extras(const Reduce& reduce, const reducer::prod&, const E& e, const Y&) {
    using C = compute_t<typename E::value_type>;
    return make_pack(reduce(reducer::sum{}, where(e == C(0), cast<C>(e == e), C(0))),
                     reduce(reducer::prod{}, where(e == C(0), C(1), cast<C>(e))));
  }
  template <class C>
  WEFT_HD static C of(const reducer::prod&, C x, C y, C zeros, C others, long long) {
    if (x == C(0)) return zeros == C(1) ? others : C(0);
    return zeros == C(0) ? y / x : C(0);
  }
};

/// Equal extremes share the gradient, as in PyTorch's amax.
struct ExtremeDerivative {
  static constexpr bool reads_value = true;
  template <class Reduce, class R, class E, class Y>
  static auto extras(const Reduce& reduce, const R&, const E& e, const Y& y) {
    using C = compute_t<typename E::value_type>;
    return make_pack(reduce(reducer::sum{}, cast<C>(cast<C>(e) == y)));
  }
  template <class R, class C>
  WEFT_HD static C of(const R&, C x, C y, C ties, C, long long) {
    return x == y ? C(1) / ties : C(0);
  }
};
template <>
struct Derivative<reducer::max> : ExtremeDerivative {};
template <>
struct Derivative<reducer::min> : ExtremeDerivative {};

template <>
struct Derivative<reducer::logsumexp> : NoExtras {
  static constexpr bool reads_value = true;
  template <class C>
  WEFT_HD static C of(const reducer::logsumexp&, C x, C y, C, C, long long) {
    return y == -math::infinity<C> ? C(0) : math::exp(x - y);
  }
};

template <>
struct Derivative<reducer::var> {
  static constexpr bool reads_value = false;
  template <class Reduce, class R, class E, class Y>
  static auto extras(const Reduce& reduce, const R&, const E& e, const Y&) {
    return make_pack(reduce(reducer::mean{}, cast<compute_t<typename E::value_type>>(e)));
  }
  template <class C>
  WEFT_HD static C of(const reducer::var& r, C x, C, C mean, C, long long n) {
    return C(2) / static_cast<C>(n - r.correction) * (x - mean);
  }
};
template <>
struct Derivative<reducer::stddev> : Derivative<reducer::var> {
  static constexpr bool reads_value = true;
  template <class C>
  WEFT_HD static C of(const reducer::stddev& r, C x, C y, C mean, C, long long n) {
    return C(1) / (static_cast<C>(n - r.correction) * y) * (x - mean);
  }
};

/// The gradient of the Euclidean norm at 0 is 0.
template <>
struct Derivative<reducer::norm> : NoExtras {
  static constexpr bool reads_value = true;
  template <class C>
  WEFT_HD static C of(const reducer::norm&, C x, C y, C, C, long long) {
    return y == C(0) ? C(0) : C(1) / y * x;  // the first factor is one number for all elements
  }
};

/// The largest absolute values share the gradient.
template <>
struct Derivative<reducer::norm_p> {
  static constexpr bool reads_value = true;
  template <class Reduce, class E, class Y>
  static auto extras(const Reduce& reduce, const reducer::norm_p&, const E& e, const Y& y) {
    using C = compute_t<typename E::value_type>;
    return make_pack(reduce(reducer::sum{}, cast<C>(abs(cast<C>(e)) == y)));
  }
  template <class C>
  WEFT_HD static C of(const reducer::norm_p& r, C x, C y, C ties, C, long long) {
    const C size = math::abs(x);
    if (r.p > 1.7976931348623157e308) return size == y ? math::sign(x) / ties : C(0);
    if (r.p == 1) return math::sign(x);
    if (r.p == 2 || y == C(0)) return Derivative<reducer::norm>::of({}, x, y, ties, ties, 0);
    return math::sign(x) * math::pow(size / y, static_cast<C>(r.p - 1));
  }
};

/// The gradient of a reduction's operand, from operands that are the result's gradient, the result
/// and what else its derivative needs.
template <class R, int B, bool Value, int Extras>
struct ReducedUpstream {
  R reducer;
  long long n;
  template <class Inputs, class C>
  WEFT_HD C operator()(const Inputs& inputs, C x) const {
    if constexpr (is_small<C>) {  // of sum and mean
      constexpr real_t<C> none{};
      return static_cast<C>(inputs.template get<B>()) *
             Derivative<R>::of(reducer, none, none, none, none, n);
    } else {
      return of_numbers(inputs, x);
    }
  }

 private:
  template <class Inputs, class C>
  WEFT_HD C of_numbers(const Inputs& inputs, C x) const {
    const C y = value<Value, B + 1>(inputs, x);
    const C a = value<(Extras > 0), B + 1 + Value>(inputs, x);
    const C b = value<(Extras > 1), B + 2 + Value>(inputs, x);
    return static_cast<C>(inputs.template get<B>()) * Derivative<R>::of(reducer, x, y, a, b, n);
  }
  template <bool There, int I, class Inputs, class C>
  WEFT_HD static C value(const Inputs& inputs, C otherwise) {
    if constexpr (There) {
      return static_cast<C>(inputs.template get<I>());
    } else {
      return otherwise;
    }
  }
};

template <class R, class E>
  requires has_var<E>
struct Rule<Reduce<R, E>> {
  using C = compute_t<typename E::value_type>;
  using D = typename E::device_type;

  static constexpr bool takes_value = true;
  /// `known` is e's value, if it has been computed already.
  template <class G>
  static void backward(const Reduce<R, without_vars_t<E>>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient, const Tensor<C, D>& known = {}) {
    if (!any_active(edges, var_count<E>)) return;
    if (run_rows_backward<Reduce<R, E>>(e, edges, gradient)) return;
    const Shape kept = kept_shape(e);
    const auto reduce = [&](auto reducer, auto operand) {
      const Reduce<decltype(reducer), decltype(operand)> extra(
          reducer, static_cast<decltype(operand)&&>(operand), {e.axes().mask, true});
      return weft::detail::materialize_on<C, D>(extra, gradient.device());
    };
    Tensor<C, D> value;
    if constexpr (Derivative<R>::reads_value) {
      value = known.storage() != nullptr ? known
                                         : weft::detail::materialize_on<C, D>(e, gradient.device());
      value = value.reshape(kept);
    }
    const auto extras = Derivative<R>::extras(reduce, e.reducer(), e.operand(), value);
    const Tensor<G, D> upstream = gradient.reshape(kept);
    using S = Source<G, std::remove_const_t<decltype(extras)>>;
    const S source{upstream, value, extras, e.reducer(), e.operand().size() / divisor(kept)};
    Backward<E, S>(e.operand(), edges, source);
  }

 private:
  static Shape kept_shape(const Reduce<R, without_vars_t<E>>& e) {
    weft::detail::ReducedAxes axes = e.axes();
    axes.keep = true;
    return axes.result(e.operand().shape());
  }
  static int64_t divisor(const Shape& kept) { return kept.size() > 0 ? kept.size() : 1; }

  template <class G, class Extras>
  struct Source;
  template <class G, class... Es>
  struct Source<G, Pack<Es...>> {
    static constexpr bool reads_value = Derivative<R>::reads_value;
    static constexpr bool reads_operand =
        !std::is_same_v<R, reducer::sum> && !std::is_same_v<R, reducer::mean>;
    using types =
        typename weft::detail::Join<TypeList<G>,
                                    std::conditional_t<reads_value, TypeList<C>, TypeList<>>,
                                    TypeList<typename Es::value_type...>>::type;
    const Tensor<G, D>& gradient;
    const Tensor<C, D>& value;
    const Pack<Es...>& extras;
    R reducer;
    int64_t n;

    void set(Operand* operands) const {
      int at = 0;
      weft::detail::set_target(operands[at++], gradient);
      if (reads_value) weft::detail::set_target(operands[at++], value);
      set_extras(operands + at, extras);
    }
    template <int B>
    auto seed() const {
      return ReducedUpstream<R, B, reads_value, sizeof...(Es)>{reducer, n};
    }

   private:
    static void set_extras(Operand*, const Pack<>&) {}
    template <class Head, class... Tail>
    static void set_extras(Operand* operands, const Pack<Head, Tail...>& tensors) {
      weft::detail::set_target(*operands, tensors.head);
      set_extras(operands + 1, tensors.tail);
    }
  };
};

}  // namespace weft::autograd
