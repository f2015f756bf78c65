#include "weft/autograd/shape/parts.hpp"

#include "gradients.hpp"
#include "weft/ops/elementwise/more.hpp"
#include "weft/ops/elementwise/parts.hpp"
#include "weft/ops/shape/edit.hpp"
#include "weft/ops/shape/strided.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("a part that is replaced", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  const Var y = parameter(numbers<D>({3}, 2));
  CHECK(gradcheck([](const auto& v, const auto& w) { return select_scatter(v * v, w, axis(1), 2); },
                  x, y));
  CHECK(gradcheck([](const auto& v, const auto& w) { return diagonal_scatter(v, w * w); }, x, y));
  CHECK(gradcheck(
      [](const auto& v, const auto& w) { return slice_scatter(v, w.sum(), axis(0), slice(1, 2)); },
      x, y));
  CHECK(gradcheck([](const auto& v) { return diagonal_scatter(v, 3.0, 1); }, x));
}

TEST_CASE_TEMPLATE("complex numbers and their parts", D, TEST_DEVICES) {
  using V = Var<double, D>;
  using Z = Var<complex<double>, D>;
  const V x = parameter(numbers<D>({3, 2}));
  const V y = parameter(numbers<D>({3, 2}, 2));
  const auto parts = [](const Z& z) -> V { return real(z) * 0.5 + imag(z); };
  CHECK(gradcheck(
      [&](const V& v, const V& w) { return parts(as_complex(v, w) * as_complex(w, v)); }, x, y));
  CHECK(gradcheck([&](const V& v, const V& w) { return parts(polar(v, w)); }, x, y));
  CHECK(gradcheck([&](const V& v) { return view_as_real(Z(square(view_as_complex(v)))); }, x));
  CHECK(equal(view_as_real(view_as_complex(x)).value(), x.value()));
  CHECK_SAYS("[view_as_complex] shape (2, 3)", view_as_complex(V(x.t())));
  CHECK(gradcheck([](const V& v) -> V { return as_strided(v * v, {2, 2}, {1, 2}, 1); }, x));
  CHECK(
      equal(V(as_strided(x, {2, 2}, {1, 2}, 1)).value(), as_strided(x.value(), {2, 2}, {1, 2}, 1)));
}
