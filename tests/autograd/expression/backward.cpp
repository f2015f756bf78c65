#include "weft/autograd/expression/backward.hpp"

#include <weft/autograd/expression/rule.hpp>

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("operands that were broadcast get sums", D, TEST_DEVICES) {
  const auto f = [](const auto& x, const auto& y) { return Var(sin(x) * y + y); };
  const Shape shapes[] = {{}, {1}, {5}, {3, 1}, {1, 5}, {2, 1, 1}, {2, 3, 1}, {2, 1, 5}, {2, 3, 5}};
  const Var full = parameter(numbers<D>({2, 3, 5}));
  for (const Shape& shape : shapes) {
    CAPTURE(shape.rank());
    CAPTURE(shape.size());
    const Var part = parameter(numbers<D>(shape, 1));
    CHECK(gradcheck(f, full, part));
    CHECK(gradcheck(f, part, full));
    CHECK(part.grad().shape() == shape);
  }
  CHECK(gradcheck(f, parameter(numbers<D>({4, 1})), parameter(numbers<D>({3}))));
}

TEST_CASE_TEMPLATE("sizes about those of a vector, a warp and a block", D, TEST_DEVICES) {
  for (const std::int64_t rows : {1, 3, 40, 700}) {
    for (const std::int64_t columns : {1, 2, 7, 33, 256, 1030}) {
      const Var x = parameter(numbers<D>({rows, columns}));
      const Var row = parameter(numbers<D>({columns}, 1));
      const Var column = parameter(numbers<D>({rows, 1}, 2));
      const Var one = parameter(numbers<D>({}, 3));
      const auto weights = numbers<D>({rows, columns}, 4);
      const Var y = x * row + column * x * one;
      y.backward(weights);
      const auto& v = x.detach();
      const Tolerance close{1e-9, 1e-9};
      CHECK(allclose(x.grad(), weights * (row.detach() + column.detach() * one.detach()), close));
      CHECK(allclose(row.grad(), sum(weights * v, axis(0)), close));
      CHECK(allclose(column.grad(), sum(weights * v * one.detach(), axis(1), keepdims), close));
      CHECK(allclose(one.grad(), sum(weights * v * column.detach()), close));
    }
  }
}

TEST_CASE_TEMPLATE("values with strides", D, TEST_DEVICES) {
  const Tensor<double, D> base = numbers<D>({6, 8});
  const Var columns = parameter(base.t());
  const Var part = parameter(Tensor<double, D>(base(slice(0, none, 2), slice(none, none, -1))));
  const Var expanded = parameter(numbers<D>({8}, 1).expand({6, 8}).clone());
  const auto f = [](const auto& x) { return Var(x * x * x); };
  CHECK(gradcheck(f, columns));
  CHECK(gradcheck(f, part));
  CHECK(gradcheck([](const auto& x, const auto& y) { return Var(x * y.t()); }, columns, expanded));
}

TEST_CASE_TEMPLATE("element types mix by cast", D, TEST_DEVICES) {
  const Var x = parameter(full<float>({3, 4}, 2.0F, D{}));
  const Var h = parameter(full<weft::half>({4}, 3.0F, D{}));
  const Var y = x * cast<float>(h);
  y.backward(ones<float>({3, 4}, D{}));
  CHECK(x.grad().to_vector() == std::vector<float>(12, 3));
  CHECK(static_cast<float>(h.grad().to_vector()[3]) == 6);
}

TEST_CASE_TEMPLATE("gradients are added in the kernel", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  const Var row = parameter(numbers<D>({4}, 1));
  const Var a = x * row;
  const Var b = exp(a) + row;
  const Var c = sum(a * b) + sum(row * a);
  c.backward();
  const auto once = x.grad().clone();
  const auto row_once = row.grad().clone();
  CHECK(gradcheck(
      [](const auto& v, const auto& w) {
        const Var p = v * w;
        const Var q = exp(p) + w;
        return Var(p * q + w * p);
      },
      x, row));
  x.zero_grad();
  row.zero_grad();
  for (int i = 0; i < 2; ++i) {
    const Var d = x * row;
    const Var e = sum(d * (exp(d) + row)) + sum(row * d);
    e.backward();
  }
  CHECK(allclose(x.grad(), once * 2.0, {1e-12, 1e-12}));
  CHECK(allclose(row.grad(), row_once * 2.0, {1e-12, 1e-12}));
}

namespace {
/// x, noting where the gradient that it gets lies.
template <class D>
auto noted(const Var<double, D>& x, const double*& at) {
  using T = Tensor<double, D>;
  return custom([](const T& v) { return (v * 1.0).eval(); },
                [&](const T& g, const T&, const T&) {
                  at = g.data();
                  return g * 1.0;
                },
                x);
}
}  // namespace

TEST_CASE_TEMPLATE("a term of a sum gets the sum's own gradient, unless somebody else sees it", D,
                   TEST_DEVICES) {
  using V = Var<double, D>;
  const V x = parameter(numbers<D>({3, 4}));
  const double* to_term = nullptr;
  const double* of_sum = nullptr;
  const auto run = [&](const auto& statement, const auto& then) {
    const V a = noted<D>(x, to_term);
    const V s = statement(a);
    s.register_hook([&](const Tensor<double, D>& g) { of_sum = g.data(); });
    then(s);
    V(s * 1.0).backward(ones<double>(s.shape(), D{}));
    return to_term == of_sum;
  };
  const auto nothing = [](const V&) {};
  CHECK(run([](const V& a) { return V(a + exp(a.detach())); }, nothing));
  CHECK(run([&](const V& a) { return V(exp(x) * 2.0 + (x + a)); }, nothing));
  CHECK_FALSE(run([](const V& a) { return V(a + exp(a)); }, nothing));
  CHECK_FALSE(run([](const V& a) { return V(a * 2.0 + a.detach()); }, nothing));
  CHECK_FALSE(run([](const V& a) { return V(a + zeros<double>({2, 3, 4}, D{})); }, nothing));
  CHECK(run([](const V& a) { return V(a + 1.0); }, [](const V& s) { s.retain_grad(); }));

  // The caller's tensor stays as it is.
  const Tensor<double, D> g = numbers<D>({3, 4}, 1);
  const Tensor<double, D> before = g.clone();
  const V a = x * 2.0;
  const V u = sin(a);
  const V s = a + x;
  const V y = s + u;
  y.backward(g);
  CHECK(equal(g, before));

  const auto agrees = [&](const auto& f) { CHECK(gradcheck(f, x)); };
  agrees([](const V& v) {
    const V p = v * 2.0;
    const V q = exp(v);
    const V first = sin(p);
    const V second = p + q;
    const V third = second + first;
    return V(third + first);
  });
  agrees([](const V& v) {
    const V p = v * 2.0;
    const V row = p(0);
    const V half = p(slice(0, 1));
    const V sums = p + row;
    const V all = p + half;
    return V(sums + all);
  });
  agrees([](const V& v) {
    const V p = v.reshape({4, 3}) * 2.0;
    const V q = p.reshape({3, 4});
    const V r = q + v;
    const V t = r + q.t().clone().t();
    return V(t + r);
  });
}
