// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/reduce/run.hpp>

#include <vector>

#include "test.hpp"

using weft::cpu::detail::Run;
namespace reducer = weft::reducer;

TEST_CASE("whole rows, many at once") {
  const auto& loops = Run<float, reducer::mean, float>::loops;
  const reducer::mean mean;
  std::vector<float> x;
  for (int i = 0; i < 3 * 50; ++i) x.push_back(static_cast<float>(i));
  float out[6] = {};
  loops.rows(&mean, reinterpret_cast<const char*>(x.data()), 50 * sizeof(float), 3, 40,
             reinterpret_cast<char*>(out), 2 * sizeof(float));
  CHECK(out[0] == 19.5F);
  CHECK(out[1] == 0);
  CHECK(out[2] == 69.5F);
  CHECK(out[4] == 119.5F);
}

TEST_CASE("a running reduction has the result of the whole row") {
  const auto check = [](const auto& reducer, auto out, auto expected) {
    using R = std::remove_cvref_t<decltype(reducer)>;
    using Out = decltype(out);
    const auto& loops = Run<Out, R, double>::loops;
    std::vector<double> x;
    for (int i = 0; i < 1000; ++i) x.push_back((i * 37) % 101);
    std::vector<char> running(static_cast<std::size_t>(loops.bytes) + 64);
    std::vector<char> states(3 * static_cast<std::size_t>(loops.state_bytes) + 64);
    void* const memory =
        running.data() + (64 - reinterpret_cast<std::uintptr_t>(running.data()) % 64);
    char* const state = states.data() + (64 - reinterpret_cast<std::uintptr_t>(states.data()) % 64);
    const auto at = [&](int i) { return reinterpret_cast<const char*>(x.data() + i); };
    // Three pieces, the second of two runs.
    loops.begin(&reducer, memory);
    loops.add(&reducer, at(0), 300, 0, memory);
    loops.end(memory, state);
    loops.begin(&reducer, memory);
    loops.add(&reducer, at(300), 100, 300, memory);
    loops.add(&reducer, at(400), 77, 400, memory);
    loops.end(memory, state + loops.state_bytes);
    loops.begin(&reducer, memory);
    loops.add(&reducer, at(477), 523, 477, memory);
    loops.end(memory, state + 2 * loops.state_bytes);
    loops.finish(&reducer, 1000, state, 3, 1, reinterpret_cast<char*>(&out));
    CHECK(out == expected);
    Out whole{};
    loops.rows(&reducer, at(0), 0, 1, 1000, reinterpret_cast<char*>(&whole), 0);
    CHECK(whole == expected);
  };
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += (i * 37) % 101;
  check(reducer::sum{}, 0.0, sum);
  check(reducer::max{}, 0.0, 100.0);
  check(reducer::argmax{}, std::int64_t{-1}, std::int64_t{30});  // 30 * 37 = 10 * 101 + 100
}
