// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/memory.hpp>

#include <cstdint>
#include <thread>
#include <vector>

#include "test.hpp"

// Allocations that cannot be had return null under the sanitizers as elsewhere.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

using weft::cpu::memory_allocated;

TEST_CASE("memory is counted and given back") {
  const auto before = memory_allocated();
  weft::cpu::reset_peak_memory_stats();
  CHECK(weft::cpu::max_memory_allocated() == before);
  {
    const auto x = weft::empty({1000});
    CHECK(memory_allocated() == before + 4000);
    const auto y = x;
    const auto z = x(weft::slice(0, 10));
    CHECK(memory_allocated() == before + 4000);
    const auto copy = z.clone();
    CHECK(memory_allocated() == before + 4040);
    float borrowed[4];
    const auto b = weft::borrow(borrowed, {4});
    CHECK(memory_allocated() == before + 4040);
  }
  CHECK(memory_allocated() == before);
  CHECK(weft::cpu::max_memory_allocated() == before + 4040);
}

TEST_CASE("a loop allocates nothing") {
  auto z = weft::ones({100});
  const auto x = weft::ones({100});
  const auto* data = z.data();
  const auto before = memory_allocated();
  weft::cpu::reset_peak_memory_stats();
  for (int i = 0; i < 10; ++i) z = z * 2 + x;
  CHECK(z.data() == data);
  CHECK(memory_allocated() == before);
  CHECK(weft::cpu::max_memory_allocated() == before);
  CHECK(z.at(99) == 2047);
  for (int i = 0; i < 10; ++i) z -= x;
  CHECK(weft::cpu::max_memory_allocated() == before);
  z += z(weft::slice(weft::none, weft::none, -1));
  CHECK(weft::cpu::max_memory_allocated() == before + 400);
}

TEST_CASE("blocks are aligned") {
  for (std::int64_t n : {0, 1, 3, 63, 64, 65, 1000}) {
    const auto x = weft::empty<std::int8_t>({n});
    CHECK(reinterpret_cast<std::uintptr_t>(x.data()) % weft::cpu::alignment == 0);
    x.fill(1);
  }
}

TEST_CASE("memory that cannot be had") {
  const auto before = memory_allocated();
  CHECK_THROWS_WITH_AS(
      weft::empty({std::int64_t{1} << 60}),
      doctest::Contains(
          "[allocate] 4611686018427387904 bytes could not be had on cpu, where weft holds "),
      weft::OutOfMemory);
  CHECK_THROWS_AS(weft::empty<std::int8_t>({INT64_MAX}), weft::OutOfMemory);
  CHECK_THROWS_AS(weft::zeros({std::int64_t{1} << 60}), weft::OutOfMemory);
  auto z = weft::ones({2});
  CHECK_THROWS_AS(z = z(weft::newaxis) + z(0).expand({std::int64_t{1} << 55, 2}),
                  weft::OutOfMemory);
  CHECK(z.to_vector() == std::vector<float>{1, 1});
  CHECK(memory_allocated() == before + 8);
}

TEST_CASE("threads count together") {
  const auto before = memory_allocated();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 1; i < 300; ++i) (void)(weft::ones({i}) + 1).eval();
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(memory_allocated() == before);
}

TEST_CASE("large memory is kept for the next tensor") {
  weft::cpu::empty_cache();
  const auto reserved = weft::cpu::memory_reserved();
  const float* data = nullptr;
  {
    const auto x = weft::empty({1 << 20});
    data = x.data();
    CHECK(weft::cpu::memory_reserved() >= reserved + (4 << 20));
  }
  const auto before = memory_allocated();
  CHECK(weft::cpu::memory_reserved() >= reserved + (4 << 20));
  {
    const auto y = weft::empty({1 << 20});
    CHECK(y.data() == data);
    CHECK(reinterpret_cast<std::uintptr_t>(y.data()) % weft::cpu::alignment == 0);
    CHECK(memory_allocated() == before + (4 << 20));
    weft::cpu::reset_peak_memory_stats();
    CHECK(weft::cpu::max_memory_reserved() == weft::cpu::memory_reserved());
  }
  weft::cpu::empty_cache();
  CHECK(weft::cpu::memory_reserved() == reserved);
  CHECK(weft::cpu::max_memory_reserved() >= reserved + (4 << 20));
}

TEST_CASE("how much is kept can be limited") {
  const auto limit = weft::cpu::cache_limit();
  CHECK(limit > 0);
  const auto reserved = weft::cpu::memory_reserved();
  weft::cpu::set_cache_limit(0);
  weft::empty({1 << 20});
  CHECK(weft::cpu::memory_reserved() <= reserved);
  CHECK_SAYS("[set_cache_limit] -1 bytes, expected at least 0", weft::cpu::set_cache_limit(-1));
  weft::cpu::set_cache_limit(limit);
}
