#include "weft/nn/recurrent/recurrence.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("a step of an LSTM, gate by gate", D, TEST_DEVICES) {
  nn::detail::StepOperands<double, D> s;
  s.input = numbers<D>({2, 12});
  s.c0 = numbers<D>({2, 3}, 1);
  s.h = zeros<double>({2, 3}, D{});
  s.c = zeros<double>({2, 3}, D{});
  const std::vector<double> gates = s.input.to_vector();
  const std::vector<double> before = s.c0.to_vector();
  nn::detail::LstmSteps::forward(s);
  const auto sigma = [](double v) { return 1 / (1 + std::exp(-v)); };
  const std::vector<double> h = s.h.to_vector();
  const std::vector<double> c = s.c.to_vector();
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double* const g = gates.data() + row * 12 + k;
      const double cell = sigma(g[3]) * before[row * 3 + k] + sigma(g[0]) * std::tanh(g[6]);
      CHECK(c[row * 3 + k] == doctest::Approx(cell));
      CHECK(h[row * 3 + k] == doctest::Approx(sigma(g[9]) * std::tanh(cell)));
    }
  }
  CHECK(equal(nn::detail::block(s.input, 3, 3), s.input.narrow(1, 9, 3)));
}
