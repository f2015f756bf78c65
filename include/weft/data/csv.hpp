// load_csv: tables of numbers and strings as tensors, column by column.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/eval/transfer.hpp"
#include "weft/io/file.hpp"
#include "weft/tensor/factory.hpp"

namespace weft::data {

struct CsvOptions {
  char separator = ',';
  bool header = true;         ///< the first line has the columns' names; else these are 0, 1, ...
  bool empty_is_nan = false;  ///< an empty field of a floating column is NaN, not an error
};

/// A table of strings that are converted to tensors on request; anything that is not a number, or
/// does not fit the type, is reported with file, line and column.
class CsvTable {
 public:
  CsvTable(std::string path, CsvOptions options, std::vector<std::string> names,
           std::vector<std::string> fields, std::vector<int64_t> lines)
      : path_(std::move(path)),
        options_(options),
        names_(std::move(names)),
        fields_(std::move(fields)),
        lines_(std::move(lines)) {}

  int64_t rows() const { return static_cast<int64_t>(lines_.size()); }
  const std::vector<std::string>& names() const { return names_; }

  /// A column as numbers (rows,).
  template <Element T>
  Tensor<T> column(const std::string& name) const {
    const std::size_t c = find(name);
    auto out = empty<T>({rows()});
    for (int64_t r = 0; r < rows(); ++r) out.data()[r] = number<T>(r, c);
    return out;
  }
  /// Columns as a matrix (rows, columns); all columns if none is named.
  template <Element T>
  Tensor<T> matrix(std::vector<std::string> columns = {}) const {
    if (columns.empty()) columns = names_;
    std::vector<std::size_t> places;
    for (const std::string& name : columns) places.push_back(find(name));
    auto out = empty<T>({rows(), static_cast<int64_t>(places.size())});
    T* to = out.data();
    for (int64_t r = 0; r < rows(); ++r) {
      for (const std::size_t c : places) *to++ = number<T>(r, c);
    }
    return out;
  }
  /// A column as strings.
  std::vector<std::string> texts(const std::string& name) const {
    const std::size_t c = find(name);
    std::vector<std::string> out;
    for (int64_t r = 0; r < rows(); ++r) out.push_back(field(r, c));
    return out;
  }
  /// A column as indices into its sorted distinct strings, and these strings.
  std::pair<Tensor<int64_t>, std::vector<std::string>> categories(const std::string& name) const {
    const std::size_t c = find(name);
    std::map<std::string, int64_t> numbers;
    for (int64_t r = 0; r < rows(); ++r) numbers[field(r, c)] = 0;
    std::vector<std::string> texts;
    for (auto& [text, number] : numbers) {
      number = static_cast<int64_t>(texts.size());
      texts.push_back(text);
    }
    auto out = empty<int64_t>({rows()});
    for (int64_t r = 0; r < rows(); ++r) out.data()[r] = numbers[field(r, c)];
    return {out, texts};
  }

 private:
  const std::string& field(int64_t row, std::size_t column) const {
    return fields_[static_cast<std::size_t>(row) * names_.size() + column];
  }

  std::size_t find(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return i;
    }
    std::string known;
    for (const std::string& other : names_) known += (known.empty() ? "" : ", ") + other;
    fail<IndexError>("CsvTable", path_, ": no column '", name, "', there are: ", known);
  }

  template <class T>
  T number(int64_t row, std::size_t column) const {
    static_assert(!is_complex<T>, "weft: a column holds real numbers: read the parts apart");
    std::string_view text = field(row, column);
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    if constexpr (is_bool<T>) {
      if (text == "1" || text == "true" || text == "True") return true;
      if (text == "0" || text == "false" || text == "False") return false;
    } else {
      if constexpr (is_floating<T>) {
        if (text.empty() && options_.empty_is_nan) return static_cast<T>(NAN);
      }
      if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
      compute_t<T> value{};
      const char* const end = text.data() + text.size();
      const auto [stopped, status] = std::from_chars(text.data(), end, value);
      if (stopped == end && !text.empty()) {
        const bool fits = status == std::errc{} && (!is_half<T> || finite_as<T>(value));
        if (fits) return static_cast<T>(value);
        refuse(row, column, "which does not fit in ", dtype_of<T>);
      }
    }
    refuse(row, column, "expected a number of type ", dtype_of<T>);
  }

