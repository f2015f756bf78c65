#include "weft/ops/index/scatter_reduce.hpp"

#include <cmath>

#include "array.hpp"
#include "weft/ops/index/gather.hpp"

using namespace weft;
using Floats = std::vector<float>;

TEST_CASE_TEMPLATE("values joined where indices say", D, TEST_DEVICES) {
  const Tensor i = tensor<std::int64_t>({0, 2, 0, 2, 2}, D{});
  const Tensor s = tensor({4.0F, 2.0F, -3.0F, 8.0F, 5.0F}, D{});
  const auto run = [&](auto how, bool include = true) {
    const auto x = full<float>({3}, 3.0F, D{});
    return scatter_reduce(x, axis(0), i, s, how, include).to_vector();
  };
  CHECK(run(combine::sum) == Floats{4, 3, 18});
  CHECK(run(combine::prod) == Floats{-36, 3, 240});
  CHECK(run(combine::prod, false) == Floats{-12, 3, 80});
  CHECK(run(combine::max) == Floats{4, 3, 8});
  CHECK(run(combine::min, false) == Floats{-3, 3, 2});
  CHECK(run(combine::mean) == Floats{4.0F / 3, 3, 4.5F});
  CHECK(run(combine::mean, false) == Floats{0.5F, 3, 5});
  const auto nan = scatter_reduce(weft::zeros<float>({1}, D{}), axis(0), i * 0,
                                  s / (s - 2.0F) * 0.0F, combine::max);
  CHECK(std::isnan(nan.item()));
}

TEST_CASE_TEMPLATE("small elements, slices, and one number for all", D, TEST_DEVICES) {
  const Tensor i = tensor<std::int64_t>({1, 0, 1}, D{});
  const auto x = weft::ones<std::int8_t>({2, 3}, D{});
  const Tensor s = tensor<std::int8_t>({{2, 3, 4}, {5, 6, 7}, {-8, 9, -10}}, D{});
  index_reduce(x, axis(0), i, s, combine::max);
  CHECK(x.to_vector() == std::vector<std::int8_t>{5, 6, 7, 2, 9, 4});
  index_reduce(x, axis(0), i, s, combine::mean, false);
  CHECK(x.to_vector() == std::vector<std::int8_t>{5, 6, 7, -3, 6, -3});
  const auto h = weft::ones<weft::half>({4}, D{});
  scatter_reduce(h, axis(0), tensor<std::int64_t>({3, 3, 1}, D{}), 3, combine::prod);
  CHECK(Tensor(cast<float>(h)).to_vector() == Floats{1, 3, 1, 9});
}

TEST_CASE_TEMPLATE("many writers of one element", D, TEST_DEVICES) {
  const Tensor s = arange<float>(5000).to(D{});
  const auto i = weft::zeros<std::int64_t>({5000}, D{});
  CHECK(scatter_reduce(weft::zeros<float>({2}, D{}), axis(0), i, s, combine::max).to_vector() ==
        Floats{4999, 0});
}

TEST_CASE_TEMPLATE("indices shorter than the target", D, TEST_DEVICES) {
  const Tensor x = arange<float>(12).to(D{}).reshape(4, 3);
  const Tensor i = tensor<std::int64_t>({{2, 0}, {1, 1}}, D{});
  CHECK(Tensor(gather(x, i, axis(1))).to_vector() == Floats{2, 0, 4, 4});
  const auto y = weft::zeros<float>({4, 3}, D{});
  scatter(y, axis(0), i, 7);
  CHECK(y.to_vector() == Floats{0, 7, 0, 7, 7, 0, 7, 0, 0, 0, 0, 0});
  CHECK_SAYS("[gather] indices of shape (3, 1) along axis 1 of (2, 3)",
             gather(x(slice(0, 2)), i(0, 0).expand({3, 1}), axis(1)));
}
