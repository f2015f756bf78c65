// WEFT_REDUCTION: a reduction by an operation with an identity in one line, with its gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/expression.hpp"
#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/domain.hpp"
#include "weft/ops/reduce/sums.hpp"

namespace weft::detail {
template <class R, class X, class... Options>
auto reduce(R reducer, X&& x, const Options&... options);  // in ops/reduce/reduce.hpp
}  // namespace weft::detail

namespace weft::reducer {
using op::none;
}  // namespace weft::reducer

/// One line makes a reduction: its reducer in weft::reducer and its function in weft. `Domain` is
/// the set of element types it takes; `result_` is the result's element type in terms of the
/// operand's, T. `enter_` is what an element x, of type C, contributes; `join_` joins a and b, of
/// the result's type V, and must be associative and commutative; `identity_` joined with any value
/// is that value, and the result of no elements. `derivative_` is the derivative of the result in
/// terms of x and the number of elements n, or `none`. Use it outside every namespace.
#define WEFT_REDUCTION(name, Domain, result_, enter_, identity_, join_, derivative_)     \
  namespace weft::reducer {                                                              \
  struct name {                                                                          \
    using domain = op::Domain;                                                           \
    static constexpr const char* text = #name;                                           \
    static constexpr bool has_identity = true;                                           \
    template <class T>                                                                   \
    using result = result_;                                                              \
    template <class C>                                                                   \
    struct State {                                                                       \
      using V = result<C>;                                                               \
      V value = V(identity_);                                                            \
    };                                                                                   \
    template <class S, class C>                                                          \
    WEFT_HD static void add(S& s, C x, long long) {                                      \
      using V = decltype(s.value);                                                       \
      s.value = join(s.value, static_cast<V>(enter_));                                   \
    }                                                                                    \
    template <class S>                                                                   \
    WEFT_HD static void merge(S& s, S later) {                                           \
      s.value = join(s.value, later.value);                                              \
    }                                                                                    \
    template <class S>                                                                   \
    WEFT_HD auto finish(S s, long long) const {                                          \
      return s.value;                                                                    \
    }                                                                                    \
    template <class C>                                                                   \
    WEFT_HD static auto derivative([[maybe_unused]] C x, [[maybe_unused]] long long n) { \
      return derivative_;                                                                \
    }                                                                                    \
                                                                                         \
   private:                                                                              \
    template <class V>                                                                   \
    WEFT_HD static V join(V a, V b) {                                                    \
      return join_;                                                                      \
    }                                                                                    \
  };                                                                                     \
  }                                                                                      \
  namespace weft {                                                                       \
  template <ExpressionLike X, class... Options>                                          \
  auto name(X&& x, Options... options) {                                                 \
    return detail::reduce(reducer::name{}, static_cast<X&&>(x), options...);             \
  }                                                                                      \
  }
