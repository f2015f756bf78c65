// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/sparse/loops.hpp>
#include <weft/cpu/sparse/rows.hpp>

#include "test.hpp"
#include "weft/sparse.hpp"

using namespace weft;

TEST_CASE("the bits do not depend on the number of threads, nor on how rows are filled") {
  Generator g(1);
  const int64_t n = 1200;
  // A first row that is full, and rows of a few elements.
  const Tensor<float> chance = where(arange(n).eval().unsqueeze(1) == 0, 1.F, 0.01F);
  const Tensor<bool> stored = rand({n, n}, Cpu{}, g) < chance;
  const Tensor<float> dense = randn({n, n}, Cpu{}, g) * cast<float>(stored);
  const auto a = to_csr(dense);
  CHECK(a.pattern()->longest == n);
  const Tensor<float> x = randn({n, 70}, Cpu{}, g);
  const auto few = to_csr(Tensor<float>(dense.narrow(0, 1, 400).narrow(1, 0, 400)));
  const auto results = [&] {
    const Tensor<float> y = matmul(a, x);
    const Tensor<float> z = matmul(a, x.t()(3));
    const Tensor<float> s = sddmm_values(a, x, x.t());
    const auto square = matmul(few, few);
    return std::vector<std::vector<float>>{y.to_vector(), z.to_vector(), s.to_vector(),
                                           square.values().to_vector()};
  };
  const auto shared = [&](int threads) {
    set_num_threads(threads);
    auto out = results();
    set_num_threads(0);
    return out;
  };
  const auto alone = shared(1);
  CHECK(shared(4) == alone);
  // One of the results against sums in double.
  double worst = 0;
  for (int64_t r = 0; r < n; r += 100) {
    for (int64_t j : {0, 69}) {
      double sum = 0;
      for (int64_t c = 0; c < n; ++c)
        sum += static_cast<double>(dense.at(r, c)) * static_cast<double>(x.at(c, j));
      const double d =
          std::abs(sum - static_cast<double>(alone[0][static_cast<std::size_t>(r * 70 + j)]));
      worst = d > worst ? d : worst;
    }
  }
  CHECK(worst < 2e-4);
  const Tensor<float> part = few.to_dense();
  CHECK(allclose(matmul(few, few).to_dense(), matmul(part, part), {.rtol = 1e-4, .atol = 1e-5}));
}
