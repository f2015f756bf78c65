#include "weft/cuda/reduce.hpp"

#include <cmath>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"

using weft::axis;
using weft::Cuda;
using weft::keepdims;
using weft::Shape;
using weft::Tensor;

namespace {

Tensor<float> noise(const Shape& shape) {
  const weft::int64_t n = shape.size();
  Tensor<float> x = weft::arange<float>(static_cast<float>(n)).reshape(shape);
  return frac(sin(x * 12.9898f) * 43758.547f);
}

template <class T>
double apart(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>(a[i]);
    const double y = static_cast<double>(b[i]);
    if (x == y || (x != x && y != y)) continue;
    worst = std::max(worst, std::abs(x - y) / (1 + std::abs(x)));
  }
  return worst;
}

/// Every reduction of x and of its GPU copy agree.
template <class... Options>
void all_agree(const Tensor<float>& x, const Tensor<float, Cuda>& g, Options... o) {
  auto check = [](const auto& on_cpu, const auto& on_gpu, double within) {
    const auto a = on_cpu.eval();
    const auto b = on_gpu.eval();
    CHECK(a.shape() == b.shape());
    CHECK(apart(a.to_vector(), b.to_vector()) <= within);
  };
  check(sum(x, o...), sum(g, o...), 2e-6);
  check(mean(x * x, o...), mean(g * g, o...), 2e-6);
  check(var(x, o...), var(g, o...), 4e-6);
  check(max(x, o...), max(g, o...), 0);
  check(argmin(x, o...), argmin(g, o...), 0);
  check(any(x > 0.9f, o...), any(g > 0.9f, o...), 0);
  check(logsumexp(x, o...), logsumexp(g, o...), 2e-6);
}

}  // namespace

TEST_CASE("rows, columns, wholes and middles agree with the CPU [gpu] [sanitize]") {
  for (const Shape& shape : {Shape{1, 1}, Shape{3, 5}, Shape{70, 33}, Shape{257, 64},
                             Shape{2, 1025}, Shape{1500, 8}, Shape{5, 4097}}) {
    CAPTURE(weft::detail::text(shape));
    const auto x = noise(shape);
    const auto g = x.to(Cuda{});
    all_agree(x, g);
    all_agree(x, g, axis(-1));
    all_agree(x, g, axis(0));
    all_agree(x, g, axis(0), keepdims);
  }
  const auto x = noise({7, 5, 9, 6});
  const auto g = x.to(Cuda{});
  all_agree(x, g, axis(1));
  all_agree(x, g, axis(0, 2));
  all_agree(x, g, axis(1, 3));
  all_agree(x, g, axis(0, 1, 2));
}

TEST_CASE("large reductions of every form [gpu]") {
  for (const Shape& shape :
       {Shape{4096, 1024}, Shape{16, 300000}, Shape{300000, 16}, Shape{1, 5000001}}) {
    CAPTURE(weft::detail::text(shape));
    const Tensor<float> x = abs(noise(shape));
    const auto g = x.to(Cuda{});
    CHECK(apart(sum(x).eval().to_vector(), sum(g).eval().to_vector()) < 2e-6);
    CHECK(apart(sum(x, axis(0)).eval().to_vector(), sum(g, axis(0)).eval().to_vector()) < 2e-6);
    CHECK(apart(sum(x, axis(1)).eval().to_vector(), sum(g, axis(1)).eval().to_vector()) < 2e-6);
    CHECK(argmax(x).item() == argmax(g).item());
  }
}

TEST_CASE(
    "short rows of several reduced dimensions, with an operand of one element for each [gpu]") {
  for (const int64_t length : {4, 8, 12, 17, 64, 124, 128}) {
    CAPTURE(length);
    const auto x = noise({3, 90, length});
    const auto b = noise({3, 90, 1});
    const auto product = x * b;
    const auto on_gpu = x.to(Cuda{}) * b.to(Cuda{});
    all_agree(product, on_gpu);
    all_agree(product, on_gpu, axis(1, 2));
    all_agree(product, on_gpu, axis(0, 2));
  }
}

TEST_CASE("strided, transposed, broadcast operands, and reductions inside expressions [gpu]") {
  const auto x = noise({33, 65});
  const auto g = x.to(Cuda{});
  all_agree(x.t(), g.t(), axis(0));
  all_agree(x.t(), g.t(), axis(1));
  all_agree(x.flip(1), g.flip(1), axis(1));
  all_agree(x(weft::all, weft::slice(1, weft::none, 2)),
            g(weft::all, weft::slice(1, weft::none, 2)), axis(-1));
  auto softmax = [](const auto& v) {
    auto e = exp(v - max(v, axis(-1), keepdims));
    return Tensor(e / sum(e, axis(-1), keepdims));
  };
  CHECK(apart(softmax(x).to_vector(), softmax(g).to_vector()) < 1e-6);
  auto y = g.clone();
  y /= sum(y);
  CHECK(sum(y).item() == doctest::Approx(1).epsilon(1e-5));
}

TEST_CASE(
    "parts of wider operands, whose lines begin anywhere, beside aligned ones [gpu] [sanitize]") {
  for (const int64_t length : {4, 12, 28, 33, 64, 300}) {
    CAPTURE(length);
    const Tensor<float> x = abs(noise({6, 9, length}));  // sums of both signs lose digits
    const Tensor<float> wide = abs(noise({6, 9, length + 1}));
    const auto part = wide(weft::all, weft::all, weft::slice(0, length));
    const auto g = x.to(Cuda{});
    const auto gpart = wide.to(Cuda{})(weft::all, weft::all, weft::slice(0, length));
    for (const auto& axes : {axis(-1), axis(1, 2), axis(0, 2), axis(0), axis(0, 1)}) {
      all_agree(x * part, g * gpart, axes);
      all_agree(abs(part - x), abs(gpart - g), axes);
    }
    all_agree(x * part, g * gpart);
    all_agree(cast<float>(cast<weft::half>(x)) * part,
              cast<float>(cast<weft::half>(g).eval()) * gpart, axis(1, 2));
  }
}

