// mpi_function: how MPI reduces weft's element types, as weft's own sums do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "weft/core/dtype.hpp"
#include "weft/dist/call.hpp"

namespace weft::dist {

namespace detail {
struct Sum {
  template <class T>
  static constexpr bool takes = true;
  template <class T>
  static T of(T a, T b) {
    if constexpr (is_bool<T>) return a || b;
    if constexpr (is_integer<T>) {  // wraps
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    }
    if constexpr (!is_bool<T> && !is_integer<T>) return a + b;
  }
};
struct Product {
  template <class T>
  static constexpr bool takes = true;
  template <class T>
  static T of(T a, T b) {
    if constexpr (is_bool<T>) return a && b;
    if constexpr (is_integer<T>) {
      using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    }
    if constexpr (!is_bool<T> && !is_integer<T>) return a * b;
  }
};
/// Of a NaN and a number the NaN.
struct Minimum {
  template <class T>
  static constexpr bool takes = !is_complex<T>;
  template <class T>
  static T of(T a, T b) {
    return a < b || a != a ? a : b;
  }
};
struct Maximum {
  template <class T>
  static constexpr bool takes = !is_complex<T>;
  template <class T>
  static T of(T a, T b) {
    return a > b || a != a ? a : b;
  }
};

/// MPI's signature without its datatype: inout[i] = in[i] op inout[i].
template <class T, class Op>
void reduce_elements(void* in, void* inout, int* count, void*) {
  const T* const a = static_cast<const T*>(in);
  T* const b = static_cast<T*>(inout);
  for (int i = 0; i < *count; ++i) {
    b[i] = static_cast<T>(Op::of(load_element(a[i]), load_element(b[i])));
  }
}

template <class Op, class... Ts>
constexpr auto functions_of(weft::detail::TypeList<Ts...>) {
  using F = void (*)(void*, void*, int*, void*);
  constexpr auto one = []<class T>(T*) -> F {
    if constexpr (Op::template takes<T>) return reduce_elements<T, Op>;
    return nullptr;
  };
  return std::array<F, sizeof...(Ts)>{one(static_cast<Ts*>(nullptr))...};
}
}  // namespace detail

/// The function for MPI_Op_create, which ignores its last argument; null if the type has no such
/// reduction (complex numbers have no order). The average is a sum.
inline auto mpi_function(Reduce op, Dtype dtype) {
  using Types = weft::detail::ElementTypes;
  static constexpr auto sums = detail::functions_of<detail::Sum>(Types{});
  static constexpr auto products = detail::functions_of<detail::Product>(Types{});
  static constexpr auto minima = detail::functions_of<detail::Minimum>(Types{});
  static constexpr auto maxima = detail::functions_of<detail::Maximum>(Types{});
  const auto& table = op == Reduce::product   ? products
                      : op == Reduce::minimum ? minima
                      : op == Reduce::maximum ? maxima
                                              : sums;
  return table[static_cast<std::size_t>(dtype)];
}

}  // namespace weft::dist
