// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/linalg/blas.hpp>

#include "matrices.hpp"

using weft::detail::ProductPlan;

TEST_CASE("sizes that BLAS counts in 32 bits") {
  ProductPlan p;
  CHECK(weft::cpu::detail::fits_blas(p));
  p.n = std::int64_t{1} << 31;
  CHECK(!weft::cpu::detail::fits_blas(p));
  p.n = 1;
  p.b.row = std::int64_t{1} << 31;
  CHECK(!weft::cpu::detail::fits_blas(p));
}

TEST_CASE("which types go to BLAS") {
  using weft::cpu::has_blas;
  using weft::cpu::detail::is_blas_type;
  CHECK(is_blas_type<float> == (has_blas || weft::cpu::has_onednn));
  CHECK(is_blas_type<double> == has_blas);
  CHECK(is_blas_type<weft::complex<float>> == has_blas);
  CHECK(is_blas_type<weft::complex<double>> == has_blas);
  CHECK(!is_blas_type<int>);
#if defined(WEFT_BLAS)
  CHECK(has_blas);
#endif
}

TEST_CASE("matrices and vectors, in rows and in columns, added to what there is") {
  test::Random r(1);
  const std::int64_t sizes[][3] = {{4, 5, 6}, {1, 5, 6}, {4, 1, 6}, {1, 1, 6}, {70, 60, 80}};
  for (const auto& size : sizes) {
    const auto a = test::small_numbers<float>(r, {size[0], size[2]});
    const auto b = test::small_numbers<float>(r, {size[2], size[1]});
    const auto expected = test::product(a, b);
    for (int how = 0; how < 4; ++how) {
      const auto x = laid_out(a, weft::Cpu{}, how);
      const auto y = laid_out(b, weft::Cpu{}, 3 - how);
      const auto z = weft::ones({size[0], size[1]});
      const ProductPlan p = weft::detail::plan_product(x.layout(), y.layout(), z.layout(), nullptr);
      weft::cpu::multiply<float>({p, x.data(), y.data(), z.data(), 2, true});
      bool all = true;
      for (std::size_t i = 0; i < expected.values.size(); ++i) {
        all = all && z.data()[i] == static_cast<float>(2 * expected.values[i] + 1);
      }
      CHECK(all);
    }
  }
}
