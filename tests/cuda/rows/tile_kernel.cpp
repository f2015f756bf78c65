// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/tile_kernel.hpp"

#include <string>

#include "rows.hpp"
#include "weft/cuda/inspect/explain.hpp"
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

/// Rows of which each has a thread of its own, and some that do not fill a block.
std::int64_t many() { return weft::cuda::properties(Cuda{}).multiprocessors * 1024 + 77; }

/// How far an expression's values on the GPU are from those on the CPU.
template <class F, class... Ts>
double differ(const F& f, const Array<Ts>&... x) {
  return apart(f(x.on(Cuda{})...), in_double(array(f(x.on(Cpu{})...).eval())));
}

/// Whether an expression's rows lie in shared memory.
template <class E>
bool is_tiled(const E& e) {
  const weft::Explanation out = explain(e);
  for (const auto& x : out.kernels[0].reads) {
    if (std::string(x.note.c_str()) == "kept in shared memory") return true;
  }
  return false;
}

struct Look {
  const float* table;
  WEFT_HD float operator()(std::int32_t i) const { return table[i]; }
};

}  // namespace

TEST_CASE_TEMPLATE("many short rows of every length [gpu] [sanitize]", T, weft::half,
                   weft::bfloat16, float, double) {
  const double tolerance = 4 * test::tolerance<T>;
  const std::int64_t rows = many();
  for (const std::int64_t n : {3, 9, sizeof(T) == 8 ? 63 : 17}) {  // of 63 doubles, 63 KiB a block
    CAPTURE(n);
    const auto x = noise<T>({rows, n});
    const auto y = noise<T>({rows, n}, 2);
    const auto w = noise<T>({n}, 3);
    const auto r = noise<T>({rows, 1}, 4);
    const auto a = x.on(Cuda{});
    CHECK(is_tiled(a - mean(a, axis(-1), keepdims)));
    CHECK(differ([](const auto& v) { return softmax(v); }, x) < tolerance);
    CHECK(differ([](const auto& v, const auto& b, const auto& c,
                    const auto& d) { return layer_norm(v * b + d, c, c); },
                 x, y, w, r) < tolerance);
    CHECK(differ([](const auto& v, const auto& b) { return cosine_similarity(v, b, axis(-1)); }, x,
                 y) < tolerance);
  }
}

TEST_CASE("many short rows: picked rows, positions, several outputs, one kernel of several [gpu]") {
  const std::int64_t rows = many();
  for (const std::int64_t n : {3, 6, 17}) {
    CAPTURE(n);
    const auto x = noise<float>({rows, n});
    const auto y = noise<float>({rows, n}, 2);
    const auto w = noise<float>({n}, 3);
    CHECK(differ(
              [](const auto& v, const auto& b) {
                return softmax(where(index_along(v.shape(), axis(1)) > 1, v * b, 0.5F));
              },
              x, w) < 1e-5);
    std::vector<std::int64_t> picked;
    for (std::int64_t i = 0; i < rows; ++i) picked.push_back(i * 7919 % rows);
    const Array<std::int64_t> ids{{rows}, picked};
    CHECK(differ([](const auto& v, const auto& i) { return softmax(take(v, i, axis(0))); }, x,
                 ids) < 1e-5);
    const auto divergence = [](const auto& u, const auto& v) {
      const auto p = softmax(u, axis(-1));
      const auto q = softmax(v, axis(-1));
      const auto m = (p + q) * 0.5F;
      return sum(p * (log(p) - log(m)) + q * (log(q) - log(m)), axis(-1)) * 0.5F;
    };
    CHECK(differ(divergence, x, y) < 1e-5);

    const auto a = x.on(Cuda{});
    const auto on_cpu = x.on(Cpu{});
    CHECK(is_tiled(softmax(a)));
    const auto [scaled, halves] = fuse(a / sum(abs(a), axis(-1), keepdims),
                                       cast<weft::half>(a - mean(a, axis(-1), keepdims)));
    CHECK(apart(scaled, in_double(array((on_cpu / sum(abs(on_cpu), axis(-1), keepdims)).eval()))) <
          1e-5);
    CHECK(apart(halves, in_double(array((on_cpu - mean(on_cpu, axis(-1), keepdims)).eval()))) <
          2e-3);

    weft::Tensor<float, Cuda> own = a.clone();
    own.assign(softmax(own * 0.5F));
    CHECK(apart(own, in_double(array(softmax(on_cpu * 0.5F).eval()))) < 1e-5);
    const auto wide = weft::zeros<float>({rows, n + 1}, Cuda{});
    wide.narrow(1, 1, n).assign(softmax(a));
    CHECK(apart(wide.narrow(1, 1, n), in_double(array(softmax(on_cpu).eval()))) < 1e-5);
    CHECK(sum(abs(wide.narrow(1, 0, 1))).item() == 0);
  }
}

TEST_CASE("many short rows: kept axes that an operand does not have [gpu]") {
  const std::int64_t rows = many() / 60 + 1;
  for (const std::int64_t n : {3, 15, 38}) {
    CAPTURE(n);
    const auto x = noise<float>({rows, 60, n});
    const auto b = noise<float>({60, 1}, 2);
    const auto c = noise<float>({rows, 1, 1}, 3);
    CHECK(differ([](const auto& u, const auto& v, const auto& s) { return softmax(u * v + s) * s; },
                 x, b, c) < 1e-5);
    const auto each = noise<float>({60, n}, 4);
    CHECK(differ([](const auto& u, const auto& f) { return softmax(u * f); }, x, each) < 1e-5);
    CHECK(differ([](const auto& u) { return argmax(u * 3.0F, axis(-1)); }, x) == 0);
    CHECK(differ([](const auto& u) { return u * var(u, axis(-1), keepdims); }, x) < 1e-5);
  }
}

