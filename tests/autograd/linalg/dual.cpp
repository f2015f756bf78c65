#include "weft/autograd/linalg/dual.hpp"

#include "hessians.hpp"

#ifdef __CUDACC__
#include "weft/cuda/scan/scan.hpp"
#endif

using namespace weft;
using autograd::tangents;
using autograd::values;
using autograd::with_tangents;
using test::hvp_agrees;
using test::numbers;

TEST_CASE_TEMPLATE("Dual elements: parts, and constants beside them", D, TEST_DEVICES) {
  const auto x = numbers<D>({2, 3});
  const auto v = numbers<D>({2, 3}, 1);
  const Tensor<Dual<double>, D> z = with_tangents(x, v);
  CHECK(equal(values(z), x));
  CHECK(equal(tangents(z.t()), v.t()));
  CHECK(equal(Var(z).detach(), x));
  const Tensor<Dual<double>, D> product = x * z * 2.0;
  CHECK(allclose(values(product), 2.0 * x * x));
  CHECK(allclose(tangents(product), 2.0 * x * v));
  const Tensor<const double, D> fixed = x;
  const Tensor<Dual<double>, D> chosen = where(x > 0.0, fixed, z);
  CHECK(allclose(tangents(chosen), where(x > 0.0, 0.0, v)));
  const Tensor<Dual<float>, D> narrow = cast<float>(z);
  CHECK(allclose(tangents(narrow), cast<float>(v)));
  CHECK(equal(cast<int>(z), cast<int>(x)));
}

TEST_CASE_TEMPLATE("Dual elements: matrix products", D, TEST_DEVICES) {
  const auto a = numbers<D>({2, 3, 4});
  const auto x = numbers<D>({4, 5}, 0.3);
  CHECK(hvp_agrees([&](const auto& p) { return sum(square(matmul(a, p * p))); }, x));
  CHECK(hvp_agrees([&](const auto& p) { return sum(exp(bmm(p, p.transpose(1, 2)))); },
                   Tensor<double, D>(a * 0.5)));
  CHECK(hvp_agrees([&](const auto& p) { return sum(tanh(matmul(p, p.t()) + x(all, 0))); }, x));
  CHECK(hvp_agrees([&](const auto& p) { return square(dot(p, p)); }, x(0)));
  CHECK(hvp_agrees([&](const auto& p) { return sum(square(outer(p, p))); }, x(0)));
  CHECK(hvp_agrees([&](const auto& p) { return sum(relu(linear(a, p, x(all, 0)))); },
                   numbers<D>({4, 4}, 0.3)));
  const auto empty_sum = hvp([](const auto& p) { return sum(matmul(p, p.t())); },
                             zeros<double>({3, 0}, D{}), zeros<double>({3, 0}, D{}));
  CHECK(empty_sum.value.item() == 0);
}

TEST_CASE_TEMPLATE("Dual elements: reductions", D, TEST_DEVICES) {
  const auto x = numbers<D>({3, 4}, 0.2);
  CHECK(hvp_agrees([](const auto& p) { return sum(square(sum(p * p, axis(0)))); }, x));
  CHECK(hvp_agrees([](const auto& p) { return mean(exp(mean(p * p, axis(1)))); }, x));
  CHECK(hvp_agrees([](const auto& p) { return prod(p * p); }, x));
  CHECK(hvp_agrees([](const auto& p) { return sum(exp(max(p * p, axis(1)))); }, x));
  CHECK(hvp_agrees([](const auto& p) { return sum(square(logsumexp(3.0 * p, axis(1)))); }, x));
  CHECK(hvp_agrees([](const auto& p) { return logsumexp(p * p * p); }, zeros_like(x)));
  CHECK(hvp_agrees([](const auto& p) { return sum(square(var(p * p, axis(1)))); }, x));
  CHECK(hvp_agrees([](const auto& p) { return sum(square(stddev(exp(p), axis(0)))); }, x));
  CHECK(hvp_agrees([](const auto& p) { return sum(exp(norm(p, axis(1)))); }, x));
}

TEST_CASE_TEMPLATE("Dual elements: reductions of long and wide arrays of float", D, TEST_DEVICES) {
  const Tensor<float, D> x = cast<float>(numbers<D>({40, 1300}, 0.2));
  const Tensor<float, D> v = cast<float>(numbers<D>({40, 1300}, 1));
  const Tolerance near{1e-4, 1e-6};
  const auto flat = hvp([](const auto& p) { return sum(p * p * p); }, x, v);
  CHECK(allclose(flat.product, 6.0F * x * v, near));
  CHECK(allclose(flat.value, sum(x * x * x).eval(), near));
  const auto rows = hvp([](const auto& p) { return sum(logsumexp(p, axis(1))); }, x, v);
  const Tensor<float, D> s = softmax(x);
  CHECK(allclose(rows.product, s * (v - sum(s * v, axis(1), keepdims)), near));
  const auto columns = hvp([](const auto& p) { return sum(logsumexp(p, axis(0))); }, x, v);
  const Tensor<float, D> c = softmax(x, axis(0));
  CHECK(allclose(columns.product, c * (v - sum(c * v, axis(0), keepdims)), near));
  const auto targets = zeros<std::int64_t>({40}, x.device());
  const auto loss = hvp([&](const auto& p) { return cross_entropy(p, targets); }, x, v);
  CHECK(allclose(loss.product, s * (v - sum(s * v, axis(1), keepdims)) / 40.0F, near));
  const auto soft = hvp([&](const auto& p) { return sum(softmax(p) * v); }, x, v);
  const Tensor<float, D> centred = v - sum(s * v, axis(1), keepdims);
  const Tensor<float, D> second = square(centred) - sum(s * square(centred), axis(1), keepdims);
  CHECK(allclose(soft.product, s * second, near));
  const Tensor<float, D> column = x(all, slice(0, 1));
  const Tensor<float, D> along = v(all, slice(0, 1));
  const auto sums = hvp([&](const auto& p) { return sum(square(x * p)); }, column, along);
  CHECK(allclose(sums.product, 2.0F * sum(square(x), axis(1), keepdims) * along, near));
  const Tensor<float, D> row = x(0);
  const Tensor<float, D> across = v(0);
  const auto totals = hvp([&](const auto& p) { return sum(square(x * p)); }, row, across);
  CHECK(allclose(totals.product, 2.0F * sum(square(x), axis(0)) * across, near));
}

