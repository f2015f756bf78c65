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

/// Compares what one row program passes to x in f(x, t), where t has the gradient's shape, with
/// what the gradient, once it is a tensor, gives in double on the CPU.
template <class D, class F>
void compare(const F& f, const Shape& shape, const Shape& own) {
  CAPTURE(shape);
  const auto numbers = [&](double first) { return test::numbers<Cpu>(shape, first); };
  const auto here = [](const Tensor<double>& x) { return cast<float>(x).eval().to(D{}); };
  const Var<double> wanted = parameter(test::numbers<Cpu>(own, 0.4));
  const Var<float, D> found = parameter(here(wanted.value()));
  const Var<double> y = f(wanted, numbers(1.4));
  y.backward(Tensor<double>(above(numbers(0.2), numbers(1.2))));

  const auto e = f(found, here(numbers(1.4)));
  using E = std::remove_const_t<decltype(e)>;
  const Tensor<float, D> value = here(numbers(0.2));
  const Tensor<float, D> upstream = here(numbers(1.2));
  autograd::Variable* const edges[] = {found.variable().get()};
  edges[0]->active = true;
  const auto gradient = above(value, upstream);
  static_assert(autograd::can_pull_rows<E, std::remove_const_t<decltype(gradient)>>());
  for (const double times : {1.0, 2.0}) {  // the second one adds to the first
    REQUIRE(autograd::pull_rows<E>(autograd::without_vars(e), edges, gradient));
    const Tensor<double> off = cast<double>(found.grad().to(Cpu{})) - times * wanted.grad();
    const double size = std::max(1.0, max(abs(wanted.grad())).item());
    CHECK(max(abs(off)).item() / size < 4e-5);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("a gradient goes on through what it is of", D, TEST_DEVICES) {
  const auto one = [](const auto& x, const auto&) { return tanh(x); };
  for (const std::int64_t length : {3, 127, 512, 1030}) compare<D>(one, {6, length}, {6, length});
  const auto beside = [](const auto& x, const auto& t) { return sin(x * t) * t; };
  compare<D>(beside, {7, 33}, {7, 33});
  compare<D>(beside, {5, 640}, {5, 1});
  compare<D>(beside, {2, 5, 40}, {40});
  compare<D>(beside, {40, 300}, {});
}
