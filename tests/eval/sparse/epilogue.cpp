// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/sparse/epilogue.hpp>

#include "test.hpp"
#include "weft/explain.hpp"
#include "weft/sparse.hpp"

#ifdef __CUDACC__
#include "weft/cuda/inspect/explain.hpp"
#endif

using namespace weft;

namespace {
/// A statement on a sparse matrix, against the same on the dense one.
template <class D, class F>
void check(const F& f) {
  Generator g(3);
  const Tensor<double, Cpu> mask = cast<double>(rand({37, 20}, Cpu{}, g) < 0.2F);
  const Tensor<double, Cpu> dense = randn<double>({37, 20}, Cpu{}, g) * mask;
  const auto x = randn<double>({20, 9}, Cpu{}, g);
  const auto b = randn<double>({9}, Cpu{}, g);
  const auto c = randn<double>({37, 9}, Cpu{}, g);
  const Tensor<double, Cpu> product = matmul(dense, x);
  const Tensor<double, Cpu> expected = f(product, b, c);
  const auto a = to_csr(dense).to(D{});
  const Tensor<double, D> got = f(matmul(a, x.to(D{})), b.to(D{}), c.to(D{}));
  CHECK(got.shape() == expected.shape());
  CHECK(allclose(got.to(Cpu{}), expected, {.rtol = 1e-12, .atol = 1e-12}));
}
}  // namespace

TEST_CASE_TEMPLATE("what stands around a product is part of its loop", D, TEST_DEVICES) {
  check<D>([](const auto& p, const auto& b, const auto&) { return relu(p + b); });
  check<D>([](const auto& p, const auto&, const auto& c) { return gelu_tanh(2.0 * p - c * 0.5); });
  // What no epilogue takes is a pass over the product.
  check<D>([](const auto& p, const auto& b, const auto& c) { return tanh(p + b) * c; });
  check<D>([](const auto& p, const auto& b, const auto&) { return softmax(p + b); });
}

TEST_CASE_TEMPLATE("into views, in place, and onto a larger shape", D, TEST_DEVICES) {
  const auto dense = tensor({{0.F, 2.F}, {3.F, 0.F}}).to(D{});
  const auto a = to_csr(dense);
  const auto x = tensor({{1.F, -1.F}, {2.F, 1.F}}).to(D{});
  const auto b = tensor({-1.F, 1.F}).to(D{});
  const auto wide = zeros({2, 4}, D{});
  wide(slice(0, 2), slice(0, 4, 2)) = relu(matmul(a, x) + b);
  CHECK(wide.to_vector() == std::vector<float>{3, 0, 3, 0, 2, 0, 0, 0});
  const auto many = ones({3, 2, 2}, D{});
  const Tensor<float, D> spread = matmul(a, x) + many;
  CHECK(spread.shape() == Shape{3, 2, 2});
  CHECK(spread(2).clone().to_vector() == std::vector<float>{5, 3, 4, -2});
  Tensor<float, D> y = ones({2, 2}, D{});
  y += matmul(a, x);
  CHECK(y.to_vector() == std::vector<float>{5, 3, 4, -2});
  y = relu(matmul(a, y) + b);  // reads what it writes
  CHECK(y.to_vector() == std::vector<float>{7, 0, 14, 10});
  y = y - matmul(a, x);
  CHECK(y.to_vector() == std::vector<float>{3, -2, 11, 13});
}

TEST_CASE_TEMPLATE("explain knows the product", D, TEST_DEVICES) {
  const auto a = sparse_eye(4, D{});
  const auto x = ones({4, 2}, D{});
  CHECK(std::string(to_string(explain(relu(matmul(a, x) + x)))).find("sparse_product") !=
        std::string::npos);
  CHECK(explain(matmul(a, x)).opaque == 1);
  CHECK(explain(tanh(matmul(a, x)) * x).opaque == 1);
}
