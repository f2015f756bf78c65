// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/rows.hpp"

#include "cuda/graph_nodes.hpp"
#include "rows.hpp"

using test::apart;
using test::array;
using test::by_rows;
using test::noise;
using test::Row;
using weft::axis;
using weft::Cuda;
using weft::keepdims;
using weft::Shape;
using weft::Tensor;

namespace {

/// The kernels of a statement that copies and sets nothing.
template <class F>
int kernels(F&& statement) {
  statement();  // what it allocates is there when it is captured
  const GraphNodes n = captured(statement);
  CHECK(n.memsets + n.copies == 0);
  return n.kernels;
}

}  // namespace

TEST_CASE("every form of rows [gpu] [sanitize]") {
  const auto check = [](const Tensor<float, Cuda>& x, const weft::Axes& axes, unsigned mask) {
    CHECK(apart(softmax(x, axes), by_rows(array(x), mask, test::softmax)) < 2e-5);
  };
  const auto make = [](const Shape& shape) { return noise<float>(shape).on(Cuda{}); };
  check(make({33, 20}), axis(-1), 2);    // several rows a warp
  check(make({9, 250}), axis(-1), 2);    // a warp or more a row
  check(make({3, 5001}), axis(-1), 2);   // a block, misaligned
  check(make({2, 70000}), axis(-1), 2);  // a cluster
  check(make({2, 70003}).narrow(1, 2, 70000), axis(-1), 2);
  check(make({70, 40}), axis(0), 1);  // columns
  check(make({600, 33}).narrow(1, 1, 32), axis(0), 1);
  check(make({3, 4, 5, 8}), axis(1, 3), 10);  // several dimensions
  check(make({3, 4, 5, 7}), axis(0, 2), 5);
  check(make({5, 8, 12}).transpose(0, 2), axis(0, 1), 3);
  check(make({4, 41}).flip(1), axis(-1), 2);
  const auto x = make({13, 333});
  CHECK(sqrt(mean(square(x), axis(-1)) + 1.F).eval().size() == 13);
  auto y = x.clone();
  y.assign(y - max(y, axis(-1), keepdims) + mean(y, axis(0), keepdims));
  CHECK(sum(softmax(weft::uniform({13, 333}) + x)).item() == doctest::Approx(13).epsilon(1e-4));
  CHECK(sum(softmax(weft::uniform({2, 9000}) + make({2, 9000}))).item() ==
        doctest::Approx(2).epsilon(1e-4));
}

TEST_CASE("few long columns lie side by side, cut into pieces [gpu] [sanitize]") {
  for (const std::int64_t n : {8, 17, 21, 31, 33, 45, 72, 102, 128}) {
    CAPTURE(n);
    const std::int64_t length = 2048 * (512 / n) + 1234567 / n;
    const auto x = noise<float>({length, n + 3}).on(Cuda{}).narrow(1, 2, n);
    CHECK(apart(softmax(x, axis(0)), by_rows(array(x), 1, test::softmax)) < 2e-5);
    const auto sums = sum(x * x, axis(0), keepdims).eval();
    const auto spread = (x * rsqrt(mean(square(x), axis(0), keepdims))).eval();
    const double bound = std::sqrt(static_cast<double>(length));
    CHECK(norm(spread, axis(0)).max().item() == doctest::Approx(bound).epsilon(1e-4));
    CHECK(norm(spread, axis(0)).min().item() == doctest::Approx(bound).epsilon(1e-4));
    CHECK(sum(sums).item() == doctest::Approx(sum(square(x)).item()).epsilon(1e-4));
    // The second kernel begins at the ends of the columns: positions are still those of elements.
    const auto place = weft::arange<double>(length, Cuda{}).reshape({length, 1});
    const auto largest = max(x, axis(0), keepdims);
    const Tensor<double, Cuda> placed = place + weft::cast<double>(x - largest) -
                                        weft::cast<double>(x) + weft::cast<double>(largest);
    CHECK(weft::abs(placed - place).max().item() < 1e-5);
  }
}

TEST_CASE("formulas are one kernel [gpu]") {
  for (const std::int64_t n : {1000, 8192}) {
    CAPTURE(n);
    const auto x = noise<float>({64, n}).on(Cuda{});
    const auto y = noise<float>({64, n}, 2).on(Cuda{});
    const auto w = noise<float>({n}, 3).on(Cuda{});
    const auto b = noise<float>({n}, 4).on(Cuda{});
    auto out = weft::zeros({64, n}, Cuda{});
    auto one = weft::zeros({64}, Cuda{});
    auto kept = weft::zeros({64, 1}, Cuda{});
    CHECK(kernels([&] { out.assign(softmax(x)); }) == 1);
    CHECK(kernels([&] { out.assign(log_softmax(x)); }) == 1);
    CHECK(kernels([&] { out.assign(standardize(x)); }) == 1);
    CHECK(kernels([&] { out.assign(layer_norm(x, w, b)); }) == 1);
    CHECK(kernels([&] { out.assign(rms_norm(x, w)); }) == 1);
    CHECK(kernels([&] { out.assign(normalize(x)); }) == 1);
    CHECK(kernels([&] { one.assign(cosine_similarity(x, y)); }) == 1);
    CHECK(kernels([&] { one.assign(sqrt(mean(square(x), axis(-1)) + 1e-5F)); }) == 1);
    CHECK(kernels([&] { kept.assign(sqrt(mean(square(x), axis(-1), keepdims) + 1e-5F)); }) == 1);
    CHECK(kernels([&] { out.assign(softmax(out)); }) == 1);
  }
}

