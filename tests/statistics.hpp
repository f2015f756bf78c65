// Yardsticks of tests of random numbers: moments, correlation, chi-square.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

namespace test {

template <class T>
std::vector<double> doubles(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}
template <class X>
std::vector<double> doubles(const X& x) {
  return doubles(x.to_vector());
}

/// The mean of the n-th power.
inline double moment(const std::vector<double>& values, int n) {
  double sum = 0;
  for (double x : values) sum += std::pow(x, n);
  return sum / static_cast<double>(values.size());
}

/// The mean product of two lists, of which mean and variance are those of one.
inline double correlation(const std::vector<double>& x, const std::vector<double>& y,
                          std::size_t lag = 0) {
  const double mean = moment(x, 1);
  double sum = 0;
  for (std::size_t i = 0; i + lag < y.size(); ++i) sum += (x[i] - mean) * (y[i + lag] - mean);
  return sum / static_cast<double>(y.size() - lag) / (moment(x, 2) - mean * mean);
}

/// How far counts are from equal ones, in deviations of chi-square.
inline double unevenness(const std::vector<double>& counts) {
  double total = 0;
  for (double c : counts) total += c;
  const auto n = static_cast<double>(counts.size());
  double chi2 = 0;
  for (double c : counts) chi2 += (c - total / n) * (c - total / n) / (total / n);
  return (chi2 - (n - 1)) / std::sqrt(2 * (n - 1));
}

}  // namespace test
