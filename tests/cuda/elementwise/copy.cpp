#include "weft/cuda/elementwise/copy.hpp"

#include "test.hpp"

using weft::all;
using weft::Cuda;
using weft::Shape;
using weft::slice;
using weft::Tensor;

namespace {

/// Distinct small numbers, which every element type here holds.
template <class T>
Tensor<T> numbers(const Shape& shape) {
  return cast<T>(weft::arange<std::int64_t>(shape.size()) % std::int64_t{127})
      .eval()
      .reshape(shape);
}

/// A copy of x with another order of axes is the same on the GPU as on the CPU.
template <class T>
void agree(const Tensor<T>& x, const Shape& order) {
  CAPTURE(x.shape());
  CAPTURE(order);
  const auto expected = x.permute(order).contiguous();
  const auto found = x.to(Cuda{}).permute(order).contiguous();
  CHECK(all(found.to(weft::Cpu{}) == expected).item());
}

}  // namespace

TEST_CASE("short and odd axes of elements of all sizes [gpu] [sanitize]") {
  agree(numbers<weft::half>({9001, 17}), {1, 0});
  agree(numbers<weft::half>({17, 9001}), {1, 0});
  agree(numbers<weft::half>({301, 257}), {1, 0});
  agree(numbers<weft::half>({40, 128, 33}), {0, 2, 1});
  agree(numbers<weft::half>({5, 3, 80, 80}), {0, 2, 3, 1});
  agree(numbers<float>({9001, 17}), {1, 0});
  agree(numbers<float>({7, 100, 3, 50}), {3, 0, 2, 1});
  agree(numbers<float>({9, 3, 16, 4, 16, 4}), {0, 2, 4, 3, 5, 1});
  agree(numbers<std::uint8_t>({3000, 37}), {1, 0});
  agree(numbers<std::uint8_t>({5, 80, 80, 3}), {0, 3, 1, 2});
  agree(numbers<double>({100, 37, 23}), {2, 1, 0});
}

TEST_CASE("starts at any element, into a part of a target [gpu] [sanitize]") {
  const auto x = numbers<weft::half>({3001, 39});
  const auto part = x(slice(1, weft::none), slice(3, 36));
  auto target = weft::zeros<weft::half>({35, 3003}, Cuda{});
  target(slice(1, 34), slice(2, 3002)).assign(x.to(Cuda{})(slice(1, weft::none), slice(3, 36)).t());
  const auto found = target.to(weft::Cpu{});
  CHECK(all(found(slice(1, 34), slice(2, 3002)) == part.t()).item());
  CHECK(all(found(0) == weft::half{0}).item());
  CHECK(all(found(all, slice(0, 2)) == weft::half{0}).item());
  CHECK(all(found(all, slice(3002, weft::none)) == weft::half{0}).item());
}
