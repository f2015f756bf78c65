#include "weft/eval/scanned.hpp"

#include "weft/weft.hpp"

#include "array.hpp"
#include "test.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using weft::axis;
using weft::Shape;
using weft::Tensor;

namespace {

/// x with what is read beside its scan, and the scan evaluated by itself.
template <class D>
struct Parts {
  Tensor<float, D> x;
  Tensor<float, D> b;
  Tensor<float, D> scan;

  Parts(const Shape& shape, const Shape& beside, int along) {
    test::Random r(3);
    x = r.array<float>(shape).on(D{});
    b = r.array<float>(beside).on(D{});
    scan = cumsum(x, axis(along));
  }
};

template <class D>
void agrees(const Tensor<float, D>& found, const Tensor<float, D>& expected) {
  CHECK(allclose(found.to(weft::Cpu{}), expected.to(weft::Cpu{}), {1e-5, 1e-4}));
}

}  // namespace

TEST_CASE_TEMPLATE("what reads a scan is as if the scan was evaluated first", D, TEST_DEVICES) {
  const auto check = [](const Shape& shape, const Shape& beside, int along) {
    CAPTURE(shape);
    const Parts<D> p(shape, beside, along);
    agrees<D>(cumsum(p.x, axis(along)) * 1.5F + p.b, p.scan * 1.5F + p.b);
    agrees<D>(p.x - cumsum(p.x, axis(along)) / (abs(p.b) + 1.0F), p.x - p.scan / (abs(p.b) + 1.0F));
    const Tensor<float, D> formula = cumsum(p.x * p.b, axis(along));
    agrees<D>(relu(cumsum(p.x * p.b, axis(along))) - p.b, relu(formula) - p.b);
  };
  check({70, 16}, {16}, 1);
  check({70, 17}, {70, 1}, 1);
  check({33, 300}, {300}, 1);
  check({5, 7, 1001}, {7, 1}, 2);
  check({2, 50001}, {50001}, 1);
  check({100003}, {1}, 0);
  check({300, 40}, {40}, 0);
  check({1, 1}, {1}, 1);
}

TEST_CASE_TEMPLATE("a scan that occurs twice, and two scans", D, TEST_DEVICES) {
  const Parts<D> p({40, 70}, {70}, 1);
  const auto e = cumsum(p.x, axis(1));
  agrees<D>(e * e + p.b, p.scan * p.scan + p.b);
  const Tensor<float, D> other = cumsum(p.x, axis(0));
  agrees<D>(cumsum(p.x, axis(1)) - cumsum(p.x, axis(0)), p.scan - other);
  const Tensor<float, D> most = cummax(p.x, axis(1));
  agrees<D>(cumsum(p.x, axis(1)) - cummax(p.x, axis(1)), p.scan - most);
}

TEST_CASE_TEMPLATE("targets of what reads a scan", D, TEST_DEVICES) {
  const Parts<D> p({40, 70}, {70}, 1);
  const Tensor<float, D> expected = p.scan * 2.0F + p.b;
  Tensor<float, D> own = p.x.clone();
  own = cumsum(own, axis(1)) * 2.0F + p.b;
  agrees<D>(own, expected);
  Tensor<float, D> wide = weft::zeros<float>({40, 90}, D{});
  wide(weft::all, weft::slice(3, 73)) = cumsum(p.x, axis(1)) * 2.0F + p.b;
  agrees<D>(wide(weft::all, weft::slice(3, 73)).clone(), expected);
  CHECK(sum(wide(weft::all, weft::slice(73, 90))).item() == 0);
  Tensor<float, D> turned = weft::zeros<float>({70, 40}, D{});
  turned.transpose().assign(cumsum(p.x, axis(1)) * 2.0F + p.b);
  agrees<D>(turned.transpose().clone(), expected);
  Tensor<float, D> shifted = weft::zeros<float>({41, 70}, D{});
  shifted.narrow(0, 0, 40).assign(p.x);
  shifted.narrow(0, 1, 40).assign(cumsum(shifted.narrow(0, 0, 40), axis(1)) * 2.0F + p.b);
  agrees<D>(shifted.narrow(0, 1, 40).clone(), expected);
}

TEST_CASE_TEMPLATE("a scan of another shape than what reads it", D, TEST_DEVICES) {
  const Parts<D> p({70}, {40, 1}, 0);
  agrees<D>(cumsum(p.x) + p.b, p.scan + p.b);
}

TEST_CASE_TEMPLATE("element types of what reads a scan", D, TEST_DEVICES) {
  test::Random r(5);
  const Tensor<double, D> x = r.array<double>({40, 33}).on(D{});
  const Tensor<double, D> scan = cumprod(x + 1.0, axis(1));
  const Tensor<double, D> found = cumprod(x + 1.0, axis(1)) * 0.5 + x;
  CHECK(allclose(found.to(weft::Cpu{}), (scan * 0.5 + x).eval().to(weft::Cpu{}), {1e-12, 1e-12}));
  const Tensor<int, D> n = weft::arange<int>(600, D{}).reshape({20, 30}) % 7;
  const Tensor<int64_t, D> sums = cumsum(n, axis(1));
  const Tensor<int64_t, D> less = cumsum(n, axis(1)) - int64_t{1};
  CHECK(less.to(weft::Cpu{}).to_vector() == (sums - int64_t{1}).eval().to(weft::Cpu{}).to_vector());
  const Tensor<bool, D> large = cumsum(n, axis(1)) > int64_t{20};
  CHECK(sum(large).item() == sum(sums > int64_t{20}).item());
  const Tensor<weft::half, D> h = weft::cast<weft::half>(x);
  const Tensor<weft::half, D> most = cummax(h, axis(1));
  const Tensor<weft::half, D> twice = cummax(h, axis(1)) + h;
  CHECK(allclose(twice.to(weft::Cpu{}), (most + h).eval().to(weft::Cpu{}), {0, 0}));
  const Tensor<double, D> logs = logcumsumexp(x, axis(1));
  const Tensor<double, D> e = exp(logcumsumexp(x, axis(1))) * 2.0;
  CHECK(allclose(e.to(weft::Cpu{}), (exp(logs) * 2.0).eval().to(weft::Cpu{}), {1e-12, 1e-12}));
}
