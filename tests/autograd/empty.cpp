// Backward passes over Vars without elements, of any shape.
// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"
#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/scan/scan.hpp"
#endif

using namespace weft;
using test::empty_shapes;

namespace {
/// Whether f(x) has a gradient of x's shape for an empty x, and what `also` is then zeros.
template <class D, class F, class... Also>
bool passes(const Shape& shape, const F& f, const Also&... also) {
  const Var x = parameter(zeros<double>(shape, D{}));
  (also.zero_grad(), ...);
  const Var<double, D> y = f(x);
  y.backward(ones<double>(y.shape(), D{}));
  return x.has_grad() && x.grad().shape() == shape &&
         (test::is_full(also.grad(), also.shape(), 0) && ...);
}
}  // namespace

TEST_CASE_TEMPLATE("gradients of reductions of no elements", D, TEST_DEVICES) {
  for (const Shape& shape : empty_shapes()) {
    for (int d = -1; d < shape.rank(); ++d) {
      CAPTURE(weft::detail::text(shape));
      CAPTURE(d);
      Axes axes;
      for (int i = 0; i < shape.rank(); ++i) {
        if (d < 0 || i == d) axes.push_back(i);
      }
      using X = Var<double, D>;
      using Y = Var<double, D>;
      CHECK(passes<D>(shape, [&](const X& x) { return Y(sum(x, axes)); }));
      CHECK(passes<D>(shape, [&](const X& x) { return Y(mean(x * x, axes, keepdims)); }));
      CHECK(passes<D>(shape, [&](const X& x) { return Y(prod(x, axes)); }));
      CHECK(passes<D>(shape, [&](const X& x) { return Y(logsumexp(x, axes)); }));
      CHECK(passes<D>(shape, [&](const X& x) { return Y(var(x, axes) + 1.0); }));
      CHECK(passes<D>(shape, [&](const X& x) { return Y(norm(x, axes)); }));
      CHECK(passes<D>(shape, [&](const X& x) { return Y(x - mean(x, axes, keepdims)); }));
      CHECK(passes<D>(shape, [&](const X& x) { return softmax(x, axes); }));
      CHECK(passes<D>(shape, [&](const X& x) { return log_softmax(x, axes); }));
    }
  }
}

TEST_CASE_TEMPLATE("gradients of other functions of no elements", D, TEST_DEVICES) {
  const Var one = parameter(ones<double>({1}, D{}));
  for (const Shape& shape : empty_shapes()) {
    CAPTURE(weft::detail::text(shape));
    using X = Var<double, D>;
    using Y = Var<double, D>;
    const int64_t n = shape[shape.rank() - 1];
    CHECK(passes<D>(
        shape, [&](const X& x) { return Y(tanh(x * one) + one); }, one));
    const Var w = parameter(ones<double>({n}, D{}));
    CHECK(passes<D>(
        shape, [&](const X& x) { return layer_norm(x, w, w); }, w));
    CHECK(passes<D>(
        shape, [&](const X& x) { return rms_norm(x, w); }, w));
    const Var m = parameter(ones<double>({2, n}, D{}));
    CHECK(passes<D>(
        shape, [&](const X& x) { return Y(linear(x, m)); }, m));
    CHECK(passes<D>(
        shape, [&](const X& x) { return Y(relu(matmul(x, m.t()))); }, m));
    CHECK(passes<D>(shape, [&](const X& x) { return Y(cumsum(x, axis(-1))); }));
    const auto i = zeros<int64_t>(shape, D{});
    CHECK(passes<D>(shape, [&](const X& x) { return Y(take_along_axis(x, i, axis(0))); }));
    CHECK(passes<D>(shape, [&](const X& x) { return Y(take(x, i)); }));
    CHECK(passes<D>(shape, [&](const X& x) { return x.reshape({0}).expand({2, 0}); }));
    CHECK(passes<D>(shape, [&](const X& x) { return x.flip(0).unsqueeze(0).narrow(0, 0, 1); }));
    CHECK(passes<D>(shape, [&](const X& x) { return cat(std::vector{x, x}, axis(0)); }));
    if (shape.rank() == 2) CHECK(passes<D>(shape, [&](const X& x) { return x.diagonal(); }));
  }
}
