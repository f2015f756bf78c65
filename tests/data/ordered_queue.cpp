// SPDX-License-Identifier: Apache-2.0
#include <weft/data/ordered_queue.hpp>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>

#include "test.hpp"

using weft::data::OrderedQueue;
using namespace std::chrono_literals;

namespace {
/// All values that are left, as text.
template <class Q>
std::string drain(Q& queue) {
  std::string out;
  while (const auto value = queue.next()) out += std::to_string(*value) + " ";
  return out;
}
/// Waits until the count is reached, for ten seconds at most, and a little longer.
void wait_for(const std::atomic<int>& count, int value) {
  for (int i = 0; i < 2000 && count < value; ++i) std::this_thread::sleep_for(5ms);
  std::this_thread::sleep_for(30ms);
}
}  // namespace

TEST_CASE("in order, whatever the number of threads and their speed") {
  for (const int threads : {0, 1, 2, 7}) {
    for (const int ahead : {1, 3, 20}) {
      CAPTURE(threads);
      CAPTURE(ahead);
      OrderedQueue<std::int64_t> queue(3, 13, threads, ahead, [](std::int64_t i) {
        std::this_thread::sleep_for(std::chrono::microseconds(i * 7919 % 5 * 200));
        return i * i;
      });
      CHECK(drain(queue) == "9 16 25 36 49 64 81 100 121 144 ");
      CHECK_FALSE(queue.next().has_value());
    }
  }
  OrderedQueue<int> none(5, 5, 2, 2, [](std::int64_t) { return 0; });
  CHECK_FALSE(none.next().has_value());
}

TEST_CASE("threads work beside each other, and not too far ahead") {
  std::atomic<int> made{0};
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  OrderedQueue<int> queue(0, 100, 4, 6, [&](std::int64_t i) {
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(5ms);
    --running;
    ++made;
    return static_cast<int>(i);
  });
  wait_for(made, 6);
  CHECK(made == 6);
  CHECK(most >= 2);
  CHECK(queue.next() == 0);
  wait_for(made, 7);
  CHECK(made == 7);
}

TEST_CASE("an exception comes in its turn and ends the values") {
  for (const int threads : {0, 1, 4}) {
    CAPTURE(threads);
    std::atomic<int> calls{0};
    OrderedQueue<int> queue(0, 1000, threads, 8, [&](std::int64_t i) {
      ++calls;
      if (i == 3) throw std::runtime_error("number 3");
      if (i == 4) throw std::runtime_error("number 4");
      std::this_thread::sleep_for(1ms);
      return static_cast<int>(i);
    });
    for (int i = 0; i < 3; ++i) CHECK(queue.next() == i);
    CHECK_THROWS_WITH_AS(queue.next(), "number 3", std::runtime_error);
    CHECK_FALSE(queue.next().has_value());
    std::this_thread::sleep_for(20ms);
    CHECK(calls <= 12);
  }
}

TEST_CASE("leaving early ends the threads, whatever they do") {
  std::atomic<int> calls{0};
  for (int taken = 0; taken < 5; ++taken) {
    OrderedQueue<int> queue(0, 1'000'000, 3, 5, [&](std::int64_t i) {
      ++calls;
      std::this_thread::sleep_for(1ms);
      return static_cast<int>(i);
    });
    for (int i = 0; i < taken; ++i) queue.next();
  }
  const int then = calls;
  std::this_thread::sleep_for(20ms);
  CHECK(calls == then);
  CHECK(then <= 5 * 5 + 10);
}

TEST_CASE("values are made in other threads, or in this one") {
  for (const int threads : {0, 3}) {
    OrderedQueue<std::thread::id> queue(0, 50, threads, 6, [](std::int64_t) {
      std::this_thread::sleep_for(1ms);
      return std::this_thread::get_id();
    });
    std::set<std::thread::id> seen;
    while (const auto id = queue.next()) seen.insert(*id);
    CHECK(seen.contains(std::this_thread::get_id()) == (threads == 0));
  }
}