TEST_CASE_TEMPLATE("Dual elements: softmax, norms and other row programs", D, TEST_DEVICES) {
  const auto x = numbers<D>({3, 6});
  const auto w = numbers<D>({6}, 1);
  const auto b = numbers<D>({6}, 2);
  CHECK(hvp_agrees([](const auto& p) { return sum(square(softmax(p * 2.0))); }, x));
  CHECK(hvp_agrees([&](const auto& p) { return sum(log_softmax(p, axis(0)) * square(p)); }, x));
  CHECK(hvp_agrees([&](const auto& p) { return sum(exp(layer_norm(p, w, b))); }, x));
  CHECK(hvp_agrees([&](const auto& p) { return sum(exp(layer_norm(x, p, p))); }, w));
  CHECK(hvp_agrees([&](const auto& p) { return sum(square(square(rms_norm(p, w)))); }, x));
  CHECK(hvp_agrees([&](const auto& p) { return sum(exp(standardize(p))); }, x));
  CHECK(hvp_agrees([&](const auto& p) { return sum(cosine_similarity(p, x * x)); }, x));
}

TEST_CASE_TEMPLATE("Dual elements: views, cat, indices and sums along an axis", D, TEST_DEVICES) {
  const auto x = numbers<D>({3, 4}, 0.2);
  const auto index = tensor<std::int64_t>({2, 0, 2}).to(D{});
  CHECK(hvp_agrees(
      [](const auto& p) {
        const Var turned = p.t().reshape({2, 6});
        return sum(turned * turned * turned) +
               sum(exp(p(all, slice(1, 3)) * p.flip(1).narrow(1, 0, 2)));
      },
      x));
  CHECK(hvp_agrees(
      [](const auto& p) {
        return sum(exp(p.diagonal())) + prod(p.unsqueeze(1).expand({3, 2, 4}));
      },
      x));
  CHECK(hvp_agrees(
      [](const auto& p) {
        const Var both = cat(std::vector{p, Var(p * p)}, axis(0));
        return sum(both * both * both);
      },
      x));
  CHECK(hvp_agrees([&](const auto& p) { return sum(exp(take(p, index, axis(0)))); }, x));
  CHECK(hvp_agrees(
      [&](const auto& p) { return sum(exp(take_along_axis(p, index.unsqueeze(1), axis(1)))); }, x));
  CHECK(hvp_agrees([](const auto& p) { return sum(exp(cumsum(p, axis(1)))); }, x));
}

namespace {
struct Cube {
  template <class T>
  WEFT_HD T operator()(T x) const {
    return x * x * x;
  }
  template <int, class T>
  WEFT_HD T derivative(T x, T) const {
    return 3 * x * x;
  }
};
}  // namespace

TEST_CASE_TEMPLATE("Dual elements: functions of the programmer's, casts, masks", D, TEST_DEVICES) {
  const auto x = numbers<D>({5}, 0.2);
  const auto v = numbers<D>({5}, 1);
  const auto cube = [](const auto& p) {
    return sum(custom([](const auto& q) { return (q * q * q).eval(); },
                      [](const auto& g, const auto&, const auto& q) { return 3.0 * q * q * g; },
                      p));
  };
  CHECK(allclose(hvp(cube, x, v).product, 6.0 * x * v));
  const auto mapped = hvp([](const auto& p) { return sum(map(Cube{}, p)); }, x, v);
  CHECK(allclose(mapped.product, 6.0 * x * v));
  const auto narrowed = [](const auto& p) { return sum(map(Cube{}, cast<float>(p))); };
  CHECK(allclose(hvp(narrowed, x, v).product, 6.0 * x * v, {1e-5, 1e-6}));
  const auto masked = [](const auto& p) {
    return sum(where(uniform(p.shape()) < 2.0F, p * p * p, 0.0));
  };
  CHECK(allclose(hvp(masked, x, v).product, 6.0 * x * v));
  const auto largest = [](const auto& p) {
    return sum(where(p >= max(p.detach()), p * p * p, 0.0));
  };
  CHECK(allclose(hvp(largest, x, v).product, where(x == max(x), 6.0 * x * v, 0.0)));
}
