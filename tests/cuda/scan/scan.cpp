// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/scan/scan.hpp>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"

using weft::axis;
using weft::Cuda;
using weft::Shape;

TEST_CASE("rows in tiles, rows by warps and columns agree [gpu]") {
  for (const Shape& shape :
       {Shape{3, 100'003}, Shape{100'003, 3}, Shape{700, 2051}, Shape{40'000, 40}}) {
    const auto x = (weft::rand(shape, Cuda{}) - 0.5F).eval();
    const auto wide = x.to(weft::Cpu{});
    for (int along : {0, 1}) {
      const auto expected = cumsum(wide, axis(along)).eval();
      CHECK(allclose(cumsum(x, axis(along)).eval().to(weft::Cpu{}), expected,
                     {.rtol = 1e-5, .atol = 1e-4}));
      const auto repeated = cumsum(x, axis(along), weft::deterministic).eval();
      CHECK(allclose(repeated.to(weft::Cpu{}), expected, {.rtol = 1e-5, .atol = 1e-4}));
      CHECK(weft::equal(repeated, cumsum(x, axis(along), weft::deterministic)));
    }
  }
}

TEST_CASE("a thread scans a column of many [gpu] [sanitize]") {
  const auto check = [](const auto& x, auto scanned) {
    CHECK(weft::equal(scanned(x).eval().to(weft::Cpu{}), scanned(x.to(weft::Cpu{})).eval()));
  };
  for (const std::int64_t n : {2, 7, 8, 9, 28, 33}) {
    CAPTURE(n);
    const auto all = [&](const auto& x) {
      check(x, [](const auto& y) { return cumsum(y, axis(1)); });
      check(x, [](const auto& y) { return cummax(y, axis(1)); });
      check(x, [](const auto& y) { return cumsum(y.permute({2, 1, 0}), axis(1)); });
      check(x, [](const auto& y) { return cumsum(y.narrow(2, 1, 256).flip(1), axis(1)); });
    };
    all(weft::randint<int>(-100, 100, {1300, n, 257}, Cuda{}));
    all(weft::randint<std::int8_t>(-100, 100, {1300, n, 257}, Cuda{}));
    all(weft::randint<weft::int64_t>(-100, 100, {1300, n, 257}, Cuda{}));
    const auto z = weft::ones<weft::complex<double>>({1300, n, 257}, Cuda{});
    CHECK(cumsum(z, axis(1)).eval()(1299, n - 1, 256).item() ==
          weft::complex<double>(static_cast<double>(n), 0));
  }
  const auto x = (weft::rand({1300, 28, 257}, Cuda{}) - 0.5F).eval();
  CHECK(allclose(cumsum(x, axis(1)).eval().to(weft::Cpu{}), cumsum(x.to(weft::Cpu{}), axis(1)),
                 {.rtol = 1e-5, .atol = 1e-5}));
  auto y = weft::empty({1300, 28, 257}, Cuda{});
  CHECK(captured([&] { y.assign(cumsum(x, axis(1))); }).kernels == 1);
}

TEST_CASE("states of every size look back [gpu]") {
  const std::int64_t n = 300'000;
  const auto check = [&](const auto& x, auto scanned) {
    CHECK(weft::equal(scanned(x).eval().to(weft::Cpu{}), scanned(x.to(weft::Cpu{})).eval()));
  };
  check(weft::randint<std::int8_t>(-100, 100, {n}, Cuda{}),
        [](const auto& x) { return cummax(x); });
  check(weft::randint<int>(-100, 100, {n}, Cuda{}), [](const auto& x) { return cumsum(x); });
  const auto z = weft::ones<weft::complex<double>>({n}, Cuda{});
  CHECK(cumsum(z).eval()(n - 1).item() == weft::complex<double>(n, 0));
  const auto log = logcumsumexp(weft::zeros({n}, Cuda{})).eval();
  CHECK(log(n - 1).item() == doctest::Approx(std::log(static_cast<double>(n))));
}

TEST_CASE("a scan along any axis is one launch, and one more where tiles look back [gpu]") {
  const auto x = weft::ones({64, 300, 40}, Cuda{});
  auto y = weft::empty({64, 300, 40}, Cuda{});
  CHECK(captured([&] { y.assign(cumsum(x, axis(2))); }).kernels == 1);
  CHECK(captured([&] { y.assign(cumsum(x, axis(0))); }).kernels <= 2);
  const auto flat = weft::ones({768'001}, weft::Cuda{}).narrow(0, 1, 768'000);  // not at 16 bytes
  CHECK(captured([&] { y.assign(cumsum(flat).eval().reshape(y.shape())); }).kernels == 3);
  CHECK(captured([&] { y.assign(cumsum(x, axis(2)) + 1); }).kernels == 1);
  auto z = weft::empty({64, 300, 40}, Cuda{});
  CHECK(captured([&] { z.assign(cumsum(x * y, axis(2)) * y); }).kernels == 1);
  CHECK(captured([&] { y.assign(cumsum(x * y, axis(2)) * y); }).kernels == 2);  // then copied
  CHECK(captured([&] { y.assign(cumsum(x, axis(2)) + cummax(x, axis(2))); }).kernels == 2);
  CHECK(captured([&] { y.assign(cumsum(x, axis(0)) + 1); }).kernels <= 3);
}
