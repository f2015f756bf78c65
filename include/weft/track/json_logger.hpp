// JsonLogger: a file with one JSON object per line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include "weft/io/json.hpp"
#include "weft/io/utf8.hpp"
#include "weft/track/log_file.hpp"
#include "weft/track/value.hpp"

namespace weft::track {

/// Appends `{"step": 1, "loss": 0.25}` and a line's end for each `log({{"step", 1}, {"loss",
/// loss}})`, with any names. JSON has no infinities and NaN: they are null. A text that is not
/// UTF-8 throws ValueError.
class JsonLogger {
 public:
  /// Appends to an existing file, as a resumed program needs.
  explicit JsonLogger(const std::string& path) : file_("JsonLogger", path, true) {}

  void operator()(const Fields& fields) {
    std::string line = "{";
    for (const auto& [name, value] : fields) {
      if (line.size() > 1) line += ", ";
      line += quoted(name) + ": ";
      if (value.kind() == Value::Kind::text) {
        line += quoted(value.text());
      } else {
        line += std::isfinite(value.number()) ? value.text() : "null";
      }
    }
    file_.append(line + "}\n");
  }
  void flush() { file_.flush(); }

 private:
  std::string quoted(const std::string& text) const {
    const std::size_t wrong = io::first_invalid_utf8(text);
    if (wrong < text.size()) {
      fail<ValueError>("JsonLogger", file_.path(), ": a text that is not UTF-8 at byte ", wrong);
    }
    return io::json_string(text);
  }

  LogFile file_;
};

}  // namespace weft::track
