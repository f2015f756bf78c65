// AxisScale: the positions of numbers on an axis, and its tick labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace weft::track {

/// The numbers from `low` to `high` as positions from 0 to 1; logarithmic on request, and with
/// `round` extended to round numbers at both ends.
class AxisScale {
 public:
  AxisScale(double low, double high, bool logarithmic, bool round)
      : logarithmic_(logarithmic), low_(value(low)), high_(value(high)) {
    if (!(high_ - low_ > 1e-12 * (std::abs(low_) + std::abs(high_)))) {  // one number
      const double margin = low_ == 0 || logarithmic ? 0.5 : 0.1 * std::abs(low_);
      low_ -= margin;
      high_ += margin;
    }
    // 1, 2 or 5 times a power of ten, whichever makes about five ticks.
    const double about = (high_ - low_) / 5;
    const double power = std::pow(10.0, std::floor(std::log10(about)));
    const double lead = about / power;
    step_ = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
    if (logarithmic) step_ = std::max(1.0, std::round(step_));
    if (!round) return;
    low_ = std::floor(low_ / step_ + 1e-9) * step_;
    high_ = std::ceil(high_ / step_ - 1e-9) * step_;
  }

  double place(double x) const { return (value(x) - low_) / (high_ - low_); }

  std::vector<double> ticks() const {
    std::vector<double> out;
    const double first = std::ceil(low_ / step_ - 1e-9);
    for (int i = 0; i < 20; ++i) {
      const double tick = (first + i) * step_;
      if (tick > high_ + 1e-9 * step_) break;
      out.push_back(logarithmic_ ? std::pow(10.0, tick) : tick);
    }
    return out;
  }

  std::string text(double tick) const {
    char out[32];
    std::snprintf(out, sizeof out, "%.6g",
                  std::abs(tick) < 1e-9 * step_ && !logarithmic_ ? 0 : tick);
    return out;
  }

 private:
  double value(double x) const { return logarithmic_ ? std::log10(x) : x; }

  bool logarithmic_;
  double low_;
  double high_;
  double step_ = 1;
};

}  // namespace weft::track
