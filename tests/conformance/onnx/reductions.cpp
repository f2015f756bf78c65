// ONNX's reductions and running sums.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"
#include "weft/statistics.hpp"

namespace conformance {

namespace {

/// f(x, axes, keepdims) with the axes of the attribute or of input 1, and without them where the
/// axes are not to be kept. `same` is what no axes give with noop_with_empty_axes.
template <class X, class F, class G>
void reduce(Call& c, const X& x, F f, G same) {
  std::vector<int64_t> axes = c.has(1) ? c.list(1) : c.integers("axes");
  if (axes.empty()) {
    if (c.integer("noop_with_empty_axes") != 0) return c.out(same(x));
    for (int i = 0; i < x.rank(); ++i) axes.push_back(i);
  }
  const Tensor result = f(x, to_axes(axes));
  if (c.integer("keepdims", 1) != 0) return c.out(result);
  Shape left;
  for (int i = 0; i < x.rank(); ++i) {
    bool reduced = false;
    for (int64_t a : axes) reduced |= from_front(a, x.rank()) == i;
    if (!reduced) left.push_back(x.shape()[i]);
  }
  c.out(result.reshape(left));
}

template <class... Ts, class F, class G>
Operator reduction(F, G) {
  return [](Call& c) { c.visit<Ts...>(0, [&](const auto& x) { reduce(c, x, F{}, G{}); }); };
}
constexpr auto as_it_is = [](auto& x) { return x; };

/// What the extremum of no elements is.
template <class T>
T end(float infinity) {
  if constexpr (std::is_same_v<T, bool>)
    return infinity > 0;
  else
    return static_cast<T>(infinity);
}

template <class F>
Operator arg(F) {
  return [](Call& c) {
    const Float x = c.f32(0);
    const int64_t along = from_front(c.integer("axis"), x.rank());
    Int found = F{}(x, axis(along));
    if (c.integer("select_last_index") != 0) {
      found = x.size(static_cast<int>(along)) - 1 - F{}(x.flip(along), axis(along));
    }
    c.out(c.integer("keepdims", 1) != 0 ? Int(found.unsqueeze(along)) : found);
  };
}

template <class... Ts, class F>
Operator running(F) {
  return [](Call& c) {
    c.visit<Ts...>(0, [&](auto x) {
      const int64_t along = from_front(c.list(1).at(0), x.rank());
      const bool reverse = c.integer("reverse") != 0;
      using T = element_t<decltype(x)>;
      if (reverse) x = x.flip(along).clone();
      Tensor<T> sums = F{}(x, axis(along), c.integer("exclusive") != 0);
      c.out(reverse ? Tensor<T>(sums.flip(along)) : sums);
    });
  };
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["ReduceSum"] = reduction<float, double, half, int64_t>(
      [](auto& x, const weft::Axes& a) {
        return cast<element_t<decltype(x)>>(sum(x, a, keepdims));
      },
      as_it_is);
  table["ReduceMean"] =
      reduction<float>([](auto& x, const weft::Axes& a) { return mean(x, a, keepdims); }, as_it_is);
  table["ReduceProd"] =
      reduction<float>([](auto& x, const weft::Axes& a) { return prod(x, a, keepdims); }, as_it_is);
  const auto largest = [](auto& x, const weft::Axes& a) {
    // Of no elements ONNX has the type's end.
    using T = element_t<decltype(x)>;
    Shape one = x.shape();
    for (int64_t i : a) one[static_cast<int>(from_front(i, x.rank()))] = 1;
    if (x.size() == 0) return Tensor<T>(weft::full<T>(one, end<T>(-INFINITY)));
    return Tensor<T>(max(x, a, keepdims));
  };
  const auto smallest = [](auto& x, const weft::Axes& a) {
    using T = element_t<decltype(x)>;
    Shape one = x.shape();
    for (int64_t i : a) one[static_cast<int>(from_front(i, x.rank()))] = 1;
    if (x.size() == 0) return Tensor<T>(weft::full<T>(one, end<T>(INFINITY)));
    return Tensor<T>(min(x, a, keepdims));
  };
  table["ReduceMax"] = reduction<float, double, half, bfloat16, bool>(largest, as_it_is);
  table["ReduceMin"] = reduction<float, bool>(smallest, as_it_is);
  table["ReduceL1"] =
      reduction<float>([](auto& x, const weft::Axes& a) { return sum(abs(x), a, keepdims); },
                       [](auto& x) { return abs(x); });
  table["ReduceL2"] =
      reduction<float>([](auto& x, const weft::Axes& a) { return norm(x, a, keepdims); },
                       [](auto& x) { return abs(x); });
  table["ReduceSumSquare"] =
      reduction<float>([](auto& x, const weft::Axes& a) { return sum(x * x, a, keepdims); },
                       [](auto& x) { return x * x; });
  table["ReduceLogSum"] =
      reduction<float>([](auto& x, const weft::Axes& a) { return log(sum(x, a, keepdims)); },
                       [](auto& x) { return log(x); });
  table["ReduceLogSumExp"] = reduction<float, double>(
      [](auto& x, const weft::Axes& a) { return logsumexp(x, a, keepdims); },
      [](auto& x) { return x; });
  table["ArgMax"] = arg([](const auto& x, const weft::Axes& a) { return argmax(x, a); });
  table["ArgMin"] = arg([](const auto& x, const weft::Axes& a) { return argmin(x, a); });
  table["CumSum"] =
      running<double, int32_t>([](const auto& x, const weft::Axes& a, bool exclusive) {
        using T = element_t<decltype(x)>;
        return exclusive ? Tensor<T>(cast<T>(exclusive_cumsum(x, a)))
                         : Tensor<T>(cast<T>(cumsum(x, a)));
      });
  table["CumProd"] =
      running<double, int32_t>([](const auto& x, const weft::Axes& a, bool exclusive) {
        using T = element_t<decltype(x)>;
        return exclusive ? Tensor<T>(cast<T>(exclusive_cumprod(x, a)))
                         : Tensor<T>(cast<T>(cumprod(x, a)));
      });
});

}  // namespace conformance
