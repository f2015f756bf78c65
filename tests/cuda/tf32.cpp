// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/tf32.hpp>

#include <thread>

#include "test.hpp"

using weft::cuda::allow_tf32;
using weft::cuda::set_allow_tf32;
using weft::cuda::Tf32Guard;

TEST_CASE("TF32 is off until it is allowed, for all or for a scope of a thread") {
  CHECK(!allow_tf32());
  set_allow_tf32(true);
  CHECK(allow_tf32());
  {
    const Tf32Guard forbidden(false);
    CHECK(!allow_tf32());
    {
      const Tf32Guard allowed;
      CHECK(allow_tf32());
    }
    CHECK(!allow_tf32());
    bool elsewhere = false;
    std::thread([&] { elsewhere = allow_tf32(); }).join();
    CHECK(elsewhere);
  }
  CHECK(allow_tf32());
  set_allow_tf32(false);
  CHECK(!allow_tf32());
}
