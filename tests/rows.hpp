// References for expressions with reductions inside: plain loops over rows, in double.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "array.hpp"

namespace test {

using Row = std::vector<double>;

/// Values from -2 to 2, rounded to T.
template <class T>
Array<T> noise(const weft::Shape& shape, std::uint64_t seed = 1) {
  Random r(seed);
  Array<T> a{shape, {}};
  for (std::int64_t n = shape.size(); n > 0; --n) {
    a.values.push_back(static_cast<T>(r.uniform(-2, 2)));
  }
  return a;
}

template <class T>
Array<double> in_double(const Array<T>& a) {
  Array<double> out{a.shape, {}};
  for (const T& v : a.values) out.values.push_back(static_cast<double>(v));
  return out;
}

/// f(row) for each row along the axes of the mask: a row again, or a single value.
template <class T, class F>
Array<double> by_rows(const Array<T>& a, unsigned mask, F f) {
  weft::Shape kept = a.shape;
  for (int d = 0; d < kept.rank(); ++d) kept[d] = (mask >> d & 1U) != 0 ? 1 : kept[d];
  std::vector<std::vector<std::size_t>> members(static_cast<std::size_t>(kept.size()));
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    auto left = static_cast<std::int64_t>(k);
    std::int64_t row = 0;
    std::int64_t step = 1;
    for (int d = a.shape.rank() - 1; d >= 0; --d) {
      if (kept[d] == a.shape[d]) {
        row += left % a.shape[d] * step;
        step *= a.shape[d];
      }
      left /= a.shape[d];
    }
    members[static_cast<std::size_t>(row)].push_back(k);
  }
  Array<double> out{a.shape, Row(a.values.size())};
  Row single;
  for (const auto& at : members) {
    Row row;
    for (std::size_t k : at) row.push_back(static_cast<double>(a.values[k]));
    const std::size_t n = row.size();
    const Row result = f(row);
    for (std::size_t i = 0; i < n && result.size() == n; ++i) out.values[at[i]] = result[i];
    if (result.size() != n) single.push_back(result[0]);
  }
  return single.empty() ? out : Array<double>{kept, single};
}

/// f(a, b) with b broadcast to a's shape.
template <class F>
Array<double> combine(const Array<double>& a, const Array<double>& b, F f) {
  Array<double> out{a.shape, {}};
  each_index(a.shape, [&](const Index& i) { out.values.push_back(f(a.at(i), b.at(i))); });
  return out;
}

/// The largest distance of an expression's values from the expected ones, relative where those are
/// large; infinite where the shapes, or what is NaN or infinite, differ.
template <class E>
double apart(const E& e, const Array<double>& expected) {
  const auto x = e.eval();
  if (!(x.shape() == expected.shape)) return INFINITY;
  const auto got = x.to_vector();
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto g = static_cast<double>(got[i]);
    const double v = expected.values[i];
    if (g == v || (std::isnan(g) && std::isnan(v))) continue;
    const double error = std::fabs(g - v) / std::max(1.0, std::fabs(v));
    if (!(error <= worst)) worst = std::isfinite(error) ? error : INFINITY;
  }
  return worst;
}

/// What apart() allows for a result of type T.
template <class T>
inline constexpr double tolerance = 1e-12;
template <>
inline constexpr double tolerance<float> = 2e-5;
template <>
inline constexpr double tolerance<weft::half> = 2e-3;
template <>
inline constexpr double tolerance<weft::bfloat16> = 1.6e-2;

inline double total(const Row& row) {
  double s = 0;
  for (double v : row) s += v;
  return s;
}
inline double average(const Row& row) { return total(row) / static_cast<double>(row.size()); }
inline double largest(const Row& row) {
  double m = -INFINITY;
  for (double v : row) m = v > m || std::isnan(v) ? v : m;
  return m;
}
template <class F>
Row each(Row row, F f) {
  for (double& v : row) v = f(v);
  return row;
}
inline double spread(const Row& row) {
  const double m = average(row);
  return average(each(row, [&](double v) { return (v - m) * (v - m); }));
}
inline double length(const Row& row) {
  return std::sqrt(total(each(row, [](double v) { return v * v; })));
}
inline Row softmax(const Row& row) {
  const double m = largest(row);
  const Row e = each(row, [&](double v) { return std::exp(v - m); });
  const double s = total(e);
  return each(e, [&](double v) { return v / s; });
}
inline Row log_softmax(const Row& row) {
  const double m = largest(row);
  const double s = std::log(total(each(row, [&](double v) { return std::exp(v - m); })));
  return each(row, [&](double v) { return v - m - s; });
}
inline Row standard(const Row& row, double epsilon = 1e-5) {
  const double m = average(row);
  const double scale = 1 / std::sqrt(spread(row) + epsilon);
  return each(row, [&](double v) { return (v - m) * scale; });
}

}  // namespace test
