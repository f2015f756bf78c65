// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/rows/rows.hpp>

#include "rows.hpp"

using test::apart;
using test::array;
using test::by_rows;
using test::noise;
using test::Row;
using weft::axis;
using weft::keepdims;
using weft::Shape;

TEST_CASE("lengths around a block, at every stride") {
  for (const std::int64_t n : {1, 255, 256, 257, 511, 512, 513, 1025}) {
    const auto x = noise<float>({3, 3 * n}).on(weft::Cpu{});
    for (const auto& part : {x.narrow(1, 1, n), x(weft::all, weft::slice(0, weft::none, 3)),
                             x(weft::all, weft::slice(weft::none, weft::none, -3))}) {
      CHECK(apart(softmax(part), by_rows(array(part), 2, test::softmax)) < 2e-5);
    }
  }
}

TEST_CASE("few long rows and many short ones") {
  using Rows = weft::RowExecutor<weft::Cpu>;
  CHECK(Rows::fuses(1 << 20, 16));
  CHECK(Rows::fuses(1, 16));
  for (const Shape& shape : {Shape{2, 400001}, Shape{100001, 3}}) {
    const auto x = noise<float>(shape).on(weft::Cpu{});
    CHECK(apart(softmax(x), by_rows(array(x), 2, test::softmax)) < 2e-5);
    CHECK(apart(softmax(x, axis(0)), by_rows(array(x), 1, test::softmax)) < 2e-5);
  }
}

TEST_CASE("a few long rows in pieces have the same bits for any number of threads") {
  const auto x = noise<float>({3, 300001}).on(weft::Cpu{});
  weft::set_num_threads(1);
  const auto one = softmax(x).eval().to_vector();
  const auto transposed = softmax(x.t(), axis(0)).eval().to_vector();
  weft::set_num_threads(3);
  CHECK(softmax(x).eval().to_vector() == one);
  CHECK(softmax(x.t(), axis(0)).eval().to_vector() == transposed);
  weft::set_num_threads(0);
  // The largest element counts wherever its piece is.
  auto y = weft::zeros({2, 200000});
  y(1, 199999).assign(50.F);
  const auto z = softmax(y).eval();
  CHECK(z.at(1, 199999) == 1.F);
  CHECK(z.at(0, 5) == doctest::Approx(1. / 200000));
}

TEST_CASE("values that differ along the row are loaded beside those of the row") {
  // The sum over columns runs by itself; the booleans beside it are computed in the row.
  const auto x = noise<float>({6, 300}).on(weft::Cpu{});
  const auto columns = sum(x, axis(0), keepdims).eval();
  const auto e =
      mean(where(weft::any(x > 1.9F, axis(1), keepdims), x - sum(x, axis(0), keepdims), x), axis(1),
           keepdims) +
      1.F;
  const auto expected =
      (mean(where((max(x, axis(1), keepdims) > 1.9F).eval(), (x - columns).eval(), x), axis(1),
            keepdims))
          .eval();
  CHECK(weft::allclose(e, expected + 1.F));
}

TEST_CASE("several reduced dimensions that do not merge") {
  const auto x = noise<double>({3, 4, 5, 6}).on(weft::Cpu{});
  for (const auto& view : {x, x.transpose(1, 3), x.flip(2).transpose(0, 1)}) {
    CHECK(apart(softmax(view, axis(1, 3)), by_rows(array(view), 10, test::softmax)) < 1e-12);
    CHECK(apart(softmax(view, axis(0, 1, 2, 3)), by_rows(array(view), 15, test::softmax)) < 1e-12);
  }
}

TEST_CASE("half types are computed in float") {
  const auto x = weft::full<weft::half>({2, 3000}, 30.F);
  CHECK(mean(x - sum(x, axis(1), keepdims) / 3000.F, axis(1)).eval().to_vector() ==
        std::vector<weft::half>(2, weft::half(0.F)));
}

TEST_CASE("functions of columns' reductions are computed once for each column") {
  const auto x = noise<double>({300, 40}).on(weft::Cpu{});
  const auto m = mean(x, axis(0), keepdims).eval();
  const auto centred = (x - m).eval();
  const auto scale = rsqrt(mean(square(centred), axis(0), keepdims) + 0.1).eval();
  const auto largest = max(x, axis(0), keepdims).eval();
  const auto logs = log(sum(exp(x - largest), axis(0), keepdims)).eval();
  const auto expected = (x - largest - logs).eval();
  CHECK(weft::allclose(log_softmax(x, axis(0)), expected));
  CHECK(weft::allclose(log_softmax(cast<float>(x), axis(0)), cast<float>(expected), {1e-5, 1e-5}));
  const auto by_hand = rsqrt(mean(square(x - mean(x, axis(0), keepdims)), axis(0), keepdims) + 0.1);
  CHECK(weft::allclose((x - mean(x, axis(0), keepdims)) * by_hand, centred * scale));
  // One function of two reductions, of different shapes, and one inside another.
  const auto rows = sum(x, axis(1), keepdims).eval();
  CHECK(weft::allclose(
      x * tanh(mean(x, axis(0), keepdims) + sum(x, axis(1), keepdims)) - exp(-abs(m)),
      x * tanh(m + rows) - exp(-abs(m))));
  CHECK(weft::allclose(x * sigmoid(1.0 + exp(mean(x, axis(0), keepdims))),
                       x * sigmoid(1.0 + exp(m))));
  auto y = x.clone();  // a target that is an operand
  y = (y - mean(y, axis(0), keepdims)) * exp(-abs(mean(y, axis(0), keepdims)));
  CHECK(weft::allclose(y, centred * exp(-abs(m))));
  const auto half = cast<weft::half>(x).eval();
  CHECK(weft::allclose(cast<double>(log_softmax(half, axis(0))), expected, {2e-3, 4e-3}));
}

TEST_CASE("short axes whose columns lie apart, of few columns and many") {
  for (const std::int64_t length : {1, 2, 3, 7, 8, 9}) {
    for (const std::int64_t columns : {1, 8, 20, 33, 400}) {
      CAPTURE(length);
      CAPTURE(columns);
      const auto x = noise<double>({5, length, columns}).on(weft::Cpu{});
      const auto turned = x.transpose(1, 2).clone();
      const auto back = [](const auto& e) { return e.eval().transpose(1, 2); };
      CHECK(weft::allclose(softmax(x, axis(1)), back(softmax(turned, axis(2)))));
      CHECK(weft::allclose(log_softmax(x, axis(1)), back(log_softmax(turned, axis(2)))));
      CHECK(weft::allclose(x - mean(x, axis(1), keepdims),
                           back(turned - mean(turned, axis(2), keepdims))));
      CHECK(weft::allclose(sqrt(var(x, axis(1), weft::correction(0)) + 1.0),
                           sqrt(var(turned, axis(2), weft::correction(0)) + 1.0)));
    }
  }
}
