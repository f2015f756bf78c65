#include "weft/dist/mpi.hpp"

#include "test.hpp"
#include "weft/dist/init.hpp"

// With MPI: tests/several_ranks.
#ifndef WEFT_MPI
#include <thread>

TEST_CASE("without MPI two ranks on the CPU are one sentence") {
  using namespace weft;
  doctest::String said[2];
  std::vector<std::thread> threads;
  int port = 0;
  {
    const dist::Socket gone = dist::Socket::listen(0);
    port = gone.port();
  }
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      const dist::Group g = dist::init(dist::Launch{r, 2, r, "127.0.0.1", port}, {.timeout = 5});
      said[r] = test::message([&] { g.all_reduce(ones({3})); });
      g.barrier();  // needs no MPI
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& each : said) {
    CHECK(each == doctest::Contains("[all_reduce] 2 ranks and a tensor on cpu, which needs MPI: "
                                    "link weft::mpi"));
  }
}
#endif
