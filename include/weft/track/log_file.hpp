// LogFile: a file that grows while a program runs, readable at any time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "weft/io/file.hpp"

namespace weft::track {

/// Appends to a file, whose folder is created if necessary. Appended data are written at the latest
/// by the first append() a few seconds later, by flush(), or at the end.
class LogFile {
 public:
  /// A new file, or with `append` the end of the one that is there; throws FileError.
  LogFile(const char* operation, const std::string& path, bool append = false)
      : operation_(operation), path_(path) {
    const auto folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;  // fopen says what is wrong
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    file_ = std::fopen(path.c_str(), append ? "abe" : "wbe");
    if (file_ == nullptr) refuse();
  }
  ~LogFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  LogFile(LogFile&& other) noexcept
      : operation_(other.operation_),
        path_(std::move(other.path_)),
        file_(std::exchange(other.file_, nullptr)),
        flushed_(other.flushed_) {}
  LogFile& operator=(LogFile&&) = delete;

  const std::string& path() const { return path_; }

  /// Appends the bytes; throws FileError if that fails.
  void append(std::string_view bytes) {
    if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
      refuse();
    }
    if (Clock::now() - flushed_ > std::chrono::seconds(2)) flush();
  }
  void flush() {
    if (std::fflush(file_) != 0) refuse();
    flushed_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void refuse() const {
    fail<FileError>(operation_, path_, ": ", std::strerror(errno));
  }

  const char* operation_;
  std::string path_;
  std::FILE* file_ = nullptr;
  Clock::time_point flushed_ = Clock::now();
};

}  // namespace weft::track
