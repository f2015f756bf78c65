// SPDX-License-Identifier: Apache-2.0
#include <weft/io/dlpack_device.hpp>

#include "test.hpp"

using Here = weft::detail::DlpackDevice<weft::Cpu>;

TEST_CASE("memory that the CPU can reach") {
  CHECK(Here::is(weft::dlpack::cpu));
  CHECK(Here::is(weft::dlpack::cuda_host));
  CHECK_FALSE(Here::is(weft::dlpack::cuda));
  CHECK(Here::device(nullptr).type == 1);
  CHECK(Here::device(nullptr).id == 0);
}

TEST_CASE("adopted memory is borrowed, and given back by its own function") {
  int given = 0;
  float memory[3] = {};
  {
    const weft::StorageHandle storage(Here::adopt(
        {memory, sizeof memory, 0, &given, [](void* count) { ++*static_cast<int*>(count); }},
        nullptr));
    CHECK(storage->borrowed);
    CHECK(storage->data == memory);
    CHECK(storage->bytes == 12);
    CHECK(given == 0);
  }
  CHECK(given == 1);
}
