// progress(range): a loop that shows its progress on the terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>

#include "weft/track/progress_text.hpp"

namespace weft::track {

struct ProgressOptions {
  std::string label = "";   ///< what stands before the bar
  std::FILE* out = stderr;  ///< where it is drawn; nothing is where this is no terminal
  bool always = false;      ///< draws there whatever it is, 80 characters wide
  double every = 0.1;       ///< seconds between two drawings
};

/// The line of a loop that counts its steps; see progress(). On its own for loops of other forms.
class ProgressLine {
 public:
  explicit ProgressLine(std::int64_t total, ProgressOptions options = {})
      : total_(total), options_(std::move(options)) {
    const int file = fileno(options_.out);
    shown_ = options_.always || isatty(file) != 0;
    winsize size{};
    if (shown_ && ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width_ = size.ws_col;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { finish(); }

  void step() {
    ++done_;
    if (shown_ && seconds(drawn_) >= options_.every) draw();
  }
  /// Sets the text at the end of the line, for instance the loss, from the next update on.
  void note(std::string text) { note_ = std::move(text); }
  /// Draws the last state and ends the line; for a loop left early, the state at that point.
  void finish() {
    if (!shown_ || finished_) return;
    draw();
    std::fputc('\n', options_.out);
    std::fflush(options_.out);
    finished_ = true;
  }
  std::int64_t done() const { return done_; }

 private:
  using Clock = std::chrono::steady_clock;

  static double seconds(Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  }
  void draw() {
    const std::string line =
        progress_text(options_.label, done_, total_, seconds(start_), note_, width_);
    const std::size_t rest = length_ > line.size() ? length_ - line.size() : 0;
    std::fprintf(options_.out, "\r%s%s", line.c_str(), std::string(rest, ' ').c_str());
    std::fflush(options_.out);
    length_ = line.size();
    drawn_ = Clock::now();
  }

  std::int64_t total_;
  ProgressOptions options_;
  bool shown_ = false;
  bool finished_ = false;
  int width_ = 80;
  std::int64_t done_ = 0;
  std::size_t length_ = 0;
  std::string note_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
};

/// A range that advances a ProgressLine with each element; created by progress().
template <class Range>
class Progress {
 public:
  Progress(Range&& range, std::int64_t total, ProgressOptions options)
      : range_(std::forward<Range>(range)), line_(total, std::move(options)) {}

  template <class Base>
  struct Iterator {
    Base base;
    ProgressLine* line;
    decltype(auto) operator*() const { return *base; }
    Iterator& operator++() {
      line->step();
      ++base;
      return *this;
    }
    template <class End>
    friend bool operator!=(const Iterator& it, const End& end) {
      if (it.base != end) return true;
      it.line->finish();
      return false;
    }
  };

  auto begin() { return Iterator<decltype(range_.begin())>{range_.begin(), &line_}; }
  auto end() { return range_.end(); }

  /// As ProgressLine's.
  void note(std::string text) { line_.note(std::move(text)); }

 private:
  Range range_;
  ProgressLine line_;
};

/// 0, 1, ... up to, but not including, a number.
class Counted {
 public:
  explicit Counted(std::int64_t count) : count_(count < 0 ? 0 : count) {}
  struct Iterator {
    std::int64_t value;
    std::int64_t operator*() const { return value; }
    Iterator& operator++() {
      ++value;
      return *this;
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.value != b.value; }
  };
  Iterator begin() const { return {0}; }
  Iterator end() const { return {count_}; }
  std::int64_t size() const { return count_; }

 private:
  std::int64_t count_;
};

/// `for (auto [x, y] : progress(loader))` loops over `loader`, and draws its progress, rate and
/// remaining time on the terminal, or nothing if stderr is a file. The range need not have a
/// size(); an lvalue must outlive the loop.
template <class Range>
  requires(!std::integral<std::remove_cvref_t<Range>>)
auto progress(Range&& range, ProgressOptions options = {}) {
  std::int64_t total = -1;
  if constexpr (requires { range.size(); }) total = static_cast<std::int64_t>(range.size());
  return Progress<Range>(std::forward<Range>(range), total, std::move(options));
}

/// `for (auto step : progress(1000))` counts from 0.
template <std::integral N>
auto progress(N count, ProgressOptions options = {}) {
  return progress(Counted(static_cast<std::int64_t>(count)), std::move(options));
}

}  // namespace weft::track

namespace weft {
using track::progress;
}
