#include "weft/cuda/reduce/tile_kernel.hpp"

#include <string>

#include "test.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/explain.hpp"

using weft::all;
using weft::axis;
using weft::Cpu;
using weft::Cuda;
using weft::int64_t;
using weft::newaxis;
using weft::Tensor;

#if defined(__CUDACC__)
namespace {
using weft::Arg;
using weft::IndexOperand;
using weft::detail::TypeList;
using Difference = weft::Apply<weft::op::sub, Arg<1, float>, Arg<2, float>>;
static_assert(weft::cuda::has_tiles<TypeList<float, weft::half>, 4, Difference>);
static_assert(!weft::cuda::has_tiles<TypeList<float>, 4, Difference>);
static_assert(!weft::cuda::has_tiles<TypeList<float, float>, 1, Difference>);
static_assert(!weft::cuda::has_tiles<TypeList<float, IndexOperand>, 4, Difference>);
}  // namespace
#endif

namespace {
/// Compares f of tensors on both devices, element by element; both have few digits.
template <class F, class... Ts>
void agree(const F& f, const Ts&... x) {
  const auto here = f(x...).eval().contiguous();
  const auto there = f(x.to(Cuda{})...).eval().to(Cpu{}).contiguous();
  REQUIRE(here.shape() == there.shape());
  int64_t wrong = 0;
  for (int64_t i = 0; i < here.size(); ++i) wrong += here.data()[i] != there.data()[i];
  CHECK(wrong == 0);
}
/// Small integers, of which sums are exact in every type.
template <class T>
Tensor<T> digits(const weft::Shape& shape, int64_t step) {
  Tensor<T> out = weft::zeros<T>(shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    out.data()[i] = static_cast<T>(static_cast<float>(i * step % 11 % 5 - 2));
  }
  return out;
}
template <class A, class B, class F>
void all_pairs(int64_t m, int64_t n, int64_t k, const F& f) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  const Tensor<A> x = digits<A>({m, k}, 7);
  const Tensor<B> y = digits<B>({n, k}, 3);
  agree([&](const auto& a, const auto& b) { return f(a(all, newaxis, all), b(newaxis, all, all)); },
        x, y);
  agree([&](const auto& a, const auto& b) { return f(a(newaxis, all, all), b(all, newaxis, all)); },
        x, y);
}
const auto distance = [](const auto& x, const auto& y) { return sum(square(x - y), axis(-1)); };
}  // namespace

TEST_CASE("rows of one operand meet those of another, of any lengths [gpu] [sanitize]") {
  for (const int64_t k : {2, 3, 16, 33, 64, 128, 129})
    all_pairs<float, float>(1100, 64, k, distance);
  for (const int64_t n : {4, 5, 31, 65, 100, 130}) {
    all_pairs<float, float>(70001 / n + 1, n, 8, distance);
    all_pairs<float, float>(n < 16 ? 16 : n, 70001 / n + 1, 5, distance);
  }
}

TEST_CASE("tiles of every type and reduction [gpu] [sanitize]") {
  all_pairs<double, double>(1200, 70, 100, distance);
  all_pairs<weft::half, weft::half>(1200, 70, 24, distance);
  all_pairs<weft::bfloat16, weft::bfloat16>(1200, 71, 7, distance);
  all_pairs<std::int8_t, std::int8_t>(
      1200, 70, 32, [](const auto& x, const auto& y) { return sum(x * y, axis(-1)); });
  all_pairs<int64_t, int64_t>(1200, 70, 32,
                              [](const auto& x, const auto& y) { return max(x * y, axis(-1)); });
  all_pairs<float, double>(1200, 70, 9, [](const auto& x, const auto& y) {
    return min(weft::cast<double>(x) - y, axis(-1));
  });
  all_pairs<float, float>(
      1200, 70, 17, [](const auto& x, const auto& y) { return argmax(abs(x - y), axis(-1)); });
  all_pairs<float, float>(1200, 70, 16,
                          [](const auto& x, const auto& y) { return mean(abs(x) * y, axis(-1)); });
}

TEST_CASE("tiles of strided operands and targets, in batches and the other order [gpu]") {
  const auto x = digits<float>({3, 800, 20}, 7);
  const auto y = digits<float>({3, 20, 90}, 3);
  agree(
      [](const auto& a, const auto& b) {
        return sum(abs(a(all, all, newaxis, weft::slice(1, 18)) -
                       b.permute({0, 2, 1})(all, newaxis, all, weft::slice(2, 19))),
                   axis(-1));
      },
      x, y);
  agree(
      [](const auto& a, const auto& b) {  // one batch's rows for all
        return max(b.permute({0, 2, 1})(all, all, newaxis, all) - a(0, newaxis, newaxis, all, all),
                   axis(-1));
      },
      x, y);
  agree(
      [](const auto& a, const auto& b) {
        auto target = weft::zeros<float>({800, 95}, a.device());
        target.narrow(1, 3, 90).assign(
            sum(square(a(0, all, newaxis, all) - b(0, newaxis, all, all).permute({0, 2, 1})),
                axis(-1)));
        return target;
      },
      x, y);
}

TEST_CASE("explain tells of tiles [gpu]") {
  const auto x = weft::ones({4096, 16}, Cuda{});
  const auto y = weft::ones({64, 16}, Cuda{});
  const auto e = distance(x(all, newaxis, all), y(newaxis, all, all));
  const auto text = explain(e);
  CHECK(text.kernels.size() == 1);
  CHECK(std::string(text.kernels[0].kind.c_str()) == "reduction by tiles");
  CHECK(text.kernels[0].shared_bytes > 0);
}