TEST_CASE("totals of elements and of rows' values are made in pieces [gpu] [sanitize]") {
  for (const Shape& shape :
       {Shape{700, 1501}, Shape{1501, 260}, Shape{3, 40000}, Shape{5000, 33}, Shape{40, 5, 18}}) {
    CAPTURE(shape);
    const auto x = noise<float>(shape).on(Cuda{});
    const auto y = noise<float>(shape).on(Cuda{});
    const Tensor<double, Cuda> wide = weft::cast<double>(x);
    for (const int along : {0, 1}) {
      CAPTURE(along);
      const Tensor<double, Cuda> size = norm(wide, axis(along), keepdims);
      const Tensor<double, Cuda> exact = wide / size * weft::cast<double>(y);
      const double all = norm(exact).item();
      CHECK(std::abs(sum(x / norm(x, axis(along), keepdims) * y).item() - sum(exact).item()) <
            1e-4 * all);
      CHECK(norm(x / norm(x, axis(along), keepdims) * y).item() == doctest::Approx(all));
      CHECK(mean(x / norm(x, axis(along), keepdims) * y).item() ==
            doctest::Approx(mean(exact).item()).epsilon(1e-3));
      CHECK(var(x / norm(x, axis(along), keepdims) * y).item() ==
            doctest::Approx(var(exact).item()));
      CHECK(count_nonzero(x > mean(x, axis(along), keepdims)).item() ==
            count_nonzero(wide > mean(wide, axis(along), keepdims)).item());
      CHECK(sum(square(x - mean(x, axis(along), keepdims))).item() ==
            doctest::Approx(sum(square(wide - mean(wide, axis(along), keepdims))).item()));
      const auto most = max(x / norm(x, axis(along), keepdims)).item();
      CHECK(most == doctest::Approx(max(wide / size).item()));
      const auto place = argmax(x / norm(x, axis(along), keepdims)).item();
      CHECK((x / norm(x, axis(along), keepdims)).eval().to(weft::Cpu{}).data()[place] == most);
    }
  }
}

TEST_CASE("a total of rows' values takes the kernel of the rows, one that merges, a copy [gpu]") {
  const auto x = noise<float>({512, 512}).on(Cuda{});
  const auto y = noise<float>({512, 512}).on(Cuda{});
  auto out = weft::zeros({}, Cuda{});
  CHECK(kernels([&] { out.assign(sum(softmax(x, axis(1)) * y)); }) == 3);
  CHECK(kernels([&] { out.assign(var(softmax(x, axis(1)) * y)); }) == 3);
}

TEST_CASE("what lies across rows takes a kernel more [gpu]") {
  const auto x = noise<float>({512, 512}).on(Cuda{});
  auto out = weft::zeros({512, 512}, Cuda{});
  CHECK(kernels([&] { out.assign(x / sum(x)); }) <= 3);
  CHECK(kernels([&] { out.assign(x - max(x, axis(-1))); }) <= 3);
  CHECK(kernels([&] { out.assign(x / sum(x, axis(0), keepdims)); }) == 1);
}

TEST_CASE("the same bits every run [gpu]") {
  for (const Shape& shape : {Shape{40, 300}, Shape{5, 8191}, Shape{3, 70000}, Shape{1, 1000003}}) {
    const auto x = noise<float>(shape).on(Cuda{});
    const auto first = softmax(x).eval().to_vector();
    const auto norms = (norm(x, axis(-1)) + mean(x, axis(-1))).eval().to_vector();
    for (int i = 0; i < 3; ++i) {
      CHECK(softmax(x).eval().to_vector() == first);
      CHECK((norm(x, axis(-1)) + mean(x, axis(-1))).eval().to_vector() == norms);
    }
  }
}

TEST_CASE("rows on another stream wait for their operands [gpu]") {
  auto x = weft::zeros({64, 4096}, Cuda{});
  auto y = weft::zeros({64, 4096}, Cuda{});
  const weft::cuda::Stream other;
  for (int i = 1; i < 20; ++i) {
    x.fill(static_cast<float>(i));
    const weft::cuda::StreamGuard guard(other);
    y.assign(x - mean(x, axis(-1), keepdims) + static_cast<float>(i));
    CHECK(max(y).item() == static_cast<float>(i));
  }
}
