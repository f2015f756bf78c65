#include "weft/cuda/elementwise/transpose_tile.hpp"

#include "test.hpp"

using weft::all;
using weft::Cuda;
using weft::Shape;
using weft::slice;
using weft::Tensor;

namespace {

/// Distinct small numbers, which every element type with 16 bits or more holds.
template <class T>
Tensor<T> numbers(const Shape& shape) {
  return cast<T>(weft::arange<std::int64_t>(shape.size()) % std::int64_t{2003})
      .eval()
      .reshape(shape);
}

/// f gives the same on the GPU as on the CPU.
template <class F, class... Xs>
void agree(const F& f, const Xs&... xs) {
  const auto expected = f(xs...).eval();
  const auto found = f(xs.to(Cuda{})...).eval();
  REQUIRE(found.shape() == expected.shape());
  CHECK(all(found.to(weft::Cpu{}) == expected).item());
}

weft::detail::Operand operand(const Tensor<float>& x, const Shape& shape) {
  weft::detail::Operand out;
  out.set(x.data(), sizeof(float), x.shape(), x.strides(), x.storage());
  out.broadcast_to(shape);
  return out;
}

int axis_of(const Tensor<float>& z, const Tensor<float>& x) {
  const weft::detail::Operand operands[] = {operand(z, z.shape()), operand(x, z.shape())};
  return weft::cuda::detail::transposed_axis(weft::detail::loops_over(z.shape()), operands, 2, 1);
}

}  // namespace

TEST_CASE("an operand is turned where another axis than the target's is contiguous") {
  const auto x = weft::ones({64, 32});
  const auto z = weft::ones({32, 64});
  CHECK(axis_of(z, x.t()) == 0);
  CHECK(axis_of(z, x.t().flip(0)) == 0);
  CHECK(axis_of(z, z) == -1);
  CHECK(axis_of(z, z.flip(1)) == -1);
  CHECK(axis_of(z, weft::ones({64})) == -1);
  CHECK(axis_of(z, weft::ones({32, 1})) == -1);
  CHECK(axis_of(z, weft::ones({64, 64})(all, slice(0, 64, 2)).t()) == -1);
  CHECK(axis_of(weft::ones({8, 64}), weft::ones({64, 8}).t()) == -1);
  CHECK(axis_of(weft::ones({20, 30, 40}), weft::ones({40, 30, 20}).permute({2, 1, 0})) == 0);
  CHECK(axis_of(weft::ones({20, 30, 40}), weft::ones({20, 40, 30}).transpose(1, 2)) == 1);
}

TEST_CASE("sizes around those of a tile [gpu] [sanitize]") {
  const auto f = [](auto x, auto y) { return x.t() * 2.0f + y; };
  for (int rows : {16, 17, 63, 64, 65, 130}) {
    for (int columns : {16, 31, 63, 64, 66, 129, 260}) {
      CAPTURE(rows);
      CAPTURE(columns);
      agree(f, numbers<float>({columns, rows}), numbers<float>({rows, columns}));
    }
  }
}

TEST_CASE("several transposed operands, offsets, steps and reversed axes [gpu] [sanitize]") {
  const auto x = numbers<float>({90, 70});
  const auto y = numbers<float>({70, 90});
  agree([](auto p, auto q) { return p.t() - q + p.t() * 3; }, x, y);
  agree([](auto p, auto q) { return p.t() - q + p.t() * 3 + q * p.t() * 2 + p.t(); }, x, y);
  agree([](auto p) { return p.t() + p.flip(0).t() * 2 - p.flip(1).t(); }, x);
  agree([](auto p) { return p(slice(1, 88), slice(3, 70)).t() + 1; }, x);
  agree([](auto p) { return p(slice(0, 90, 2), slice(1, 70)).t() + 1; }, x);
  agree([](auto p) { return p(slice(0, 90, 2), slice(0, 70, 2)).t() + 1; }, x);
  agree([](auto p, auto q) { return p.t() + q(0) + q(all, slice(0, 1)); }, x, y);
  auto target = weft::zeros({70, 90}, Cuda{});
  target.t() = x.to(Cuda{}) + y.to(Cuda{}).t();
  CHECK(all(target.to(weft::Cpu{}) == x.t() + y).item());
  target(all, slice(1, 80)) = x.to(Cuda{})(slice(5, 84), all).t();
  CHECK(all(target.to(weft::Cpu{})(all, slice(1, 80)) == x(slice(5, 84), all).t()).item());
  auto square = numbers<float>({80, 80}).to(Cuda{});
  square = square.t() + square;
  CHECK(all(square == square.t()).item());
}

TEST_CASE("three to five axes [gpu] [sanitize]") {
  const auto a = numbers<float>({3, 20, 7, 19});
  agree([](auto p) { return p.permute({0, 2, 3, 1}) + 0; }, a);
  agree([](auto p) { return p.permute({0, 3, 1, 2}) + 0; }, a);
  agree(
      [](auto p) {
        return p.permute({3, 2, 1, 0}) + p.permute({3, 0, 1, 2}).permute({0, 3, 2, 1});
      },
      a);
  const auto b = numbers<float>({17, 2, 3, 4, 18});
  agree([](auto p) { return p.permute({4, 3, 2, 1, 0}) * 2; }, b);
  agree([](auto p) { return p.permute({4, 1, 0, 3, 2}) * p.permute({4, 1, 0, 3, 2}); }, b);
  agree(
      [](auto p, auto q) {
        return p.permute({1, 2, 0}) + q;
      },
      numbers<float>({40, 33, 21}), numbers<float>({21, 1}));
}

TEST_CASE_TEMPLATE("element types of all sizes [gpu] [sanitize]", T, std::int8_t, weft::half,
                   double, weft::complex<double>) {
  for (int c : {34, 36, 67}) {
    const auto x = numbers<T>({c, 68});
    agree([](auto p) { return p.t() + p(slice(0, 34), slice(0, 1)).t() * T{0}; },
          numbers<T>({34, 68}));
    agree([](auto p, auto q) { return p.t() - q; }, x, numbers<T>({68, c}));
    agree([](auto p) { return p(all, slice(1, 67)).t() - T{1}; }, x);
  }
  agree([](auto p, auto q) { return cast<double>(p.t()) + q.t() - 1.0; },
        numbers<std::int16_t>({66, 33}), numbers<double>({66, 33}));
}

TEST_CASE_TEMPLATE("matrices with few rows, whole columns at a time [gpu] [sanitize]", T,
                   weft::half, float) {
  for (const std::int64_t rows : {16, 17, 33, 63, 64}) {
    for (const std::int64_t columns : {16, 40, 128, 300}) {
      CAPTURE(rows);
      CAPTURE(columns);
      const weft::Tensor<T> x =
          cast<T>(weft::arange<float>(3 * rows * columns).reshape({3, columns, rows}) % 509.F);
      const weft::Tensor<T, weft::Cuda> y = x.to(weft::Cuda{}).permute({0, 2, 1});
      CHECK(y.to_vector() == x.permute({0, 2, 1}).contiguous().to_vector());
    }
  }
}
