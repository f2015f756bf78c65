// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/linalg/gemm.hpp>

#include <vector>

#include "reference.hpp"
#include "test.hpp"

using weft::detail::ProductPlan;

namespace {

struct Problem {
  std::int64_t m, n, k, batches;
};

/// Products of a batch with padded rows, a turned where asked, against plain loops in double.
template <class T>
double worst_error(const Problem& s, bool transposed, T alpha, bool adds) {
  test::Numbers r;
  ProductPlan p;
  p.m = s.m;
  p.n = s.n;
  p.k = s.k;
  p.rank = 1;
  p.size[0] = s.batches;
  const std::int64_t step = (transposed ? s.m : s.k) + 3;
  p.a.row = transposed ? 1 : step;
  p.a.column = transposed ? step : 1;
  p.a.batch[0] = step * (transposed ? s.k : s.m);
  p.b.row = s.n;
  p.b.column = 1;
  p.b.batch[0] = s.k * s.n;
  p.c.row = s.n + 1;
  p.c.column = 1;
  p.c.batch[0] = p.c.row * s.m;
  const auto numbers = [&](std::int64_t count) {
    std::vector<T> out;
    for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<T>(r.uniform(-1, 1)));
    return out;
  };
  const auto a = numbers(p.a.batch[0] * s.batches);
  const auto b = numbers(p.b.batch[0] * s.batches);
  auto c = numbers(p.c.batch[0] * s.batches);
  const auto before = c;
  weft::cpu::gemm<T>({p, a.data(), b.data(), c.data(), alpha, adds});
  double worst = 0;
  for (std::int64_t q = 0; q < s.batches; ++q) {
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t j = 0; j <= s.n; ++j) {
        const auto at = static_cast<std::size_t>(p.offset(p.c, q) + i * p.c.row + j);
        double sum = adds || j == s.n ? static_cast<double>(before[at]) : 0;
        for (std::int64_t k = 0; k < s.k && j < s.n; ++k) {
          const auto x =
              a[static_cast<std::size_t>(p.offset(p.a, q) + i * p.a.row + k * p.a.column)];
          const auto y = b[static_cast<std::size_t>(p.offset(p.b, q) + k * p.b.row + j)];
          sum += static_cast<double>(alpha) * static_cast<double>(x) * static_cast<double>(y);
        }
        worst = std::max(worst, std::fabs(static_cast<double>(c[at]) - sum));
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("products of every shape, with nothing written beside them") {
  for (const Problem& s :
       {Problem{1, 1, 1, 1}, Problem{5, 7, 9, 3}, Problem{12, 32, 16, 1}, Problem{13, 33, 300, 2},
        Problem{200, 70, 40, 1}, Problem{3, 1100, 20, 1}, Problem{250, 3, 5, 1},
        Problem{1, 40, 600, 2}, Problem{40, 1, 600, 2}}) {
    for (bool transposed : {false, true}) {
      CHECK(worst_error<float>(s, transposed, 1, false) < 3e-5);
      CHECK(worst_error<double>(s, transposed, 1, false) < 1e-13);
      CHECK(worst_error<float>(s, transposed, -0.5F, true) < 3e-5);
      CHECK(worst_error<double>(s, transposed, 2, true) < 1e-13);
    }
  }
}

TEST_CASE("a depth of 0 gives nothing to add") {
  CHECK(worst_error<float>({3, 4, 0, 1}, false, 1, true) == 0);
}

TEST_CASE("products of complex numbers") {
  using C = weft::complex<double>;
  ProductPlan p;
  p.m = p.n = p.k = 2;
  p.a.row = p.b.row = p.c.row = 2;
  p.a.column = p.b.column = p.c.column = 1;
  const C a[] = {C(1, 2), C(0, 1), C(3, -1), C(2, 0)};
  const C b[] = {C(1, -1), C(4, 0), C(0, 2), C(1, 1)};
  C c[4];
  weft::cpu::gemm<C>({p, a, b, c, C(0, 1), false});
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      CHECK(c[2 * i + j] == C(0, 1) * (a[2 * i] * b[j] + a[2 * i + 1] * b[2 + j]));
    }
  }
}
