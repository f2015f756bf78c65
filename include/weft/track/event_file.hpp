// EventFile: the records of a TensorBoard event file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "weft/track/checksum.hpp"
#include "weft/track/log_file.hpp"
#include "weft/track/protobuf.hpp"

namespace weft::track {

/// A record of an event file: the length, its checksum, the data, their checksum.
inline std::string record(std::string_view data) {
  const auto little_endian = [](std::uint64_t value, int width) {
    std::string out;
    for (int i = 0; i < width; ++i, value >>= 8) out += static_cast<char>(value & 0xFF);
    return out;
  };
  const std::string length = little_endian(data.size(), 8);
  std::string out = length + little_endian(masked_crc32c(length), 4);
  out += data;
  return out + little_endian(masked_crc32c(data), 4);
}

/// The first event of a file, with the version of its format.
inline Message version_event(double wall_time) {
  return Message().number(1, wall_time).bytes(3, "brain.Event:2");
}

/// An event with summary values; `step` is TensorBoard's horizontal axis.
inline Message summary_event(double wall_time, std::int64_t step, const Message& summary) {
  return Message().number(1, wall_time).integer(2, step).message(5, summary);
}

/// Seconds since 1970.
inline double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A new event file in a folder, which is created if necessary. Several writers in one folder use
/// separate files.
class EventFile {
 public:
  explicit EventFile(const std::string& folder) : file_("EventWriter", name_in(folder)) {
    file_.append(record(version_event(wall_time()).data()));
    file_.flush();
  }

  void add(std::int64_t step, const Message& summary) {
    file_.append(record(summary_event(wall_time(), step, summary).data()));
  }
  void flush() { file_.flush(); }
  const std::string& path() const { return file_.path(); }

 private:
  static std::string name_in(const std::string& folder) {
    static std::atomic<unsigned> counter{0};
    char host[256] = {};
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') host[0] = '-';
    const auto seconds = static_cast<long long>(wall_time());
    return folder + "/events.out.tfevents." + std::to_string(seconds) + "." + host + "." +
           std::to_string(getpid()) + "." + std::to_string(counter++);
  }

  LogFile file_;
};

}  // namespace weft::track
