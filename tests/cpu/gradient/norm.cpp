// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/gradient/norm.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"
#include "weft/autograd.hpp"

using namespace weft;

namespace {
struct Found {
  std::vector<float> x, weight, bias;
};

Found gradients(const Tensor<float>& x, const Tensor<float>& w, const Tensor<float>& g) {
  const Var xs = parameter(x), ws = parameter(w), bs = parameter(zeros<float>(w.size()));
  layer_norm(xs, ws, bs).backward(g);
  return {xs.grad().to_vector(), ws.grad().to_vector(), bs.grad().to_vector()};
}

/// The same in double, by the formula.
Found formula(const Tensor<float>& x, const Tensor<float>& w, const Tensor<float>& g) {
  const Tensor<double> xs = cast<double>(x), ws = cast<double>(w), gs = cast<double>(g);
  const Tensor centred = xs - mean(xs, axis(-1), keepdims);
  const Tensor scale = rsqrt(mean(square(centred), axis(-1), keepdims) + 1e-5);
  const Tensor h = centred * scale;
  const Tensor k = gs * ws;
  const Tensor along = mean(k * h, axis(-1), keepdims);
  const Tensor dx = scale * (k - mean(k, axis(-1), keepdims) - h * along);
  const auto single = [](const auto& e) { return cast<float>(e).eval().to_vector(); };
  return {single(dx), single(sum(gs * h, axis(0))), single(sum(gs, axis(0)))};
}

void check_close(const std::vector<float>& a, const std::vector<float>& b, double tolerance) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) /
                                std::max(1.0, std::abs(static_cast<double>(b[i]))));
  }
  CHECK(worst <= tolerance);
}
}  // namespace

TEST_CASE("rows of any length, in several pieces, beside the formula in double") {
  for (const std::int64_t columns : {1, 5, 8, 9, 16, 33, 300}) {
    for (const std::int64_t rows : {1, 3, 700, 9000}) {
      if (rows * columns > 300'000) continue;
      CAPTURE(columns);
      CAPTURE(rows);
      const Tensor x = randn(rows, columns) + 3.F, g = randn(rows, columns), w = randn(columns);
      const Found found = gradients(x, w, g);
      const Found wanted = formula(x, w, g);
      if (columns > 1) check_close(found.x, wanted.x, 1e-4);
      check_close(found.weight, wanted.weight, 2e-5 * std::sqrt(static_cast<double>(rows)));
      check_close(found.bias, wanted.bias, 1e-6 * std::sqrt(static_cast<double>(rows)));
    }
  }
}

TEST_CASE("a large mean costs no digits beyond those that x lost") {
  const Tensor x = randn(40, 256) + 1000.F, g = randn(40, 256), w = randn(256);
  check_close(gradients(x, w, g).x, formula(x, w, g).x, 2e-3);
}

TEST_CASE("the bits do not depend on the number of threads") {
  const Tensor x = randn(2000, 96), g = randn(2000, 96), w = randn(96);
  set_num_threads(1);
  const Found one = gradients(x, w, g);
  set_num_threads(3);
  const Found three = gradients(x, w, g);
  set_num_threads(0);
  CHECK(one.x == three.x);
  CHECK(one.weight == three.weight);
  CHECK(one.bias == three.bias);
}

TEST_CASE("x that does not lie in rows, gradients that do not, and no rows") {
  const Tensor x = randn(24, 40), g = randn(40, 24), w = randn(24);
  const Found wanted = gradients(x.t().clone(), w, g);
  const Var xs = parameter(x), ws = parameter(w), bs = parameter(zeros<float>(24));
  layer_norm(xs.t(), ws, bs).backward(g);
  check_close(xs.grad().t().clone().to_vector(), wanted.x, 1e-5);
  check_close(ws.grad().to_vector(), wanted.weight, 1e-5);
  const Var ys = parameter(x.t().clone());
  ws.zero_grad();
  layer_norm(ys, ws, bs).backward(g.t().clone().t());
  check_close(ys.grad().to_vector(), wanted.x, 1e-5);
  check_close(ws.grad().to_vector(), wanted.weight, 1e-5);
  const Var none = parameter(zeros<float>(0, 24));
  ws.zero_grad();
  layer_norm(none, ws, bs).backward(zeros<float>(0, 24));
  CHECK(sum(abs(ws.grad())).item() == 0);
}

TEST_CASE("x shared with the weight, and x that needs no gradient") {
  const Tensor one = randn(1, 24), g = randn(1, 24);
  const Var v = parameter(one.reshape(24));
  rms_norm(v, v).backward(g.reshape(24));
  const Var x = parameter(one.reshape(24)), w = parameter(one.reshape(24));
  rms_norm(x, w).backward(g.reshape(24));
  check_close(v.grad().to_vector(), (x.grad() + w.grad()).eval().to_vector(), 1e-5);
  const Var weight = parameter(one.reshape(24)), bias = parameter(zeros<float>(24));
  layer_norm(one, weight, bias).backward(g);
  CHECK(bias.grad().to_vector() == g.to_vector());
}
