// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/inspect/profile.hpp>

#include "test.hpp"
#include "weft/explain.hpp"

using weft::Cuda;

TEST_CASE("large statements run near what memory allows, by their events [gpu]") {
  const auto x = weft::ones({1 << 26}, Cuda{});
  const weft::Profile p = weft::cuda::profile(x * 2 + x, {.seconds = 0.02});
  MESSAGE(std::string(to_string(p)));
  CHECK(p.bytes == 2 * (int64_t{1} << 28));
  CHECK(p.percent() > 20);
  CHECK(p.percent() < 110);
  auto y = x.clone();
  const weft::Profile q =
      weft::cuda::profile([&] { y = x * 2 + x; }, explain(x * 2 + x), {.seconds = 0.02});
  CHECK(q.percent() > 20);
  CHECK(weft::cuda::profile([&] { y += 1; }, {.seconds = 0.01}).seconds > 0);
}

TEST_CASE("a capture cannot be profiled [gpu]") {
  const auto x = weft::ones({8}, Cuda{});
  CHECK_SAYS("[profile] the stream is being captured",
             weft::cuda::capture([&] { (void)weft::cuda::profile([&] { x += 1; }); }));
}
