// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/threads/wait.hpp>

#include <chrono>
#include <thread>

#include "test.hpp"

using weft::cpu::Patience;

TEST_CASE("a value that has changed is there at once") {
  const std::uint32_t word = 7;
  int sleepers = 0;
  Patience patience;
  CHECK(patience.wait_while(&word, 6, &sleepers) == 7);
  CHECK(sleepers == 0);
}

TEST_CASE("who waits is woken, awake or asleep") {
  std::uint32_t word = 0;
  int sleepers = 0;
  std::thread waits([&] {
    Patience patience;
    for (std::uint32_t seen = 0; seen < 40;) {
      const std::uint32_t found = patience.wait_while(&word, seen, &sleepers);
      REQUIRE(found > seen);
      seen = found;
    }
  });
  for (std::uint32_t i = 0; i < 40; ++i) {
    // Half of them come while it is awake, as far as the machine is free.
    std::this_thread::sleep_for(std::chrono::microseconds(i % 2 == 0 ? 500 : 1));
    __atomic_store_n(&word, i + 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&sleepers, __ATOMIC_SEQ_CST) > 0) weft::cpu::wake(&word, 1);
  }
  waits.join();
  CHECK(sleepers == 0);
}
