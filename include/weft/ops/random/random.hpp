// Random tensors (rand, randn, randint, bernoulli) and the expressions that they are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/random/box_muller.hpp"
#include "weft/core/random/generator.hpp"
#include "weft/ops/elementwise/generate.hpp"

namespace weft {

namespace op {
/// Uniform over the multiples of 2^-n in [0, 1), where n is the number of binary digits of T: no
/// value rounds to 1.
template <class T>
struct uniform {
  using result_type = T;
  static constexpr const char* text = "uniform";
  Draw draw;
  WEFT_HD compute_t<T> value(long long i) const {
    if constexpr (std::is_same_v<T, double>) {
      return of_bits(draw.bits64(static_cast<std::uint64_t>(i)));
    } else {
      return of_bits(draw.bits32(static_cast<std::uint64_t>(i)));
    }
  }
  WEFT_HD static double of_bits(std::uint64_t bits) {
    return math::unsigned_double(bits >> 11) * 0x1p-53;
  }
  WEFT_HD static float of_bits(std::uint32_t bits) {
    constexpr int digits = std::is_same_v<T, half> ? 11 : std::is_same_v<T, bfloat16> ? 8 : 24;
    constexpr float unit = 1 / static_cast<float>(1 << digits);
    return static_cast<float>(static_cast<std::int32_t>(bits >> (32 - digits))) * unit;
  }
};

/// Mean 0 and deviation 1; two neighbouring elements come from the same pair of integers.
template <class T>
struct normal {
  using result_type = T;
  static constexpr const char* text = "normal";
  Draw draw;
  WEFT_HD compute_t<T> value(long long i) const {
    const auto at = static_cast<std::uint64_t>(i);
    if constexpr (std::is_same_v<T, double>) {
      const PhiloxBlock x = draw.block(at / 2);
      return of_bits(std::uint64_t{x.a} << 32 | x.b, std::uint64_t{x.c} << 32 | x.d, at % 2 != 0);
    } else {
      const PhiloxBlock x = draw.block(at / 4);
      const bool upper = (at & 2) != 0;
      return of_bits(upper ? x.c : x.a, upper ? x.d : x.b, at % 2 != 0);
    }
  }
  WEFT_HD static double of_bits(std::uint64_t radius, std::uint64_t angle, bool second) {
    return math::box_muller<52>(radius >> 12, angle >> 12, second);
  }
  WEFT_HD static float of_bits(std::uint32_t radius, std::uint32_t angle, bool second) {
    return static_cast<float>(math::box_muller<32>(radius, angle, second));
  }
};

/// floor(bits * count / 2^64) above low for up to 2^32 values, with 2^128 for more: no value's
/// probability is off by more than one part in 2^32.
template <class T>
struct integers {
  using result_type = T;
  static constexpr const char* text = "integers";
  Draw draw;
  std::uint64_t low;
  std::uint64_t count;
  WEFT_HD T value(long long i) const {
    const auto at = static_cast<std::uint64_t>(i);
    const std::uint64_t upper = draw.bits64(at);  // before the branch: neighbours share a block
    if (count >> 32 == 0) return of_bits(upper, static_cast<std::uint32_t>(count));
    const std::uint64_t lower = product_high(draw.bits64(~at));
    return static_cast<T>(low + product_high(upper) + (lower + upper * count < lower ? 1 : 0));
  }
  /// One of `few` integers.
  WEFT_HD T of_bits(std::uint64_t bits, std::uint32_t few) const {
    const std::uint64_t upper = (bits >> 32) * few;
    return static_cast<T>(low + ((upper + ((bits & 0xFFFFFFFFU) * few >> 32)) >> 32));
  }

 private:
  /// The upper 64 bits of x * count.
  WEFT_HD std::uint64_t product_high(std::uint64_t x) const {
    const std::uint64_t cross = (x & 0xFFFFFFFFU) * (count >> 32);
    const std::uint64_t other = (x >> 32) * (count & 0xFFFFFFFFU);
    const std::uint64_t low_high = (x & 0xFFFFFFFFU) * (count & 0xFFFFFFFFU) >> 32;
    const std::uint64_t middle = (cross & 0xFFFFFFFFU) + (other & 0xFFFFFFFFU) + low_high;
    return (x >> 32) * (count >> 32) + (cross >> 32) + (other >> 32) + (middle >> 32);
  }
};

/// 1 with probability p, else 0; p is known to 2^-32.
template <class T>
struct trials {
  using result_type = T;
  static constexpr const char* text = "bernoulli";
  Draw draw;
  std::uint64_t successes = 0;  ///< how many of the 2^32 values of an element's bits give 1

  explicit constexpr trials(const Draw& from) : draw(from) {}
  /// Those below p * 2^32.
  constexpr trials(const Draw& from, double p)
      : draw(from), successes(static_cast<std::uint64_t>(p * 0x1p32)) {
    if (static_cast<double>(successes) < p * 0x1p32) ++successes;
  }

  WEFT_HD compute_t<T> value(long long i) const {
    return of_bits(draw.bits32(static_cast<std::uint64_t>(i)));
  }
  /// With a probability of its own for each element; NaN counts as 0.
  template <class P>
  WEFT_HD compute_t<T> value(long long i, P probability) const {
    return of_bits(draw.bits32(static_cast<std::uint64_t>(i)), probability);
  }
  WEFT_HD compute_t<T> of_bits(std::uint32_t bits) const {
    return static_cast<compute_t<T>>(bits < successes ? 1 : 0);
  }
  template <class P>
  WEFT_HD static compute_t<T> of_bits(std::uint32_t bits, P probability) {
    return static_cast<compute_t<T>>(bits * 0x1p-32 < static_cast<double>(probability) ? 1 : 0);
  }
};
}  // namespace op

// Expressions. They make a draw when they are built: wherever and however often one is evaluated,
// it has the same values, and inside a larger statement these are never stored.

/// Uniform on [0, 1), as in `where(uniform(x.shape()) < 0.9f, x, 0)`.
template <class T = float>
auto uniform(const Shape& shape, Generator& generator = default_generator()) {
  static_assert(
      is_floating<T>,
      "weft: uniform and rand make floating-point numbers: write randint<T>(low, high, shape)");
  return generated(shape, op::uniform<T>{generator.draw()});
}

/// Uniform between low and high, which rounding may reach.
template <class T = float, NumberLike L, NumberLike H>
auto uniform(const Shape& shape, L low, H high, Generator& generator = default_generator()) {
  const auto first = static_cast<compute_t<T>>(low);
  return first + (static_cast<compute_t<T>>(high) - first) * uniform<T>(shape, generator);
}

/// Normal with mean 0 and deviation 1.
template <class T = float>
auto normal(const Shape& shape, Generator& generator = default_generator()) {
  static_assert(is_floating<T>, "weft: normal and randn make floating-point numbers");
  return generated(shape, op::normal<T>{generator.draw()});
}

/// Normal with the given mean and deviation.
template <class T = float, NumberLike M, NumberLike S>
auto normal(const Shape& shape, M mean, S deviation, Generator& generator = default_generator()) {
  using C = compute_t<T>;
  return static_cast<C>(mean) + static_cast<C>(deviation) * normal<T>(shape, generator);
}

/// Integers from low to high - 1, all equally likely.
template <class T = std::int64_t>
auto integers(std::int64_t low, std::int64_t high, const Shape& shape,
              Generator& generator = default_generator()) {
  static_assert(is_integer<T>, "weft: integers and randint make integers: write rand<T>(shape)");
  if (low >= high)
    fail<ValueError>("randint", "low ", low, " and high ", high, ", expected low < high");
  if (!std::in_range<T>(low) || !std::in_range<T>(high - 1)) {
    fail<ValueError>("randint", "integers from ", low, " to ", high - 1, " do not fit in ",
                     dtype_of<T>);
  }
  const auto first = static_cast<std::uint64_t>(low);
  return generated(
      shape, op::integers<T>{generator.draw(), first, static_cast<std::uint64_t>(high) - first});
}

/// true, or 1 of another element type, with probability p.
template <class T = bool>
auto trials(double p, const Shape& shape, Generator& generator = default_generator()) {
  if (!(p >= 0 && p <= 1)) fail<ValueError>("bernoulli", "probability ", p, ", expected 0 to 1");
  return generated(shape, op::trials<T>(generator.draw(), p));
}
/// true with a probability for each element, clamped to [0, 1].
template <class T = bool, ExpressionLike P>
auto trials(P&& p, Generator& generator = default_generator()) {
  using Element = typename std::remove_cvref_t<P>::value_type;
  static_assert(is_floating<Element>,
                "weft: probabilities are floating-point numbers: write cast<float>(p)");
  using Stored = detail::operand_t<Element, P>;
  const Positions positions(p.shape());  // before p may be moved
  return Map<T, op::trials<T>, Positions, Stored>(
      op::trials<T>(generator.draw()), positions,
      detail::AsOperand<Element, op::trials<T>>{}(static_cast<P&&>(p)));
}

// Tensors: the same numbers, evaluated on a device.

/// Uniform on [0, 1).
template <class T = float, Device D = Cpu>
Tensor<T, D> rand(const Shape& shape, D device = {}, Generator& generator = default_generator()) {
  detail::Access::check_sizes("rand", shape);
  return detail::on<T>(uniform<T>(shape, generator), device);
}
/// With something that is no device: the error says what to write.
template <class T = float, MistakenOperand X>
Tensor<float> rand(const Shape&, const X&) {
  return detail::needs_device<X>();
}
template <class T = float, MistakenOperand X>
Tensor<float> randn(const Shape&, const X&) {
  return detail::needs_device<X>();
}
/// rand(3, 4), rand(3, 4, Cuda{}).
template <class T = float, NumberLike I, class... Rest>
auto rand(I size, Rest... rest) {
  return detail::by_sizes([](const auto&... to) { return rand<T>(to...); }, {}, size, rest...);
}
/// Normal with mean 0 and deviation 1.
template <class T = float, Device D = Cpu>
Tensor<T, D> randn(const Shape& shape, D device = {}, Generator& generator = default_generator()) {
  detail::Access::check_sizes("randn", shape);
  return detail::on<T>(normal<T>(shape, generator), device);
}
template <class T = float, NumberLike I, class... Rest>
auto randn(I size, Rest... rest) {
  return detail::by_sizes([](const auto&... to) { return randn<T>(to...); }, {}, size, rest...);
}
/// Integers from low to high - 1.
template <class T = std::int64_t, Device D = Cpu>
Tensor<T, D> randint(std::int64_t low, std::int64_t high, const Shape& shape, D device = {},
                     Generator& generator = default_generator()) {
  detail::Access::check_sizes("randint", shape);
  return detail::on<T>(integers<T>(low, high, shape, generator), device);
}
/// Without a shape: the error says what to write.
template <class T = std::int64_t, NumberLike N, class... Rest>
  requires(NumberLike<Rest>&&...)
Tensor<T> randint(N, Rest...) {
  static_assert(detail::always_false<N>,
                "weft: randint takes bounds and a shape: write randint(0, 10, {3, 4}), and {} for "
                "one number");
  return {};
}
/// true, or 1 of another element type, with probability p.
template <class T = bool, Device D = Cpu>
Tensor<T, D> bernoulli(double p, const Shape& shape, D device = {},
                       Generator& generator = default_generator()) {
  detail::Access::check_sizes("bernoulli", shape);
  return detail::on<T>(trials<T>(p, shape, generator), device);
}
/// true with a probability for each element, on the probabilities' device.
template <class T = bool, ExpressionLike P>
auto bernoulli(P&& p, Generator& generator = default_generator()) {
  return trials<T>(static_cast<P&&>(p), generator).eval();
}

/// Uniform on [0, 1), with the shape, element type and device of `x`.
template <ExpressionLike X>
auto rand_like(const X& x, Generator& generator = default_generator()) {
  return rand<typename X::value_type>(x.shape(), detail::device_of(x), generator);
}
/// Normal with mean 0 and deviation 1, with the shape, element type and device of `x`.
template <ExpressionLike X>
auto randn_like(const X& x, Generator& generator = default_generator()) {
  return randn<typename X::value_type>(x.shape(), detail::device_of(x), generator);
}
/// Integers from low to high - 1, with the shape, element type and device of `x`.
template <ExpressionLike X>
auto randint_like(const X& x, std::int64_t low, std::int64_t high,
                  Generator& generator = default_generator()) {
  return randint<typename X::value_type>(low, high, x.shape(), detail::device_of(x), generator);
}
/// true, or 1 of x's element type, with probability p, with the shape and device of `x`.
template <ExpressionLike X>
auto bernoulli_like(const X& x, double p, Generator& generator = default_generator()) {
  return bernoulli<typename X::value_type>(p, x.shape(), detail::device_of(x), generator);
}

}  // namespace weft
