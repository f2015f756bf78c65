// SPDX-License-Identifier: Apache-2.0
#include "weft/eval/finished.hpp"

#include <cmath>

#include "test.hpp"
#include "weft/small.hpp"
#include "weft/weft.hpp"
#ifdef __CUDACC__
#include "weft/cuda.hpp"
#include "weft/cuda/reduce.hpp"
#endif

using namespace weft;
using weft::detail::Route;
using weft::detail::route_of;

TEST_CASE("what is computed from one reduction and numbers is a reduction on CUDA") {
  using T = Tensor<float, Cuda>;
  using Scaled = decltype(sqrt(sum(std::declval<T>(), axis(0))) * 0.5F + 1.0F);
  using OfTwo = decltype(sum(std::declval<T>(), axis(0)) / max(std::declval<T>(), axis(0)));
  using Beside = decltype(sum(std::declval<T>(), axis(0)) + std::declval<T>());
  using OfRows = decltype(sqrt(sum(std::declval<T>() - max(std::declval<T>(), axis(0)), axis(0))));
  using OnCpu = decltype(sqrt(sum(std::declval<Tensor<float>>(), axis(0))));
  CHECK(route_of<Scaled>() == Route::reduction);
  CHECK(route_of<OfTwo>() == Route::rows);
  CHECK(route_of<Beside>() == Route::rows);
  CHECK(route_of<OfRows>() == Route::rows);
  CHECK(route_of<OnCpu>() == Route::rows);
}

TEST_CASE_TEMPLATE("functions of a reduction's values", D, TEST_DEVICES) {
  const Tensor<float> x = (arange<float>(6 * 35).reshape({6, 5, 7}) - 100.F) * 0.01F;
  const auto y = x.to(D{});
  const auto same = [](const auto& on_device, const auto& expected) {
    const auto a = on_device.eval();
    const auto b = expected.eval();
    CHECK(a.shape() == b.shape());
    const auto values = a.to_vector();
    const auto wanted = b.to_vector();
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(double(values[i]) == doctest::Approx(double(wanted[i])).epsilon(1e-5));
    }
  };
  const auto check = [&](const auto&... o) {
    same(log1p(abs(mean(y, o...))) * 2.0F, log1p(abs(mean(x, o...).eval())) * 2.0F);
    same(1.0F - var(y * y, o...), 1.0F - var(x * x, o...).eval());
    same(sqrt(max(abs(y), o...)), sqrt(max(abs(x), o...).eval()));
    same(argmax(y, o...) * std::int64_t{3} + std::int64_t{1},
         argmax(x, o...).eval() * std::int64_t{3} + std::int64_t{1});
    same(cast<weft::half>(norm(y, o...)), cast<weft::half>(norm(x, o...).eval()));
  };
  check();
  check(axis(0));
  check(axis(1));
  check(axis(-1));
  check(axis(0, 2));
  check(axis(1), keepdims);

  auto z = y.clone();
  z = sum(z) * 0.5F;
  CHECK(z.rank() == 0);
  CHECK(z.item() == doctest::Approx(sum(x).item() / 2));
  auto row = y(0, 0).clone();
  row.assign(mean(y, axis(0, 1)) + 1.0F);
  CHECK(row.to_vector()[3] == doctest::Approx(mean(x, axis(0, 1)).eval().to_vector()[3] + 1));
  CHECK_THROWS_WITH_AS(row.assign(mean(y, axis(1, 2)) + 1.0F), doctest::Contains("(6,)"),
                       ShapeError);
}

TEST_CASE_TEMPLATE("functions of reductions of gathered rows and of Small", D, TEST_DEVICES) {
  const Tensor<float> x = arange<float>(80).reshape({10, 8});
  const auto indices = tensor<std::int64_t>({3, 1, 7, 2});
  const auto y = x.to(D{});
  const auto i = indices.to(D{});
  const auto same = [](const auto& on_device, const auto& expected) {
    const auto values = on_device.eval().to_vector();
    const auto wanted = expected.eval().to_vector();
    REQUIRE(values.size() == wanted.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      CHECK(values[k] == doctest::Approx(wanted[k]));
    }
  };
  for (const int along : {0, 1}) {
    same(mean(take(y, i, axis(0)), axis(along)) * 0.5F,
         mean(take(x, indices, axis(0)), axis(along)) * 0.5F);
    same(sqrt(sum(take(y + 1.F, i, axis(0)), axis(along))),
         sqrt(sum(take(x + 1.F, indices, axis(0)), axis(along))));
  }
  same(softmax(take(y * 0.1F, i, axis(0))), softmax(take(x * 0.1F, indices, axis(0))));

  const auto points = full<Small<float, 3>>({4, 5}, Small<float, 3>{1, 2, 3}, D{});
  CHECK(norm(sum(points, axis(0))).eval().to_vector()[4] == doctest::Approx(4 * std::sqrt(14.)));
}
