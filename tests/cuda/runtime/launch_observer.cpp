// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/runtime/launch_observer.hpp>

#include "test.hpp"

namespace {
int begun = 0;
int ended = 0;
weft::Text last;
constexpr weft::cuda::LaunchObserver observer{[](const weft::detail::Name& name) {
                                                ++begun;
                                                last = text(name);
                                              },
                                              [] { ++ended; }};
struct Observed {
  Observed() {
    begun = ended = 0;
    weft::cuda::observe_launches(&observer);
  }
  ~Observed() { weft::cuda::observe_launches(nullptr); }
};
}  // namespace

TEST_CASE("an observer is told of a scope") {
  const weft::detail::Name name{"add"};
  { const weft::cuda::detail::ObservedLaunch nobody(name); }
  const Observed observed;
  {
    const weft::cuda::detail::ObservedLaunch scope(name);
    CHECK(begun == 1);
    CHECK(ended == 0);
  }
  CHECK(ended == 1);
  CHECK(last == "add");
}

TEST_CASE("an observer is told of each kernel [gpu]") {
  const auto x = weft::ones({8, 50}, weft::Cuda{});
  const Observed observed;
  x.assign(x + 1);
  CHECK(begun == 1);
  CHECK(last == "add(float, number)");
  (x / sum(x, weft::axis(1), weft::keepdims)).eval();
  CHECK(begun == 2);
  CHECK(ended == 2);
  CHECK(last == "div(float, sum(float))");
}
