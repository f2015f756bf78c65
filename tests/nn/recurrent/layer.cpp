#include "weft/nn/recurrent/layer.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("gradients through time, both ways, where sequences end early", D,
                   TEST_DEVICES) {
  const Tensor<bool, D> inside =
      (arange<int64_t>(4, D{}).unsqueeze(1) < tensor<int64_t>({2, 4}).to(D{})).eval().unsqueeze(2);
  const auto leaf = [](const Shape& shape, double first) {
    return parameter(Tensor<double, D>(numbers<D>(shape, first) * 0.5));
  };
  for (const bool reverse : {false, true}) {
    CAPTURE(reverse);
    const auto run = [&](const auto& x, const auto& ih, const auto& hh, const auto& b_ih,
                         const auto& b_hh, const auto& hr, const auto& h0, const auto& c0) {
      const auto s = nn::detail::run_layer<nn::detail::LstmSteps, double, D>(
          x, {ih, hh, b_ih, b_hh, hr}, h0, c0, {reverse, inside});
      return Var(sum(s.outputs * s.outputs) + sum(s.h) + sum(s.c * s.c));
    };
    CHECK(gradcheck(run, leaf({4, 2, 3}, 0), leaf({8, 3}, 1), leaf({8, 1}, 2), leaf({8}, 3),
                    leaf({8}, 4), leaf({1, 2}, 5), leaf({2, 1}, 6), leaf({2, 2}, 7)));
  }
}
