// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/placeholder_storage.hpp>

#include "test.hpp"

using namespace weft::detail;
using weft::Explanation;

TEST_CASE("memory that is not there is aligned and told apart") {
  Explanation out;
  const weft::StorageHandle a(allocate_placeholder(out, 100));
  out.kernels.emplace_back();
  const weft::StorageHandle b(allocate_placeholder(out, 100));
  CHECK(a->data != b->data);
  CHECK(reinterpret_cast<std::uintptr_t>(a->data) % 512 == 0);
  Operand x;
  x.set(a->data, 4, {}, {}, a.get());
  CHECK(is_temporary(x));
  x.storage = nullptr;
  CHECK(!is_temporary(x));
}

TEST_CASE("while it lives, what would be evaluated is noted instead") {
  const auto x = weft::ones({3, 4});
  Explanation out;
  {
    const PlannedStaging planned(out);
    const auto value = materialize_on<float>(x + 1, weft::Cpu{});
    CHECK(value.shape() == weft::Shape{3, 4});
    CHECK((value.storage()->release == release_placeholder));
  }
  CHECK(out.opaque == 1);
  REQUIRE(out.kernels.size() == 1);
  CHECK(out.kernels[0].work == "add(float, number), (3, 4), by its own algorithm: not counted");
  CHECK(out.kernels[0].launches == 0);
  CHECK(materialize_on<float>(x + 1, weft::Cpu{}).to_vector()[11] == 2);
}
