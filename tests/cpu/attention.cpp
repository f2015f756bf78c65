#include "weft/cpu/attention.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("attention does not depend on the number of threads") {
  const Tensor q = randn<float>({2, 2, 200, 16});
  const Tensor k = randn<float>({2, 2, 190, 16});
  set_num_threads(1);
  const Tensor one = scaled_dot_product_attention(q, k, k, {.causal = true});
  set_num_threads(3);
  const Tensor three = scaled_dot_product_attention(q, k, k, {.causal = true});
  set_num_threads(0);
  CHECK(equal(one, three));
}

TEST_CASE("a mask of half types is added in float") {
  const Tensor<bfloat16> q = cast<bfloat16>(randn<float>({1, 2, 5, 8}));
  const Tensor<bfloat16> mask = cast<bfloat16>(randn<float>({2, 1, 5}));
  const Tensor<float> wide = cast<float>(q);
  const Tensor expected =
      scaled_dot_product_attention(wide, wide, wide, {.mask = Tensor<float>(cast<float>(mask))});
  const Tensor y = scaled_dot_product_attention(q, q, q, {.mask = mask});
  CHECK(allclose(cast<float>(y), expected, {1e-2, 1e-2}));
}
