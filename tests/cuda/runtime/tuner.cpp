// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/runtime/tuner.hpp>

#include "test.hpp"

namespace {
int ended = 0;
constexpr weft::on_cuda::Tuner counting{
    .end = [](void* mark) noexcept { ended += mark == &ended; }};
struct Installed {
  const weft::on_cuda::Tuner* before = weft::on_cuda::detail::tuner;
  Installed() { weft::on_cuda::detail::tuner = &counting; }
  ~Installed() { weft::on_cuda::detail::tuner = before; }
};
}  // namespace

TEST_CASE("the tuner is told of the end of what it times, and of nothing else") {
  const weft::detail::Name name{"sum"};
  const Installed installed;
  ended = 0;
  { const weft::on_cuda::detail::TunedLaunch launch(name, 0, nullptr); }
  CHECK(ended == 0);
  {
    weft::on_cuda::detail::TunedLaunch launch(name, 0, nullptr);
    REQUIRE(launch.by == &counting);
    CHECK(launch.chosen.what == nullptr);
    launch.mark = &ended;
    CHECK(ended == 0);
  }
  CHECK(ended == 1);
}
