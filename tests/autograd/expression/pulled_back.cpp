#include "weft/autograd/expression/pulled_back.hpp"

#include "gradients.hpp"

using namespace weft;
using autograd::is_of_one_gather;

TEST_CASE("which statements are functions of one gather") {
  const Var x = parameter(ones({4, 3}));
  const auto rows = tensor<std::int64_t>({1, 3, 1});
  CHECK(is_of_one_gather<decltype(take(x, rows, axis(0)) * 2.0F)>);
  CHECK(is_of_one_gather<decltype(1.0F - exp(take(x * x, rows, axis(0))))>);
  CHECK_FALSE(is_of_one_gather<decltype(take(x, rows, axis(0)) * x(slice(0, 3)))>);
  CHECK_FALSE(is_of_one_gather<decltype(x * 2.0F)>);
}

TEST_CASE_TEMPLATE("gradients of functions of a gather, in types of 16 bits too", D, TEST_DEVICES) {
  const auto rows = tensor<std::int64_t>({1, 3, 1, -4}).to(D{});
  const Var x = parameter(test::numbers<D>({4, 3}));
  CHECK(gradcheck([&](const auto& v) { return Var(2.0 - exp(take(v, rows, axis(0)) * 3.0)); }, x));
  const Var half = parameter(Tensor<weft::half, D>(cast<weft::half>(x.value())));
  const Var y = take(half, rows, axis(0)) * 2.0F + cast<weft::half>(ones<float>({4, 3}, D{}));
  const Var z = take(half, rows, axis(0)) * 2.0F;
  y.backward(ones<weft::half>({4, 3}, D{}));
  z.backward(ones<weft::half>({4, 3}, D{}));
  const std::vector<float> wanted{4, 4, 4, 8, 8, 8, 0, 0, 0, 4, 4, 4};
  CHECK(half.grad().to_vector().size() == 12);
  CHECK(allclose(cast<float>(half.grad()), Tensor<float>(tensor(wanted)).reshape({4, 3}).to(D{})));
}
