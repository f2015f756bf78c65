// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/profile.hpp>

#include "test.hpp"
#include "weft/explain.hpp"

using doctest::Contains;
using weft::Profile;
using weft::profile;

TEST_CASE_TEMPLATE("profile runs a statement and sets it beside what is expected", D,
                   TEST_DEVICES) {
  const auto x = weft::ones({1000}, D{});
  const Profile p = profile(x * 2 + 1, {.seconds = 0.01, .rounds = 3, .bandwidth = 1e9});
  CHECK(p.name == "add(mul(float, number), number)");
  CHECK(p.bytes == 8000);
  CHECK(p.expected == doctest::Approx(8e-6));
  CHECK(p.seconds > 0);
  CHECK(p.fastest > 0);
  CHECK(p.fastest <= p.seconds);
  CHECK(p.percent() == doctest::Approx(100 * p.expected / p.seconds));
  CHECK(p.rate() == doctest::Approx(8000 / p.seconds));
  CHECK(doctest::String(to_string(p).c_str()) == Contains("% of what memory allows (8 us)"));

  int runs = 0;
  const auto total = sum(x);
  const Profile q = profile(
      [&] {
        ++runs;
        total.eval();
      },
      D{}, {.seconds = 0.001, .rounds = 2});
  CHECK(q.expected == 0);
  CHECK(runs == 2 + 2 * q.runs);
  CHECK(doctest::String(to_string(q).c_str()) == Contains("(median of 2 rounds of "));
  const Profile r =
      profile([&] { total.eval(); }, explain(total, {.bandwidth = 1e9}), D{}, {.seconds = 0.001});
  CHECK(r.name == "sum(float)");
  CHECK(r.percent() > 0);
  CHECK_SAYS("[profile] 0 rounds in 0.2 seconds, expected at least 1 round",
             profile([] {}, D{}, {.rounds = 0}));
}

TEST_CASE("a profile shows the estimate beside what was measured") {
  Profile p;
  p.seconds = p.fastest = 60e-6;
  p.rounds = 3;
  p.runs = 10;
  CHECK(p.over_estimate() == 0);
  CHECK(doctest::String(to_string(p).c_str()) ==
        "60 us (median of 3 rounds of 10, fastest 60 us)\n");
  p.estimate = 50e-6;
  CHECK(p.over_estimate() == doctest::Approx(1.2));
  CHECK(doctest::String(to_string(p).c_str()) == Contains(", 1.20 of the estimate (50 us)\n"));
  weft::Explanation e;
  CHECK(profile([] {}, e, weft::Cpu{}, {.seconds = 0.001}).estimate == 0);
}
