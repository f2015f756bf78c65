#include "weft/ops/elsewhere.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/explain.hpp"

using namespace weft;

// Without their headers these are errors: tests/must_not_compile/*_header.cpp.

TEST_CASE("with their headers the functions themselves are found") {
  const auto x = ones({2});
  CHECK(parameter(x).requires_grad());
  CHECK(parameter(x * 2).requires_grad());
  CHECK(explain(x * 2).kernel_count() == 1);
  CHECK(explain(sum(x)).kernel_count() == 1);
}
