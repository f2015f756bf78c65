#include "weft/eval/program/name.hpp"

#include "test.hpp"

namespace {
template <class E>
weft::Text name(const E&) {
  return text(weft::detail::name_of<weft::detail::node_t<E>>());
}
}  // namespace

TEST_CASE("an expression is named by its operations") {
  const auto x = weft::ones({3});
  const auto y = weft::ones({3});
  CHECK(name(x + y) == "add(float, float)");
  CHECK(name(tanh(x * y + 0.3) * exp(-x)) ==
        "mul(tanh(add(mul(float, float), number)), exp(neg(float)))");
  CHECK(name(sum(square(x - y), weft::axis(-1))) == "sum(square(sub(float, float)))");
  CHECK(name(weft::cast<weft::half>(x) + weft::half(1)) == "add(cast(float), number)");
  CHECK(name(leaky_relu(x) / sum(x)) == "div(leaky_relu(float), sum(float))");
  CHECK(name(weft::max(x)) == "max(float)");
  CHECK(name(fuse(exp(x), y, sum(x) + 1)) == "fuse(exp(float), float, add(sum(float), number))");
  CHECK(name(x) == "float");
  const auto m = weft::ones({3, 3});
  CHECK(name(relu(matmul(m, m * 2) + x)) == "relu(add(matmul(float, mul(float, number)), float))");
  CHECK(name(linear(m, m)) == "linear(float, float)");
}
