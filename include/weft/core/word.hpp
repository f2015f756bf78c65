// word_t<Bytes>: the unsigned integer of as many bytes, which holds an element's bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weft::detail {

template <int Bytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned char;
};
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned;
};
template <>
struct Word<8> {
  using type = unsigned long long;
};

/// The unsigned integer of 1, 2, 4 or 8 bytes, as CUDA's functions take it.
template <int Bytes>
using word_t = typename Word<Bytes>::type;

}  // namespace weft::detail
