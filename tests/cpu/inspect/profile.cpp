// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/inspect/profile.hpp>

#include <ctime>

#include "test.hpp"

TEST_CASE("the stopwatch tells seconds") {
  int runs = 0;
  auto wait = [](void* count) {
    ++*static_cast<int*>(count);
    const std::timespec time{0, 2'000'000};
    nanosleep(&time, nullptr);
  };
  const double seconds = weft::Stopwatch<weft::Cpu>::seconds({}, 3, wait, &runs);
  CHECK(runs == 3);
  CHECK(seconds >= 0.006);
  CHECK(seconds < 5);
}
