// The gradients of cumprod, cummax, cummin and logcumsumexp: scans from the other end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/index/indexing.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/ternary.hpp"

namespace weft::autograd {

/// The sums of x from each element to the last one along the axis.
template <class T, class D>
Tensor<T, D> sums_from_the_end(const Tensor<T, D>& x, int along) {
  return Tensor<T, D>(cumsum(x.flip(along), axis(along))).flip(along);
}

/// What a scan's rule gets: the operand's value, the result and its gradient, all in the compute
/// type.
template <class S, class E, class F>
void scan_backward(const Scan<S, without_vars_t<E>>& e, Variable* const* edges, const F& f) {
  using T = typename E::value_type;
  using C = compute_t<T>;
  using D = typename E::device_type;
  pass_to<E>(e.args().head, edges, [&](const auto& sink) {
    const Tensor<C, D> x = cast<C>(e.args().head);
    store(sink, cast<T>(Tensor<C, D>(f(x))));
  });
}

/// Up to the first zero, the sum of g y from an element on, divided by it; at that zero, the
/// products without it; after it, 0.
template <class E>
  requires has_var<E>
struct Rule<Scan<scanner::cumprod, E>> {
  using D = typename E::device_type;
  template <class G>
  static void backward(const Scan<scanner::cumprod, without_vars_t<E>>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient) {
    using C = compute_t<typename E::value_type>;
    const int along = e.axis();
    scan_backward<scanner::cumprod, E>(e, edges, [&](const Tensor<C, D>& x) {
      if (x.rank() == 0) return Tensor<C, D>(cast<C>(gradient));
      const Tensor<C, D> g = cast<C>(gradient);
      const Tensor<C, D> zeros_so_far = cumsum(cast<C>(x == C(0)), axis(along));
      const Tensor<bool, D> first = x == C(0) && zeros_so_far == C(1);
      const Tensor<C, D> others = cumprod(where(first, C(1), x), axis(along));
      const auto before = sums_from_the_end(Tensor<C, D>(g * cumprod(x, axis(along))), along);
      const auto at = sums_from_the_end(Tensor<C, D>(g * others), along);
      return Tensor<C, D>(where(zeros_so_far == C(0), before / x, where(first, at, C(0))));
    });
  }
};

/// Each running extremum passes its gradient to the last element equal to it.
template <class S, class E>
  requires(has_var<E> && (std::is_same_v<S, scanner::cummax> || std::is_same_v<S, scanner::cummin>))
struct Rule<Scan<S, E>> {
  using D = typename E::device_type;
  template <class G>
  static void backward(const Scan<S, without_vars_t<E>>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient) {
    using C = compute_t<typename E::value_type>;
    const int along = e.axis();
    scan_backward<S, E>(e, edges, [&](const Tensor<C, D>& x) {
      if (x.rank() == 0) return Tensor<C, D>(cast<C>(gradient));
      const Tensor<C, D> y = Scan<S, Tensor<C, D>>(x, along, false);
      Shape line(x.shape());
      for (int i = 0; i < line.rank(); ++i) line[i] = i == along ? line[i] : 1;
      const auto place = arange<int64_t>(x.shape()[along], x.device()).reshape(line);
      const Tensor<int64_t, D> reached = where(x == y || isnan(x), place, int64_t{0});
      const Tensor<int64_t, D> source = cummax(reached, axis(along));
      const auto out = zeros<C>(x.shape(), x.device());
      scatter_add(out, axis(along), source, Tensor<C, D>(cast<C>(gradient)));
      return out;
    });
  }
};

/// The gradient's positive and negative parts as logarithms, so that nothing overflows.
template <class E>
  requires has_var<E>
struct Rule<Scan<scanner::logcumsumexp, E>> {
  using D = typename E::device_type;
  template <class G>
  static void backward(const Scan<scanner::logcumsumexp, without_vars_t<E>>& e,
                       Variable* const* edges, const Tensor<G, D>& gradient) {
    using C = compute_t<typename E::value_type>;
    const int along = e.axis();
    scan_backward<scanner::logcumsumexp, E>(e, edges, [&](const Tensor<C, D>& x) {
      if (x.rank() == 0) return Tensor<C, D>(cast<C>(gradient));
      const Tensor<C, D> g = cast<C>(gradient);
      const Tensor<C, D> y = logcumsumexp(x, axis(along));
      constexpr C nothing = -math::infinity<C>;
      const auto part = [&](C sign) {
        const Tensor<C, D> logs = where(g * sign > C(0), log(abs(g)) - y, nothing);
        return Tensor<C, D>(logcumsumexp(logs.flip(along), axis(along))).flip(along);
      };
      return Tensor<C, D>(where(x == nothing, C(0), exp(x + part(C(1))) - exp(x + part(C(-1)))));
    });
  }
};

}  // namespace weft::autograd
