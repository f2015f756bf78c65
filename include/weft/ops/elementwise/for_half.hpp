// op::for_half: activation functions and powers as GPUs compute them where the result has 16 bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "weft/core/math/for_half.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft {

namespace op {

/// An operation whose values are of type half or bfloat16: on a GPU by fewer instructions. Inside
/// an expression the value is a float, with some 15 binary digits.
template <class Op>
struct for_half : Op {
  using Op::value;
  WEFT_HD WEFT_INLINE constexpr float value(float x) const {
#if defined(__CUDA_ARCH__)
    return computed(static_cast<const Op&>(*this), x);
#else
    return Op::value(x);
#endif
  }
  WEFT_HD WEFT_INLINE constexpr float value(float x, float y) const {
#if defined(__CUDA_ARCH__)
    return computed(static_cast<const Op&>(*this), x, y);
#else
    return Op::value(x, y);
#endif
  }

#if defined(__CUDA_ARCH__)
 private:
  WEFT_HD static float computed(sigmoid, float x) { return math::gpu::for_half::sigmoid(x); }
  WEFT_HD static float computed(silu, float x) { return math::gpu::for_half::silu(x); }
  WEFT_HD static float computed(tanh, float x) { return math::gpu::for_half::tanh(x); }
  WEFT_HD static float computed(gelu, float x) { return math::gpu::for_half::gelu(x); }
  WEFT_HD static float computed(gelu_tanh, float x) { return math::gpu::for_half::gelu_tanh(x); }
  WEFT_HD static float computed(pow, float x, float y) { return math::gpu::for_half::pow(x, y); }
  WEFT_HD static float computed(const softplus& op, float x) {
    const auto beta = static_cast<float>(op.beta);
    if (x * beta > static_cast<float>(op.threshold)) return x;
    return math::gpu::for_half::softplus(x * beta) * (1 / beta);
  }
#endif
};

}  // namespace op

namespace detail {

template <class Op, class... Ops>
inline constexpr bool is_any_of = (std::is_same_v<Op, Ops> || ...);
template <class Op>
inline constexpr bool has_form_for_half =
    is_any_of<Op, op::sigmoid, op::silu, op::tanh, op::gelu, op::gelu_tanh, op::softplus, op::pow>;

/// What a program on D has for an operation with results of type T.
template <class Op, class T, class D>
using program_op =
    std::conditional_t<has_form_for_half<Op> && is_half<T> && is_cuda<D>, op::for_half<Op>, Op>;

/// The operation in that form.
template <class Form, class Op>
WEFT_INLINE constexpr Form in_form(const Op& op) {
  if constexpr (std::is_same_v<Form, Op>) {
    return op;
  } else {
    return Form{op};
  }
}

}  // namespace detail
}  // namespace weft
