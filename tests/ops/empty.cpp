// Every function on tensors without elements, of any shape.
// SPDX-License-Identifier: Apache-2.0
#ifdef __CUDACC__
#include <weft/cuda/algorithms.hpp>
#include <weft/cuda/matmul.hpp>
#include <weft/cuda/scatter_deterministic.hpp>
#endif

#include "array.hpp"

using namespace weft;
using test::empty_shapes;
using test::empty_tensors;
using test::is_empty;
using test::is_full;

namespace {
/// f(x, mask, axes, kept, with_ones) for each empty tensor and each set of its axes, with the shape
/// of a reduction along these, without and with keepdims.
template <class T, class D, class F>
void for_each_axes(F f) {
  for (const Shape& shape : empty_shapes()) {
    for (const auto& x : empty_tensors<T>(shape, D{})) {
      for (unsigned mask = 1; mask < 1U << shape.rank(); ++mask) {
        Axes axes;
        Shape kept;
        Shape with_ones;
        for (int d = 0; d < shape.rank(); ++d) {
          const bool reduced = (mask >> d & 1U) != 0;
          if (reduced) axes.push_back(d);
          if (!reduced) kept.push_back(shape[d]);
          with_ones.push_back(reduced ? 1 : shape[d]);
        }
        INFO(weft::detail::text(shape), " reduced along ", weft::detail::text(axes));
        f(x, axes, kept, with_ones);
      }
    }
  }
}

int64_t last_size(const Shape& shape) { return shape[shape.rank() - 1]; }
Shape with_last(Shape shape, int64_t size) {
  shape[shape.rank() - 1] = size;
  return shape;
}
}  // namespace

TEST_CASE_TEMPLATE("reductions of no elements give what there is without any", D, TEST_DEVICES) {
  for_each_axes<float, D>(
      [](const auto& x, const Axes& axes, const Shape& kept, const Shape& with_ones) {
        CHECK(is_full(sum(x, axes), kept, 0));
        CHECK(is_full(sum(x, axes, keepdims), with_ones, 0));
        CHECK(is_full(prod(x, axes), kept, 1));
        CHECK(is_full(mean(x, axes), kept, NAN));
        CHECK(is_full(var(x, axes), kept, NAN));
        CHECK(is_full(any(x, axes), kept, false));
        CHECK(is_full(all(x, axes), kept, true));
        CHECK(is_full(count_nonzero(x, axes), kept, 0));
        CHECK(is_full(norm(x, axes), kept, 0));
        CHECK(is_full(logsumexp(x, axes), kept, -INFINITY));
        const auto refuses = [&](const auto& reduction) {
          if (kept.size() == 0) return is_empty(reduction(), kept);
          return doctest::Contains("no elements to reduce").checkWith(test::message([&] {
            (void)reduction();
          }));
        };
        CHECK(refuses([&] { return max(x, axes); }));
        CHECK(refuses([&] { return min(x, axes); }));
        CHECK(refuses([&] { return argmax(x, axes); }));
        CHECK(refuses([&] { return argmin(x, axes); }));
      });
}

TEST_CASE_TEMPLATE("reductions of no elements inside of expressions", D, TEST_DEVICES) {
  for_each_axes<float, D>(
      [](const auto& x, const Axes& axes, const Shape& kept, const Shape& with_ones) {
        CHECK(is_full(sum(x * 2, axes) + 1, kept, 1));
        CHECK(is_full(exp(sum(x, axes)) + prod(x, axes, keepdims).eval().reshape(kept), kept, 2));
        CHECK(is_full(sum(x - sum(x, axes, keepdims), axes) + norm(x, axes), kept, 0));
        CHECK(is_empty(x + sum(x, axes, keepdims), x.shape()));
        auto [total, most] = fuse(sum(x, axes, keepdims), norm(x, axes, keepdims) + 2);
        CHECK(is_full(total, with_ones, 0));
        CHECK(is_full(most, with_ones, 2));
      });
}

