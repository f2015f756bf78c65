// CsvLogger: a table that grows by one row at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "weft/track/log_file.hpp"
#include "weft/track/value.hpp"

namespace weft::track {

/// Writes a CSV file (RFC 4180): the names of the first row are its header, and each later row has
/// the same ones in any order, `log({{"step", 1}, {"loss", loss}})`. Missing values stay empty; a
/// name that is not in the header throws ValueError.
class CsvLogger {
 public:
  explicit CsvLogger(const std::string& path) : file_("CsvLogger", path) {}

  void operator()(const Fields& row) {
    if (columns_.empty()) {
      for (const auto& [name, value] : row) columns_.push_back(name);
      write(columns_);
    }
    std::vector<std::string> cells(columns_.size());
    for (const auto& [name, value] : row) cells[column(name)] = value.text();
    write(cells);
  }
  void flush() { file_.flush(); }

 private:
  std::size_t column(const std::string& name) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == name) return i;
    }
    std::string known;
    for (const std::string& each : columns_) known += (known.empty() ? "" : ", ") + each;
    fail<ValueError>("CsvLogger", file_.path(), ": a value '", name,
                     "', expected only names of the first row: ", known);
  }

  void write(const std::vector<std::string>& cells) {
    std::string line;
    for (const std::string& cell : cells) {
      if (&cell != cells.data()) line += ',';
      const bool plain = cell.find_first_of(",\"\r\n") == std::string::npos;
      if (plain) {
        line += cell;
        continue;
      }
      line += '"';
      for (const char c : cell) line += c == '"' ? "\"\"" : std::string(1, c);
      line += '"';
    }
    file_.append(line + '\n');
  }

  LogFile file_;
  std::vector<std::string> columns_;
};

}  // namespace weft::track