TEST_CASE_TEMPLATE("many short columns [gpu] [sanitize]", T, weft::half, weft::bfloat16, float,
                   double) {
  const double tolerance = 4 * test::tolerance<T>;
  const std::int64_t least = many() / 5 / 16 * 16 + 16;
  for (const std::int64_t beside : {least, least + 4, least + 2, least + 1}) {
    CAPTURE(beside);
    const std::int64_t bytes = beside * std::int64_t{sizeof(T)};
    for (const std::int64_t n : {3, 24}) {
      CAPTURE(n);
      const auto x = noise<T>({5, n, beside});
      const auto y = noise<T>({5, n, beside}, 2);
      const auto w = noise<T>({beside}, 3);
      const auto v = noise<T>({n, 1}, 4);
      const auto a = x.on(Cuda{});
      const bool tiled = bytes % 16 == 0 || (bytes % 4 == 0 && n * std::int64_t{sizeof(T)} <= 128);
      CHECK(is_tiled(a * 1.0F - mean(a * 1.0F, axis(1), keepdims)) == tiled);
      CHECK(differ([](const auto& u) { return softmax(u * 0.5F, axis(1)); }, x) < tolerance);
      CHECK(differ([](const auto& u, const auto& b, const auto& c,
                      const auto& d) { return normalize(u * b + d, axis(1)) * c; },
                   x, y, w, v) < tolerance);
      CHECK(differ(
                [](const auto& u, const auto& b) {
                  return sum(u * b * (1.0F - mean(u, axis(1), keepdims)), axis(1));
                },
                x, y) < n * tolerance);
    }
  }
}

TEST_CASE("many short rows of whole words, apart, picked, beside columns [gpu] [sanitize]") {
  const std::int64_t rows = (many() + 7) / 8 * 8;
  for (const std::int64_t n : {8, 24, 32}) {
    CAPTURE(n);
    const auto x = noise<weft::bfloat16>({rows, n});
    const auto y = noise<weft::bfloat16>({rows, n}, 2);
    const auto turned = noise<weft::bfloat16>({n, rows}, 3);
    const auto w = noise<weft::bfloat16>({n}, 4);
    const double tolerance = 4 * test::tolerance<weft::bfloat16>;
    const auto cosine = [](const auto& u, const auto& v) {
      return cosine_similarity(u, v, axis(-1));
    };
    const auto a = x.on(Cuda{});
    CHECK(is_tiled(cosine(a, y.on(Cuda{}))));
    CHECK(differ(cosine, x, y) < tolerance);
    CHECK(differ([](const auto& u, const auto& v) { return softmax(u * v, axis(-1)); }, x, w) <
          tolerance);
    CHECK(differ(
              [](const auto& u, const auto& v) { return softmax(u * v.transpose(0, 1), axis(-1)); },
              x, turned) < tolerance);
    std::vector<std::int64_t> picked;
    for (std::int64_t i = 0; i < rows; ++i) picked.push_back(i * 7919 % rows);
    const Array<std::int64_t> ids{{rows}, picked};
    CHECK(differ([](const auto& u, const auto& i,
                    const auto& v) { return cosine_similarity(take(u, i, axis(0)), v, axis(-1)); },
                 x, ids, y) < tolerance);
    const auto bytes = (noise<float>({rows, n + 8}, 5).on(Cuda{}) * 50.0F).to<std::int8_t>();
    const auto narrow = bytes.narrow(1, 0, n);  // begins at words of 8 bytes
    const auto of_picked = cast<float>(take(narrow, ids.on(Cuda{}), axis(0)));
    const weft::Tensor<float, Cuda> centred = of_picked - mean(of_picked, axis(1), keepdims);
    const weft::Tensor<float, Cuda> same = of_picked;
    CHECK(max(abs(centred - (same - mean(same, axis(1), keepdims)))).item() < 1e-4F);
    const auto wide = weft::zeros<weft::bfloat16>({rows, n + 16}, Cuda{});
    const auto part = wide.narrow(1, 8, n);
    part.assign(a * w.on(Cuda{}) / (1.0F + sum(abs(a * w.on(Cuda{})), axis(-1), keepdims)));
    const auto on_cpu = x.on(Cpu{});
    const auto b = w.on(Cpu{});
    CHECK(
        apart(part, in_double(array(
                        (on_cpu * b / (1.0F + sum(abs(on_cpu * b), axis(-1), keepdims))).eval()))) <
        tolerance);
    CHECK(sum(abs(wide.narrow(1, 0, 8))).item() == 0);
    CHECK(sum(abs(wide.narrow(1, n + 8, 8))).item() == 0);
  }
}

TEST_CASE("functions of one's own are given a row's elements alone [gpu] [sanitize]") {
  const std::int64_t rows = many();
  const auto table = weft::tensor<float>({1, 2, 4, 8, 16, 32, 64}, Cuda{});
  const auto ids = (weft::arange(rows * 7, Cuda{}) * 5 % 7).to<std::int32_t>().reshape({rows, 7});
  const auto found = map(Look{table.data()}, ids);
  const weft::Tensor<float, Cuda> centred = found - mean(found, axis(-1), keepdims);
  const weft::Tensor<float, Cuda> picked = found;
  const weft::Tensor<float, Cuda> expected = picked - mean(picked, axis(-1), keepdims);
  CHECK(max(abs(centred - expected)).item() < 1e-5F);
}
