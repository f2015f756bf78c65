// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd/signal/fft.hpp>

#include "gradients.hpp"
#include "test.hpp"
#include "weft/fft.hpp"

#ifdef __CUDACC__
#include "weft/cuda/fft.hpp"
#include "weft/cuda/gradient.hpp"
#endif

using namespace weft;

namespace {

Generator generator(3);

template <class D>
auto randoms(const Shape& shape, D device) {
  return randn<double>(shape, Cpu{}, generator).to(device);
}
template <class D>
auto complexes(const Shape& shape, D device) {
  const Tensor<complex<double>> z =
      cast<complex<double>>(randn<double>(shape, Cpu{}, generator)) +
      cast<complex<double>>(randn<double>(shape, Cpu{}, generator)) * complex<double>(0, 1);
  return z.to(device);
}

/// The gradient of f, a real number, at x, against differences by each of x's parts.
template <class X, class F>
void check_gradient(const X& x, const F& f) {
  const Var v = parameter(x);
  f(v).backward();
  const auto got = v.grad().to_vector();
  auto values = x.to_vector();
  using T = typename X::value_type;
  const double h = 1e-6;
  const auto at = [&](std::size_t i, T step) {
    auto moved = values;
    moved[i] = moved[i] + step;
    return f(Var(tensor(moved).reshape(x.shape()).to(x.device()))).item();
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto along = [&](T unit) { return (at(i, unit * h) - at(i, unit * -h)) / (2 * h); };
    if constexpr (is_complex<T>) {
      CHECK(got[i].re == doctest::Approx(along(T(1))).epsilon(1e-6));
      CHECK(got[i].im == doctest::Approx(along(T(0, 1))).epsilon(1e-6));
    } else {
      CHECK(got[i] == doctest::Approx(along(T(1))).epsilon(1e-6));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("gradients of transforms", D, TEST_DEVICES) {
  const auto w = randoms({12, 12}, D{});
  // A loss that tells all elements and both of their parts apart.
  const auto loss = [&](const auto& z) {
    const Tensor<double, D> a = w(slice(0, z.shape()[0]), slice(0, z.shape()[1]));
    const Tensor<double, D> b = w(slice(1, z.shape()[0] + 1), slice(2, z.shape()[1] + 2));
    return Var(sum(real(z) * a + imag(z) * b));
  };
  const auto real_loss = [&](const auto& y) {
    return Var(sum(y * w(slice(0, y.shape()[0]), slice(0, y.shape()[1]))));
  };
  const auto x = randoms({2, 5}, D{});
  const auto z = complexes({3, 4}, D{});
  for (int64_t n : {0, 3, 8}) {  // as it is, cropped, padded
    CAPTURE(n);
    check_gradient(x, [&](const auto& v) { return loss(rfft(v, {.n = n})); });
    check_gradient(z, [&](const auto& v) { return loss(ifft(v, {.n = n, .axis = 0})); });
    check_gradient(z, [&](const auto& v) { return real_loss(irfft(v, {.n = n})); });
  }
  check_gradient(x, [&](const auto& v) { return loss(fft(v)); });
  check_gradient(x, [&](const auto& v) { return loss(rfft2(v, {.n = {3, 4}})); });
  check_gradient(z, [&](const auto& v) { return real_loss(irfft2(v, {.n = {4, 5}})); });
  check_gradient(x, [&](const auto& v) { return Var(sum(abs(rfft(v)))); });
}

TEST_CASE_TEMPLATE("gradients of complex numbers", D, TEST_DEVICES) {
  const auto z = complexes({2, 3}, D{});
  const auto w = complexes({2, 3}, D{});
  const auto loss = [](const auto& v) { return Var(sum(real(v) + 2 * imag(v))); };
  check_gradient(z, [&](const auto& v) { return loss(v * w * v); });
  check_gradient(z, [&](const auto& v) { return loss(exp(v) / w); });
  check_gradient(z, [&](const auto& v) { return loss(conj(v) * w); });
  check_gradient(z, [&](const auto& v) { return Var(sum(abs(v * w) * arg(v))); });
  check_gradient(z, [&](const auto& v) { return loss(sum(v * w, axis(0))); });
  check_gradient(w(0), [&](const auto& v) { return loss(z * v); });  // broadcast
  check_gradient(z, [&](const auto& v) { return loss(matmul(v, w.t())); });
  check_gradient(z, [&](const auto& v) { return loss(matmul(w.t(), v)); });
  const auto x = randoms({2, 3}, D{});
  check_gradient(x, [&](const auto& v) { return loss(cast<complex<double>>(v) * w); });
  check_gradient(x, [&](const auto& v) { return loss(v * w); });  // the same
  check_gradient(x, [&](const auto& v) { return loss(w / exp(complex<double>(0, 1) * v)); });
}
