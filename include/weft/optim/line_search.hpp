// strong_wolfe: a line search along a descent direction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::optim {

/// The function at step t of the line: its value, its slope along the line, and its gradient.
template <class Vector>
struct SearchPoint {
  double t = 0;
  double value = 0;
  double slope = 0;
  Vector gradient = {};
};

struct WolfeOptions {
  double decrease = 1e-4;  ///< the part of the first slope by which the value must fall
  double curvature = 0.9;  ///< the part of the first slope that may be left
  double tolerance = 1e-9;
  int most = 25;  ///< points that are tried
};

namespace detail {
/// The minimum of the cubic through two points with their slopes, kept between low and high; half
/// way where it has none (Nocedal and Wright 2006, equation 3.59).
template <class P>
double cubic_minimum(const P& a, const P& b, double low, double high) {
  const P& left = a.t <= b.t ? a : b;
  const P& right = a.t <= b.t ? b : a;
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (low + high) / 2;
  const double d2 = std::sqrt(square);
  const double best = right.t - (right.t - left.t) *
                                    ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2));
  return std::min(std::max(best, low), high);
}
}  // namespace detail

/// A point where the value has fallen enough and the slope is small enough (Nocedal and Wright
/// 2006, algorithms 3.5 and 3.6); the best one found if `most` points do not suffice. `at(t)` gives
/// the point of step t, `from` is the point of step 0, and `largest` the largest element of the
/// direction.
template <class F, class P>
P strong_wolfe(const F& at, const P& from, double t, double largest,
               const WolfeOptions& options = {}) {
  const auto too_high = [&](const P& p) {
    return p.value > from.value + options.decrease * p.t * from.slope;
  };
  const auto flat = [&](const P& p) {
    return std::abs(p.slope) <= -options.curvature * from.slope;
  };
  // Longer steps until a minimum lies between two.
  P before = from;
  P now = at(t);
  int tried = 0;
  bool between = false;
  while (tried < options.most) {
    if (too_high(now) || (tried > 1 && now.value >= before.value)) {
      between = true;
      break;
    }
    if (flat(now)) return now;
    if (now.slope >= 0) {
      between = true;
      break;
    }
    const double next =
        detail::cubic_minimum(before, now, now.t + 0.01 * (now.t - before.t), now.t * 10);
    before = std::exchange(now, at(next));
    ++tried;
  }
  // The interval shrinks; one end of it is always the lowest point.
  P first = between ? before : from;
  P second = now;
  bool stuck = false;
  while (tried < options.most) {
    P& low = first.value <= second.value ? first : second;
    P& high = first.value <= second.value ? second : first;
    const double left = std::min(first.t, second.t);
    const double right = std::max(first.t, second.t);
    if ((right - left) * largest < options.tolerance) break;
    double next = detail::cubic_minimum(first, second, left, right);
    const double margin = 0.1 * (right - left);
    if (std::min(right - next, next - left) < margin) {
      // Twice near an end, or at it: go well inside instead.
      if (stuck || next >= right || next <= left) {
        next = std::abs(next - right) < std::abs(next - left) ? right - margin : left + margin;
        stuck = false;
      } else {
        stuck = true;
      }
    } else {
      stuck = false;
    }
    P found = at(next);
    ++tried;
    if (too_high(found) || found.value >= low.value) {
      high = found;
    } else {
      if (flat(found)) return found;
      if (found.slope * (high.t - low.t) >= 0) high = low;
      low = found;
    }
  }
  return first.value <= second.value ? first : second;
}

}  // namespace weft::optim
