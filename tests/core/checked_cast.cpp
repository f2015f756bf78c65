#include "weft/core/checked_cast.hpp"

#include "test.hpp"

using weft::detail::checked_cast;

TEST_CASE("numbers that fit are converted") {
  CHECK(checked_cast<std::int8_t>("add", 127) == 127);
  CHECK(checked_cast<std::uint64_t>("add", 5) == 5);
  CHECK(checked_cast<float>("add", 1e30) == 1e30f);
  CHECK(checked_cast<float>("add", 1.0 / 0.0) > 1e38f);
  CHECK(checked_cast<bool>("add", 1));
  CHECK(checked_cast<weft::complex<float>>("add", 2).real() == 2);
}

TEST_CASE("others are refused with the number and the range") {
  CHECK_SAYS("[add] the number 300 does not fit in int8, expected -128 to 127",
             checked_cast<std::int8_t>("add", 300));
  CHECK_SAYS("[add] the number -1 does not fit in uint32", checked_cast<std::uint32_t>("add", -1));
  CHECK_SAYS("[add] the number 1e+300 does not fit in float32", checked_cast<float>("add", 1e300));
  CHECK_SAYS("[add] the number 2 does not fit in bool", checked_cast<bool>("add", 2));
  CHECK_SAYS("does not fit in int8", weft::tensor<std::int8_t>({1, 300}));
}

TEST_CASE("a read-only tensor stays read-only where it is") {
  const auto x = weft::ones({3});
  const weft::Tensor<const float> view = x;
  auto y = view.to(weft::Cpu{});
  y.fill(7);
  CHECK(x.at(0) == 1);
  CHECK(x.to(weft::Cpu{}).data() == x.data());
}
