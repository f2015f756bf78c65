// Tuned choices as lines of a text file, and the kernels and shapes that they hold for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "weft/core/config.hpp"

namespace weft::on_cuda::detail {

/// What was measured once: on which GPU, of which kernel at which shapes, and what was fastest.
struct TunedRecord {
  std::string gpu;
  std::string kernel;  // "rows 5d1e..."
  std::string shape;   // "7168x8 ..."
  std::string choice;  // "threads=256", "planned"
  double planned = 0;  // microseconds of the planner's own launch
  double fastest = 0;  // and of the choice
  std::string name;    // "softmax(float)", for readers of the file

  std::string key() const { return gpu + '\t' + kernel + '\t' + shape; }
};

/// The first line of a file of tuned choices.
inline constexpr const char* tuned_header = "# weft: tuned choices, format 1";

/// Tabs and line ends are what separates fields and records.
inline std::string one_field(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

inline std::string line_of(const TunedRecord& r) {
  char times[64];
  std::snprintf(times, sizeof times, "%.3f\t%.3f", r.planned, r.fastest);
  std::string out;
  for (const std::string& field : {r.gpu, r.kernel, r.shape, r.choice}) {
    out += one_field(field) + '\t';
  }
  return out + times + '\t' + one_field(r.name) + '\n';
}

/// Reads a line without its end; false if it is not one that line_of makes.
inline bool read_line(const std::string& line, TunedRecord& out) {
  std::vector<std::string> field(1);
  for (const char c : line) {
    if (c == '\t') {
      field.emplace_back();
    } else {
      field.back() += c;
    }
  }
  if (field.size() != 7) return false;
  for (int i = 0; i < 4; ++i) {
    if (field[static_cast<std::size_t>(i)].empty()) return false;
  }
  const auto time_of = [](const std::string& text, double& time) {
    char* end = nullptr;
    time = std::strtod(text.c_str(), &end);
    return end != text.c_str() && *end == '\0' && time >= 0 && time < 1e12;
  };
  out = {field[0], field[1], field[2], field[3], 0, 0, field[6]};
  return time_of(field[4], out.planned) && time_of(field[5], out.fastest);
}

/// A file of tuned choices.
class TunedFile {
 public:
  explicit TunedFile(std::string path) : path_(static_cast<std::string&&>(path)) {}

  /// Where tuned choices are kept: WEFT_TUNE_FILE, otherwise weft/tuned.txt among the user's
  /// caches; empty if there is no such place.
  static std::string default_path() {
    if (const char* file = std::getenv("WEFT_TUNE_FILE")) return file;
    const char* const caches = std::getenv("XDG_CACHE_HOME");
    if (caches != nullptr && caches[0] == '/') return std::string(caches) + "/weft/tuned.txt";
    const char* const home = std::getenv("HOME");
    if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/weft/tuned.txt";
    return {};
  }

  const std::string& path() const { return path_; }
  /// False where choices are not remembered: without a path, or after a complaint of the file.
  bool is_usable() const { return !path_.empty() && !foreign_ && !told_; }

  /// The records, oldest first. What is not one is left out, and `complaint` says so; a file that
  /// is none of these is not read, nor written to later.
  std::vector<TunedRecord> read(std::string& complaint) {
    std::vector<TunedRecord> out;
    complaint.clear();
    foreign_ = false;
    if (path_.empty()) return out;
    std::error_code error;
    const auto status = std::filesystem::status(path_, error);
    if (!std::filesystem::exists(status)) return out;
    std::ifstream in(path_, std::ios::binary);
    std::string line;
    const bool readable = std::filesystem::is_regular_file(status) && in.good();
    if (readable && !std::getline(in, line) && line.empty()) return out;  // no line yet
    if (!readable || line != tuned_header) {
      foreign_ = true;
      complaint = path_ +
                  (readable ? " is not a file of tuned choices: its first line is not '" +
                                  std::string(tuned_header) + "'"
                            : " cannot be read") +
                  "; it is neither used nor changed";
      return out;
    }
    int wrong = 0;
    while (std::getline(in, line)) {
      TunedRecord record;
      if (read_line(line, record)) {
        out.push_back(record);
      } else if (!line.empty() && line != tuned_header) {  // two processes began the file
        ++wrong;
      }
    }
    if (wrong > 0) {
      complaint = path_ + ": " + std::to_string(wrong) + (wrong == 1 ? " line is" : " lines are") +
                  " not understood and left out";
    }
    return out;
  }

  /// Appends a record by one write, so that processes may share the file. False, with a complaint
  /// the first time, if that fails.
  bool append(const TunedRecord& record, std::string& complaint) {
    complaint.clear();
    if (path_.empty() || foreign_) return false;
    std::error_code error;
    const auto folder = std::filesystem::path(path_).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    bool done = file >= 0;
    if (done) {
      std::string text = line_of(record);
      if (::lseek(file, 0, SEEK_END) == 0) text = std::string(tuned_header) + '\n' + text;
      done = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
      ::close(file);
    }
    if (!done && !told_) complaint = path_ + " cannot be written: tuned choices are not remembered";
    told_ = told_ || !done;
    return done;
  }

 private:
  std::string path_;
  bool foreign_ = false;
  bool told_ = false;
};

/// A hash that is the same in every run (FNV-1a); the version of weft is part of it.
inline std::uint64_t stable_hash(const char* text) {
  std::uint64_t hash = 14695981039346656037U ^ WEFT_VERSION;
  for (; *text != '\0'; ++text) {
    hash = (hash ^ static_cast<unsigned char>(*text)) * 1099511628211U;
  }
  return hash;
}

/// The size that stands for n and its like: up to 256 n itself, above n rounded down to three
/// significant bits, so that sizes of a class differ by less than a fourth.
constexpr std::int64_t size_class(std::int64_t n) {
  int shift = 0;
  while (n >> shift >= 8) ++shift;
  return n <= 256 ? n : n >> shift << shift;
}

}  // namespace weft::on_cuda::detail
