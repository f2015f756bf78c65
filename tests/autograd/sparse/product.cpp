// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd/sparse/product.hpp>

#include "gradients.hpp"
#include "weft/sparse.hpp"

using namespace weft;

namespace {
/// A (3, 4) matrix of five elements with an empty row.
template <class V>
auto matrix(const V& values) {
  using D = typename V::device_type;
  return csr(tensor({0, 2, 2, 5}).to(D{}), tensor({0, 3, 0, 1, 2}).to(D{}), values, {3, 4});
}
}  // namespace

TEST_CASE_TEMPLATE("gradients against differences", D, TEST_DEVICES) {
  const auto values = test::numbers<D>({5}, 0.3);
  const auto x = test::numbers<D>({4, 2}, 0.1);
  const auto b = test::numbers<D>({2}, -0.4);
  const auto w = test::numbers<D>({3, 2}, 0.7);
  const auto layer = [](const auto& v, const auto& m, const auto& bias) {
    return Var(tanh(matmul(matrix(v), m) + bias));
  };
  CHECK(gradcheck(layer, parameter(values), parameter(x), parameter(b)));
  CHECK(gradcheck([&](const auto& v) { return Var(matmul(matrix(v), x.t()(1))); },
                  parameter(values)));
  CHECK(gradcheck([&](const auto& m) { return Var(matmul(matrix(values), m * m)); }, parameter(x)));
  const auto sampled = [&](const auto& l, const auto& r) {
    return Var(exp(sddmm_values(matrix(values), l, r)));
  };
  CHECK(gradcheck(sampled, parameter(w), parameter(x.t().contiguous())));
  CHECK(gradcheck([&](const auto& v) { return Var(matmul(w.t(), matrix(v))); }, parameter(values)));
}

TEST_CASE_TEMPLATE("gradients through conversions and arithmetic", D, TEST_DEVICES) {
  const auto values = test::numbers<D>({5}, 0.3);
  const auto x = test::numbers<D>({3, 4}, 0.2);
  const auto check = [&](const auto& f) { CHECK(gradcheck(f, parameter(values))); };
  check([&](const auto& v) { return Var(matrix(v).to_dense() * x); });
  check([&](const auto& v) {
    const auto a = matrix(v);
    return Var((a * x + a * a).t().to_dense());
  });
  check([&](const auto& v) {  // one place thrice, others in no order
    const auto a = coo(tensor({2, 0, 2, 1, 2}).to(D{}), tensor({1, 3, 1, 0, 1}).to(D{}), v, {3, 4});
    return Var(a.to_csr().values() * 2.0);
  });
  check([](const auto& v) {
    return Var(sum(matrix(v), axis(1)) + sum(matrix(v), axis(0))(slice(0, 3)));
  });
  check([](const auto& v) { return Var(matrix(v).diagonal() * 3.0); });
  check([](const auto& v) {
    return Var(
        (matrix(v) + sparse_diags<double, D>({{1, full<double>({1}, 2.0, D{})}}, {3, 4})).values());
  });
  check([](const auto& v) { return Var(softmax(matrix(v)).values() * v); });
  check([](const auto& v) {
    const auto a = matrix(v);
    return Var(matmul(a, a.t()).values());
  });
  CHECK(gradcheck([](const auto& m) { return Var(to_csr(m).values() * 2.0); }, parameter(x)));
}

TEST_CASE_TEMPLATE("a matrix as a parameter", D, TEST_DEVICES) {
  const auto a = parameter(matrix(test::numbers<D>({5}, 0.3)));
  const auto x = test::numbers<D>({4, 2}, 0.1);
  const Var loss = sum(matmul(a, x));
  loss.backward();
  const auto expected = sddmm(a.detach(), ones<double>({3, 2}, D{}), x.t()).values();
  CHECK(allclose(a.values().grad(), expected));
  CHECK(std::string(to_string(a)).find("gradients") != std::string::npos);
  CHECK(a.detach().values().storage() == a.values().detach().storage());
}

TEST_CASE_TEMPLATE("gradients of complex numbers", D, TEST_DEVICES) {
  using C = complex<double>;
  const auto v = parameter(tensor({C(1, 2), C(3, -1)}).to(D{}));
  const auto x = parameter(tensor({C(2, 1), C(-1, 1)}).to(D{}));
  const auto a = csr(tensor({0, 2}).to(D{}), tensor({0, 1}).to(D{}), v, {1, 2});
  const Var loss = sum(real(matmul(a, x)));
  loss.backward();
  // Re(v x): dL/d(re v) + i dL/d(im v) is x's conjugate.
  CHECK(allclose(real(v.grad() - conj(x.detach())), zeros<double>({2}, D{})));
  CHECK(allclose(imag(x.grad() - conj(v.detach())), zeros<double>({2}, D{})));
}
