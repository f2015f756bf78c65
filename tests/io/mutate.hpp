// Damaged versions of a file, each of which must be read, or refused with a weft::Error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/temporary.hpp"
#include "test.hpp"

namespace test {

/// The bytes that hexadecimal digits stand for.
inline std::string hex(const std::string& digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    out += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return out;
}

/// Calls read(path) for `bytes` cut off at every byte, with each bit flipped, each byte set to 0,
/// 255, ' ' and '9', each byte left out and each one doubled; without optimisation, which takes ten
/// times as long, one bit of each byte is flipped and one of the four set. Whatever is thrown must
/// be a weft::Error, and no read may allocate more than `limit` bytes for tensors. Returns the
/// share of the damaged files that were refused.
template <class Read>
double mutate(const std::string& name, const std::string& bytes, const Read& read,
              std::int64_t limit = 1 << 20) {
  const TemporaryFolder folder;
  const std::string path = folder / name;
#ifdef __OPTIMIZE__
  constexpr bool all = true;
#else
  constexpr bool all = false;
#endif
  int refused = 0;
  int attempts = 0;
  const auto attempt = [&](const std::string& damaged) {
    ++attempts;
    write_bytes(path, damaged);
    weft::cpu::reset_peak_memory_stats();
    const std::int64_t before = weft::cpu::memory_allocated();
    try {
      read(path);
    } catch (const weft::Error&) {
      ++refused;
    }
    if (weft::cpu::max_memory_allocated() - before > limit) FAIL("a damaged file takes memory");
  };
  attempt(bytes);
  REQUIRE(refused == 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CAPTURE(i);
    attempt(bytes.substr(0, i));
    std::string damaged = bytes;
    for (std::size_t bit = 0; bit < 8; ++bit) {
      if (!all && bit != i % 8) continue;
      damaged[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      attempt(damaged);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      if (!all && k != i / 8 % 4) continue;
      damaged[i] = "\0\xff 9"[k];
      attempt(damaged);
    }
    attempt(bytes.substr(0, i) + bytes.substr(i + 1));
    attempt(bytes.substr(0, i) + bytes[i] + bytes.substr(i));
  }
  return static_cast<double>(refused) / attempts;
}

}  // namespace test
