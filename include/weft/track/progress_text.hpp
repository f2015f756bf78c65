// progress_text: a loop's progress, rate and remaining time, on one line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace weft::track {

namespace detail {
/// 75 s as 1:15, 3700 s as 1:01:40.
inline std::string clock_text(double seconds) {
  const auto all = static_cast<long long>(seconds < 3.6e8 ? seconds + 0.5 : 3.6e8);
  char out[48];
  if (all >= 3600) {
    std::snprintf(out, sizeof out, "%lld:%02lld:%02lld", all / 3600, all / 60 % 60, all % 60);
  } else {
    std::snprintf(out, sizeof out, "%lld:%02lld", all / 60, all % 60);
  }
  return out;
}

inline std::string rate_text(double rate) {
  char out[32];
  if (rate > 0 && rate < 1) {
    std::snprintf(out, sizeof out, "%.4g s each", 1 / rate);
  } else {
    std::snprintf(out, sizeof out, rate < 1e5 ? "%.4g/s" : "%.3g/s", rate);
  }
  return out;
}
}  // namespace detail

/// `label  35% [=======>            ]  70/200  12.5/s  0:10 left  note`, where a negative `total`
/// is unknown, and what depends on it is left out. `width` is the terminal's, in characters.
inline std::string progress_text(const std::string& label, std::int64_t done, std::int64_t total,
                                 double seconds, const std::string& note, int width) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string left = label.empty() ? "" : label + "  ";
  std::string right = (total >= 0 ? "  " : "") + std::to_string(done);
  if (total >= 0) right += "/" + std::to_string(total);
  if (rate > 0) right += "  " + detail::rate_text(rate);
  if (total >= 0 && rate > 0) {
    const double rest = static_cast<double>(total - done) / rate;
    right += done < total ? "  " + detail::clock_text(rest) + " left"
                          : "  " + detail::clock_text(seconds);
  } else {
    right += "  " + detail::clock_text(seconds);
  }
  if (!note.empty()) right += "  " + note;

  std::string bar;
  if (total >= 0) {
    const double part = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3.0f%% ", 100 * part);
    left += percent;
    const int room = width - 3 - static_cast<int>(left.size() + right.size());
    const int size = room < 40 ? room : 40;
    if (size >= 5) {
      const int full = static_cast<int>(part * size);
      bar = "[" + std::string(static_cast<std::size_t>(full), '=') +
            (full < size ? ">" + std::string(static_cast<std::size_t>(size - full - 1), ' ') : "") +
            "]";
    }
  }
  std::string line = left + bar + right;
  if (static_cast<int>(line.size()) > width - 1) line.resize(static_cast<std::size_t>(width - 1));
  return line;
}

}  // namespace weft::track
