// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/runtime/mutex.hpp>

#include <thread>

#include "test.hpp"

using weft::cuda::Lock;
using weft::cuda::Mutex;

TEST_CASE("a mutex lets one thread in at a time") {
  Mutex mutex;
  int sum = 0;
  const auto add = [&] {
    for (int i = 0; i < 10000; ++i) {
      const Lock lock(mutex);
      ++sum;
    }
  };
  std::thread other(add);
  add();
  other.join();
  CHECK(sum == 20000);
}