TEST_CASE_TEMPLATE("formulas over rows without elements", D, TEST_DEVICES) {
  for_each_axes<float, D>([](const auto& x, const Axes& axes, const Shape& kept, const Shape&) {
    CHECK(is_empty(softmax(x, axes), x.shape()));
    CHECK(is_empty(log_softmax(x, axes), x.shape()));
    CHECK(is_empty(standardize(x, axes), x.shape()));
    CHECK(is_empty(normalize(x, axes), x.shape()));
    CHECK(is_full(cosine_similarity(x, x, axes), kept, 0));
  });
  for (const Shape& shape : empty_shapes()) {
    const int64_t n = last_size(shape);
    const auto x = zeros(shape, D{});
    const auto w = ones({n}, D{});
    CHECK(is_empty(layer_norm(x, w, w), shape));
    CHECK(is_empty(rms_norm(x, w), shape));
    Shape rows = shape;
    rows.erase(shape.rank() - 1);
    if (rows.size() > 0) continue;  // there are no classes
    const auto labels = zeros<int64_t>(rows, D{});
    CHECK(is_empty(cross_entropy_rows(x, labels), with_last(shape, 1)));
    CHECK(std::isnan(cross_entropy(x, labels).item()));
  }
}

TEST_CASE_TEMPLATE("element-wise functions of no elements", D, TEST_DEVICES) {
  for (const Shape& shape : empty_shapes()) {
    INFO(weft::detail::text(shape));
    for (const auto& x : empty_tensors<float>(shape, D{})) {
      const auto a = neg(abs(sign(square(reciprocal(sqrt(rsqrt(cbrt(exp(exp2(expm1(x)))))))))));
      const auto b = log(log2(log10(log1p(sin(cos(tan(asin(acos(atan(sinh(cosh(a))))))))))));
      CHECK(is_empty(b, shape));
      const auto c = tanh(asinh(acosh(atanh(erf(erfc(lgamma(digamma(floor(ceil(round(x)))))))))));
      const auto d = trunc(frac(relu(sigmoid(silu(gelu(gelu_tanh(mish(hardswish(c)))))))));
      CHECK(is_empty(hardsigmoid(leaky_relu(elu(softplus(d)))), shape));
      const auto e = x + x - x * x / x % x;
      const auto f = fmod(remainder(pow(maximum(minimum(fmax(fmin(e, x), x), x), x), x), x), x);
      const auto g =
          fdim(atan2(hypot(copysign(xlogy(clamp_min(clamp_max(f, x), x), x), x), x), x), x);
      CHECK(is_empty(g, shape));
      const auto h = clamp(lerp(fma(addcmul(x, x, x), x, x), x, x), x, x);
      const auto truths = (h == x && x != x) || (x < x && x <= x) || (x > x && x >= x);
      const auto more = logical_xor(!truths, isnan(x) || isinf(x) || isfinite(x));
      CHECK(is_empty(where(more, x, 2.F) + cast<float>(isclose(x, x)), shape));
      const auto i = cast<int>(x);
      CHECK(is_empty(((~i & i) | (i ^ i)) << (i >> i), shape));
      const auto z = cast<weft::complex<float>>(x);
      CHECK(is_empty(real(z) + imag(z) + real(conj(z)) + arg(z), shape));
      CHECK(is_empty(x + zeros({1}, D{}), shape));
      CHECK(allclose(x, x));
      CHECK(equal(x, x));
      CHECK(is_empty(generated(shape, op::affine<float>{0, 1}) + x, shape));
    }
  }
}

