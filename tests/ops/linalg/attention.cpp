#include "weft/ops/linalg/attention.hpp"

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/attention.hpp"
#endif

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("attention of tensors and expressions", D, TEST_DEVICES) {
  const Tensor<float, D> q = cast<float>(numbers<D>({2, 3, 5, 8}));
  const Tensor<float, D> k = cast<float>(numbers<D>({2, 3, 7, 8}, 1));
  const Tensor<float, D> v = cast<float>(numbers<D>({2, 3, 7, 4}, 2));
  const Tensor<float, D> scores = matmul(q, k.transpose(-1, -2)) / std::sqrt(8.0F);
  const Tensor<float, D> expected = matmul(softmax(scores), v);
  CHECK(allclose(scaled_dot_product_attention(q, k, v), expected));
  CHECK(allclose(scaled_dot_product_attention(q * 2.0F, k / 2.0F, v + 1.0F), expected + 1.0F));
  const Tensor<float, D> turned = v.transpose(2, 3).clone().transpose(2, 3);
  CHECK(allclose(scaled_dot_product_attention(q.flip(2), k, turned), expected.flip(2)));
  const Tensor<weft::half, D> narrow = cast<weft::half>(k);
  const auto shared = scaled_dot_product_attention(narrow, narrow, narrow, {.causal = true});
  CHECK(allclose(cast<float>(shared(all, all, 0)), cast<float>(narrow(all, all, 0))));
}

TEST_CASE_TEMPLATE("attention says what does not fit", D, TEST_DEVICES) {
  const Tensor<double, D> q = numbers<D>({2, 4, 5, 6});
  CHECK_SAYS("expected (batch, heads, length, width)", scaled_dot_product_attention(q(0), q, q));
  CHECK_SAYS("keys as wide as queries",
             scaled_dot_product_attention(q, numbers<D>({2, 4, 5, 7}), q));
  CHECK_SAYS("4 query heads for 3 key heads",
             scaled_dot_product_attention(q, numbers<D>({2, 3, 5, 6}), numbers<D>({2, 3, 5, 6}),
                                          {.enable_gqa = true}));
  CHECK_SAYS("dropout 2, expected 0 to 1", scaled_dot_product_attention(q, q, q, {.dropout = 2}));
  CHECK_SAYS("[scaled_dot_product_attention] a mask of shape (3,), expected one that broadcasts to",
             scaled_dot_product_attention(q, q, q, {.mask = ones<double>({3}, D{})}));
  CHECK_SAYS("past -5, expected at least 0",
             scaled_dot_product_attention(q, q, q, {.causal = true, .past = -5}));
}
