// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/map.hpp>

#include "array.hpp"

using test::Index;
using weft::Tensor;

namespace {

template <class D>
auto scaled(D device) {
  const auto local = weft::tensor({1.F, 2.F}, device);
  const auto factor = 3.F;
  return local * factor + weft::ones({2, 1}, device);
}

/// f(T()) for every element type T.
template <class F, class... Ts>
void each_type(weft::detail::TypeList<Ts...>, F f) {
  (f(Ts()), ...);
}

}  // namespace

TEST_CASE_TEMPLATE("every element type is copied, added and compared", D, TEST_DEVICES) {
  each_type(weft::detail::ElementTypes{}, []<class T>(T) {
    const auto x = weft::tensor<T>({{0, 1, 1}, {1, 0, 1}}, D{});
    const auto y = x.t().clone();
    CHECK(y.to_vector() == std::vector<T>{T(0), T(1), T(1), T(0), T(1), T(1)});
    CHECK((x == x(0)).eval().to_vector() ==
          std::vector<bool>{true, true, true, false, false, true});
    CHECK(where(x == x(0), x, x.flip(0)).eval().to_vector() ==
          std::vector<T>{T(0), T(1), T(1), T(0), T(1), T(1)});
    CHECK(x.flatten()(weft::slice(weft::none, weft::none, -2)).clone().to_vector() ==
          std::vector<T>{T(1), T(1), T(1)});
    if constexpr (!std::is_same_v<T, bool>) {
      const auto z = (x + x * 2 - 1).eval();
      static_assert(std::is_same_v<decltype(z), const Tensor<T, D>>);
      CHECK(z.to_vector() ==
            (weft::cast<T>(weft::tensor({-1, 2, 2, 2, -1, 2}, D{}))).eval().to_vector());
    }
  });
}

TEST_CASE_TEMPLATE("rows of every length, at every alignment", D, TEST_DEVICES) {
  test::Random r(1);
  const auto memory = r.array<float>({3, 1100});
  const auto x = memory.on(D{});
  std::vector<std::int64_t> lengths{127, 128, 129, 255, 256, 257, 258, 511, 513, 1023, 1024, 1025};
  for (std::int64_t n = 1; n <= 70; ++n) lengths.push_back(n);
  for (std::int64_t n : lengths) {
    const auto start = r.between(0, 20);
    const auto row = x.narrow(1, start, n);
    const auto expected = memory.pick({3, n}, [&](Index i) { return Index{i[0], start + i[1]}; });
    test::Array<float> squares = expected;
    for (float& v : squares.values) v = v * v + 1;
    CHECK(test::same(row * row + 1, squares));
    const auto target = weft::zeros({3, n + 3}, D{});
    target.narrow(1, 2, n).assign(row * row + 1);
    CHECK(test::same(target.narrow(1, 2, n), squares));
    CHECK(sum(target).item() == sum(row * row + 1).item());
  }
}

TEST_CASE_TEMPLATE("expressions of views at random", D, TEST_DEVICES) {
  test::Random r(2);
  for (int n = 0; n < 150; ++n) {
    weft::Shape shape = r.shape(3, 5);
    shape.push_back(r.between(1, 20));
    auto a = r.array<std::int32_t>(shape);
    auto x = a.on(D{});
    for (int times = 3; times > 0; --times) r.vary(x, a);
    auto b = a;
    auto y = x;
    r.vary(y, b);
    if (!weft::broadcasts_to(b.shape, a.shape)) continue;
    test::Array<std::int32_t> expected{a.shape, {}};
    test::each_index(a.shape,
                     [&](const Index& i) { expected.values.push_back(a.at(i) * 100 - b.at(i)); });
    CHECK(test::same(x * 100 - y, expected));
    auto target = weft::zeros<std::int32_t>(a.shape, D{});
    target.flip(0).assign(x * 100 - y);
    CHECK(test::same(target.flip(0), expected));
  }
}

TEST_CASE_TEMPLATE("half types round once, at the store", D, TEST_DEVICES) {
  const auto x = weft::tensor<weft::half>({2048, 1}, D{});
  const auto e = x + 1 - 2048;
  static_assert(std::is_same_v<typename decltype(e)::value_type, weft::half>);
  CHECK(e.eval().to_vector() == std::vector<weft::half>{weft::half(1), weft::half(-2046)});
  CHECK((x + 1).eval()(0).item() == 2048);
  const auto big = weft::full<weft::half>({2}, 60000, D{});
  CHECK((big * big / big).eval()(1).item() == 60000);
  CHECK(std::isinf((big * big).eval()(1).item()));
  const auto b = weft::full<weft::bfloat16>({2}, 256, D{});
  CHECK((b + 1 - 256).eval()(0).item() == 1);
  CHECK((b + 1).eval()(0).item() == 256);
}

TEST_CASE_TEMPLATE("integers wrap", D, TEST_DEVICES) {
  const auto x = weft::tensor<std::int8_t>({127, -128}, D{});
  CHECK((x + 1).eval().to_vector() == std::vector<std::int8_t>{-128, -127});
  CHECK((-x).eval().to_vector() == std::vector<std::int8_t>{-127, -128});
  const auto y = weft::tensor({INT32_MIN, INT32_MAX}, D{});
  CHECK((y * 2).eval().to_vector() == std::vector<std::int32_t>{0, -2});
  CHECK((y / -1).eval().to_vector() == std::vector<std::int32_t>{INT32_MIN, -INT32_MAX});
  CHECK((y / 0).eval().to_vector() == std::vector<std::int32_t>{0, 0});
  const auto z = weft::tensor<std::uint16_t>({0, 65535}, D{});
  CHECK((z - 1).eval().to_vector() == std::vector<std::uint16_t>{65535, 65534});
  CHECK((z * z).eval().to_vector() == std::vector<std::uint16_t>{0, 1});
}

TEST_CASE_TEMPLATE("an expression may leave the function that made it", D, TEST_DEVICES) {
  const auto e = scaled(D{});
  CHECK(e.eval().to_vector() == std::vector<float>{4, 7, 4, 7});
  const auto nested = [&] {
    const auto inner = scaled(D{}) * 2;
    return inner - e;
  }();
  CHECK(nested.eval().to_vector() == std::vector<float>{4, 7, 4, 7});
  CHECK(eval(e * 0 + 1).to_vector() == std::vector<float>(4, 1));
}

TEST_CASE_TEMPLATE("one element", D, TEST_DEVICES) {
  const auto x = weft::full({}, 3.F, D{});
  CHECK((x * x).item() == 9);
  CHECK((x * x).shape() == weft::Shape{});
  CHECK(weft::full({1, 1}, 2, D{}).item() == 2);
  CHECK_THROWS_WITH_AS((weft::ones({2}, D{}) + 1).item(),
                       "[item] a tensor of shape (2,), expected one element", weft::ShapeError);
}
