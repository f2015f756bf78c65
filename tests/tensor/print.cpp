// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/print.hpp>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>

#include "test.hpp"

using weft::PrintOptions;
using weft::tensor;
using weft::to_string;

namespace {
/// What the device is called in texts.
template <class D>
std::string place() {
  return weft::text(weft::zeros({1}, D{}).device());
}

/// A stream that is no std::ostream.
struct Log {
  std::string all;
  Log& operator<<(const char* s) {
    all += s;
    return *this;
  }
};
}  // namespace

// The expected texts between the brackets are NumPy's, with precision 4 and lines of 80.

TEST_CASE_TEMPLATE("matrices, rows and scalars", D, TEST_DEVICES) {
  CHECK(to_string(tensor({{1.f, 2.f}, {3.f, 4.5f}}, D{})) ==
        "tensor([[1. , 2. ],\n"
        "        [3. , 4.5]], float32, " +
            place<D>() + ")");
  CHECK(to_string(tensor({1, -20, 300}, D{})) ==
        "tensor([  1, -20, 300], int32, " + place<D>() + ")");
  CHECK(to_string(tensor({true, false}, D{})) ==
        "tensor([ true, false], bool, " + place<D>() + ")");
  CHECK(to_string(weft::full({}, 3.5f, D{})) == "tensor(3.5, float32, " + place<D>() + ")");
  CHECK(to_string(weft::full<std::uint8_t>({}, 200, D{})) ==
        "tensor(200, uint8, " + place<D>() + ")");
  CHECK(to_string(weft::full<std::int8_t>({2}, -1, D{})) ==
        "tensor([-1, -1], int8, " + place<D>() + ")");
}

TEST_CASE_TEMPLATE("views and expressions are printed as they are read", D, TEST_DEVICES) {
  const auto x = tensor({{1, 2, 3}, {4, 5, 6}}, D{});
  CHECK(to_string(x.t()) ==
        "tensor([[1, 4],\n"
        "        [2, 5],\n"
        "        [3, 6]], int32, " +
            place<D>() + ")");
  CHECK(to_string(x + x(0)) ==
        "tensor([[2, 4, 6],\n"
        "        [5, 7, 9]], int32, " +
            place<D>() + ")");
  CHECK(to_string(weft::Tensor<const int, D>(x)(1)) ==
        "tensor([4, 5, 6], int32, " + place<D>() + ")");
  CHECK(to_string(sum(x, weft::axis(0))) == "tensor([5, 7, 9], int64, " + place<D>() + ")");
}

TEST_CASE("more axes are blocks with blank lines between") {
  CHECK(to_string(weft::arange<int>(8).reshape({2, 2, 2})) ==
        "tensor([[[0, 1],\n"
        "         [2, 3]],\n"
        "\n"
        "        [[4, 5],\n"
        "         [6, 7]]], int32, cpu)");
  CHECK(to_string(weft::arange<int>(4).reshape({2, 1, 2, 1})) ==
        "tensor([[[[0],\n"
        "          [1]]],\n"
        "\n"
        "\n"
        "        [[[2],\n"
        "          [3]]]], int32, cpu)");
}

TEST_CASE("empty tensors") {
  CHECK(to_string(weft::Tensor<float>()) == "tensor([], float32, cpu)");
  CHECK(to_string(weft::zeros({0})) == "tensor([], float32, cpu)");
  CHECK(to_string(weft::zeros({3, 0})) == "tensor([], shape (3, 0), float32, cpu)");
}

TEST_CASE("special values") {
  const double inf = INFINITY;
  const double nan = NAN;
  CHECK(to_string(tensor({1.5, 2.25, -0.1, nan, inf, -inf})) ==
        "tensor([ 1.5 ,  2.25, -0.1 ,   nan,   inf,  -inf], float64, cpu)");
  CHECK(to_string(tensor({1e9, nan, -inf})) == "tensor([1.e+09,    nan,   -inf], float64, cpu)");
  CHECK(to_string(tensor({nan, -inf})) == "tensor([ nan, -inf], float64, cpu)");
  CHECK(to_string(tensor({-0.0, 0.0})) == "tensor([-0.,  0.], float64, cpu)");
}

