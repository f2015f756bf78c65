// Small matrices as elements on the GPU. bench/linalg.cu has them as the last two axes of a tensor.
// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/reduce.hpp"
#include "weft/small.hpp"

#include "bench.hpp"

using namespace weft;

namespace {

using X = Tensor<float, Cuda>;
template <int R, int C = 1>
using Of = Tensor<Small<float, R, C>, Cuda>;

constexpr int64_t many = 4 << 20;  // no operand stays in the cache
constexpr int64_t some = 1 << 17;  // of what PyTorch needs seconds for

template <int R, int C = 1>
Of<R, C> random(int64_t n, float diagonal = 0) {
  const X x = randn({n, R, C}, Cuda{}) * 0.5F + diagonal * eye(R, C, Cuda{});
  if constexpr (C > 1) {
    return as_small<R, C>(x);
  } else {
    return as_small<R>(x.reshape({n, R}));
  }
}

/// The largest |x - y|, where it is above the tolerance a line that fails the program.
template <class A, class B>
void check(const char* name, const A& x, const B& y, float tolerance) {
  const float off = max(abs(x - y)).item();
  if (off <= tolerance) return;
  std::printf("{\"case\": \"%s\", \"who\": \"weft\", \"failed\": \"off by %g\"}\n", name,
              static_cast<double>(off));
  bench::exit_code = 1;
}

/// `kernels`: -1 to count them, 0 where a library's are not counted.
template <class F>
void time(const std::string& name, double bytes_each, const F& f, int64_t n = many,
          const char* who = "weft", int kernels = -1) {
  std::vector<int> sets(1);
  bench::measure(
      name.c_str(), bytes_each * static_cast<double>(n), sets, [&](int) { f(); }, {}, who, kernels);
}

/// Statements whose operands are vectors and matrices: each is one kernel.
void fused() {
  const auto r = random<3, 3>(many);
  const auto p = random<3>(many);
  const auto t = random<3>(many);
  Of<3> q = zeros<Small<float, 3>>({many}, Cuda{});
  const Small<float, 3> shift{1, 2, 3};
  time("rotate", 60, [&] { q.assign(r * p + shift); });
  check("rotate", components(q),
        sum(components(r) * components(p).unsqueeze(1), axis(-1)) + tensor({1.F, 2.F, 3.F}, Cuda{}),
        1e-4F);
  time("rotate_both", 72, [&] { q.assign(r * (p - t) + t); });

  const auto a = random<4>(many);
  const Of<4> unit = normalize(a);
  time("quaternion_rotate", 40, [&] { q.assign(quaternion::rotate(unit, p)); });
  const Of<3> by_matrix = quaternion::matrix(unit) * p;
  check("quaternion_rotate", components(q), components(by_matrix), 1e-4F);
  Of<4> turned = a.clone();
  time("quaternion_step", 44, [&] {
    turned.assign(
        normalize(quaternion::multiply(quaternion::from_rotation_vector(0.01F * p), unit)));
  });

  const Small<float, 3, 3> camera{800, 0, 320, 0, 800, 240, 0, 0, 1};
  Of<2> pixels = zeros<Small<float, 2>>({many}, Cuda{});
  const auto seen = camera * (r * p + Small<float, 3>{0, 0, 8});
  time("project", 56, [&] {
    pixels.assign(small<2>(component<0>(seen), component<1>(seen)) / component<2>(seen));
  });
}

/// Operations on pairs of matrices as elements, which a statement may go on with.
void elements() {
  const auto a = random<3, 3>(many, 3);
  const auto b = random<3, 3>(many, 3);
  const auto v = random<3>(many);
  Of<3, 3> c = b.clone();
  Of<3> x = v.clone();
  X y = zeros({many}, Cuda{});
  time("product_3", 108, [&] { c.assign(a * b); });
  const auto x3 = components(a).unsqueeze(3) * components(b).unsqueeze(1);
  check("product_3", components(c), sum(x3, axis(2)), 1e-4F);
  time("inv_3", 72, [&] { c.assign(inv(a)); });
  const Of<3, 3> one = c * a;
  check("inv_3", components(one), eye(3, Cuda{}), 1e-2F);
  time("det_3", 40, [&] { y.assign(det(a)); });
  time("solve_3", 60, [&] { x.assign(solve(a, v)); });
  const Of<3> back = a * x;
  check("solve_3", components(back), components(v), 1e-2F);
  const Of<3, 3> definite = a * transpose(a) + Small<float, 3, 3>::identity();
  time("cholesky_3", 72, [&] { c.assign(cholesky(definite)); });
  const auto few = definite(slice(0, some));
  const auto values = x(slice(0, some));
  time(
      "eigvalsh_3", 48, [&] { values.assign(eigvalsh(few)); }, some);
  time("normal_equations_3", 96, [&] { x.assign(solve(transpose(a) * a, transpose(a) * v)); });

  const auto a4 = random<4, 4>(many, 4);
  const auto b4 = random<4, 4>(many, 4);
  Of<4, 4> c4 = b4.clone();
  time("product_4", 192, [&] { c4.assign(a4 * b4); });
  time("inv_4", 128, [&] { c4.assign(inv(a4)); });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv, {{"fused", fused}, {"elements", elements}});
}
