// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/threads/wait.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include "test.hpp"

TEST_CASE("who waits awake sees what is done, and gives up after some microseconds") {
  weft::cpu::Patience patience;
  int looks = 0;
  CHECK(patience.stays_awake_until([&] { return ++looks == 5; }));
  CHECK(looks == 5);
  const auto start = std::chrono::steady_clock::now();
  CHECK(!patience.stays_awake_until([] { return false; }));
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::microseconds(20));
}

TEST_CASE("who has had no luck does not look for a while, then tries again") {
  weft::cpu::Patience patience;
  int tries = 0;
  const auto looks = [&] {
    bool looked = false;
    patience.stays_awake_until([&] {
      looked = true;
      return false;
    });
    return looked;
  };
  while (looks()) REQUIRE(++tries <= 16);
  int rests = 0;
  while (!looks()) REQUIRE(++rests <= 1000);
  CHECK(rests >= 10);
}

TEST_CASE("a thread sleeps while a word holds a value, and is woken") {
  std::atomic<std::uint32_t> word{1};
  weft::cpu::sleep_while(&word, 2);  // it holds another one
  std::atomic<bool> slept{false};
  std::thread sleeper([&] {
    while (word == 1) weft::cpu::sleep_while(&word, 1);
    slept = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(!slept);
  word = 2;
  weft::cpu::wake(&word, 1);
  sleeper.join();
  CHECK(slept);
}
