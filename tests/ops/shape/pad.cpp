#include "weft/ops/shape/pad.hpp"

#include "array.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("what stands in a border", D, TEST_DEVICES) {
  const Tensor x = tensor(std::vector<float>{1, 2, 3}, {1, 3}).to(D{});
  const auto row = [&](PadMode mode) { return pad(x, {2, 1}, mode, 7).to_vector(); };
  CHECK(row(PadMode::constant) == std::vector<float>{7, 7, 1, 2, 3, 7});
  CHECK(row(PadMode::reflect) == std::vector<float>{3, 2, 1, 2, 3, 2});
  CHECK(row(PadMode::replicate) == std::vector<float>{1, 1, 1, 2, 3, 3});
  CHECK(row(PadMode::edge) == row(PadMode::replicate));
  CHECK(row(PadMode::wrap) == row(PadMode::circular));
  CHECK(row(PadMode::circular) == std::vector<float>{2, 3, 1, 2, 3, 1});
  CHECK(pad(x, {0, 0, 1, 2}).shape() == Shape{4, 3});
  CHECK_SAYS("a border of 3 and 0 along axis 1 of shape (1, 3), expected -3 to 2",
             pad(x, {3, 0}, PadMode::reflect));
  CHECK_SAYS("[pad] borders (1,)", pad(x, {1}));
}

TEST_CASE_TEMPLATE("a border is a part of the statement", D, TEST_DEVICES) {
  const Tensor x = arange<float>(1, 7).to(D{}).reshape(2, 3);
  const auto y = weft::ones<float>({4, 4}, D{});
  CHECK(Tensor(pad(x, {0, 1, 1, 1}) + y).to_vector() ==
        std::vector<float>{1, 1, 1, 1, 2, 3, 4, 1, 5, 6, 7, 1, 1, 1, 1, 1});
  CHECK(pad(x, {-1, 0, 0, 1}, PadMode::constant, 9).to_vector() ==
        std::vector<float>{2, 3, 5, 6, 9, 9});
  CHECK(pad(x, {1, 2, 1, 0}, PadMode::symmetric).to_vector() ==
        std::vector<float>{1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 4, 4, 5, 6, 6, 5});
  CHECK(pad(x, {3, 3}, PadMode::circular).shape() == Shape{2, 9});
  CHECK(pad(cast<int>(x) * 2, {1, 0}).to_vector() == std::vector<int>{0, 2, 4, 6, 0, 8, 10, 12});
  CHECK(Tensor(max(pad(x, {1, 1}, PadMode::reflect) * 2.0F, axis(1))).to_vector() ==
        std::vector<float>{6, 12});
  CHECK(pad(weft::zeros<float>({0, 2}, D{}), {0, 0, 1, 0}, PadMode::constant, 3).to_vector() ==
        std::vector<float>{3, 3});
  CHECK(pad(x, {{1, 0}, {0, 1}}, PadMode::constant, 7).to_vector() ==
        std::vector<float>{7, 7, 7, 7, 1, 2, 3, 7, 4, 5, 6, 7});
  CHECK(pad(x(0), {{1, 2}}).to_vector() == std::vector<float>{0, 1, 2, 3, 0, 0});
  CHECK(equal(pad(x, 1), pad(x, {{1, 1}, {1, 1}})));
  CHECK(pad(x, 1, PadMode::reflect).shape() == Shape{4, 5});
  CHECK_SAYS("[pad] 1 pairs for shape (2, 3)", pad(x, {{1, 1}}));
  CHECK_SAYS("a border of -4 and 0 along axis 1", pad(x, {-4, 0}));
  CHECK_SAYS("a border of -4 and 0 along axis 1", pad(x, {-4, 0}, PadMode::reflect));
  CHECK_SAYS("a border of -1 and 1 along axis 1", pad(x, {-1, 1}, PadMode::circular));
  CHECK_SAYS("[pad] the number 300", pad(cast<std::int8_t>(x), {1, 1}, PadMode::constant, 300));
}

TEST_CASE_TEMPLATE("borders that mirror on one side and take away on the other", D, TEST_DEVICES) {
  const Tensor<float, D> x = tensor({{0.0F, 1.0F, 2.0F, 3.0F, 4.0F}}, D{});
  const auto row = [&](int64_t before, int64_t after, PadMode mode) {
    const Tensor<float, D> fused = pad(x * 2.0F, {before, after}, mode) * 0.5F;
    const auto out = pad(x, {before, after}, mode).to_vector();
    CHECK(fused.to_vector() == out);
    return out;
  };
  using Row = std::vector<float>;
  CHECK(row(-3, 4, PadMode::reflect) == Row{3, 4, 3, 2, 1, 0});
  CHECK(row(2, -4, PadMode::reflect) == Row{2, 1, 0});
  CHECK(row(-5, 2, PadMode::replicate) == Row{4, 4});
  CHECK(row(2, -3, PadMode::symmetric) == Row{1, 0, 0, 1});
  CHECK(row(-1, -2, PadMode::circular) == Row{1, 2});
  CHECK(row(-2, -3, PadMode::reflect).empty());
}
