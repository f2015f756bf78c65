// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/linalg/cusolver.hpp>
#include <weft/cuda/linalg/library_call.hpp>
#include <weft/cuda/linalg/library_factors.hpp>
#include <weft/cuda/linalg/library_solver.hpp>
#include <weft/cuda/linalg/medium_eigh.hpp>
#include <weft/cuda/linalg/small_eigh.hpp>
#include <weft/cuda/linalg/small_kernel.hpp>
#include <weft/cuda/linalg/small_matrices.hpp>
#include <weft/cuda/linalg/small_qr.hpp>
#include <weft/cuda/linalg/small_solver.hpp>
#include <weft/cuda/linalg/solver.hpp>

#include <algorithm>
#include <limits>

#include "linear_algebra.hpp"

using weft::Cpu;
using weft::Cuda;
using weft::Tensor;

TEST_CASE("[gpu] small kernels do what the CPU does, at every size and every length of a batch") {
  for (std::int64_t n = 1; n <= 16; ++n) {
    for (const std::int64_t count : {1, 7, 129, 1000}) {
      CAPTURE(n);
      CAPTURE(count);
      const auto x = test::some_matrices<float, Cpu>({count, n, n}, 30);
      const auto b = test::some_matrices<float, Cpu>({count, n, 3}, 0, 2);
      const auto on_gpu = x.to(Cuda{});
      CHECK(test::off(inv(on_gpu), inv(x)) < 1e-5);
      CHECK(test::off(solve(on_gpu, b.to(Cuda{})), solve(x, b)) < 1e-5);
      CHECK(test::off(det(on_gpu), det(x)) < 1e-5);
      const Tensor<float, Cpu> s = matmul(x, x.transpose(1, 2));
      CHECK(test::off(cholesky(s.to(Cuda{})), cholesky(s)) < 1e-5);
    }
  }
}

TEST_CASE("[gpu] rows are exchanged where they must be") {
  for (const std::int64_t n : {2, 3, 4, 6, 8, 13, 16}) {
    CAPTURE(n);
    // Permutations: a wrong pivot divides by 0, a wrong count of exchanges turns the sign.
    Tensor<float, Cpu> x = weft::zeros<float>({n, n, n});
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) x.at(i, j, (j * j + i) % n) = 1;
      if (det(x(i)).item() == 0) x(i).assign(weft::eye<float>(n).flip(0));
    }
    const auto on_gpu = x.to(Cuda{});
    CHECK(test::off(inv(on_gpu), x.transpose(1, 2)) == 0);
    CHECK(test::off(det(on_gpu), det(x)) == 0);
    const Tensor<float, Cpu> b = test::some_matrices<float, Cpu>({n, n, 2}, 0, 2);
    CHECK(test::off(solve(on_gpu, b.to(Cuda{})), matmul(x.transpose(1, 2), b)) == 0);
  }
}

TEST_CASE("[gpu] NaN passes through, and no other matrix changes") {
  for (const std::int64_t n : {3, 7, 16}) {
    auto x = test::some_matrices<float, Cpu>({50, n, n}, 30).eval();
    const auto right = inv(x);
    x(20).fill(NAN);
    const auto found = inv(x.to(Cuda{})).to(Cpu{});
    CHECK(std::isnan(found.at(20, 0, 0)));
    CHECK(test::off(found.narrow(0, 0, 20), right.narrow(0, 0, 20)) < 1e-5);
    CHECK(test::off(found.narrow(0, 21, 29), right.narrow(0, 21, 29)) < 1e-5);
  }
}

#if defined(WEFT_CUSOLVER)
TEST_CASE("[gpu] handles go back and are used again") {
  using weft::on_cuda::detail::Solvers;
  cusolverDnHandle_t first = nullptr;
  {
    const Solvers handles("test", 0, nullptr);
    first = handles.solver;
    CHECK(Solvers("test", 0, nullptr).solver != first);
  }
  const Solvers again("test", 0, nullptr);
  CHECK(weft::on_cuda::detail::idle_solvers[0].count > 0);
}

TEST_CASE("errors name the call") {
  CHECK_SAYS("[inv] cuSOLVER gave status 3 in Xgetrf",
             weft::on_cuda::check(CUSOLVER_STATUS_INVALID_VALUE, "inv", "Xgetrf"));
  CHECK_SAYS("[inv] cuBLAS gave status 7 in trsm",
             weft::on_cuda::check_blas(CUBLAS_STATUS_INVALID_VALUE, "inv", "trsm"));
}

TEST_CASE("[gpu] eigenvalues of a large batch of small matrices") {
  for (const std::int64_t n : {1, 2, 3, 4}) {
    CAPTURE(n);
    const auto x = test::definite_matrices<double, Cuda>({1001, n, n});
    const auto [w, v] = eigh(x);
    CHECK(test::off(v * w.unsqueeze(-2), matmul(x, v)) < 1e-13);
    CHECK(test::off(w, eigvalsh(x.to(Cpu{}))) < 1e-13);
  }
  const auto bad = weft::full<float>({3, 3}, NAN, Cuda{});
  CHECK_SAYS("[eigvalsh] matrix 0 of the batch on cuda:0 is not finite", eigvalsh(bad).to_vector());
}

