// Linear algebra on the GPU: batches of small matrices, and one large one.
// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/linalg.hpp"
#include "weft/linalg.hpp"

#include "bench.hpp"

using namespace weft;
using bench::measure;

namespace {

using X = Tensor<float, Cuda>;

/// Matrices that are positive definite and far from singular.
X definite(int64_t count, int64_t n) {
  manual_seed(static_cast<std::uint64_t>(n));
  const X x = randn({count, n, n}, Cuda{}) * (1 / std::sqrt(static_cast<float>(n)));
  return matmul(x, x.transpose(1, 2)) + eye(n, Cuda{});
}

/// The largest |x - y|, where it is above the tolerance a line that fails the program.
void check(const char* name, const X& x, const X& y, float tolerance) {
  const float off = max(abs(x - y)).item();
  if (off <= tolerance) return;
  std::printf("{\"case\": \"%s\", \"who\": \"weft\", \"failed\": \"off by %g\"}\n", name,
              static_cast<double>(off));
  bench::exit_code = 1;
}

/// Kernels are not counted: libraries choose theirs.
template <class F>
void time(const std::string& name, double bytes, const F& f) {
  std::vector<int> sets(1);
  measure(
      name.c_str(), bytes, sets, [&](int) { f(); }, {}, "weft", 0);
}

void small(int64_t count, int64_t n, const char* suffix) {
  const X a = definite(count, n);
  const X b = randn({count, n, 1}, Cuda{});
  const X one = eye(n, Cuda{}).expand({count, n, n});
  const double matrices = static_cast<double>(count * n * n) * sizeof(float);
  const double vectors = static_cast<double>(count * n) * sizeof(float);
  const std::string end = suffix;
  X y;
  time("inv_" + end, 2 * matrices, [&] { y = inv(a); });
  check("inv", matmul(y, a), one, 1e-3F);
  time("solve_" + end, matrices + 2 * vectors, [&] { y = solve(a, b); });
  check("solve", matmul(a, y), b, 1e-3F);
  time("cholesky_" + end, 2 * matrices, [&] { y = cholesky(a); });
  check("cholesky", matmul(y, y.transpose(1, 2)), a, 1e-3F);
  time("det_" + end, matrices, [&] { y = det(a); });
  check("det", y * det(inv(a)), ones({count}, Cuda{}), 1e-2F);
  const X few = a(slice(0, 10000));
  time("eigvalsh_10k_" + std::to_string(n), 0, [&] { y = eigvalsh(few); });
  check("eigvalsh", sum(y, axis(1)), trace(few), 1e-2F);
}

/// Factors of a batch, each of some size that a library's single-matrix calls are slow at.
void factors(int64_t count, int64_t n, const char* suffix) {
  const X a = definite(count, n);
  const X b = randn({count, n, 4}, Cuda{});
  const X one = eye(n, Cuda{}).expand({count, n, n});
  const std::string end = suffix;
  X y;
  time("solve_" + end, 0, [&] { y = solve(a, b); });
  check("solve", matmul(a, y), b, 1e-2F);
  time("lu_factor_" + end, 0, [&] { y = lu_factor(a).lu; });
  time("qr_" + end, 0, [&] { y = qr(a).q; });
  check("qr", matmul(y.transpose(1, 2), y), one, 1e-3F);
  time("eigh_" + end, 0, [&] { y = eigh(a).eigenvectors; });
  check("eigh", matmul(y.transpose(1, 2), y), one, 1e-3F);
  time("svd_" + end, 0, [&] { y = svd(a).u; });
  check("svd", matmul(y.transpose(1, 2), y), one, 1e-3F);
}

void large() {
  constexpr int64_t n = 2048;
  const X a = definite(1, n)(0);
  const X b = randn({n, 1}, Cuda{});
  X y;
  time("solve_2048", 0, [&] { y = solve(a, b); });
  check("solve_2048", matmul(a, y), b, 1e-2F);
  time("inv_2048", 0, [&] { y = inv(a); });
  check("inv_2048", matmul(a, y), eye(n, Cuda{}), 1e-2F);
  time("cholesky_2048", 0, [&] { y = cholesky(a); });
  check("cholesky_2048", matmul(y, y.t()), a, 1e-2F);
  time("qr_2048", 0, [&] { y = qr(a).q; });
  check("qr_2048", matmul(y, y.t()), eye(n, Cuda{}), 1e-2F);
  time("eigh_2048", 0, [&] { y = eigh(a).eigenvectors; });
  check("eigh_2048", matmul(y, y.t()), eye(n, Cuda{}), 1e-2F);
  time("svd_2048", 0, [&] { y = svd(a).u; });
  check("svd_2048", matmul(y, y.t()), eye(n, Cuda{}), 1e-2F);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv,
                     {{"small_3", [] { small(1000000, 3, "1m_3x3"); }},
                      {"small_4", [] { small(1000000, 4, "1m_4x4"); }},
                      {"small_8", [] { small(100000, 8, "100k_8x8"); }},
                      {"small_16", [] { small(100000, 16, "100k_16x16"); }},
                      {"batch_8", [] { factors(10000, 8, "10k_8x8"); }},
                      {"batch_32", [] { factors(1000, 32, "1k_32x32"); }},
                      {"large", large}});
}
