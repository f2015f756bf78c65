// Input files of known size, and output files that are written atomically.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "weft/core/shape.hpp"

namespace weft {

/// A file cannot be read or written, or its content is not as expected.
class FileError : public Error {
 public:
  using Error::Error;
};

namespace io {

/// A regular file, open for reading; `operation` begins its messages.
class InputFile {
 public:
  InputFile(const char* operation, const std::string& path)
      : operation_(operation), path_(path), file_(std::fopen(path.c_str(), "rbe")) {
    if (file_ == nullptr) refuse(std::strerror(errno));
    struct stat status = {};
    if (fstat(fileno(file_), &status) != 0 || !S_ISREG(status.st_mode)) {
      std::fclose(file_);
      refuse("not a regular file");
    }
    size_ = status.st_size;
  }
  ~InputFile() { std::fclose(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }
  /// The bytes not read yet.
  int64_t left() const { return size_ - read_; }

  /// The next bytes, all of them; throws if the file has fewer.
  void read(void* to, int64_t bytes) {
    const auto count = static_cast<std::size_t>(bytes);
    if (bytes > left() || (count > 0 && std::fread(to, 1, count, file_) != count)) {
      refuse("the file ends after ", size_, " bytes, expected ", bytes, " from byte ", read_);
    }
    read_ += bytes;
  }

  /// The bytes at a position in the file, independent of read(); several threads may read at once.
  void read_at(int64_t place, void* to, int64_t bytes) const {
    for (auto* at = static_cast<char*>(to); bytes > 0;) {
      const auto got = pread(fileno(file_), at, static_cast<std::size_t>(bytes), place);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse(std::strerror(errno));
      if (got == 0) refuse("the file ends before byte ", place, ", expected ", bytes, " more");
      at += got;
      place += got;
      bytes -= got;
    }
  }

  /// Throws a FileError with the file's name and these parts.
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail<FileError>(operation_, path_, ": ", parts...);
  }

 private:
  const char* operation_;
  std::string path_;
  std::FILE* file_;
  int64_t size_ = 0;
  int64_t read_ = 0;
};

/// A file that appears under its name, or replaces an existing one, only when commit() has written
/// all of it to disk; otherwise nothing is left behind.
class OutputFile {
 public:
  OutputFile(const char* operation, const std::string& path)
      : operation_(operation), path_(path), target_(path) {
    struct stat status = {};
    if (stat(path.c_str(), &status) == 0) {
      if (!S_ISREG(status.st_mode)) refuse("not a regular file");
      if (char* real = realpath(path.c_str(), nullptr)) {  // a link stays one
        target_ = real;
        std::free(real);
      }
    }
    static unsigned counter = 0;
    temporary_ = target_ + "." + std::to_string(getpid()) + "-" +
                 std::to_string(__atomic_add_fetch(&counter, 1U, __ATOMIC_RELAXED)) + ".tmp";
    const int descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) refuse(std::strerror(errno));
    file_ = fdopen(descriptor, "wb");
    if (file_ == nullptr) {
      const int reason = errno;
      close(descriptor);
      unlink(temporary_.c_str());
      refuse(std::strerror(reason));
    }
  }
  ~OutputFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    unlink(temporary_.c_str());
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* from, int64_t bytes) {
    const auto count = static_cast<std::size_t>(bytes);
    if (count > 0 && std::fwrite(from, 1, count, file_) != count) refuse(std::strerror(errno));
  }

  void commit() {
    const bool written = std::fflush(file_) == 0 && fsync(fileno(file_)) == 0;
    if (!written) refuse(std::strerror(errno));
    const bool closed = std::fclose(file_) == 0;
    file_ = nullptr;
    if (closed && std::rename(temporary_.c_str(), target_.c_str()) == 0) return;
    const int reason = errno;
    unlink(temporary_.c_str());
    refuse(std::strerror(reason));
  }

 private:
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail<FileError>(operation_, path_, ": ", parts...);
  }

  const char* operation_;
  std::string path_;
  std::string target_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace io
}  // namespace weft
