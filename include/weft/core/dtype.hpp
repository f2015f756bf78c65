// The element types of tensors: their names, and the types they are computed in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "weft/core/complex.hpp"
#include "weft/core/dual.hpp"
#include "weft/core/half.hpp"

namespace weft {

/// The element types, as values.
enum class Dtype : unsigned char {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  dual64,  ///< Dual<float>, which no file holds
  dual128,
  small  ///< Small<T, R, C>, whose type says the rest
};

/// A matrix of R x C numbers, or a vector of R (core/small.hpp).
template <class T, int R, int C = 1>
struct Small;
template <class T>
inline constexpr bool is_small = false;
template <class T, int R, int C>
inline constexpr bool is_small<Small<T, R, C>> = true;

namespace detail {
template <class... Ts>
struct TypeList {};

template <class... Ts>
constexpr int count(TypeList<Ts...>) {
  return sizeof...(Ts);
}

using ElementTypes = TypeList<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                              std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, half,
                              bfloat16, float, double, complex<float>, complex<double>>;

template <class T, class... Ts>
constexpr int position(TypeList<Ts...>) {
  constexpr bool same[] = {std::is_same_v<T, Ts>...};
  int found = -1;
  for (int i = 0; i < static_cast<int>(sizeof...(Ts)); ++i) found = same[i] ? i : found;
  return found;
}

/// `long long` and `unsigned long long` are element types where they differ from int64_t.
template <class T>
struct Canonical {
  using type = T;
};
template <>
struct Canonical<long long> {
  using type = std::int64_t;
};
template <>
struct Canonical<unsigned long long> {
  using type = std::uint64_t;
};
}  // namespace detail

/// A type that tensors can hold.
template <class T>
concept Element = is_dual<T> || is_small<T> ||(0 <= detail::position<T>(detail::ElementTypes{}));

template <class T>
inline constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<complex<T>> = true;
template <class T>
inline constexpr bool is_bool = std::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !is_bool<T>;
/// Types with an order and all of weft's functions. Dual numbers qualify through their values.
template <class T>
inline constexpr bool is_floating = std::is_floating_point_v<T> || is_half<T> || is_dual<T>;

/// A number that can be combined with a tensor in an expression.
template <class T>
concept Number = Element<typename detail::Canonical<T>::type>;

/// The Dtype of an element type.
template <Element T>
inline constexpr Dtype dtype_of = static_cast<Dtype>(detail::position<T>(detail::ElementTypes{}));
template <class T>
inline constexpr Dtype dtype_of<Dual<T>> = sizeof(T) == 4 ? Dtype::dual64 : Dtype::dual128;
template <class T, int R, int C>
inline constexpr Dtype dtype_of<Small<T, R, C>> = Dtype::small;

/// The type that elements have inside an expression: float for the half types, otherwise their own.
template <class T>
using compute_t = std::conditional_t<is_half<T>, float, T>;

namespace detail {
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<complex<T>> {
  using type = T;
};
template <class T, int R, int C>
struct RealOf<Small<T, R, C>> {
  using type = T;
};
}  // namespace detail

/// What T is made of: float for complex<float> and Small<float, R, C>, T for real types.
template <class T>
using real_t = typename detail::RealOf<T>::type;

/// NumPy's and PyTorch's name of a dtype.
constexpr const char* name(Dtype d) {
  constexpr const char* names[] = {"bool",     "int8",    "int16",   "int32",     "int64",
                                   "uint8",    "uint16",  "uint32",  "uint64",    "float16",
                                   "bfloat16", "float32", "float64", "complex64", "complex128",
                                   "dual64",   "dual128", "small"};
  return names[static_cast<int>(d)];
}
inline const char* text(Dtype d) { return name(d); }

namespace detail {
/// Throws; defined in core/error.hpp.
template <class = void>
[[noreturn]] void no_element_size();
}  // namespace detail

/// The bytes of one element. Throws for `small`, whose size depends on the type: code that counts
/// bytes by dtype takes components(x).
constexpr int element_size(Dtype d) {
  if (d == Dtype::small) detail::no_element_size();
  constexpr int sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 8, 16, 0};
  return sizes[static_cast<int>(d)];
}

/// The value of an element as it enters an expression (half types become float).
template <class T>
WEFT_HD WEFT_INLINE constexpr compute_t<T> load_element(T value) {
  return static_cast<compute_t<T>>(value);
}

}  // namespace weft
