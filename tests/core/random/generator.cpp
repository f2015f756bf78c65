// SPDX-License-Identifier: Apache-2.0
#include <weft/core/random/generator.hpp>

#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "test.hpp"

using weft::Draw;
using weft::Generator;

TEST_CASE("a generator counts its draws") {
  Generator g(42);
  CHECK(g.seed() == 42);
  CHECK(g.offset() == 0);
  const Draw first = g.draw();
  const Draw second = g.draw();
  CHECK(first.number == 0);
  CHECK(second.number == 1);
  CHECK(second.seed == 42);
  CHECK(g.offset() == 2);

  Generator resumed(g.seed(), g.offset());
  CHECK(resumed.draw().number == g.draw().number);

  g.manual_seed(7);
  CHECK(g.seed() == 7);
  CHECK(g.draw().number == 0);
}

TEST_CASE("the default generator is one for all") {
  weft::manual_seed(5);
  CHECK(weft::default_generator().seed() == 5);
  CHECK(weft::default_generator().draw().number == 0);
  CHECK(&weft::default_generator() == &weft::default_generator());
  weft::manual_seed(0);
}

TEST_CASE("elements share blocks, and nothing else") {
  const Draw draw{3, 9};
  for (std::uint64_t base : {std::uint64_t{0}, std::uint64_t{1} << 33}) {
    const weft::PhiloxBlock x = draw.block(base / 4);
    for (int i = 0; i < 4; ++i) CHECK(draw.bits32(base + i) == x.word(i));
    const weft::PhiloxBlock y = draw.block(base / 2);
    CHECK(draw.bits64(base) == (std::uint64_t{y.a} << 32 | y.b));
    CHECK(draw.bits64(base + 1) == (std::uint64_t{y.c} << 32 | y.d));
  }
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (std::uint64_t number = 0; number < 4; ++number) {
      for (std::uint64_t i = 0; i < 64; ++i) seen.insert(Draw{seed, number}.bits64(i));
    }
  }
  CHECK(seen.size() == 4 * 4 * 64);
}

TEST_CASE("threads may draw at once, and no two draws are the same") {
  Generator g(1);
  std::vector<std::vector<std::uint64_t>> numbers(4);
  std::vector<std::thread> threads;
  for (auto& mine : numbers) {
    threads.emplace_back([&g, &mine] {
      for (int i = 0; i < 1000; ++i) mine.push_back(g.draw().number);
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (const auto& mine : numbers) all.insert(mine.begin(), mine.end());
  CHECK(all.size() == 4000);
  CHECK(g.offset() == 4000);
}
