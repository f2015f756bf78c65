// cast<T>(x), and map(f, x, ...) for a function object of the user's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/domain.hpp"
#include "weft/ops/elementwise/map.hpp"

namespace weft {

namespace op {
/// The element as a To: float to integer saturates and NaN gives 0, on every device.
template <class To>
struct cast {
  using domain = Any;
  using result_type = To;
  static constexpr const char* text = "cast";
  static constexpr int arity = 1;
  template <class T>
  WEFT_HD static constexpr compute_t<To> value(T x) {
#if !defined(__CUDA_ARCH__)
    // Half types hold all such integers; g++ does not see that rounding keeps them.
    if constexpr (is_half<To> && sizeof(T) == 1) return math::convert<compute_t<To>>(x);
#endif
    return load_element(math::convert<To>(x));
  }
  template <int, class T, class Y>
  WEFT_HD static constexpr T derivative(T, Y) {
    return T(1);
  }
};

/// Whether a function object has a derivative by its argument I, arguments and value being Ts.
template <class F, int I, class... Ts>
concept DerivesBy = requires(const F& f) {
  f.template derivative<I>(std::declval<Ts>()...);
};

#ifdef __CUDACC__  // in a kernel an unmarked function is an error, which nvcc only warns of
#pragma nv_diagnostic push
#pragma nv_diag_error 20011, 20013, 20014
#endif
/// A user's function object.
template <class F>
struct mapped {
  using domain = Any;
  static constexpr const char* text = "map";
  static constexpr bool mixes_types = true;
  static constexpr bool calls_user = true;
  F f;
  template <class... Ts>
  WEFT_HD constexpr auto value(Ts... xs) const {
    return f(xs...);
  }
  /// For functions that have f.derivative<I>(x..., y), y being the value.
  template <int I, class... Ts>
  requires DerivesBy<F, I, Ts...> WEFT_HD constexpr auto derivative(Ts... xs_and_y) const {
    return f.template derivative<I>(xs_and_y...);
  }
};
#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif

/// The same on the CPU, where it may be a lambda or a struct without marks also in a .cu file.
template <class F>
struct host_mapped {
  using domain = Any;
  static constexpr const char* text = "map";
  static constexpr bool mixes_types = true;
  static constexpr bool calls_user = true;
  F f;
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <class... Ts>
  WEFT_HD constexpr auto value(Ts... xs) const {
    return f(xs...);
  }
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <int I, class... Ts>
  requires DerivesBy<F, I, Ts...> WEFT_HD constexpr auto derivative(Ts... xs_and_y) const {
    return f.template derivative<I>(xs_and_y...);
  }
};
}  // namespace op

namespace detail {
template <class T, class X>
using argument_of_map = compute_t<typename operand_t<T, X>::value_type>;

/// Whether a type's name says that it is a lambda's, and it is none that nvcc passes to kernels.
template <class F>
constexpr bool is_host_closure() {
#if defined(__CUDACC__) && !defined(__CUDACC_RELAXED_CONSTEXPR__)
#ifdef __CUDACC_EXTENDED_LAMBDA__
  if (__nv_is_extended_host_device_lambda_closure_type(F)) return false;
#endif
  const char* name = __PRETTY_FUNCTION__;
  for (const char* at = name; *at != 0; ++at) {
    const char* word = "lambda";
    const char* here = at;
    while (*word != 0 && *here == *word) ++here, ++word;
    if (*word == 0 && (*here == ' ' || *here == '(' || *here == '[')) return true;
  }
#endif
  return false;
}

/// Whether kernels can call F, as far as its type tells.
template <class F>
constexpr bool runs_on_cuda() {
  constexpr bool marked = !is_host_closure<F>();
  static_assert(marked,
                "weft: map on Cuda calls a function object in a kernel, not a host lambda: write a "
                "struct with a __host__ __device__ operator()");
  return marked;
}

/// Whether f(elements of xs...) is an element; if not, one compile error that says why.
template <class F, class... Xs>
constexpr bool can_map() {
  if constexpr (OperandsOf<Xs...>) {
    using T = typename Leading<Xs...>::type;
    constexpr bool takes = std::is_invocable_v<const F&, argument_of_map<T, Xs>...>;
    static_assert(takes,
                  "weft: map(f, x, ...) calls f, which is const, with an element of each operand "
                  "(float for the half types): this f does not take them");
    if constexpr (takes) {
      return is_element<std::invoke_result_t<const F&, argument_of_map<T, Xs>...>>();
    }
    return takes;
  } else {
    return true;  // lift says what is wrong
  }
}
}  // namespace detail

/// x with elements of type To.
template <Element To, ExpressionLike X>
constexpr auto cast(X&& x) {
  using E = std::remove_cvref_t<X>;
  if constexpr (std::is_same_v<typename E::value_type, To> &&
                (TensorLike<E> || detail::is_var<E>)) {
    return std::remove_cvref_t<X>(static_cast<X&&>(x));
  } else {
    return lift(op::cast<To>{}, static_cast<X&&>(x));
  }
}

template <class To, ExpressionLike X>
  requires(!Element<To>)
constexpr auto cast(X&& x) {
  detail::is_element<To>();
  return std::remove_cvref_t<X>(static_cast<X&&>(x));
}

/// f(element of x, elements of xs...) for every element, fused like any other operation. f is a
/// copyable function object; for CUDA its operator() is __host__ __device__ (a struct, not a
/// generic lambda). Half types come as float; the operands' element types may differ.
template <class F, class X, class... Xs>
  requires OperandsOrMistakes<X, Xs...>
constexpr auto map(F f, X&& x, Xs&&... xs) {
  if constexpr (detail::can_map<F, std::remove_cvref_t<X>, std::remove_cvref_t<Xs>...>()) {
    using D = detail::common_device_of<std::remove_cvref_t<X>, std::remove_cvref_t<Xs>...>;
    if constexpr (std::is_same_v<D, Cpu>) {
      return lift(op::host_mapped<F>{f}, static_cast<X&&>(x), static_cast<Xs&&>(xs)...);
    } else if constexpr (detail::runs_on_cuda<F>()) {
      return lift(op::mapped<F>{f}, static_cast<X&&>(x), static_cast<Xs&&>(xs)...);
    } else {
      return typename detail::FirstExpression<std::remove_cvref_t<X>,
                                              std::remove_cvref_t<Xs>...>::type{};
    }
  } else {
    return 0;
  }
}

}  // namespace weft