TEST_CASE("[gpu] eigenvalues and singular values of batches up to 32 x 32 and above") {
  for (const std::int64_t n : {5, 8, 13, 16, 17, 32, 48}) {
    CAPTURE(n);
    const auto x = test::definite_matrices<float, Cuda>({101, n, n});
    const auto [w, v] = eigh(x);
    CHECK(test::off(v * w.unsqueeze(-2), matmul(x, v)) < 2e-5);
    CHECK(test::off(matmul(v.transpose(1, 2), v), weft::eye<float>(n, Cuda{}).expand({101, n, n})) <
          2e-5);
    CHECK(test::off(w, eigvalsh(x.to(Cpu{}))) < 1e-5);
    CHECK(test::off(eigvalsh(x), w) < 1e-5);
    auto y = test::some_matrices<float, Cuda>({101, n, n}).eval();
    y.narrow(2, 1, 1).assign(y.narrow(2, 0, 1));  // of a rank less than full
    const auto [u, s, vh] = svd(y);
    // From 17 to 32 cuSOLVER's rotations leave a multiple of n roundings: of the largest singular
    // value in the product, where off() divides by the largest element, and of 1 in U^T U.
    const double roundings =
        n > 16 && n <= 32 ? static_cast<double>(n) * std::numeric_limits<float>::epsilon() : 0;
    const double norm = static_cast<double>((max(s) / max(abs(y))).item());
    CHECK(test::off(matmul(u * s.unsqueeze(-2), vh), y) < std::max(1e-5, roundings * norm));
    CHECK(test::off(matmul(u.transpose(1, 2), u), weft::eye<float>(n, Cuda{}).expand({101, n, n})) <
          std::max(1e-5, 4 * roundings));
    CHECK(test::off(s, svdvals(y.to(Cpu{}))) < 1e-5);
  }
  // Its null space is all but one vector.
  for (const std::int64_t n : {5, 33, 100}) {
    CAPTURE(n);
    const auto v = eigh(weft::ones<double>({n, n}, Cuda{})).eigenvectors;
    CHECK(test::off(matmul(v.t(), v), weft::eye<double>(n, Cuda{})) < 1e-12);
    CHECK(test::off(matmul(v, v.t()), weft::eye<double>(n, Cuda{})) < 1e-12);
    CHECK(test::off(abs(v(weft::all, n - 1)) * std::sqrt(static_cast<double>(n)),
                    weft::ones<double>({n}, Cuda{})) < 1e-12);
  }
  auto some = test::definite_matrices<float, Cpu>({3, 9, 9});
  some(1).fill(NAN);
  CHECK_SAYS("[eigh] matrix 1 of the batch on cuda:0 is not finite",
             eigh(some.to(Cuda{})).eigenvalues.to_vector());
}

TEST_CASE("[gpu] QR of a batch by weft's kernels, of single matrices by the library") {
  for (const weft::Shape& shape : {weft::Shape{9, 3, 3}, weft::Shape{4, 7, 2}, weft::Shape{4, 2, 7},
                                   weft::Shape{5, 40, 35}, weft::Shape{5, 1, 1}}) {
    CAPTURE(shape);
    const auto x = test::some_matrices<double, Cuda>(shape);
    for (const auto factors : {weft::Factors::reduced, weft::Factors::full}) {
      const auto [q, r] = qr(x, factors);
      for (int i = 0; i < 3; ++i) {
        CHECK(test::off(q(i), qr(x(i), factors).q) < 1e-11);
        CHECK(test::off(r(i), qr(x(i), factors).r) < 1e-11);
      }
    }
  }
  const auto zero = weft::zeros<float>({6, 3, 3}, Cuda{});
  CHECK(test::off(qr(zero).q, weft::eye<float>(3, Cuda{}).expand({6, 3, 3})) == 0);
}

TEST_CASE("[gpu] one matrix and a batch take different calls to the same result") {
  for (const std::int64_t n : {40, 600}) {
    CAPTURE(n);
    const auto x = test::some_matrices<double, Cuda>({3, n, n}, 100);
    const auto b = test::some_matrices<double, Cuda>({3, n, 2}, 0, 2);
    const auto both = solve(x, b);
    const auto factor = cholesky(Tensor<double, Cuda>(matmul(x, x.transpose(1, 2))));
    for (int i = 0; i < 3; ++i) {
      CHECK(test::off(both(i), solve(x(i), b(i))) < 1e-12);
      CHECK(test::off(factor(i), cholesky(Tensor<double, Cuda>(matmul(x(i), x(i).t())))) < 1e-12);
    }
  }
}
#endif
