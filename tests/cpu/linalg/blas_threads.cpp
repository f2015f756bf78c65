// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/linalg/blas_threads.hpp>

#include <thread>
#include <vector>

#include "test.hpp"

using weft::cpu::BlasThreads;
using weft::cpu::SingleThreadedBlas;

#if !defined(WEFT_BLAS)
namespace {
int library_threads = 4;
}
/// Stand for an OpenBLAS with threads of its own.
extern "C" int openblas_get_parallel() { return 1; }
extern "C" int openblas_get_num_threads() { return library_threads; }
extern "C" void openblas_set_num_threads(int threads) { library_threads = threads; }

TEST_CASE("one number for the process: set by the first, given back by the last") {
  CHECK(weft::cpu::blas_threads() == BlasThreads::openblas);
  {
    const SingleThreadedBlas outer;
    CHECK(library_threads == 1);
    {
      const SingleThreadedBlas inner;
      CHECK(library_threads == 1);
    }
    CHECK(library_threads == 1);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 1000; ++i) {
          const SingleThreadedBlas here;
          CHECK_EQ(library_threads, 1);
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  CHECK(library_threads == 4);
  const SingleThreadedBlas unwanted(false);
  CHECK(library_threads == 4);
}
#else
TEST_CASE("a thread's number is given back") {
  namespace detail = weft::cpu::detail;
  CHECK(weft::cpu::blas_threads() != BlasThreads::unasked);
  if (weft::cpu::blas_threads() != BlasThreads::openmp) return;
  detail::weft_omp_set_threads(3);
  {
    const SingleThreadedBlas here;
    CHECK(detail::weft_omp_get_threads() == 1);
    int other = 0;
    std::thread([&] { other = detail::weft_omp_get_threads(); }).join();
    CHECK(other >= 1);
  }
  CHECK(detail::weft_omp_get_threads() == 3);
}
#endif
