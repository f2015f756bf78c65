#include "weft/autograd/expression/row_pull.hpp"

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/reduce.hpp"
#endif

using namespace weft;

namespace {

/// The gradient that a softmax with value y passes on.
template <class T>
auto above(const T& y, const T& g) {
  return y * (g - sum(g * y, axis(-1), keepdims));
}

/// Compares what one row program passes to x, y and z in f(x, y, z) with what the gradient, once it
/// is a tensor, gives in double on the CPU.
template <class D, class F>
void compare(const F& f, const Shape& shape, const Shape& beside, const Shape& third) {
  CAPTURE(shape);
  const Shape shapes[] = {shape, beside, third};
  Var<double> wanted[3];
  Var<float, D> found[3];
  for (int i = 0; i < 3; ++i) {
    const auto start = test::numbers<Cpu>(shapes[i], 0.4 + i);
    wanted[i] = parameter(start);
    found[i] = parameter(cast<float>(start).eval().to(D{}));
  }
  const auto value = test::numbers<Cpu>(shape, 0.2);
  const auto upstream = test::numbers<Cpu>(shape, 1.2);
  const Var<double> y = f(wanted[0], wanted[1], wanted[2]);
  y.backward(Tensor<double>(above(value, upstream)));

  const auto e = f(found[0], found[1], found[2]);
  using E = std::remove_const_t<decltype(e)>;
  const Tensor<float, D> own_value = cast<float>(value).eval().to(D{});
  const Tensor<float, D> own_upstream = cast<float>(upstream).eval().to(D{});
  autograd::Variable* edges[autograd::var_count<E>];
  autograd::for_each_var(e, [&](const auto& v, int i) { edges[i] = v.variable().get(); });
  for (autograd::Variable* v : edges) v->active = true;
  const auto gradient = above(own_value, own_upstream);
  static_assert(autograd::can_pull_rows<E, std::remove_const_t<decltype(gradient)>>());
  for (const double times : {1.0, 2.0}) {  // the second one adds to the first
    REQUIRE(autograd::pull_rows<E>(autograd::without_vars(e), edges, gradient));
    for (int i = 0; i < 3; ++i) {
      if (!wanted[i].has_grad()) continue;
      const Tensor<double> own = cast<double>(found[i].grad().to(Cpu{}));
      const double size = std::max(1.0, max(abs(wanted[i].grad())).item());
      CHECK(max(abs(own - times * wanted[i].grad())).item() / size < 4e-5);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("a gradient goes on through what it is of", D, TEST_DEVICES) {
  const auto one = [](const auto& x, const auto&, const auto&) { return tanh(x) * x; };
  for (const std::int64_t length : {3, 127, 512, 1030}) {
    compare<D>(one, {6, length}, {1}, {1});
  }
  const auto several = [](const auto& x, const auto& b, const auto& r) { return (x * b + r) * x; };
  compare<D>(several, {7, 33}, {7, 1}, {7, 33});
  compare<D>(several, {5, 640}, {5, 1}, {5, 640});
  compare<D>(several, {2, 5, 40}, {40}, {5, 1});
  compare<D>(several, {40, 300}, {}, {40, 300});
}
