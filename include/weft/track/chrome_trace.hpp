// ChromeTrace: time spans on rows, as a file for chrome://tracing and Perfetto.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "weft/io/json.hpp"

namespace weft::track {

/// Collects spans and writes them in Google's Trace Event Format. Times are seconds since now() had
/// its zero; threads may add at once.
class ChromeTrace {
 public:
  /// Seconds since the process's first call.
  static double now() {
    using Clock = std::chrono::steady_clock;
    static const Clock::time_point start = Clock::now();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  /// A span on the row `row` of the group `group`, the host's threads or a GPU's streams for
  /// instance.
  void add(const std::string& name, int group, int row, double begin, double end) {
    const std::lock_guard lock(mutex_);
    spans_.push_back({name, group, row, begin, end});
  }
  /// What a group is called.
  void name_group(int group, const std::string& name) {
    const std::lock_guard lock(mutex_);
    groups_[group] = name;
  }
  /// Forgets all spans.
  void clear() {
    const std::lock_guard lock(mutex_);
    spans_.clear();
  }

  /// The file's text.
  std::string json() const {
    const std::lock_guard lock(mutex_);
    std::string out = "{\"traceEvents\": [";
    const auto item = [&](const std::string& text) {
      out += (out.back() == '[' ? "\n" : ",\n") + text;
    };
    for (const auto& [group, name] : groups_) {
      item("{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": " + std::to_string(group) +
           ", \"args\": {\"name\": " + io::json_string(name) + "}}");
    }
    for (const Span& each : spans_) {
      char times[96];
      std::snprintf(times, sizeof times, ", \"ts\": %.3f, \"dur\": %.3f}", 1e6 * each.begin,
                    1e6 * (each.end - each.begin));
      item("{\"ph\": \"X\", \"name\": " + io::json_string(each.name) + ", \"pid\": " +
           std::to_string(each.group) + ", \"tid\": " + std::to_string(each.row) + times);
    }
    return out + "\n]}\n";
  }
  /// Writes the file atomically; throws FileError.
  void save(const std::string& path) const {
    const std::string text = json();
    io::OutputFile file("ChromeTrace", path);
    file.write(text.data(), static_cast<int64_t>(text.size()));
    file.commit();
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return spans_.size();
  }

 private:
  struct Span {
    std::string name;
    int group, row;
    double begin, end;
  };
  mutable std::mutex mutex_;
  std::vector<Span> spans_;
  std::map<int, std::string> groups_;
};

/// Adds the time from here to the end of the scope: `const TraceSpan span(trace, "loading");`
class TraceSpan {
 public:
  TraceSpan(ChromeTrace& trace, std::string name, int row = 0)
      : trace_(trace), name_(std::move(name)), row_(row), begin_(ChromeTrace::now()) {}
  ~TraceSpan() {
    try {
      trace_.add(name_, 0, row_, begin_, ChromeTrace::now());
    } catch (...) {  // without memory for it the span is left out
    }
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  ChromeTrace& trace_;
  std::string name_;
  int row_;
  double begin_;
};

}  // namespace weft::track
