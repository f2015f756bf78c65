// Radix keys: unsigned integers in the order of the elements that they stand for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/core/word.hpp"

namespace weft::on_cuda {

/// The key type of elements of type T: few types of keys, so few instances of CUB's kernels.
template <class T>
using radix_key_t = weft::detail::word_t<sizeof(T)>;

/// The key of an element. All NaNs have the largest key, and -0 has the same as 0.
template <class T>
WEFT_HD constexpr radix_key_t<T> radix_key(T x) {
  using Key = radix_key_t<T>;
  constexpr Key sign = Key(1) << (8 * sizeof(T) - 1);
  if constexpr (is_floating<T>) {
    const auto value = load_element(x);
    if (value != value) return static_cast<Key>(~Key(0));
    if (value == 0) return sign;
    const Key bits = __builtin_bit_cast(Key, x);
    return static_cast<Key>((bits & sign) != 0 ? ~bits : bits | sign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Key>(static_cast<Key>(x) ^ sign);
  } else {
    return static_cast<Key>(x);
  }
}

/// Whether a key stands for one element only, which radix_element gives.
template <class T>
WEFT_HD constexpr bool is_exact(radix_key_t<T> key) {
  using Key = radix_key_t<T>;
  if constexpr (is_floating<T>) {
    return key != Key(1) << (8 * sizeof(T) - 1) && key != static_cast<Key>(~Key(0));
  } else {
    return true;
  }
}

/// The element of an exact key.
template <class T>
WEFT_HD constexpr T radix_element(radix_key_t<T> key) {
  using Key = radix_key_t<T>;
  constexpr Key sign = Key(1) << (8 * sizeof(T) - 1);
  if constexpr (is_floating<T>) {
    return __builtin_bit_cast(T, static_cast<Key>((key & sign) != 0 ? key ^ sign : ~key));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<Key>(key ^ sign));
  } else {
    return static_cast<T>(key);
  }
}

}  // namespace weft::on_cuda
