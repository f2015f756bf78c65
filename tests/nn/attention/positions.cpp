#include "weft/nn/attention/positions.hpp"

#include "gradients.hpp"
#include "weft/nn/state.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("PositionalEncoding is the paper's formula", D, TEST_DEVICES) {
  nn::PositionalEncoding<D, double> encoding(5, {.dropout = 0, .max_len = 20});
  const Tensor<double> pe = encoding.pe.to(Cpu{});
  for (int64_t i : {0, 3, 19}) {
    for (int64_t c = 0; c < 5; ++c) {
      const double angle =
          static_cast<double>(i) * std::pow(10000.0, -static_cast<double>(c / 2 * 2) / 5);
      CHECK(pe(i, 0, c).item() == doctest::Approx(c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  }
  const Var x = parameter(numbers<D>({4, 2, 5}));
  CHECK(allclose(encoding(x).detach(), x.detach() + encoding.pe(slice(0, 4))));
  encoding.batch_first = true;
  CHECK(allclose(encoding(x).detach()(all, 1), x.detach()(all, 1) + encoding.pe(1)));
  CHECK_SAYS("a length of at most 20", encoding(Var(numbers<D>({1, 21, 5}))));
  CHECK(nn::state_dict(encoding).contains("pe"));
}

TEST_CASE_TEMPLATE("rotary_embedding turns pairs, and products know distances alone", D,
                   TEST_DEVICES) {
  const auto angles = nn::rotary_angles<double>(6, 4, 100, 2, D{});
  CHECK(angles.cosines(1, 1).item() == doctest::Approx(std::cos(3 / 10.0)));
  CHECK(angles.sines(5, 0).item() == doctest::Approx(std::sin(7.0)));
  for (const auto pairs : {nn::RotaryPairs::halves, nn::RotaryPairs::neighbours}) {
    const Var x = parameter(numbers<D>({2, 6, 4}));
    const auto turn = [&](const auto& v) { return nn::rotary_embedding(v, angles, pairs); };
    const Tensor<double, D> y = turn(x).detach();
    const int64_t partner = pairs == nn::RotaryPairs::halves ? 2 : 1;
    const Tensor<double, D> a = x.detach()(1, all, 0);
    const Tensor<double, D> b = x.detach()(1, all, partner);
    const Tensor<double, D> c = angles.cosines(all, 0);
    const Tensor<double, D> s = angles.sines(all, 0);
    CHECK(allclose(y(1, all, 0), a * c - b * s));
    CHECK(allclose(y(1, all, partner), b * c + a * s));
    CHECK(gradcheck(turn, x));
    const Var same(Tensor<double, D>(numbers<D>({4}).expand({6, 4}).clone()));
    const Tensor<double, D> rows = turn(same).detach();
    CHECK(sum(rows(0) * rows(2)).item() == doctest::Approx(sum(rows(3) * rows(5)).item()));
  }
  CHECK_SAYS("(..., length, 2 pairs)", nn::rotary_embedding(Var(numbers<D>({5, 4})), angles));
  CHECK_SAYS("a width of 3", nn::rotary_angles(2, 3));
}
