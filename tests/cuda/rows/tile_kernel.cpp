// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/tile_kernel.hpp"

#include "rows.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/shape/triangle.hpp"

using test::apart;
using test::array;
using test::Array;
using test::in_double;
using test::noise;
using weft::axis;
using weft::Cpu;
using weft::Cuda;
using weft::keepdims;

namespace {

/// Enough rows for one thread of each, or for several.
constexpr std::int64_t many = 150001;
constexpr std::int64_t some = 9001;

/// How far an expression's values on the GPU are from those on the CPU.
template <class F, class... Ts>
double differ(const F& f, const Array<Ts>&... x) {
  return apart(f(x.on(Cuda{})...), in_double(array(f(x.on(Cpu{})...).eval())));
}

}  // namespace

TEST_CASE_TEMPLATE("many short rows of every length [gpu] [sanitize]", T, weft::half,
                   weft::bfloat16, float, double) {
  const double tolerance = 4 * test::tolerance<T>;
  for (const std::int64_t n : {2, 3, 4, 7, 9, 17, 31, 50, 63}) {
    for (const std::int64_t rows : {many, some}) {
      if (n * rows > 1 << 22) continue;
      CAPTURE(n);
      CAPTURE(rows);
      const auto x = noise<T>({rows, n});
      const auto y = noise<T>({rows, n}, 2);
      const auto w = noise<T>({n}, 3);
      const auto r = noise<T>({rows, 1}, 4);
      CHECK(differ([](const auto& a) { return softmax(a); }, x) < tolerance);
      CHECK(differ([](const auto& a, const auto& b, const auto& c,
                      const auto& d) { return layer_norm(a * b + d, c, c); },
                   x, y, w, r) < tolerance);
      CHECK(differ([](const auto& a, const auto& b) { return cosine_similarity(a, b, axis(-1)); },
                   x, y) < tolerance);
    }
  }
}

TEST_CASE("many short rows: slices, columns, picked rows, positions, several outputs [gpu]") {
  for (const std::int64_t n : {3, 8, 17, 64}) {
    CAPTURE(n);
    const std::int64_t rows = n > 8 ? 2 * some : many;
    const auto x = noise<float>({rows, n + 3});
    const auto t = noise<float>({n, rows}, 2);
    const auto w = noise<float>({n}, 3);
    CHECK(differ([n](const auto& a) { return softmax(a.narrow(1, 2, n)); }, x) < 1e-5);
    CHECK(differ(
              [n](const auto& a, const auto& b) {
                return softmax(a.narrow(1, 2, n) + b.permute({1, 0}));
              },
              x, t) < 1e-5);
    CHECK(differ([](const auto& b) { return b - mean(b, axis(0), keepdims); }, t) < 1e-5);
    CHECK(differ(
              [n](const auto& a, const auto& b) {
                const auto part = a.narrow(1, 0, n);
                return softmax(where(index_along(part.shape(), axis(1)) > 1, part * b, 0.5F));
              },
              x, w) < 1e-5);
    std::vector<std::int64_t> picked;
    for (std::int64_t i = 0; i < rows; ++i) picked.push_back(i * 7919 % rows);
    const Array<std::int64_t> ids{{rows}, picked};
    CHECK(differ([](const auto& a, const auto& i) { return softmax(take(a, i, axis(0))); }, x,
                 ids) < 1e-5);

    const auto a = x.on(Cuda{}).narrow(1, 1, n);
    const auto on_cpu = x.on(Cpu{}).narrow(1, 1, n);
    const auto [scaled, halves] = fuse(a / sum(abs(a), axis(-1), keepdims),
                                       cast<weft::half>(a - mean(a, axis(-1), keepdims)));
    CHECK(apart(scaled, in_double(array((on_cpu / sum(abs(on_cpu), axis(-1), keepdims)).eval()))) <
          1e-5);
    CHECK(apart(halves, in_double(array((on_cpu - mean(on_cpu, axis(-1), keepdims)).eval()))) <
          2e-3);

    weft::Tensor<float, Cuda> own = a.clone();
    own = softmax(own * 0.5F);
    CHECK(apart(own, in_double(array(softmax(on_cpu * 0.5F).eval()))) < 1e-5);
    weft::Tensor<float, Cuda> wide = x.on(Cuda{});
    wide.narrow(1, 1, n).assign(softmax(a));
    CHECK(apart(wide.narrow(1, 1, n), in_double(array(softmax(on_cpu).eval()))) < 1e-5);
    CHECK(max(abs(wide.narrow(1, 0, 1) - x.on(Cuda{}).narrow(1, 0, 1))).item() == 0);
  }
}

TEST_CASE("many short rows: kept axes that an operand does not have [gpu]") {
  for (const std::int64_t n : {4, 15, 40}) {
    CAPTURE(n);
    const auto x = noise<float>({300, 60, n});
    const auto b = noise<float>({60, 1}, 2);
    const auto c = noise<float>({300, 1, 1}, 3);
    CHECK(differ([](const auto& u, const auto& v, const auto& s) { return softmax(u * v + s) * s; },
                 x, b, c) < 1e-5);
    const auto flags = noise<float>({60, n}, 4);
    CHECK(differ([](const auto& u, const auto& f) { return softmax(u * f); }, x, flags) < 1e-5);
    CHECK(differ([](const auto& u) { return argmax(u * 3.0F, axis(-1)); }, x) == 0);
    CHECK(differ(
              [](const auto& u) { return var(u, axis(-1), keepdims) + sum(u, axis(-1), keepdims); },
              x) < 1e-5);
  }
}
