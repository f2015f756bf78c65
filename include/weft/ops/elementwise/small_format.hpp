// encode and decode: tensors of float8, float4, int4 and int2 as bytes, and back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/small_format.hpp"
#include "weft/ops/elementwise/cast.hpp"

namespace weft {

namespace op {
/// encode<float8_e4m3>(x): the code of the nearest number in a small format.
template <class Format>
struct encode {
  using domain = Floating;
  using result_type = std::uint8_t;
  static constexpr const char* text = "encode";
  static constexpr int arity = 1;
  Overflow overflow;
  template <class T>
  WEFT_HD constexpr std::uint8_t value(T x) const {
    if constexpr (sizeof(T) == 8) {
      return Format::encode(detail::round_to_odd(x), overflow);  // rounded once
    } else {
      return Format::encode(static_cast<float>(x), overflow);
    }
  }
};

/// decode<float8_e4m3>(codes): what codes, elements of uint8_t, stand for.
template <class Format>
struct decode {
  using domain = Integer;
  using result_type = float;
  static constexpr const char* text = "decode";
  static constexpr int arity = 1;
  template <class T>
  WEFT_HD static constexpr float value(T code) {
    return Format::decode(static_cast<std::uint8_t>(code));
  }
};
}  // namespace op

namespace detail {
/// Throws unless the last axis divides into whole bytes.
[[gnu::noinline]] inline void check_whole_bytes(const char* operation, const Shape& shape,
                                                int64_t codes) {
  if (shape.rank() == 0 || shape[shape.rank() - 1] % codes != 0) {
    fail<ShapeError>(operation, "shape ", shape, ", expected a last axis divisible by ", codes,
                     ", the codes in a byte");
  }
}
}  // namespace detail

/// Each element of x, of a floating type, rounded to a small format, as its code in a byte:
/// encode<float8_e4m3>(x), encode<int4>(x / scale). Fuses like any other operation; no gradient.
template <class Format, ExpressionLike X>
constexpr auto encode(X&& x, Overflow overflow = Overflow::saturate) {
  return lift(op::encode<Format>{overflow}, static_cast<X&&>(x));
}

/// What the codes of a small format, elements of uint8_t, stand for, as float.
template <class Format, ExpressionLike X>
constexpr auto decode(X&& codes) {
  using T = typename std::remove_cvref_t<X>::value_type;
  static_assert(std::is_same_v<T, std::uint8_t>,
                "weft: decode takes the codes of a small format, elements of std::uint8_t");
  return lift(op::decode<Format>{}, static_cast<X&&>(codes));
}

/// Codes of 4 or 2 bits side by side in bytes, the first one in the lowest bits, along the last
/// axis, which is shorter by that. Evaluated. Throws ShapeError if bytes would not be whole.
template <class Format, class D>
Tensor<std::uint8_t, D> pack_codes(const Tensor<std::uint8_t, D>& codes) {
  constexpr int count = 8 / Format::bits;
  detail::check_whole_bytes("pack_codes", codes.shape(), count);
  Shape shape = codes.shape();
  shape[shape.rank() - 1] /= count;
  shape.push_back(count);
  const auto parts = codes.reshape(shape);
  const int last = shape.rank() - 1;
  constexpr int mask = (1 << Format::bits) - 1;
  Tensor<std::uint8_t, D> bytes = parts.narrow(last, 0, 1).squeeze(last) & mask;
  for (int i = 1; i < count; ++i) {
    bytes = bytes | ((parts.narrow(last, i, 1).squeeze(last) & mask) << (i * Format::bits));
  }
  return bytes;
}

/// The reverse of pack_codes: each code in a byte of its own.
template <class Format, class D>
Tensor<std::uint8_t, D> unpack_codes(const Tensor<std::uint8_t, D>& bytes) {
  constexpr int count = 8 / Format::bits;
  detail::check_whole_bytes("unpack_codes", bytes.shape(), 1);
  Shape shape = bytes.shape();
  shape.push_back(count);
  Tensor<std::uint8_t, D> codes = empty<std::uint8_t>(shape, bytes.device());
  for (int i = 0; i < count; ++i) {
    codes.narrow(shape.rank() - 1, i, 1)
        .squeeze(shape.rank() - 1)
        .assign((bytes >> (i * Format::bits)) & ((1 << Format::bits) - 1));
  }
  Shape flat = bytes.shape();
  flat[flat.rank() - 1] *= count;
  return codes.reshape(flat);
}

}  // namespace weft