  /// Whether a finite number stays one in the half type T.
  template <class T>
  static bool finite_as(compute_t<T> value) {
    const auto rounded = static_cast<compute_t<T>>(static_cast<T>(value));
    return value - value != 0 || rounded - rounded == 0;
  }

  [[noreturn]] void refuse(int64_t row, std::size_t column, const char* what, Dtype type) const {
    fail<FileError>("CsvTable", path_, ": line ", lines_[static_cast<std::size_t>(row)],
                    ", column '", names_[column], "': '", field(row, column), "', ", what, type);
  }

  std::string path_;
  CsvOptions options_;
  std::vector<std::string> names_;
  std::vector<std::string> fields_;  // row by row
  std::vector<int64_t> lines_;       // on which each row begins
};

namespace detail {
/// Cuts a text into rows of fields as RFC 4180 says: fields in quotation marks may hold separators,
/// line ends and doubled quotation marks.
class CsvReader {
 public:
  CsvReader(const io::InputFile& file, std::string_view text, char separator)
      : file_(file), text_(text), separator_(separator) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  /// Appends the fields of the next row that is not blank; false at the end.
  bool row(std::vector<std::string>& fields) {
    while (at_ < text_.size() && line_end()) {
    }
    if (at_ == text_.size()) return false;
    row_line_ = line_;
    while (true) {
      fields.push_back(text_.substr(at_, 1) == "\"" ? quoted() : plain());
      if (at_ == text_.size() || line_end()) return true;
      ++at_;  // the separator
    }
  }
  /// The line on which the row began, from 1.
  int64_t line() const { return row_line_; }

 private:
  bool line_end() {
    const std::size_t length = text_.substr(at_, 2) == "\r\n" ? 2 : text_[at_] == '\n' ? 1 : 0;
    at_ += length;
    line_ += length > 0;
    return length > 0;
  }

  std::string plain() {
    const std::size_t first = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' &&
           text_.substr(at_, 2) != "\r\n") {
      if (text_[at_] == '"') {
        file_.refuse("line ", line_, ": a quotation mark inside a field, expected it to begin one");
      }
      ++at_;
    }
    return std::string(text_.substr(first, at_ - first));
  }

  std::string quoted() {
    const int64_t first_line = line_;
    std::string out;
    for (++at_;; ++at_) {
      if (at_ == text_.size()) {
        file_.refuse("line ", first_line, ": a quotation mark that is never closed");
      }
      if (text_[at_] == '"') {
        if (text_.substr(at_ + 1, 1) != "\"") break;
        ++at_;
      }
      line_ += text_[at_] == '\n';
      out += text_[at_];
    }
    ++at_;
    if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' &&
        text_.substr(at_, 2) != "\r\n") {
      file_.refuse("line ", line_, ": text after a closing quotation mark");
    }
    return out;
  }

  const io::InputFile& file_;
  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  int64_t line_ = 1;
  int64_t row_line_ = 1;
};
}  // namespace detail

/// The table in a file of comma-separated values; blank lines are skipped. Throws FileError, with
/// the line, if rows have different numbers of fields or quotation marks do not match.
inline CsvTable load_csv(const std::string& path, CsvOptions options = {}) {
  io::InputFile file("load_csv", path);
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(text.data(), file.size());
  detail::CsvReader reader(file, text, options.separator);
  std::vector<std::string> names;
  std::vector<std::string> fields;
  std::vector<int64_t> lines;
  if (options.header) {
    if (!reader.row(names)) file.refuse("no header: the file is empty");
    std::map<std::string, int> seen;
    for (const std::string& name : names) {
      if (seen[name]++ > 0) file.refuse("the column '", name, "' appears twice in the header");
    }
  }
  std::size_t before = 0;
  while (reader.row(fields)) {
    const std::size_t count = fields.size() - before;
    for (std::size_t i = 0; lines.empty() && !options.header && i < count; ++i) {
      names.push_back(std::to_string(i));
    }
    if (count != names.size()) {
      file.refuse("line ", reader.line(), ": ", count, " fields, expected ", names.size());
    }
    lines.push_back(reader.line());
    before = fields.size();
  }
  return CsvTable(path, options, std::move(names), std::move(fields), std::move(lines));
}

}  // namespace weft::data
