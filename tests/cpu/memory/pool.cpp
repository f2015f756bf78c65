// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/memory/pool.hpp>

#include <thread>
#include <vector>

#include "test.hpp"

using weft::cpu::detail::Pool;

TEST_CASE("sizes grow by an eighth at most and are their own size") {
  for (std::int64_t bytes :
       {std::int64_t{1}, std::int64_t{64}, std::int64_t{1000}, (std::int64_t{1} << 16) - 1,
        (std::int64_t{1} << 16) + 1, (std::int64_t{1} << 20) - 1, std::int64_t{1} << 20,
        (std::int64_t{1} << 20) + 1, std::int64_t{5} << 20, (std::int64_t{1} << 40) + 12345}) {
    const std::int64_t size = Pool::rounded(bytes);
    CHECK(size >= bytes);
    CHECK(size % 64 == 0);
    CHECK(size <= bytes + bytes / 8 + 64);
    CHECK(Pool::rounded(size) == size);
  }
}

TEST_CASE("a large block comes back, a small one is not kept") {
  // The C library would return blocks of 100 KB to the system at every end of a step.
  for (const std::int64_t large : {std::int64_t{100} << 10, std::int64_t{3} << 20}) {
    Pool pool;
    void* const block = pool.take(large);
    REQUIRE(block != nullptr);
    CHECK(pool.reserved.now() == Pool::rounded(large));
    CHECK(pool.cached() == 0);
    pool.give(block, large);
    CHECK(pool.cached() == Pool::rounded(large));
    CHECK(pool.reserved.now() == Pool::rounded(large));
    void* const other = pool.take(2 * large);
    CHECK(other != block);
    CHECK(pool.take(large - 100) == block);  // rounds to the same size
    CHECK(pool.cached() == 0);
    pool.give(other, 2 * large);
    pool.give(block, large);
    CHECK(pool.reserved.peak == Pool::rounded(large) + Pool::rounded(2 * large));
    pool.trim(0);
    CHECK(pool.cached() == 0);
    CHECK(pool.reserved.now() == 0);
    void* const small = pool.take(1000);
    CHECK(pool.reserved.now() == 1024);
    pool.give(small, 1000);
    CHECK(pool.reserved.now() == 0);
  }
}

TEST_CASE("large blocks begin at a page or in the middle of one") {
  Pool pool;
  for (const std::int64_t bytes :
       {std::int64_t{1} << 20, std::int64_t{3} << 20, std::int64_t{9} << 20}) {
    void* block[2] = {pool.take(bytes), pool.take(bytes)};
    std::uintptr_t offsets = 0;
    for (void* b : block) {
      const auto at = reinterpret_cast<std::uintptr_t>(b) % Pool::page;
      CHECK(at % (Pool::page / 2) == 0);
      offsets += at;
      static_cast<char*>(b)[bytes - 1] = 1;
    }
    CHECK(offsets == Pool::page / 2);
    for (void* b : block) pool.give(b, bytes);
  }
  pool.trim(0);
  CHECK(pool.reserved.now() == 0);
}

TEST_CASE("large blocks are fresh the first time") {
  Pool pool;
  bool fresh = false;
  void* const block = pool.take(3 << 20, &fresh);
  CHECK(fresh);
  pool.give(block, 3 << 20);
  fresh = false;
  CHECK(pool.take(3 << 20, &fresh) == block);
  CHECK_FALSE(fresh);
  pool.give(block, 3 << 20);
  void* const small = pool.take(1000, &fresh);
  CHECK_FALSE(fresh);
  pool.give(small, 1000);
  pool.trim(0);
}

TEST_CASE("no more is kept than the limit, the largest blocks go first") {
  Pool pool;
  pool.set_limit(5 << 20);
  CHECK(pool.limit() == 5 << 20);
  void* const two = pool.take(2 << 20);
  void* const three = pool.take(3 << 20);
  void* const one = pool.take(1 << 20);
  pool.give(two, 2 << 20);
  pool.give(three, 3 << 20);
  CHECK(pool.cached() == 5 << 20);
  pool.give(one, 1 << 20);
  CHECK(pool.cached() == 3 << 20);
  CHECK(pool.take(2 << 20) == two);
  pool.give(two, 2 << 20);
  void* const six = pool.take(6 << 20);
  pool.give(six, 6 << 20);  // larger than the limit
  CHECK(pool.cached() == 3 << 20);
  pool.set_limit(0);
  CHECK(pool.cached() == 0);
  CHECK(pool.reserved.now() == 0);
}

TEST_CASE("what cannot be had frees what is kept, and is null") {
  Pool pool;
  pool.give(pool.take(1 << 20), 1 << 20);
  CHECK(pool.take(std::int64_t{1} << 60) == nullptr);
  CHECK(pool.cached() == 0);
  CHECK(pool.reserved.now() == 0);
}

TEST_CASE("threads share a pool") {
  Pool pool;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool] {
      for (int i = 0; i < 200; ++i) {
        const std::int64_t bytes = (1 + i % 3) << 20;
        auto* const block = static_cast<char*>(pool.take(bytes));
        block[0] = block[bytes - 1] = 1;
        pool.give(block, bytes);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(pool.cached() == pool.reserved.now());
  pool.trim(0);
  CHECK(pool.reserved.now() == 0);
}
