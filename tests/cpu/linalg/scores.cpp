#include "weft/cpu/linalg/scores.hpp"

#include <cmath>
#include <vector>

#include "test.hpp"

using namespace weft::cpu::detail;

TEST_CASE("the largest score is that of a loop, for any number of them") {
  constexpr float never = -std::numeric_limits<float>::infinity();
  for (const int n : {0, 1, 15, 16, 17, 33, 100}) {
    CAPTURE(n);
    std::vector<float> x;
    for (int i = 0; i < n; ++i) x.push_back(std::sin(1.7F * static_cast<float>(i)) - 3);
    for (int at = 0; at < n; ++at) {
      const float before = x[static_cast<std::size_t>(at)];
      x[static_cast<std::size_t>(at)] = 5;
      CHECK(largest_score(x.data(), n) == 5);
      x[static_cast<std::size_t>(at)] = std::nanf("");
      CHECK(largest_score(x.data(), n) <= 0);
      x[static_cast<std::size_t>(at)] = before;
    }
    for (float& v : x) v = never;
    CHECK(largest_score(x.data(), n) == 0);
  }
}

TEST_CASE("weights are exponentials, and their sum has each once") {
  for (const int n : {0, 1, 15, 16, 17, 33, 100}) {
    CAPTURE(n);
    std::vector<double> x;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      x.push_back(std::sin(1.7 * i));
      sum += std::exp(x.back() - 0.5);
    }
    const double first = n > 0 ? std::exp(x[0] - 0.5) : 0;
    CHECK(sum_of_weights(x.data(), n, 0.5) == doctest::Approx(sum).epsilon(1e-12));
    if (n > 0) CHECK(x[0] == doctest::Approx(first).epsilon(1e-12));
    if (n == 0) continue;
    x.back() = std::nan("");
    CHECK(std::isnan(sum_of_weights(x.data(), n, 0.)));
  }
}

TEST_CASE("masked keys get -infinity, whether the mask's elements are neighbours or not") {
  constexpr float never = -std::numeric_limits<float>::infinity();
  bool allowed[40];
  for (int i = 0; i < 40; ++i) allowed[i] = i % 3 != 1;
  for (const std::int64_t step : {1, 2}) {
    weft::AttentionPlan plan{};
    plan.heads = 1;
    plan.queries = 2;
    plan.keys = 20;
    plan.allowed = allowed;
    plan.mask_strides[3] = step;
    std::vector<float> scores(40, 2);
    mask_scores(plan, {0, 0, 0, 2, 20}, scores.data());
    for (int i = 0; i < 40; ++i) {
      const bool keeps = allowed[i % 20 * step];
      CHECK(scores[static_cast<std::size_t>(i)] == (keeps ? 2 : never));
    }
  }
}
