// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/sparse/cusparse.hpp>
#include <weft/cuda/sparse/kernels.hpp>
#include <weft/cuda/sparse/loops.hpp>
#include <weft/cuda/sparse/sample.hpp>

#include "test.hpp"
#include "weft/sparse.hpp"

using namespace weft;
using on_cuda::SparseChoice;

namespace {

/// A matrix of n rows: the first is full, and the others have a few elements.
Csr<float> uneven(int64_t n) {
  Generator g(1);
  const Tensor<float> chance =
      where(arange(n).eval().unsqueeze(1) == 0, 1.F, 8 / static_cast<float>(n));
  const Tensor<bool> stored = rand({n, n}, Cpu{}, g) < chance;
  return to_csr(Tensor<float>(randn({n, n}, Cpu{}, g) * cast<float>(stored)));
}

/// Runs f with the products' choice set.
template <class F>
auto chosen(SparseChoice choice, const F& f) {
  on_cuda::sparse_choice = choice;
  auto result = f();
  on_cuda::sparse_choice = SparseChoice::automatic;
  return result;
}

}  // namespace

TEST_CASE("which rows are uneven") {
  using on_cuda::detail::is_uneven;
  CHECK(!is_uneven(8000, -1));
  CHECK(!is_uneven(8000, 4000));
  CHECK(is_uneven(800000, 5000));
  CHECK(!is_uneven(80000000, 70000));
  CHECK(on_cuda::detail::group_shift(1) == 0);
  CHECK(on_cuda::detail::group_shift(9) == 4);
  CHECK(on_cuda::detail::group_shift(1000) == 5);
#if defined(WEFT_CUSPARSE)
  CHECK_SAYS("[matmul] cuSPARSE: CUSPARSE_STATUS_INVALID_VALUE in call",
             on_cuda::check(CUSPARSE_STATUS_INVALID_VALUE, "matmul", "call"));
#endif
}

TEST_CASE("[gpu] all widths, by weft's kernels and by the library, are the CPU's") {
  const auto here = uneven(1000);
  const auto there = here.to(Cuda{});
  Generator g(2);
  for (const int64_t n : {1, 2, 3, 8, 30, 64, 130, 300}) {
    CAPTURE(n);
    const Tensor<float> x = randn({1000, n}, Cpu{}, g);
    const Tensor<float> expected = matmul(here, x);
    const auto on_gpu = x.to(Cuda{});
    for (const auto choice : {SparseChoice::kernels, SparseChoice::library}) {
      const auto run = [&] { return Tensor<float, Cuda>(matmul(there, on_gpu)); };
      const auto got = chosen(choice, run);
      CHECK(allclose(got.to(Cpu{}), expected, {.rtol = 1e-4, .atol = 1e-3}));
      CHECK(equal(chosen(choice, run), got));  // the same bits again
    }
    const Tensor<float> sampled = sddmm_values(here, x, x.t());
    const Tensor<float, Cuda> got = sddmm_values(there, on_gpu, on_gpu.t());
    CHECK(allclose(got.to(Cpu{}), sampled, {.rtol = 1e-4, .atol = 1e-3}));
  }
  // Rows that no vector of four reads: an odd offset.
  const Tensor<float> x = randn({1000, 65}, Cpu{}, g);
  const auto part = x.to(Cuda{}).narrow(1, 1, 64);
  CHECK(allclose(matmul(there, part).eval().to(Cpu{}), matmul(here, x.narrow(1, 1, 64)),
                 {.rtol = 1e-4, .atol = 1e-3}));
}

TEST_CASE("[gpu] products sampled where one row has most of the elements") {
  Generator g(5);
  const Tensor<float> chance = where(arange(40).eval().unsqueeze(1) == 7, 1.F, 0.01F);
  const Tensor<bool> stored = rand({40, 6000}, Cpu{}, g) < chance;
  const auto here = to_csr(Tensor<float>(cast<float>(stored)));
  REQUIRE(on_cuda::detail::is_uneven(here.nnz(), 6000));
  for (const int64_t n : {1, 3, 8, 64}) {
    CAPTURE(n);
    const Tensor<float> x = randn({40, n}, Cpu{}, g);
    const Tensor<float> y = randn({n, 6000}, Cpu{}, g);
    const Tensor<float, Cuda> got = sddmm_values(here.to(Cuda{}), x.to(Cuda{}), y.to(Cuda{}));
    CHECK(allclose(got.to(Cpu{}), sddmm_values(here, x, y), {.rtol = 1e-4, .atol = 1e-4}));
  }
}

TEST_CASE("[gpu] products are captured, and the transposed pattern is not kept by a capture") {
  const auto here = uneven(500);
  const auto a = here.to(Cuda{});
  Generator g(3);
  const auto x = randn({500, 16}, Cpu{}, g);
  const auto from = x.to(Cuda{}).clone();
  const auto b = ones({16}, Cuda{});
  const auto y = zeros({500, 16}, Cuda{});
  const auto z = zeros({500, 16}, Cuda{});
  for (const auto choice : {SparseChoice::kernels, SparseChoice::library}) {
    chosen(choice, [&] {
      y.assign(relu(matmul(a, from) + b));
      z.assign(matmul(a, from));
      auto graph = weft::cuda::capture([&] {
        y.assign(relu(matmul(a, from) + b));
        z.assign(matmul(a, from));
      });
      from.assign(from * 2.F);
      graph.replay();
      return 0;
    });
  }
  CHECK(allclose(z.to(Cpu{}), matmul(here, 4.F * x), {.rtol = 1e-4, .atol = 1e-3}));
  CHECK(allclose(y.to(Cpu{}), relu(matmul(here, 4.F * x) + 1.F), {.rtol = 1e-4, .atol = 1e-3}));
  auto turned = weft::cuda::capture([&] { z.assign(matmul(a.t(), from)); });
  CHECK(a.pattern()->turned == nullptr);
  turned.replay();
  CHECK(allclose(z.to(Cpu{}), matmul(here.t(), 4.F * x), {.rtol = 1e-4, .atol = 1e-3}));
  CHECK(allclose(matmul(a.t(), from).eval().to(Cpu{}), z.to(Cpu{}), {.rtol = 1e-4, .atol = 1e-3}));
  CHECK(a.pattern()->turned != nullptr);
}
