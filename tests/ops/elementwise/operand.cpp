// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/leading.hpp>
#include <weft/ops/elementwise/operand.hpp>

#include <cmath>

#include "test.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;

namespace {
template <class E>
using value_t = typename std::remove_cvref_t<E>::value_type;

const Tensor<float> f;
const Tensor<weft::half> h;
const Tensor<std::int8_t> i;
const Tensor<complex<float>> c;
const Tensor<bool> b;
}  // namespace

static_assert(std::is_same_v<value_t<decltype(f + 1)>, float>);
static_assert(std::is_same_v<value_t<decltype(2.5 * f)>, float>);
static_assert(std::is_same_v<value_t<decltype(h + 1e-8)>, weft::half>);
static_assert(std::is_same_v<value_t<decltype(i + 1LL)>, std::int8_t>);
static_assert(std::is_same_v<value_t<decltype(c * 2)>, complex<float>>);
static_assert(std::is_same_v<value_t<decltype(i < 3)>, bool>);
static_assert(std::is_same_v<value_t<decltype(where(b, 1, h))>, weft::half>);
static_assert(std::is_same_v<detail::operand_t<weft::half, double>, Scalar<float>>);
static_assert(std::is_same_v<detail::operand_t<int, const Tensor<const int>&>, Tensor<int>>);
static_assert(
    std::is_same_v<detail::common_device_of<Tensor<int, CudaAt<0>>, Tensor<int, Cuda>>, Cuda>);
static_assert(std::is_same_v<detail::common_device_of<int, Tensor<int>, Scalar<int>>, Cpu>);

TEST_CASE("a number that its type cannot hold") {
  CHECK_THROWS_WITH_AS(i + 300, "[add] the number 300 does not fit in int8, expected -128 to 127",
                       ValueError);
  CHECK_THROWS_WITH_AS(-129 * i, "[mul] the number -129 does not fit in int8, expected -128 to 127",
                       ValueError);
  CHECK_THROWS_WITH_AS(
      Tensor<std::uint64_t>() - (-1),
      "[sub] the number -1 does not fit in uint64, expected 0 to 18446744073709551615", ValueError);
  CHECK_THROWS_WITH_AS(
      Tensor<int>() + INT64_MAX,
      "[add] the number 9223372036854775807 does not fit in int32, expected -2147483648 to "
      "2147483647",
      ValueError);
  CHECK_THROWS_WITH_AS(f * 1e39, "[mul] the number 1e+39 does not fit in float32", ValueError);
  CHECK_THROWS_WITH_AS(c + 1e300, "[add] the number 1e+300 does not fit in float32", ValueError);
  CHECK_THROWS_WITH_AS(b.assign(2), "[assign] the number 2 does not fit in bool", ValueError);
  CHECK_THROWS_WITH_AS(h.assign(65536), "[assign] the number 65536 does not fit in float16",
                       ValueError);
}

TEST_CASE("and those that it can") {
  CHECK(detail::checked_cast<std::int8_t>("f", -128) == -128);
  CHECK(detail::checked_cast<std::uint64_t>("f", UINT64_MAX) == UINT64_MAX);
  CHECK(detail::checked_cast<float>("f", 16777217) == 16777216);
  CHECK(detail::checked_cast<float>("f", 1e-60) == 0);
  CHECK(std::isinf(detail::checked_cast<float>("f", INFINITY)));
  CHECK(std::isnan(detail::checked_cast<float>("f", NAN)));
  CHECK(detail::checked_cast<complex<float>>("f", complex<double>(1, -2)) == complex<float>(1, -2));
  CHECK(detail::checked_cast<bool>("f", 1));
  CHECK(detail::checked_cast<double>("f", weft::half(0.5F)) == 0.5);
  CHECK(detail::checked_cast<weft::half>("f", 65504) == 65504);
}

TEST_CASE_TEMPLATE("a number meets half in float", D, TEST_DEVICES) {
  const auto x = zeros<weft::half>({2}, D{});
  CHECK(((x + 1e-8) * 1e8).eval()(0).item() == doctest::Approx(1));
  CHECK((x + 1e6 - 999999).eval()(1).item() == 1);
}

TEST_CASE_TEMPLATE("numbers on either side, of any type", D, TEST_DEVICES) {
  const auto x = tensor({1.F, 2.F}, D{});
  CHECK((10 - x).eval().to_vector() == std::vector<float>{9, 8});
  CHECK((x / 2U).eval().to_vector() == std::vector<float>{0.5F, 1});
  CHECK((weft::half(1) + x).eval().to_vector() == std::vector<float>{2, 3});
  CHECK((x * true).eval().to_vector() == std::vector<float>{1, 2});
  const auto z = tensor<complex<float>>({1, 2}, D{});
  CHECK((z * complex<double>(0, 1)).eval()(1).item() == complex<float>(0, 2));
  CHECK((z - 1).eval()(1).item() == complex<float>(1, 0));
}

