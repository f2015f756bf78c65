#include "weft/autograd/index/indexing.hpp"

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/scan/scan.hpp"
#endif

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("gathers", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 3}));
  const auto rows = tensor<std::int64_t>({1, 3, 1, -4}).to(D{});
  const auto places = tensor<std::int64_t>({{0, 11, 5}, {5, 5, 2}}).to(D{});
  const auto along = tensor<std::int64_t>({{2}, {0}, {0}, {1}}).to(D{});
  CHECK(gradcheck([&](const auto& v) { return Var(take(v, rows, axis(0))); }, x));
  CHECK(gradcheck([&](const auto& v) { return Var(index_select(v * v, rows, axis(0)) * 2.0); }, x));
  CHECK(gradcheck([&](const auto& v) { return Var(exp(take(v, places))); }, x));
  const Var scale = parameter(numbers<D>({4, 1}, 1));
  CHECK(gradcheck(
      [&](const auto& v, const auto& s) {
        return Var(sigmoid(take(v, rows, axis(0)) * s) + take_along_axis(v, along, axis(1)));
      },
      x, scale));
  CHECK(gradcheck([&](const auto& v) { return Var(take_along_axis(v, along, axis(1)) + v); }, x));
}

TEST_CASE_TEMPLATE("gathers from what broadcasts along the other axes", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 1}));
  const auto along = tensor<std::int64_t>({{2, 0, 2}, {3, 3, 3}}).to(D{});
  const Var read = take_along_axis(x, along, axis(0));
  read.backward(ones<double>({2, 3}, D{}));
  CHECK(x.grad().to_vector() == std::vector<double>{1, 0, 2, 3});
  CHECK(gradcheck([&](const auto& v) { return Var(gather(v * v, along, axis(0)) * 2.0); }, x));
  CHECK(
      gradcheck([&](const auto& v) { return Var(take_along_axis(v, along, axis(0)) + v(0)); }, x));
  const Var row = parameter(numbers<D>({1, 4}));
  CHECK(gradcheck([&](const auto& v) { return Var(take_along_axis(v, along, axis(1))); }, row));
}

TEST_CASE_TEMPLATE("gathers from a number", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({}));
  const auto first = weft::zeros<std::int64_t>({3}, D{});
  CHECK(gradcheck([&](const auto& v) { return Var(gather(v * v, first, axis(0)) * 2.0); }, x));
  CHECK(gradcheck([&](const auto& v) { return Var(gather(v, first(0), axis(0)) * v); }, x));
  CHECK(gradcheck([&](const auto& v) { return Var(take(v, first, axis(-1)) + v); }, x));
}

TEST_CASE_TEMPLATE("rows of an embedding that are read several times", D, TEST_DEVICES) {
  const Var table = parameter(numbers<D>({5, 2}));
  const auto words = tensor<std::int64_t>({{3, 0}, {3, 3}}).to(D{});
  const Var read = take(table, words, axis(0));
  read.backward(ones<double>({2, 2, 2}, D{}));
  CHECK(table.grad().to_vector() == std::vector<double>{1, 1, 0, 0, 0, 0, 3, 3, 0, 0});
}

TEST_CASE_TEMPLATE("16-bit rows that are read more often than 16 bits count", D, TEST_DEVICES) {
  for (const std::int64_t n : {1, 3, 5, 17}) {
    CAPTURE(n);
    const Var table = parameter(weft::ones<weft::half>({3, n}, D{}));
    const auto words = (arange<std::int64_t>(0, 10000) % 2).to(D{}) * 2;
    const Var read = take(table, words, axis(0));
    read.backward(weft::ones<weft::half>({10000, n}, D{}));
    CHECK(equal(table.grad()(0), weft::full<weft::half>({n}, weft::half(5000), D{})));
    CHECK(equal(table.grad()(1), weft::zeros<weft::half>({n}, D{})));
    Var(take(table, words, axis(0))).backward(weft::ones<weft::half>({10000, n}, D{}));
    CHECK(equal(table.grad()(2), weft::full<weft::half>({n}, weft::half(10000), D{})));
  }
  const Var column = parameter(weft::ones<bfloat16>({2, 1}, D{}));
  const auto along = (weft::zeros<std::int64_t>({1000, 8}, D{}) + 1).eval();
  Var(take_along_axis(column, along, axis(0))).backward(weft::ones<bfloat16>({1000, 8}, D{}));
  CHECK(column.grad().to_vector()[1] == bfloat16(8000));
}

TEST_CASE_TEMPLATE("cumsum", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  CHECK(gradcheck([](const auto& v) { return Var(cumsum(v, axis(1))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(cumsum(v * v, axis(0)) * v); }, x));
}
