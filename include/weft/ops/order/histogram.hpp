// Counts of elements by value: histogram, bincount.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/order/sort.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

/// The counting of device D (cpu/order/histogram.hpp, cuda/order/histogram.hpp); CountingDevice
/// says what it provides.
template <class D>
struct Histogrammer;

/// A device that counts: count(x, bin, counts) adds 1 to counts[bin.value(element)] for each
/// element of a contiguous tensor whose bin is not negative.
template <class D, class Bin>
concept CountingDevice = requires(const Tensor<float, D>& x, const Bin& bin,
                                  const Tensor<int64_t, D>& counts) {
  Histogrammer<D>::count(x, bin, counts);
};

namespace op {
/// The bin of a value among `count` equal ones from low to high, the last one closed; else -1.
/// Its edges are linspace(low, high, count + 1), and the guess is corrected to them.
struct uniform_bin {
  double low;
  double high;
  std::int64_t count;

  WEFT_HD double edge(std::int64_t i) const {
    const double step = (high - low) / static_cast<double>(count);
    if (i == count) return high;
#if defined(__CUDA_ARCH__)
    return __dadd_rn(low, __dmul_rn(static_cast<double>(i), step));  // not fused, as on the CPU
#else
    return low + static_cast<double>(i) * step;
#endif
  }
  template <class C>
  WEFT_HD std::int64_t value(C element) const {
    const auto x = static_cast<double>(element);
    if (!(x >= low && x <= high)) return -1;
    auto i = static_cast<std::int64_t>((x - low) * (static_cast<double>(count) / (high - low)));
    if (i >= count) i = count - 1;
    if (x < edge(i)) --i;
    if (i + 1 < count && x >= edge(i + 1)) ++i;
    return i;
  }
};

/// The element itself.
struct own_bin {
  template <class C>
  WEFT_HD std::int64_t value(C element) const {
    return static_cast<std::int64_t>(element);
  }
};
}  // namespace op

namespace detail {
/// Whether the header with D's counting is included; if not, one compile error that names it.
template <class D>
constexpr bool can_count() {
  constexpr bool here = requires { sizeof(Histogrammer<D>); };
  static_assert(here || !is_cuda<D>, "weft: to count on Cuda include <weft/cuda/algorithms.hpp>");
  static_assert(here || is_cuda<D>, "weft: to count on Cpu include <weft/weft.hpp>");
  return here;
}

template <class T, class D, class Bin>
Tensor<int64_t, D> counts_of(const Tensor<T, D>& x, const Bin& bin, int64_t bins) {
  using Here = Histogrammer<std::conditional_t<is_cuda<D>, Cuda, D>>;
  auto counts = zeros<int64_t>({bins}, x.device());
  if (bins > 0 && x.size() > 0) Here::count(x.contiguous(), bin, counts);
  return counts;
}
}  // namespace detail

/// The number of elements of x in each of `bins` equal intervals from low to high: int64. As in
/// NumPy, an edge belongs to the bin above it, `high` to the last bin, and elements outside (or
/// NaN) to none.
template <ExpressionLike X>
auto histogram(X&& x, int64_t bins, double low, double high) {
  using E = std::remove_cvref_t<X>;
  using T = typename E::value_type;
  using D = detail::home_of<E>;
  if (bins < 1) fail<ValueError>("histogram", bins, " bins, expected at least 1");
  if (!(low < high) || high - low - (high - low) != 0) {
    fail<ValueError>("histogram", "bins from ", low, " to ", high, ", expected low < high");
  }
  if constexpr (op::Real::template report<T>() &&
                detail::can_count<std::conditional_t<is_cuda<D>, Cuda, D>>()) {
    return detail::counts_of(Tensor<T, D>(static_cast<X&&>(x)), op::uniform_bin{low, high, bins},
                             bins);
  } else {
    return Tensor<int64_t, D>();
  }
}

/// The number of occurrences in x of each integer 0, 1, ... up to the largest, with at least
/// `minlength` counts: int64.
template <ExpressionLike X>
auto bincount(X&& x, int64_t minlength = 0) {
  using E = std::remove_cvref_t<X>;
  using T = typename E::value_type;
  using D = detail::home_of<E>;
  if (minlength < 0) fail<ValueError>("bincount", "minlength ", minlength, ", expected at least 0");
  if constexpr (op::Integer::template report<T>() &&
                detail::can_count<std::conditional_t<is_cuda<D>, Cuda, D>>()) {
    const Tensor<T, D> value(static_cast<X&&>(x));
    int64_t bins = minlength;
    if (value.size() > 0) {
      const T least = min(value).item();
      const T most = max(value).item();
      if (math::is_negative(least))
        fail<ValueError>("bincount", "an element is ", least, ", expected at least 0");
      if (static_cast<std::uint64_t>(most) >= INT64_MAX) {
        fail<ValueError>("bincount", "an element is ", most, ", expected a small number");
      }
      if (static_cast<int64_t>(most) >= bins) bins = static_cast<int64_t>(most) + 1;
    }
    return detail::counts_of(value, op::own_bin{}, bins);
  } else {
    return Tensor<int64_t, D>();
  }
}

}  // namespace weft
