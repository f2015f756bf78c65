// SPDX-License-Identifier: Apache-2.0
#include <weft/optim/moments.hpp>

#include <cmath>

#include "test.hpp"

namespace detail = weft::optim::detail;

TEST_CASE("what an average that began at 0 has of its values keeps its digits") {
  const auto steps = weft::tensor({1.0, 3.0, 1000.0});
  const auto left = detail::left_of<double>(steps, 0.9).eval();
  for (int64_t i = 0; i < 3; ++i) {
    CHECK(left(i).item() == doctest::Approx(1 - std::pow(0.9, steps(i).item())));
  }
  const auto one = weft::tensor({1.0F});
  CHECK(detail::left_of<float>(one, 1 - 1e-9).item() == doctest::Approx(1e-9));
}

TEST_CASE("running averages, and options that cannot be") {
  const auto before = weft::tensor({2.0F});
  const auto value = weft::tensor({10.0F});
  CHECK(detail::average<float>(0.75, before, value).item() == 4);
  CHECK(detail::average<float>(0.75, before, value, -1).item() == -1);
  struct Options {
    double lr = 1, beta1 = 0.5, beta2 = 0.5, eps = 1, weight_decay = 0;
    bool maximize = false;
  };
  Options options;
  int seen = 0;
  detail::each_moment_option(options, [&](const char*, auto&) { ++seen; });
  CHECK(seen == 6);
  detail::check_moments("Some", options);
  options.beta2 = 1;
  CHECK_SAYS("[Some] beta2", detail::check_moments("Some", options));
}
