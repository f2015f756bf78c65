#include "weft/autograd/attention/multi_head.hpp"

#include "sequence.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("heads side by side", D, TEST_DEVICES) {
  const auto split_heads = [](const auto& x, bool batch_first, int64_t heads) {
    const Var y = x.reshape({x.size(0), x.size(1), heads, x.size(2) / heads});
    return batch_first ? y.transpose(1, 2) : y.permute({1, 2, 0, 3});
  };
  for (const bool batch_first : {true, false}) {
    CAPTURE(batch_first);
    const Var q = parameter(numbers<D>({3, 5, 8}));
    const Var k = parameter(numbers<D>(batch_first ? Shape{3, 6, 4} : Shape{6, 5, 4}, 1));
    const Var v = parameter(numbers<D>(batch_first ? Shape{3, 6, 2} : Shape{6, 5, 2}, 2));
    const HeadLayout layout{4, batch_first};
    const Var y = multi_head_attention(q, k, v, layout, {.causal = true}, 2);
    const Var expected = scaled_dot_product_attention(
        split_heads(q, batch_first, 4), split_heads(k, batch_first, 2),
        split_heads(v, batch_first, 2), {.causal = true, .enable_gqa = true});
    const auto split = [&](const auto& x) { return split_heads(Var(x), batch_first, 4).detach(); };
    CHECK(allclose(split(y.detach()), expected.detach(), {1e-12, 1e-12}));
    CHECK(gradcheck([&](const auto&... x) { return multi_head_attention(x..., layout, {}, 2); }, q,
                    k, v));
    const Var packed = parameter(numbers<D>({2, 4, 16}));
    CHECK(gradcheck([&](const auto& x) { return packed_attention(x, layout, {}, 2); }, packed));
    const Tensor<double, D> whole = packed.detach();
    const Var z = packed_attention(packed, layout, {}, 2);
    const Var same = multi_head_attention(Var(whole.narrow(2, 0, 8)), Var(whole.narrow(2, 8, 4)),
                                          Var(whole.narrow(2, 12, 4)), layout, {}, 2);
    CHECK(allclose(z.detach(), same.detach(), {1e-12, 1e-12}));
  }
}

TEST_CASE_TEMPLATE("heads that do not fit", D, TEST_DEVICES) {
  const Var<double, D> x = parameter(numbers<D>({2, 3, 6}));
  CHECK_SAYS("shape (2, 3, 6) for 4 heads", multi_head_attention(x, x, x, {4}));
  CHECK_SAYS("for 12 heads of queries, keys and values", packed_attention(x, {4}));
}
