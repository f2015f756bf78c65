// logspace, geomspace and indices: numbers spaced by factors, and the coordinates of a space.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/generate.hpp"

namespace weft {

namespace op {
/// factor * base^e, e evenly spaced from start to stop; the ends as given where they are known.
template <class T>
struct spaced_powers {
  using result_type = T;
  static constexpr const char* text = "logspace";
  double factor;
  double base;
  double start;
  double stop;
  long long last;
  double final;  // the last element, where it is not to be computed
  bool ends;
  WEFT_HD compute_t<T> value(long long i) const {
    if (ends && i == 0) return static_cast<compute_t<T>>(factor);
    if (ends && i == last) return static_cast<compute_t<T>>(final);
    const double exponent =
        last > 0 ? start + static_cast<double>(i) * ((stop - start) / static_cast<double>(last))
                 : start;
    return static_cast<compute_t<T>>(factor * math::pow(base, exponent));
  }
};
/// At a position (axis, coordinates...): the coordinate along that axis.
struct coordinate_of_axis {
  using result_type = std::int64_t;
  static constexpr const char* text = "indices";
  long long inner[max_rank];
  long long size[max_rank];
  long long whole;
  WEFT_HD std::int64_t value(long long i) const {
    const long long axis = i / whole;
    return i % whole / inner[axis] % size[axis];
  }
};
}  // namespace op

/// n values from base^start to base^stop, both included, whose exponents are evenly spaced.
template <class T = float, Device D = Cpu>
  requires(is_floating<T>)
Tensor<T, D> logspace(double start, double stop, int64_t n, double base = 10, D device = {}) {
  if (n < 0) fail<ValueError>("logspace", n, " values, expected at least 0");
  return detail::on<T>(generated({n}, op::spaced_powers<T>{1, base, start, stop, n - 1, 0, false}),
                       device);
}
/// n values from start to stop, both included and exact, each the same factor times the one before.
template <class T = float, Device D = Cpu>
  requires(is_floating<T>)
Tensor<T, D> geomspace(double start, double stop, int64_t n, D device = {}) {
  if (n < 0) fail<ValueError>("geomspace", n, " values, expected at least 0");
  if (!(start * stop > 0)) {
    fail<ValueError>("geomspace", "from ", start, " to ", stop,
                     ", expected nonzero numbers of the same sign");
  }
  return detail::on<T>(
      generated({n}, op::spaced_powers<T>{start, stop / start, 0, 1, n - 1, stop, true}), device);
}

/// The coordinates of all elements of a shape: (rank, shape...), NumPy's indices.
template <Device D = Cpu>
Tensor<int64_t, D> indices(const Shape& shape, D device = {}) {
  Shape out{shape.rank()};
  op::coordinate_of_axis at{};
  const Strides strides = contiguous_strides(shape);
  for (int i = 0; i < shape.rank(); ++i) {
    out.push_back(shape[i]);
    at.inner[i] = strides[i];
    at.size[i] = shape[i];
  }
  at.whole = shape.size();
  return detail::on<int64_t>(generated(out, at), device);
}

}  // namespace weft