TEST_CASE_TEMPLATE("running values, order and choice of no elements", D, TEST_DEVICES) {
  for (const Shape& shape : empty_shapes()) {
    INFO(weft::detail::text(shape));
    for (const auto& x : empty_tensors<float>(shape, D{})) {
      for (int d = 0; d < shape.rank(); ++d) {
        CHECK(is_empty(cumsum(x, axis(d)), shape));
        CHECK(is_empty(cumprod(x, axis(d)) + cummax(x, axis(d)), shape));
        CHECK(is_empty(cummin(x, axis(d)) + logcumsumexp(x, axis(d), deterministic), shape));
        const auto sorted = sort(x, axis(d), descending);
        CHECK(is_empty(sorted.values, shape));
        CHECK(is_empty(sorted.indices, shape));
        CHECK(is_empty(argsort(x, axis(d)), shape));
        const auto top = topk(x, shape[d] < 2 ? shape[d] : 2, axis(d));
        CHECK(top.values.size() == 0);
        CHECK(top.indices.shape() == top.values.shape());
      }
      CHECK(is_empty(nonzero(x), {0, shape.rank()}));
      CHECK(is_empty(masked_select(x, x > 0), {0}));
      CHECK(is_empty(unique(x), {0}));
      CHECK(is_empty(unique_counts(x).counts, {0}));
      CHECK(is_empty(unique_all(x).inverse, shape));
      CHECK(is_empty(unique_all(cast<int>(x)).inverse, shape));
      CHECK(is_empty(searchsorted(ones({4}, D{}), x), shape));
      CHECK(is_full(histogram(x, 3, 0, 1), {3}, 0));
      CHECK(is_full(bincount(cast<int>(x), 2), {2}, 0));
    }
  }
  CHECK(is_full(searchsorted(zeros({0}, D{}), ones({4}, D{})), {4}, 0));
}

TEST_CASE_TEMPLATE("products of matrices without elements", D, TEST_DEVICES) {
  for (const Shape& shape : empty_shapes()) {
    INFO(weft::detail::text(shape));
    const int64_t n = last_size(shape);
    const auto narrow = ones({n, 2}, D{});
    const Shape out = with_last(shape, 2);
    for (const auto& x : empty_tensors<float>(shape, D{})) {
      CHECK(is_full(matmul(x, narrow), out, 0));
      CHECK(is_full(relu(matmul(x, narrow) + 1), out, 1));
      CHECK(is_full(linear(x, narrow.t(), ones({2}, D{})), out, 1));
      CHECK(is_full(tensordot(x, narrow, 1), out, 0));
      CHECK(is_full(einsum("...i,ij->...j", x, narrow), out, 0));
      CHECK(is_full(einsum("...i,ij->j", x, narrow), {2}, 0));
      CHECK(is_full(einsum("...->", x), {}, 0));
      if (shape.rank() == 1) {
        CHECK(dot(x, x).item() == 0);
        CHECK(is_empty(outer(x, ones({2}, D{})), {0, 2}));
      }
      if (shape.rank() == 2) {
        CHECK(is_full(mm(x, narrow), out, 0));
        CHECK(is_full(mv(x, ones({n}, D{})), {shape[0]}, 0));
        CHECK(is_full(matmul(x.t(), x), {n, n}, 0));
      }
      if (shape.rank() == 3) {
        CHECK(is_full(bmm(x, x.transpose(1, 2)), {shape[0], shape[1], shape[1]}, 0));
      }
    }
  }
}

TEST_CASE_TEMPLATE("gathers from and scatters to tensors without elements", D, TEST_DEVICES) {
  for (const Shape& shape : empty_shapes()) {
    INFO(weft::detail::text(shape));
    const auto x = zeros(shape, D{});
    const auto none = zeros<int64_t>({0}, D{});
    const auto all_of = zeros<int64_t>(shape, D{});
    CHECK(is_empty(take(x, all_of), shape));
    CHECK_SAYS("there are no elements", take(x, zeros<int64_t>({2}, D{})).eval().to_vector());
    for (int d = 0; d < shape.rank(); ++d) {
      Shape without = shape;
      without[d] = 0;
      CHECK(is_empty(take(x, none, axis(d)), without));
      CHECK(is_empty(index_select(x, none, axis(d)), without));
      CHECK(is_empty(gather(x, all_of, axis(d)), shape));
      CHECK(is_empty(take_along_axis(x, all_of, axis(d)), shape));
      CHECK(is_empty(scatter(x, axis(d), all_of, x), shape));
      CHECK(is_empty(scatter_add(x, axis(d), all_of, 1), shape));
      CHECK(is_empty(scatter_add(x, axis(d), all_of, x, deterministic), shape));
      CHECK(is_empty(index_copy(x, axis(d), none, zeros(without, D{})), shape));
      CHECK(is_empty(index_add(x, axis(d), none, zeros(without, D{}), deterministic), shape));
      CHECK(is_empty(index_fill(x, axis(d), none, 3), shape));
    }
    CHECK(is_empty(put(x, all_of, x), shape));
    CHECK(is_empty(put_add(x, none, zeros({0}, D{})), shape));
  }
  const auto full = ones({2, 3}, D{});
  CHECK(is_full(index_add(full, axis(0), zeros<int64_t>({0}, D{}), ones({0, 3}, D{})), {2, 3}, 1));
  CHECK(is_full(put(full, zeros<int64_t>({0}, D{}), zeros({0}, D{})), {2, 3}, 1));
}

