#include "weft/autograd/shape/movement.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("views pass gradients to what they show", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2, 3, 4}));
  const auto check = [&](auto view) {
    return gradcheck([&](const auto& v) { return view(v * 2.0 + v); }, x) &&
           gradcheck([&](const auto& v) { return Var(exp(view(v)) * 2.0); }, x);
  };
  using V = Var<double, D>;
  CHECK(check([](const V& v) { return v.permute({2, 0, 1}); }));
  CHECK(check([](const V& v) { return v.transpose(0, 1).flatten(); }));
  CHECK(check([](const V& v) { return v.reshape({6, 4}).t(); }));
  CHECK(check([](const V& v) { return v.view({4, 6})(all, slice(1, none, 2)); }));
  CHECK(check([](const V& v) { return v(1); }));
  CHECK(check([](const V& v) { return v[0][2]; }));
  CHECK(check([](const V& v) { return v(all, 1, slice(none, none, -2)); }));
  CHECK(check([](const V& v) { return v.unsqueeze(1).expand({2, 5, 3, 4}); }));
  CHECK(check([](const V& v) { return v.flip(1).narrow(2, 1, 2); }));
  CHECK(check([](const V& v) { return v.diagonal().squeeze(); }));
  CHECK(check([](const V& v) { return v(0).unsqueeze(0).squeeze(0); }));
}

TEST_CASE_TEMPLATE("several views of one Var in a statement, and the Var itself", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({5, 9}));
  const auto check = [&](auto f) {
    return gradcheck([&](const auto& v) { return Var(f(v)); }, x) &&
           gradcheck([&](const auto& v) { return Var(f(Var(v * 2.0))); }, x);
  };
  using V = Var<double, D>;
  CHECK(check([](const V& v) { return exp(v(all, slice(1, none))) * v(all, slice(0, 8)); }));
  CHECK(check([](const V& v) { return v(all, slice(0, 7)) * v(all, slice(2, none)); }));
  CHECK(check([](const V& v) { return v(1) * v(2) + v(1) * v(4) - v(0); }));
  CHECK(check([](const V& v) { return v.flip(1) * v; }));
  CHECK(check([](const V& v) { return exp(v) * v.flip(1) + v.flip(0); }));
  x.zero_grad();
  const Var twice = x(slice(1, none));
  twice.retain_grad();
  const Var y = twice * x(slice(0, 4));
  y.backward(ones<double>({4, 9}, D{}));
  const auto& value = x.detach();
  CHECK(allclose(twice.grad(), value(slice(0, 4))));
  CHECK(allclose(x.grad()(4), value(3)));
  CHECK(allclose(x.grad()(2), value(1) + value(3)));
}

TEST_CASE_TEMPLATE("a gradient that becomes a view is nobody else's", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2, 3}));
  const Tensor<double, D> g = ones<double>({6}, D{});
  for (int i = 0; i < 2; ++i) x.reshape({6}).backward(g);
  CHECK(x.grad().to_vector() == std::vector<double>(6, 2));
  CHECK(g.to_vector() == std::vector<double>(6, 1));
  x.zero_grad();
  const Var flat = x.flatten();
  flat.retain_grad();
  (sum(flat * 3.0) + sum(x * 4.0)).eval().backward();
  CHECK(x.grad().to_vector() == std::vector<double>(6, 7));
  CHECK(flat.grad().to_vector() == std::vector<double>(6, 3));
  const Var cube = parameter(numbers<D>({2, 3, 2}));
  CHECK(cube.flatten(1).shape() == Shape{2, 6});
  CHECK(cube.flatten(0, -2).shape() == Shape{6, 2});
  sum(cube.flatten(1) * 2.0).eval().backward();
  CHECK(cube.grad().to_vector() == std::vector<double>(12, 2));
  CHECK_SAYS("[flatten] axes 2 to 1 of (2, 3, 2)", cube.flatten(2, 1));
}

TEST_CASE_TEMPLATE("to a device and back", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3}));
  const Var there = x.to(Cpu{});
  static_assert(std::is_same_v<decltype(there), const Var<double, Cpu>>);
  const Var y = sum(there * 2.0);
  y.backward();
  CHECK(x.grad().to_vector() == std::vector<double>(3, 2));
}

TEST_CASE_TEMPLATE("the gradient of a copy goes back, whoever holds it", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2, 3}));
  const Tensor<double, D> g = ones<double>({2, 2}, D{});
  const Var copy = (x * 2.0).eval().narrow(1, 0, 2).contiguous();
  copy.backward(g);
  CHECK(x.grad().to_vector() == std::vector<double>{2, 2, 0, 2, 2, 0});
}

TEST_CASE_TEMPLATE("gradients of views are put into what they show", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 5}));
  CHECK(gradcheck([](const auto& v) { return Var(v(all, slice(1, none)) * v(all, slice(0, 4))); },
                  x));
  CHECK(gradcheck([](const auto& v) { return Var(exp(v) * v.flip(1) + v.flip(0)); }, x));
  CHECK(gradcheck(
      [](const auto& v) {
        const auto part = v(slice(1, 3));
        const Var first = part * part + v(slice(2, 4));
        return Var(first * sin(part(all, slice(0, none))));
      },
      x));
  CHECK(gradcheck(
      [](const auto& v) {  // into a view of a view, and from a norm, which wants its own memory
        const auto part = v.flip(0)(all, slice(1, none));
        return Var(part * 2.0 + softmax(part, axis(-1)));
      },
      x));
  const Var part = x(slice(0, 2));
  part.retain_grad();
  Var(part * 3.0 + x(slice(2, 4))).backward(ones<double>({2, 5}, D{}));
  CHECK(part.grad().to_vector() == std::vector<double>(10, 3.0));
}

TEST_CASE_TEMPLATE("what a large view does not show has the gradient zero", D, TEST_DEVICES) {
  const Var x = parameter(full<double>({3, 500, 400}, 1, D{}));
  const auto part = [](const auto& v) { return v(1, slice(10, none), slice(5, 399)); };
  Var(part(x) * 2.0).backward(ones<double>({490, 394}, D{}));
  CHECK(sum(x.grad()).item() == 2.0 * 490 * 394);
  CHECK(sum(part(x.grad())).item() == 2.0 * 490 * 394);
  x.zero_grad();
  Var(x(all, all, slice(0, 399)) * 3.0).backward(ones<double>({3, 500, 399}, D{}));
  CHECK(sum(x.grad()).item() == 3.0 * 3 * 500 * 399);
}

TEST_CASE_TEMPLATE("zeros around a view, of large and small buffers, of long and short rows", D,
                   TEST_DEVICES) {
  for (const Shape& shape :
       {Shape{7, 40}, Shape{5000, 300}, Shape{600, 2, 1000}, Shape{500, 9000}}) {
    const Tensor<float, D> buffer = full<float>(shape, 3.0F, D{});
    const Tensor<float, D> view =
        shape.rank() == 2 ? buffer(slice(1, none), slice(2, 9)) : buffer(all, 1, slice(2, none));
    weft::autograd::fill_around(buffer, view);
    view.fill(0.0F);
    CHECK(sum(abs(buffer)).eval().item() == 0);
  }
}
