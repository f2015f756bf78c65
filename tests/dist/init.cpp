#include "weft/dist/init.hpp"

#include <thread>

#include "test.hpp"

using namespace weft;
using dist::Group;

TEST_CASE("processes meet at a port, or by a function that spreads bytes") {
  int port = 0;
  {
    const dist::Socket gone = dist::Socket::listen(0);
    port = gone.port();
  }
  int sums[2] = {0, 0};
  std::vector<std::thread> threads;
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      const Group g = dist::init(dist::Launch{r, 2, r, "127.0.0.1", port}, {.timeout = 5});
      for (const auto& line : g.circle()->exchange("test", "x", std::to_string(r + 1))) {
        sums[r] += std::stoi(line);
      }
      const Group half = g.split(r);
      sums[r] += 10 * half.size() + 100 * half.rank();
    });
  }
  for (auto& t : threads) t.join();
  CHECK(sums[0] == 13);
  CHECK(sums[1] == 13);

  threads.clear();
  char bytes[256];
  std::atomic<bool> written = false;
  int ranks[2] = {-1, -1};
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      const Group g = dist::init(dist::Launch{r, 2, r},
                                 [&](void* data, int count) {
                                   REQUIRE(count == 256);
                                   if (r == 0) std::memcpy(bytes, data, 256);
                                   if (r == 0) written = true;
                                   while (!written) std::this_thread::yield();
                                   if (r == 1) std::memcpy(data, bytes, 256);
                                 },
                                 {.timeout = 5});
      g.barrier();
      ranks[r] = g.rank();
    });
  }
  for (auto& t : threads) t.join();
  CHECK(ranks[1] == 1);
}

TEST_CASE("a launch that cannot be") {
  CHECK_SAYS("rank 2 of 2", dist::init(dist::Launch{2, 2, 0}));
  CHECK_SAYS("found nobody at 127.0.0.1:1 in 0.2 s",
             dist::init(dist::Launch{1, 2, 1, "127.0.0.1", 1}, {.timeout = 0.2}));
}
