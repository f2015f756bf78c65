// random::categorical, multinomial, choice, permuted, dirichlet: draws among weights or elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/compose.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/order/sort.hpp"
#include "weft/ops/random/distributions.hpp"
#include "weft/ops/random/permutation.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

namespace op {
/// weight / e for an exponential e: the largest of these is each one's with a probability
/// proportional to its weight, the k largest are a draw of k without replacement. Weight 0 comes
/// last; an invalid weight gives NaN, which wins.
struct race {
  using result_type = double;
  static constexpr const char* text = "race";
  Draw draw;
  template <class W>
  WEFT_HD double value(long long i, W weight) const {
    if (!(weight >= 0)) return variate::not_a_number;
    if (weight == 0) return -1;
    return static_cast<double>(weight) / -math::log(ElementBits(draw, i).uniforms().a);
  }
};
}  // namespace op

namespace random {

namespace detail {
/// Of each row of weights `rows` races.
template <class W>
auto races(const char* operation, const W& weights, int64_t rows, bool keeps, Generator& g) {
  using Element = typename W::value_type;
  static_assert(is_floating<Element>,
                "weft: weights are floating-point numbers: write cast<float>(w)");
  if (weights.rank() == 0 || weights.shape()[weights.rank() - 1] == 0) {
    fail<ShapeError>(operation, "weights of shape ", weights.shape(),
                     ", expected a last axis to choose along");
  }
  const Tensor<Element, typename W::device_type> w = weft::detail::Access::unconst(weights);
  if constexpr (std::is_same_v<typename W::device_type, Cpu>) {
    const double least = w.size() > 0 ? static_cast<double>(min(w).item()) : 0;
    const double sums = w.size() > 0 ? static_cast<double>(min(sum(w, axis(-1))).item()) : 1;
    if (!(least >= 0 && sums > 0 && sums < math::infinity<double>)) {
      fail<ValueError>(operation, "a weight of ", least, ", a sum of ", sums,
                       ", expected no negative weight, and a positive one in each row");
    }
  }
  Shape shape = w.shape();
  const Tensor<Element, typename W::device_type> wide = keeps ? w.unsqueeze(-2) : w;
  if (keeps) shape.insert(shape.rank() - 1, rows);
  return Map<double, op::race, Positions, Tensor<Element, typename W::device_type>>(
      op::race{g.draw()}, Positions(shape), wide);
}
}  // namespace detail

/// For each row of weights (..., n), which need not sum to 1, one index below n with probability
/// proportional to its weight. Weights that are negative, not numbers or all 0 throw ValueError on
/// the CPU; on CUDA, where checking would mean waiting, the index is then unspecified.
template <ExpressionLike W>
Tensor<std::int64_t, typename std::remove_cvref_t<W>::device_type> categorical(
    const W& weights, Generator& generator = default_generator()) {
  const auto w = weft::detail::as_tensor(weft::detail::detached(weights));
  return argmax(detail::races("categorical", w, 1, false, generator), axis(-1)).eval();
}

/// For each row of weights (..., n), `count` indices (..., count) drawn as by categorical, with or
/// without replacement. Without, fewer weights above 0 than `count` throw ValueError on the CPU; on
/// CUDA those of weight 0 then come last.
template <ExpressionLike W>
Tensor<std::int64_t, typename std::remove_cvref_t<W>::device_type> multinomial(
    const W& weights, std::int64_t count, bool replacement = false,
    Generator& generator = default_generator()) {
  const auto w = weft::detail::as_tensor(weft::detail::detached(weights));
  const std::int64_t n = w.rank() > 0 ? w.shape()[w.rank() - 1] : 0;
  if (count < 0 || (!replacement && count > n)) {
    fail<ValueError>("multinomial", count, " of ", n, " without replacement, expected at most ", n);
  }
  if (replacement) {
    return argmax(detail::races("multinomial", w, count, true, generator), axis(-1)).eval();
  }
  const auto keys = weft::detail::as_tensor(detail::races("multinomial", w, 1, false, generator));
  if constexpr (std::is_same_v<typename std::remove_cvref_t<W>::device_type, Cpu>) {
    const std::int64_t chances = w.size() > 0 ? min(count_nonzero(w, axis(-1))).item() : count;
    if (chances < count) {
      fail<ValueError>("multinomial", count, " without replacement of ", chances,
                       " weights above 0, expected at most that many");
    }
  }
  return topk(keys, count, axis(-1)).indices;
}

/// `count` slices of x along its first axis, all equally likely, drawn with or without replacement.
template <ExpressionLike X>
auto choice(const X& x, std::int64_t count, bool replacement = true,
            Generator& generator = default_generator()) {
  const auto all_of = weft::detail::as_tensor(x);
  const std::int64_t n = all_of.rank() > 0 ? all_of.shape()[0] : 0;
  if (count < 0 || (count > 0 && n == 0) || (!replacement && count > n)) {
    fail<ValueError>("choice", count, " of ", n, replacement ? "" : " without replacement",
                     ", expected 0 or more, and no more than can be drawn");
  }
  const auto device = all_of.device();
  const auto indices = [&] {
    if (replacement) return randint(0, n > 0 ? n : 1, {count}, device, generator);
    return permutation(n, device, generator).narrow(0, 0, count);
  }();
  return take(all_of, indices, axis(0)).eval();
}
/// choice with a weight for each slice.
template <ExpressionLike X, ExpressionLike W>
auto choice(const X& x, std::int64_t count, const W& weights, bool replacement = true,
            Generator& generator = default_generator()) {
  return take(weft::detail::as_tensor(x), multinomial(weights, count, replacement, generator),
              axis(0))
      .eval();
}
/// choice of numbers from 0 to n - 1: choice(10, 3).
template <std::integral N, class... Options>
auto choice(N n, std::int64_t count, Options&&... options) {
  return choice(arange(static_cast<std::int64_t>(n)), count, static_cast<Options&&>(options)...);
}

/// Rows of positive numbers that sum to 1, each from a row of positive parameters (..., n).
template <ExpressionLike A>
auto dirichlet(const A& alpha, Generator& generator = default_generator()) {
  const auto logs = detail::drawn_for<variate::log_gamma, typename A::value_type>(generator, alpha);
  return softmax(logs, axis(-1)).eval();
}

/// x with the elements along an axis in random order, a different one for each slice.
template <ExpressionLike X, class A>
auto permuted(const X& x, const A& axis, Generator& generator = default_generator()) {
  const auto all_of = weft::detail::as_tensor(x);
  const auto keys = rand<double>(all_of.shape(), all_of.device(), generator);
  return gather(all_of, argsort(keys, axis), axis).eval();
}

}  // namespace random
}  // namespace weft