TEST_CASE("two operands that begin between vectors, each elsewhere [gpu] [sanitize]") {
  const Tensor<float> wide = abs(noise({9, 1005}));
  const auto g = wide.to(Cuda{});
  const auto part = [](const auto& x, std::int64_t first) {
    return x(weft::all, weft::slice(first, first + 1003));
  };
  for (const std::int64_t first : {0, 1, 2}) {
    const auto x = part(wide, first) * part(wide, 2 - first / 2);
    const auto on_gpu = part(g, first) * part(g, 2 - first / 2);
    all_agree(x, on_gpu, axis(1));
    all_agree(x, on_gpu, axis(0));
    all_agree(x, on_gpu);
  }
}

TEST_CASE_TEMPLATE("elements of 2 bytes and of one beside others [gpu] [sanitize]", T, weft::half,
                   std::int8_t) {
  const Tensor<float> values = floor(abs(noise({40, 6, 81})) * 50);
  const auto wide = cast<T>(values).eval();
  const auto g = wide.to(Cuda{});
  const auto product = [](const auto& x) {
    return cast<float>(x(weft::all, weft::all, weft::slice(0, 80))) *
           cast<float>(x(weft::all, weft::all, weft::slice(1, 81)));
  };
  for (const auto& axes : {axis(2), axis(1, 2), axis(0), axis(0, 2)}) {
    all_agree(product(wide), product(g), axes);
    const auto whole = [&](const auto& x) {
      return x(weft::all, weft::all, weft::slice(0, 80)).clone();
    };
    all_agree(
        cast<float>(whole(wide)) * cast<float>(wide(weft::all, weft::all, weft::slice(1, 81))),
        cast<float>(whole(g)) * cast<float>(g(weft::all, weft::all, weft::slice(1, 81))), axes);
  }
}

TEST_CASE("long lines of vectors in pieces [gpu] [sanitize]") {
  const Tensor<float> x = abs(noise({1, 3000, 2, 64}));
  all_agree(x, x.to(Cuda{}), axis(1, 3));
}

TEST_CASE("short lines of several dimensions, and columns of several [gpu] [sanitize]") {
  for (const Shape& shape : {Shape{3, 70, 5, 14}, Shape{2, 40, 3, 12}, Shape{5, 6, 7, 3},
                             Shape{4, 33, 2, 31}, Shape{7, 5, 3, 12}, Shape{6, 4, 2, 140}}) {
    CAPTURE(weft::detail::text(shape));
    const auto x = noise(shape);
    const auto g = x.to(Cuda{});
    all_agree(x, g, axis(1, 3));
    all_agree(x, g, axis(0, 2));
    all_agree(x, g, axis(1));
    const auto b = noise({shape[3]});
    all_agree(x * b, g * b.to(Cuda{}), axis(0));
    all_agree(x * b, g * b.to(Cuda{}), axis(0, 1));
  }
  const auto x = noise({2, 5, 3, 4, 6, 7});
  all_agree(x, x.to(Cuda{}), axis(1, 3, 5));
}

TEST_CASE("nearest neighbours in few kernels that never write the whole array [gpu]") {
  const auto query = noise({37, 1, 64}).to(Cuda{});
  const auto train = noise({1, 211, 64}).to(Cuda{});
  Tensor<weft::int64_t, Cuda> nearest;
  const auto before = weft::cuda::memory_allocated();
  weft::cuda::reset_peak_memory_stats();
  nearest = argmin(sum(square(query - train), axis(-1)), axis(-1));
  CHECK(weft::cuda::max_memory_allocated() - before < 37 * 211 * 64 * 4 / 8);
  auto target = nearest.clone();
  const GraphNodes n =
      captured([&] { target.assign(argmin(sum(square(query - train), axis(-1)), axis(-1))); });
  CHECK(n.kernels <= 3);
  CHECK(n.memsets + n.copies == 0);
  const auto expected =
      argmin(sum(square(query.to(weft::Cpu{}) - train.to(weft::Cpu{})), axis(-1)), axis(-1)).eval();
  CHECK(nearest.to_vector() == expected.to_vector());
}

TEST_CASE("the same bits every run [gpu]") {
  const auto g = noise({3000017}).to(Cuda{});
  const float first = sum(g * g).item();
  for (int i = 0; i < 5; ++i) CHECK(sum(g * g).item() == first);
}

TEST_CASE("NaN, empty and element types [gpu]") {
  auto x = weft::tensor({1.f, NAN, 3.f, -2.f}, Cuda{});
  CHECK(max(x).item() != max(x).item());
  CHECK(argmin(x).item() == 1);
  CHECK(sum(weft::zeros({0, 3}, Cuda{}), axis(0)).eval().to_vector() ==
        std::vector<float>{0, 0, 0});
  CHECK_SAYS("no elements to reduce", max(weft::zeros({0, 3}, Cuda{}), axis(0)).eval());
  auto bytes = weft::full({1000}, std::int8_t{100}, Cuda{});
  CHECK(sum(bytes).item() == 100000);
  auto halves = weft::full<weft::half>({3000}, 30.f, Cuda{});
  CHECK(mean(halves).item() == 30.f);
  CHECK((sum(halves) / 3000.f).item() == 30.f);
  CHECK(sum(weft::full<weft::complex<float>>({10}, 2.f, Cuda{})).item().real() == 20.f);
}
