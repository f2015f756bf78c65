// expect: weft: for scaled_dot_product_attention include
#include <weft/weft.hpp>

using namespace weft;

Tensor<float> f(const Tensor<float>& q) {
  return scaled_dot_product_attention(q, q, q, {.causal = true});
}