TEST_CASE_TEMPLATE("shapes of several operands", D, TEST_DEVICES) {
  const auto x = ones({2, 1}, D{});
  CHECK(where(x > 0, ones({3}, D{}), 2.F).shape() == Shape{2, 3});
  CHECK_THROWS_WITH_AS(where(x > 0, ones({3}, D{}), ones({4}, D{})),
                       "[where] shapes do not broadcast: (2, 3) and (4,), expected trailing sizes "
                       "equal or 1",
                       ShapeError);
}

TEST_CASE_TEMPLATE("beside numbers an operand has the shape", D, TEST_DEVICES) {
  using X = Tensor<float, D>;
  static_assert(std::is_empty_v<detail::NodeShape<X>>);
  static_assert(std::is_empty_v<detail::NodeShape<Scalar<float>, X, Scalar<float>>>);
  static_assert(!std::is_empty_v<detail::NodeShape<X, X>>);
  const auto x = ones({2, 1}, D{});
  CHECK((1.F - exp(x) * 2.F).shape() == Shape{2, 1});
  CHECK(clamp(exp(x) + ones({3}, D{}), 0.F, 1.F).shape() == Shape{2, 3});
  CHECK(where(x > 0, 1.F, 2.F).eval().shape() == Shape{2, 1});
}

TEST_CASE_TEMPLATE("counts become floats beside floats", D, TEST_DEVICES) {
  const auto x = weft::tensor({{1.0F, 2.0F, 6.0F}, {4.0F, 5.0F, 9.0F}}, D{});
  const auto m = weft::tensor({{true, true, false}, {false, true, false}}, D{});
  using weft::axis;
  static_assert(std::is_same_v<value_t<decltype(sum(x * m) / sum(m))>, float>);
  static_assert(std::is_same_v<value_t<decltype(sum(m) * cast<double>(x))>, double>);
  static_assert(std::is_same_v<value_t<decltype(sum(m) / 2)>, std::int64_t>);
  static_assert(std::is_same_v<value_t<decltype(sum(m) + count_nonzero(x))>, std::int64_t>);
  const auto k = weft::tensor({1, 2}, D{});
  static_assert(std::is_same_v<value_t<decltype(sum(k) - sum(m))>, std::int64_t>);
  CHECK((sum(x * m) / sum(m)).item() == doctest::Approx(8.0 / 3));
  CHECK((sum(x * m, axis(1)) / sum(m, axis(1))).to_vector() == std::vector<float>{1.5F, 5});
  CHECK((count_nonzero(x > 3, axis(0)) * sum(x, axis(0))).to_vector() ==
        std::vector<float>{5, 7, 30});
  CHECK((x / sum(m, axis(1), weft::keepdims) + sum(m)).eval()(1, 2).item() == 12);
}

TEST_CASE_TEMPLATE("real tensors become complex beside complex ones", D, TEST_DEVICES) {
  using C = weft::complex<float>;
  const auto x = weft::tensor({1.0F, 2.0F}, D{});
  const auto z = weft::tensor({C(0, 1), C(3, -1)}, D{});
  static_assert(std::is_same_v<value_t<decltype(x * z)>, C>);
  static_assert(std::is_same_v<value_t<decltype(z / x)>, C>);
  static_assert(std::is_same_v<value_t<decltype(x * weft::complex<double>(0, 1))>, C>);
  static_assert(std::is_same_v<value_t<decltype(sum(x) + z)>, C>);
  CHECK((x * z).to_vector() == std::vector<C>{C(0, 1), C(6, -2)});
  CHECK((z - x * 2).to_vector() == std::vector<C>{C(-2, 1), C(-1, -1)});
  CHECK((C(0, 1) * x + 1).to_vector() == std::vector<C>{C(1, 1), C(1, 2)});
  auto w = z.clone();
  w *= x;
  CHECK(w.to_vector() == std::vector<C>{C(0, 1), C(6, -2)});
}

TEST_CASE_TEMPLATE("sums of narrow integers meet their operand's type", D, TEST_DEVICES) {
  const auto k = weft::tensor({{1, 2}, {3, 4}}, D{});
  using Ints = std::vector<int>;
  static_assert(std::is_same_v<value_t<decltype(sum(k))>, std::int64_t>);
  static_assert(std::is_same_v<value_t<decltype(k - sum(k))>, int>);
  static_assert(std::is_same_v<value_t<decltype(sum(k) + 1)>, std::int64_t>);
  static_assert(std::is_same_v<value_t<decltype(sum(k) + cumsum(k, weft::axis(0)))>, std::int64_t>);
  CHECK((k - sum(k)).to_vector() == Ints{-9, -8, -7, -6});
  CHECK((prod(k, weft::axis(0)) * k).to_vector() == Ints{3, 16, 9, 32});
  CHECK((k % sum(k, weft::axis(1), weft::keepdims)).to_vector() == Ints{1, 2, 3, 4});
  const auto running = k.clone();
  running += cumsum(running, weft::axis(0));
  CHECK(running.to_vector() == Ints{2, 4, 7, 10});
}