TEST_CASE("a long tensor is summarised, reading no more than it shows") {
  CHECK(to_string(weft::arange<int>(1001)) ==
        "tensor([   0,    1,    2, ...,  998,  999, 1000], shape (1001,), int32, cpu)");
  CHECK(to_string(weft::arange<int>(10000).reshape({100, 100})) ==
        "tensor([[   0,    1,    2, ...,   97,   98,   99],\n"
        "        [ 100,  101,  102, ...,  197,  198,  199],\n"
        "        [ 200,  201,  202, ...,  297,  298,  299],\n"
        "        ...,\n"
        "        [9700, 9701, 9702, ..., 9797, 9798, 9799],\n"
        "        [9800, 9801, 9802, ..., 9897, 9898, 9899],\n"
        "        [9900, 9901, 9902, ..., 9997, 9998, 9999]], shape (100, 100), int32, cpu)");
  CHECK(to_string(weft::arange<int>(2002).reshape({7, 2, 143}), {.edge_items = 1}) ==
        "tensor([[[   0, ...,  142],\n"
        "         [ 143, ...,  285]],\n"
        "\n"
        "        ...,\n"
        "\n"
        "        [[1716, ..., 1858],\n"
        "         [1859, ..., 2001]]], shape (7, 2, 143), int32, cpu)");
  // 2^60 elements in one word of memory: nothing but the corners can have been copied
  CHECK(to_string(weft::full({1}, 7).expand({int64_t{1} << 60})) ==
        "tensor([7, 7, 7, ..., 7, 7, 7], shape (1152921504606846976,), int32, cpu)");
}

TEST_CASE_TEMPLATE("a summary of a view", D, TEST_DEVICES) {
  const auto x = weft::arange<int>(20000, D{}).reshape({100, 200}).t();
  CHECK(to_string(x(weft::slice(0, 100), weft::all), {.edge_items = 2}) ==
        "tensor([[    0,   200, ..., 19600, 19800],\n"
        "        [    1,   201, ..., 19601, 19801],\n"
        "        ...,\n"
        "        [   98,   298, ..., 19698, 19898],\n"
        "        [   99,   299, ..., 19699, 19899]], shape (100, 100), int32, " +
            place<D>() + ")");
}

TEST_CASE("long rows are broken") {
  CHECK(to_string(weft::arange<float>(30)) ==
        "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
        "        14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25., 26., 27.,\n"
        "        28., 29.], float32, cpu)");
  CHECK(to_string(weft::arange<int>(8).reshape({2, 4}), {.line_width = 16}) ==
        "tensor([[0, 1,\n"
        "         2, 3],\n"
        "        [4, 5,\n"
        "         6, 7]], int32, cpu)");
}

TEST_CASE("options") {
  const auto x = tensor({1 / 3.0, 2.0});
  CHECK(to_string(x, {.precision = 8}) == "tensor([0.33333333, 2.        ], float64, cpu)");
  CHECK(to_string(x, {.precision = 0}) == "tensor([0., 2.], float64, cpu)");
  CHECK(to_string(weft::arange<int>(9), {.threshold = 8}) ==
        "tensor([0, 1, 2, ..., 6, 7, 8], shape (9,), int32, cpu)");
}

TEST_CASE("tensors go to streams, and << still shifts") {
  const auto x = tensor({1, 2});
  std::ostringstream out;
  out << "x = " << x << '\n' << (x << 1) << weft::PrintOptions{}.precision;
  CHECK(out.str() == "x = tensor([1, 2], int32, cpu)\ntensor([2, 4], int32, cpu)4");
  CHECK((std::ostringstream() << x).str() == "tensor([1, 2], int32, cpu)");
  CHECK((std::ostringstream() << x.shape() << weft::Shape{3, 4}).str() == "(2,)(3, 4)");
  Log log;
  log << x << "!";
  CHECK(log.all == "tensor([1, 2], int32, cpu)!");
  CHECK((1 << x).eval().to_vector() == std::vector<int>{2, 4});
}
