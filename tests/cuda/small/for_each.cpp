// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/small/for_each.hpp>

#include "test.hpp"

#include <weft/cuda/small/staging.hpp>
#include <weft/explain.hpp>

#include "../graph_nodes.hpp"
#include "small.hpp"

using namespace weft;
using on_cuda::is_staged;
using on_cuda::staged_pitch;

static_assert(is_staged<Small<float, 3>> && is_staged<Small<double, 4>>);
static_assert(!is_staged<Small<float, 4>> && !is_staged<Small<double, 1>> && !is_staged<float>);
static_assert(staged_pitch<Small<float, 3, 3>> == 36 && staged_pitch<Small<float, 3, 4>> == 48);
static_assert(staged_pitch<Small<float, 4, 4>> == 80 && staged_pitch<Small<double, 4>> == 48);

namespace {
using Vector = Small<float, 3>;
using Matrix = Small<float, 3, 3>;
}  // namespace

TEST_CASE("a statement on Small is one kernel [gpu]") {
  const auto r = test::smalls<Matrix, Cuda>(1000, 1);
  const auto p = test::smalls<Vector, Cuda>(1000, 2);
  const Tensor<Vector, Cuda> q = zeros<Vector>({1000}, Cuda{});
  const Tensor<float, Cuda> s = zeros<float>({1000}, Cuda{});
  const auto one = captured([&] { q.assign(inv(r) * (r * p) + 2 * p); });
  CHECK(one.kernels == 1);
  CHECK(one.kernels + one.memsets + one.copies + one.allocations == 1);
  const auto two = captured([&] { tie(q, s) = fuse(cross(p, r * p), norm(p)); });
  CHECK(two.kernels == 1);
}

TEST_CASE("elements of every size, from every multiple of theirs, agree with the CPU [gpu]") {
  const auto check = [](auto zero, double allowed) {
    using S = decltype(zero);
    const auto x = test::smalls<S, Cpu>(1003, 1);
    const auto there = x.to(Cuda{});
    for (const int first : {0, 1, 2, 3}) {
      const auto here = x(slice(first, 1003));
      const auto moved = there(slice(first, 1003));
      const Tensor<S, Cpu> expected = x.clone();
      const Tensor<S, Cuda> found = there.clone();
      expected(slice(first, 1003)).assign(2 * here + hadamard(here, here));
      found(slice(first, 1003)).assign(2 * moved + hadamard(moved, moved));
      CHECK_MESSAGE(test::difference(test::elements(expected), test::elements(found)) < allowed,
                    sizeof(S), " bytes from element ", first);
    }
  };
  check(Small<float, 3>{}, 1e-6);
  check(Small<float, 4>{}, 1e-6);
  check(Small<float, 2, 3>{}, 1e-6);
  check(Small<double, 4>{}, 1e-15);
  check(Small<float, 4, 4>{}, 1e-6);
  check(Small<double, 8, 8>{}, 1e-15);
}

TEST_CASE("large elements, of which a block has fewer [gpu]") {
  using Large = Small<double, 8, 8>;
  const auto a = test::smalls<Large, Cpu>(200, 1);
  const auto b = a.to(Cuda{});
  const Tensor<Large, Cpu> expected = a + transpose(a) + 3 * a;
  const auto c = b.clone();
  const Tensor<Large, Cuda> found = b + transpose(c) + 3 * b.clone();
  CHECK(test::difference(test::elements(expected), test::elements(found)) < 1e-14);
}

TEST_CASE("Small inside reductions and rows [gpu]") {
  const auto p = test::smalls<Vector, Cpu>(4000, 1).reshape({40, 100});
  const auto q = p.to(Cuda{});
  const Vector shift{1, 2, 3};
  CHECK(sum(norm(q - shift)).item() == doctest::Approx(sum(norm(p - shift)).item()));
  const Tensor<float> here = norm(p) - mean(norm(p), axis(-1), keepdims);
  const Tensor<float, Cuda> there = norm(q) - mean(norm(q), axis(-1), keepdims);
  CHECK(test::difference(test::elements(here), test::elements(there)) < 1e-5);
  const Tensor<float> columns = sum(dot(p, p), axis(0));
  const Tensor<float, Cuda> of_gpu = sum(dot(q, q), axis(0));
  CHECK(test::difference(test::elements(columns), test::elements(of_gpu)) < 1e-4);
}

TEST_CASE("operands that occur several times, at one place and at others [gpu]") {
  const auto p = test::smalls<Vector, Cpu>(1001, 1);
  const auto q = p.to(Cuda{});
  const auto of = [](const auto& x) {
    const auto turned = cross(x(slice(0, 1000)), x(slice(1, 1001)));
    return small<3>(component<0>(turned), component<1>(turned), dot(turned, x(slice(1, 1001)))) +
           x(slice(0, 1000));
  };
  CHECK(test::difference(test::elements(of(p)), test::elements(of(q))) < 1e-6);
}

TEST_CASE("explain knows how such a statement is launched [gpu]") {
  const auto r = test::smalls<Matrix, Cuda>(1000, 1);
  const auto p = test::smalls<Vector, Cuda>(1000, 2);
  const Explanation plan = explain(r * p);
  CHECK(plan.kernel_count() == 1);
  CHECK(plan.kernels[0].threads == 128);
  CHECK(plan.kernels[0].blocks == 8);
  CHECK(plan.kernels[0].shared_bytes == 128 * 48);
}
