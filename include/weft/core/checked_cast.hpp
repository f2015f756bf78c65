// fit<T>(operation, number): a number as a T, or an exception when T cannot hold it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>

#include "weft/core/dtype.hpp"
#include "weft/core/error.hpp"

namespace weft::detail {

/// A number as a T; throws ValueError when T cannot hold it.
template <class T, class N>
constexpr T checked_cast(const char* operation, N number) {
  if constexpr (is_small<T>) {
    static_assert(std::is_same_v<T, N>,
                  "weft: an element of type Small is made of as many numbers: write "
                  "Small<T, R, C>{...}");
    return number;
  } else if constexpr (is_complex<T>) {
    if constexpr (is_complex<N>) {
      using R = real_t<T>;
      return T(checked_cast<R>(operation, number.real()),
               checked_cast<R>(operation, number.imag()));
    } else {
      return T(checked_cast<real_t<T>>(operation, number));
    }
  } else if constexpr (is_dual<T>) {
    if constexpr (is_dual<N>) {
      return T(number);
    } else {
      return checked_cast<typename T::number>(operation, number);
    }
  } else if constexpr (is_floating<T>) {
    const auto wide = static_cast<double>(number);
    const double limit = static_cast<double>(std::numeric_limits<T>::max());
    if ((wide > limit || wide < -limit) && wide - wide == 0) {
      fail<ValueError>(operation, "the number ", wide, " does not fit in ", dtype_of<T>);
    }
    return static_cast<T>(wide);
  } else {
    using C = typename Canonical<N>::type;
    if constexpr (is_bool<T>) {
      if (number != N(0) && number != N(1)) {
        fail<ValueError>(operation, "the number ", number, " does not fit in bool");
      }
    } else if constexpr (!is_bool<C>) {
      if (!std::in_range<T>(number)) {
        fail<ValueError>(operation, "the number ", number, " does not fit in ", dtype_of<T>,
                         ", expected ", +std::numeric_limits<T>::min(), " to ",
                         +std::numeric_limits<T>::max());
      }
    }
    return static_cast<T>(number);
  }
}

}  // namespace weft::detail
