// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/threads/pool.hpp>

#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include "test.hpp"

using weft::cpu::ThreadPool;

namespace {
struct Count {
  std::vector<std::atomic<int>> seen;
  explicit Count(std::int64_t items) : seen(static_cast<std::size_t>(items)) {}
  static void run(const void* context, std::int64_t first, std::int64_t last) {
    auto& seen = static_cast<Count*>(const_cast<void*>(context))->seen;
    for (std::int64_t i = first; i < last; ++i) ++seen[static_cast<std::size_t>(i)];
  }
  bool all(int times) const {
    for (const auto& n : seen) {
      if (n != times) return false;
    }
    return true;
  }
};
}  // namespace

TEST_CASE("each item is visited once, whatever the numbers of items, pieces and threads") {
  auto& pool = ThreadPool::instance();
  for (const std::int64_t items : {1, 2, 5, 64, 1000}) {
    for (const int threads : {1, 2, 3, 8}) {
      for (const int pieces : {1, threads, 4 * threads}) {
        if (pieces > items) continue;
        Count count(items);
        CHECK(pool.run({Count::run, &count, items, pieces, threads}));
        CHECK(count.all(1));
      }
    }
  }
}

TEST_CASE("many short loops, one after the other and from several threads at once") {
  auto& pool = ThreadPool::instance();
  const auto loops = [&] {
    for (int i = 0; i < 2000; ++i) {
      Count count(16);
      if (!pool.run({Count::run, &count, 16, 8, 4})) Count::run(&count, 0, 16);
      REQUIRE(count.all(1));
    }
  };
  loops();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(loops);
  for (auto& thread : threads) thread.join();
}

TEST_CASE("threads that sleep wake for the next loop") {
  auto& pool = ThreadPool::instance();
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    Count count(1000);
    CHECK(pool.run({Count::run, &count, 1000, 12, 3}));
    CHECK(count.all(1));
  }
}

TEST_CASE("what a piece throws is thrown by run(), once, and the pool works on") {
  struct Throws {
    static void run(const void* context, std::int64_t first, std::int64_t last) {
      const auto at = *static_cast<const std::int64_t*>(context);
      for (std::int64_t i = first; i < last; ++i) {
        if (at < 0 || i == at) throw std::runtime_error("piece");
      }
    }
  };
  auto& pool = ThreadPool::instance();
  for (const std::int64_t at : {-1, 0, 499, 999}) {
    CHECK_THROWS_WITH_AS(pool.run({Throws::run, &at, 1000, 12, 3}), "piece", std::runtime_error);
    CHECK(!ThreadPool::is_inside());
    Count count(1000);
    CHECK(pool.run({Count::run, &count, 1000, 12, 3}));
    CHECK(count.all(1));
  }
}

TEST_CASE("more users than slots: the rest is told so, and runs its work itself") {
  std::atomic<int> ran{0};
  std::atomic<int> refused{0};
  std::atomic<bool> go{false};
  struct Context {
    std::atomic<int>& ran;
    std::atomic<bool>& go;
  } const context{ran, go};
  const auto wait = [](const void* given, std::int64_t, std::int64_t) {
    const auto& c = *static_cast<const Context*>(given);
    ++c.ran;
    while (!c.go) std::this_thread::yield();
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 9; ++t) {
    threads.emplace_back([&] {
      if (!ThreadPool::instance().run({wait, &context, 2, 2, 2})) ++refused;
    });
  }
  while (refused == 0) std::this_thread::yield();
  go = true;
  for (auto& thread : threads) thread.join();
  // A worker that the system keeps waiting just as it looks at an old job occupies that job's slot,
  // so more than one may be refused.
  CHECK(refused >= 1);
  CHECK(ran == 2 * (9 - refused));
}

TEST_CASE("the pool's threads take no signals") {
  struct Mask {
    static void run(const void* context, std::int64_t, std::int64_t) {
      sigset_t blocked;
      sigemptyset(&blocked);
      pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      auto& open = *static_cast<std::atomic<int>*>(const_cast<void*>(context));
      if (ThreadPool::is_worker() && sigismember(&blocked, SIGINT) == 0) ++open;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  std::atomic<int> open{0};
  ThreadPool::instance().run({Mask::run, &open, 12, 12, 4});
  CHECK(open == 0);
  sigset_t mine;
  pthread_sigmask(SIG_SETMASK, nullptr, &mine);
  CHECK(sigismember(&mine, SIGINT) == 0);
}

#if !defined(__SANITIZE_THREAD__)  // which cannot follow a fork
TEST_CASE("a child of fork() has threads of its own") {
  Count before(100);
  ThreadPool::instance().run({Count::run, &before, 100, 8, 4});
  const pid_t child = fork();
  if (child == 0) {
    Count count(100);
    const bool ran = ThreadPool::instance().run({Count::run, &count, 100, 8, 4});
    _exit(ran && count.all(1) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif
