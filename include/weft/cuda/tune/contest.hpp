// The times of the ways to launch one kernel, which are run in turns, and which of them wins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "weft/cuda/tune/choices.hpp"

namespace weft::on_cuda::detail {

/// What has been measured of one kernel's choices.
class Contest {
 public:
  /// Each choice is timed `runs` times, after a run that warms it up.
  Contest(const ChoiceList& choices, int runs)
      : choices_(choices), times_(static_cast<std::size_t>(choices.n)), runs_(runs) {}

  const ChoiceList& choices() const { return choices_; }

  /// The choice to run next, in turns so that whatever changes with time concerns all alike; -1 if
  /// all have been run often enough.
  int next() { return started_ < choices_.n * (runs_ + 1) ? started_++ % choices_.n : -1; }
  bool has_begun_all() const { return started_ >= choices_.n * (runs_ + 1); }
  /// Whether the run that next() has just begun is one that warms up.
  bool warms_up() const { return started_ <= choices_.n; }

  void add(int choice, double seconds) {
    times_[static_cast<std::size_t>(choice)].push_back(seconds);
  }

  /// The median time of a choice; infinite if it has none.
  double time_of(int choice) const {
    std::vector<double> times = times_[static_cast<std::size_t>(choice)];
    if (times.empty()) return std::numeric_limits<double>::infinity();
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

  /// Whether the planner's own choice has been timed.
  bool is_decided() const { return !times_.front().empty(); }
  /// The fastest choice: the planner's own unless another takes at least 2 % less.
  int winner() const {
    int best = 0;
    for (int i = 1; i < choices_.n; ++i) {
      if (time_of(i) < 0.98 * time_of(0) && time_of(i) < time_of(best)) best = i;
    }
    return best;
  }

 private:
  ChoiceList choices_;
  std::vector<std::vector<double>> times_;
  int runs_;
  int started_ = 0;
};

/// A choice as the file has it: "planned", "threads=128".
inline std::string field_of(const LaunchChoice& choice) {
  if (choice.what == nullptr) return "planned";
  return std::string(choice.what) + '=' + std::to_string(choice.value);
}

/// The choice of this name among a launch's; -1 if there is none.
inline int find_choice(const ChoiceList& choices, const std::string& field) {
  for (int i = 0; i < choices.n; ++i) {
    if (field_of(choices.at[i]) == field) return i;
  }
  return -1;
}

}  // namespace weft::on_cuda::detail