TEST_CASE_TEMPLATE("tensors made and written without elements", D, TEST_DEVICES) {
  for (const Shape& shape : empty_shapes()) {
    INFO(weft::detail::text(shape));
    CHECK(is_empty(empty(shape, D{}), shape));
    CHECK(is_empty(full_like(ones_like(empty_like(zeros_like(ones(shape, D{})))), 2), shape));
    CHECK(is_empty(rand(shape, D{}) + uniform(shape), shape));
    CHECK(is_empty(randn(shape, D{}) + normal(shape), shape));
    CHECK(is_empty(randint(0, 5, shape, D{}) + integers(0, 5, shape), shape));
    CHECK(is_empty(bernoulli(0.5, shape, D{}) || trials(0.5, shape), shape));
    for (const auto& x : empty_tensors<float>(shape, D{})) {
      x += 1;
      const auto same = x;
      x -= same;
      x.fill(2);
      x.assign(x * 2);
      auto y = x.clone();
      tie(x, y) = fuse(y + 1, x);
      y = x + y;
      auto [v, w] = fuse(x, y * 2);
      CHECK(is_empty(v, shape));
      CHECK(is_empty(w, shape));
      CHECK(is_empty(y, shape));
      CHECK(doctest::String(to_string(x).c_str()) == doctest::Contains("[]"));
      CHECK(is_empty(cat(std::vector{x, y}, axis(0)).narrow(0, 0, shape[0]), shape));
      CHECK(stack(std::vector{x, y}, axis(0)).size() == 0);
      CHECK(is_empty(x.to(Cpu{}).to(D{}), shape));
    }
  }
  CHECK(is_empty(arange<float>(0, D{}), {0}));
  CHECK(is_empty(linspace(0, 1, 0, D{}), {0}));
  CHECK(is_empty(eye(0, D{}), {0, 0}));
  CHECK(is_empty(permutation(0, D{}), {0}));
}

TEST_CASE_TEMPLATE("views of tensors without elements", D, TEST_DEVICES) {
  for (const Shape& shape : empty_shapes()) {
    INFO(weft::detail::text(shape));
    const int rank = shape.rank();
    for (const auto& x : empty_tensors<float>(shape, D{})) {
      CHECK(is_empty(x.flatten(), {0}));
      CHECK(is_empty(x.reshape({2, 0, 5}), {2, 0, 5}));
      CHECK(x.squeeze().size() == 0);
      CHECK(is_empty(x.unsqueeze(0).squeeze(0), shape));
      CHECK(is_empty(x.contiguous(), shape));
      CHECK(x(ellipsis, all).size() == 0);
      for (int d = 0; d < rank; ++d) {
        CHECK(is_empty(x.flip(d) + x, shape));
        CHECK(is_empty(x.narrow(d, 0, shape[d]), shape));
        CHECK(x.transpose(0, d).transpose(d, 0).shape() == shape);
        CHECK(x.split(2, d).size() == static_cast<std::size_t>(shape[d] < 3 ? 1 : 2));
        CHECK(!x.chunk(2, d).empty());
        if (d > 0) CHECK(sum(x.diagonal(0, 0, d)).item() == 0);
      }
      Shape wide = shape;
      wide.insert(0, 7);
      CHECK(is_empty(x.expand(wide), wide));
      std::int64_t rows = 0;
      for (auto&& row : x) rows += row.size() == 0 ? 1 : 0;
      CHECK(rows == shape[0]);
      CHECK_SAYS("[item] a tensor of shape", x.item());
    }
  }
}
