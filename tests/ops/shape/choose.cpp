#include "weft/ops/shape/choose.hpp"

#include "array.hpp"
#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

namespace {
struct Half {
  template <class X>
  auto operator()(const X& x) const {
    return x * 0.5F;
  }
};
}  // namespace

TEST_CASE_TEMPLATE("elements by masks", D, TEST_DEVICES) {
  const Tensor x = arange<float>(6).to(D{}).reshape(2, 3);
  const Tensor row = tensor({true, false, true}, D{});
  CHECK(Tensor(masked_fill(x, row, -1.0F)).to_vector() == Floats{-1, 1, -1, -1, 4, -1});
  CHECK(masked_scatter(x, row, x * 10.0F + 100.0F).to_vector() == Floats{100, 1, 110, 120, 4, 130});
  CHECK(masked_scatter(x, x < 0.0F, empty<float>({0}, D{})).to_vector() == x.to_vector());
  CHECK(argwhere(x > 2.0F).shape() == Shape{3, 2});
  CHECK(flatnonzero(x > 2.0F).to_vector() == Ints{3, 4, 5});
  const auto two = tensor({{true, false}, {false, true}}).to(D{});
  CHECK(
      masked_scatter(tensor({1.0F, 2.0F}).to(D{}), two, tensor({8.0F, 9.0F}).to(D{})).to_vector() ==
      Floats{8, 2, 1, 9});
  CHECK_SAYS("[masked_scatter] a source of 3 elements for 4", masked_scatter(x, row, x(0)));
  CHECK_SAYS("a source without elements", masked_scatter(x, row, empty<float>({0}, D{})));
}

TEST_CASE_TEMPLATE("the first condition, or the last, that holds", D, TEST_DEVICES) {
  const Tensor x = tensor({-2.0F, 0.0F, 1.0F, 3.0F}, D{});
  CHECK(Tensor(select(x > 2.0F, x * 10.0F, x > 0.0F, x, -1.0F)).to_vector() ==
        Floats{-1, -1, 1, 30});
  CHECK(Tensor(select(x > 0.0F, 1.0F, x)).to_vector() == Floats{-2, 0, 1, 1});
  CHECK(Tensor(piecewise(x, x < 0.0F, -1, x >= 0.0F, 1)).to_vector() == Floats{-1, 1, 1, 1});
  CHECK(Tensor(piecewise(x, x > 0.0F, 9, x > 2.0F, Half{}, Half{})).to_vector() ==
        Floats{-1, 0, 9, 1.5F});
}

TEST_CASE_TEMPLATE("labels as rows", D, TEST_DEVICES) {
  const Tensor labels = tensor({2, 0}, D{});
  CHECK(one_hot(labels, 3).eval().to_vector() == Ints{0, 0, 1, 1, 0, 0});
  CHECK(one_hot(labels).shape() == Shape{2, 3});
  CHECK(Tensor(one_hot<float>(labels.unsqueeze(0), 4) * 2.0F).shape() == Shape{1, 2, 4});
  const auto out_of_range = [&] {
    const Tensor bad = one_hot(labels - 1, 2).eval();
    synchronize(D{});
  };
  CHECK_SAYS("one_hot", out_of_range());
}

TEST_CASE_TEMPLATE("elements along an axis under PyTorch's name", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(6).to(D{}).reshape(2, 3);
  const Tensor i = tensor<std::int64_t>({{2}, {0}}, D{});
  CHECK(Tensor(take_along_dim(x, i, axis(1))).to_vector() == Ints{2, 3});
}
