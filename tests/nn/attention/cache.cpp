#include "weft/nn/attention/cache.hpp"

#include "gradients.hpp"
#ifdef __CUDACC__
#include "weft/cuda/attention.hpp"
#endif

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("attention position by position is attention at once", D, TEST_DEVICES) {
  const Tensor<double, D> q = numbers<D>({2, 3, 40, 4});
  const Tensor<double, D> k = numbers<D>({2, 3, 40, 4}, 1);
  const Tensor<double, D> whole = scaled_dot_product_attention(q, k, k * 2.0, {.causal = true});
  nn::KeyValueCache<D, double> cache;
  for (const auto& [first, count] : {std::pair<int64_t, int64_t>{0, 5}, {5, 1}, {6, 30}, {36, 4}}) {
    const Tensor<double, D> some = k.narrow(2, first, count);
    cache.append(some, some * 2.0);
    const Tensor<double, D> y = scaled_dot_product_attention(
        q.narrow(2, first, count), cache.keys(), cache.values(), {.causal = true, .past = first});
    CHECK(allclose(y, whole.narrow(2, first, count), {1e-12, 1e-12}));
  }
  CHECK(cache.length() == 40);
  cache.truncate(7);
  CHECK(equal(cache.keys(), k.narrow(2, 0, 7)));
  CHECK_SAYS("truncate(8) of 7", cache.truncate(8));
  CHECK_SAYS("keys of shape (2, 3, 1, 5)", cache.append(numbers<D>({2, 3, 1, 5}), q));
}
