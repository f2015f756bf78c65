#include "weft/autograd/expression/row_backward.hpp"

#include <weft/autograd/expression/row_adjoint.hpp>
#include <weft/autograd/expression/row_plan.hpp>
#include <weft/autograd/expression/row_reads.hpp>
#include <weft/autograd/expression/row_run.hpp>
#include <weft/autograd/expression/row_shape.hpp>
#include <weft/autograd/expression/row_sweep.hpp>

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/reduce.hpp"
#endif

using namespace weft;

namespace {

/// Numbers like those of test::numbers, in float on D.
template <class D>
Var<float, D> learned(const Shape& shape, double first) {
  return parameter(cast<float>(test::numbers<Cpu>(shape, first)).eval().to(D{}));
}

/// Compares the gradients of f(vars...) that one row program computes with those that the
/// statement's own kernels give in double on the CPU.
template <class D, class F>
bool agrees(const F& f, const std::vector<Shape>& shapes, double tolerance = 2e-5) {
  const auto start = [&](std::size_t i) { return i < shapes.size() ? shapes[i] : Shape{1}; };
  const Var<double> a = parameter(test::numbers<Cpu>(start(0), 0.3));
  const Var<double> b = parameter(test::numbers<Cpu>(start(1), 0.6));
  const Var<double> c = parameter(test::numbers<Cpu>(start(2), 0.1));
  const Var<float, D> x = learned<D>(start(0), 0.3);
  const Var<float, D> y = learned<D>(start(1), 0.6);
  const Var<float, D> z = learned<D>(start(2), 0.1);
  const Var<double> value = f(a, b, c);
  const auto upstream = test::numbers<Cpu>(value.shape(), 1.3);
  value.backward(upstream);

  const auto e = f(x, y, z);
  using E = std::remove_const_t<decltype(e)>;
  using Rows = autograd::RowBackward<E>;
  static_assert(Rows::possible());
  autograd::Variable* edges[autograd::var_count<E>];
  autograd::for_each_var(e, [&](const auto& v, int i) { edges[i] = v.variable().get(); });
  for (autograd::Variable* v : edges) v->active = true;
  const Tensor<float, D> g = cast<float>(upstream).eval().to(D{});
  if (!Rows::run(autograd::without_vars(e), edges, g)) return false;
  const Tensor<double> expected[] = {a.has_grad() ? a.grad() : Tensor<double>{},
                                     b.has_grad() ? b.grad() : Tensor<double>{},
                                     c.has_grad() ? c.grad() : Tensor<double>{}};
  const Var<float, D> found[] = {x, y, z};
  bool all = true;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Tensor<double> own = cast<double>(found[i].grad().to(Cpu{}));
    const double size = std::max(1.0, max(abs(expected[i])).item());
    const double off = max(abs(own - expected[i])).item() / size;
    CHECK(off < tolerance);
    all = all && off < tolerance;
  }
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("a value along the rows", D, TEST_DEVICES) {
  const auto centred = [](const auto& x, const auto&, const auto&) {
    return x - mean(x, axis(-1), keepdims);
  };
  for (const std::int64_t length : {3, 33, 96, 300, 2051, 4096}) {
    CHECK(agrees<D>(centred, {{7, length}}));
  }
  const auto over_all = [](const auto& x, const auto&, const auto&) { return x - mean(x); };
  CHECK(agrees<D>(over_all, {{5, 7}}));
  const auto below = [](const auto& x, const auto&, const auto&) {
    return x - max(x, axis(-1), keepdims);
  };
  CHECK(agrees<D>(below, {{40, 10}}));
  CHECK(agrees<D>([](const auto& x, const auto&, const auto&) { return normalize(x, axis(1)); },
                  {{4, 70, 9}}));
  const auto standard = [](const auto& x, const auto& r, const auto&) {
    const auto h = x + r * x;
    const auto c = h - mean(h, axis(0), keepdims);
    return c / sqrt(mean(square(c), axis(0), keepdims)) + h;
  };
  CHECK(agrees<D>(standard, {{50, 12}, {50, 12}}));
  const auto scaled = [](const auto& x, const auto& b, const auto&) {
    const auto h = x * b;
    const auto low = min(h, axis(-1), keepdims);
    return (h - low) / (max(h, axis(-1), keepdims) - low);
  };
  CHECK(agrees<D>(scaled, {{9, 128}, {128}}));
}

TEST_CASE_TEMPLATE("one number for each row", D, TEST_DEVICES) {
  const auto cosine = [](const auto& x, const auto& y, const auto&) {
    return sum(x * y, axis(-1)) / sqrt(sum(x * x, axis(-1)) * sum(y * y, axis(-1)));
  };
  for (const std::int64_t length : {3, 100, 1030}) {
    CHECK(agrees<D>(cosine, {{11, length}, {11, length}}));
  }
}

TEST_CASE_TEMPLATE("image norms, with gains that are one number for each row", D, TEST_DEVICES) {
  const auto norm = [](const Axes& axes) {
    return [axes](const auto& x, const auto& w, const auto& b) {
      const auto m = mean(x, axes, keepdims);
      const auto v = var(x, axes, correction(0), keepdims);
      using T = typename std::remove_cvref_t<decltype(v)>::value_type;
      return relu((x - m) * rsqrt(v + static_cast<T>(0.01)) * w + b);
    };
  };
  CHECK(agrees<D>(norm(axis(0, 2, 3)), {{6, 5, 7, 7}, {5, 1, 1}, {5, 1, 1}}));
  CHECK(agrees<D>(norm(axis(0, 2, 3)), {{2, 3, 100, 100}, {3, 1, 1}, {3, 1, 1}}));
  CHECK(agrees<D>(norm(axis(2, 3)), {{6, 5, 7, 8}, {5, 1, 1}, {5, 1, 1}}));
  CHECK(agrees<D>(norm(axis(0, 1, 2)), {{2, 4, 9, 24}, {24}, {24}}));
  if constexpr (is_cuda<D>) {
    CHECK(agrees<D>(norm(axis(0, 1, 2)), {{4, 9, 9, 24}, {24}, {24}}));
  } else {  // long columns: each reduction on its own
    CHECK_FALSE(agrees<D>(norm(axis(0, 1, 2)), {{4, 9, 9, 24}, {24}, {24}}));
    const Var x = learned<D>({4, 9, 9, 24}, 0.3);
    const Var w = learned<D>({24}, 0.6);
    const Var b = learned<D>({24}, 0.1);
    const Tensor g = cast<float>(test::numbers<Cpu>(x.shape(), 1.3)).eval();
    Var(norm(axis(0, 1, 2))(x, w, b)).backward(g);
    const Var first = parameter(x.detach().permute({3, 0, 1, 2}).contiguous());
    const Var w1 = parameter(w.detach().reshape(24, 1, 1, 1));
    const Var b1 = parameter(b.detach().reshape(24, 1, 1, 1));
    Var(norm(axis(1, 2, 3))(first, w1, b1)).backward(g.permute({3, 0, 1, 2}).contiguous());
    CHECK(allclose(x.grad(), first.grad().permute({1, 2, 3, 0}), {1e-4, 1e-5}));
    CHECK(allclose(w.grad(), w1.grad().flatten(), {1e-4, 1e-4}));
    CHECK(allclose(b.grad(), b1.grad().flatten(), {1e-4, 1e-4}));
  }
}
