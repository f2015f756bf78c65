#include "weft/eval/route/product_pattern.hpp"

#include <weft/weft.hpp>

#include "test.hpp"

namespace {
const weft::Tensor<float> x = weft::zeros({2, 2});
const weft::Tensor<float> w = weft::zeros({2, 2});
const weft::Tensor<float> b = weft::zeros({2});
const weft::Tensor<std::int32_t> i;

template <class E>
constexpr bool is_epilogue = weft::detail::EpilogueParts<E>::matches && !weft::OpaqueNode<E>;
}  // namespace

static_assert(is_epilogue<decltype(matmul(x, w) + b)>);
static_assert(is_epilogue<decltype(b + matmul(x, w))>);
static_assert(is_epilogue<decltype(relu(matmul(x, w)))>);
static_assert(is_epilogue<decltype(relu(matmul(x, w) + b))>);
static_assert(is_epilogue<decltype(gelu_tanh(linear(x, w, b)))>);
static_assert(is_epilogue<decltype(2 * matmul(x, w) - 3 * b)>);
static_assert(is_epilogue<decltype(b - matmul(x, w) * 2)>);
static_assert(!is_epilogue<decltype(matmul(x, w))>);
static_assert(!is_epilogue<decltype(gelu(matmul(x, w) + b))>);
static_assert(!is_epilogue<decltype(relu(matmul(x, w) + b) * 2)>);
static_assert(!is_epilogue<decltype(matmul(x, w) * b)>);
static_assert(!is_epilogue<decltype(matmul(x, w) + matmul(x, w))>);
static_assert(!is_epilogue<decltype(matmul(x, w) + exp(b))>);
static_assert(!is_epilogue<decltype(matmul(i, i) + i)>);

TEST_CASE("the parts of an epilogue are found by type") {
  using weft::detail::EpilogueParts;
  const auto e = b - matmul(x, w) * 2;
  using Parts = EpilogueParts<std::remove_cvref_t<decltype(e)>>;
  CHECK(Parts::has_addend);
  CHECK(Parts::alpha(Parts::sum(e)) == -2);
  CHECK(Parts::beta(Parts::sum(e)) == 1);
  CHECK(Parts::activation == weft::Activation::identity);
}
