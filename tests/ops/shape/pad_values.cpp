#include "weft/ops/shape/pad_values.hpp"

#include "array.hpp"
#include "weft/autograd.hpp"
#include "weft/ops/statistics/quantile.hpp"

#ifdef __CUDACC__
#include "weft/cuda/gradient.hpp"
#endif

using namespace weft;
using Floats = std::vector<float>;

// The expected values are those of numpy.pad.
TEST_CASE_TEMPLATE("borders of a tensor's own values", D, TEST_DEVICES) {
  const Tensor x = tensor({{1.0F, 2.0F, 6.0F}, {4.0F, 0.0F, 5.0F}}, D{});
  CHECK(pad(x, {1, 0, 0, 1}, PadValue::maximum).to_vector() ==
        Floats{6, 1, 2, 6, 5, 4, 0, 5, 6, 4, 2, 6});
  CHECK(pad(x, {0, 2}, PadValue::minimum).to_vector() == Floats{1, 2, 6, 1, 1, 4, 0, 5, 0, 0});
  CHECK(pad(x, {1, 1}, PadValue::mean).to_vector() == Floats{3, 1, 2, 6, 3, 3, 4, 0, 5, 3});
  CHECK(pad(x, {2, 2}, PadValue::linear_ramp)(1).to_vector() == Floats{0, 2, 4, 0, 5, 2.5F, 0});
  const Tensor k = tensor({5, 2, 2}, D{});
  CHECK(pad(k, {3, 1}, PadValue::linear_ramp).to_vector() == std::vector<int>{0, 1, 3, 5, 2, 2, 0});
  CHECK(pad(tensor({1, 2}, D{}), {1, 0}, PadValue::mean).to_vector() == std::vector<int>{2, 1, 2});
  CHECK_SAYS("[pad] a border of -1 and 0 along axis 1", pad(x, {-1, 0}, PadValue::mean));
}

TEST_CASE_TEMPLATE("borders of what a function gives", D, TEST_DEVICES) {
  const Tensor x = tensor({{1.0F, 2.0F, 6.0F}, {4.0F, 0.0F, 5.0F}}, D{});
  const auto last = [](const auto& t, const Axes& along) {
    return t.narrow(along[0], t.size(along[0]) - 1, 1) * 2;
  };
  CHECK(pad(x, {1, 1}, last).to_vector() == Floats{12, 1, 2, 6, 12, 10, 4, 0, 5, 10});
  CHECK(pad(x, {0, 1, 1, 0}, last).to_vector() == Floats{8, 0, 10, 20, 1, 2, 6, 12, 4, 0, 5, 10});
  // one value for each element of the border
  const auto first = [](const auto& t, const Axes& along) { return t.narrow(along[0], 0, 2); };
  CHECK(pad(x, {2, 0}, first).to_vector() == Floats{1, 2, 1, 2, 6, 4, 0, 4, 0, 5});
  if constexpr (std::is_same_v<D, Cpu>) {  // sorts, which pad does not include on CUDA
    const auto median = [](const auto& t, const Axes& along) {
      return quantile(t, 0.5, along, keepdims);
    };
    CHECK(pad(x, {1, 0, 0, 1}, median).to_vector() ==
          Floats{2, 1, 2, 6, 4, 4, 0, 5, 2.5F, 2.5F, 1, 5.5F});
  }
  const auto mean_of = [](const auto& t, const Axes& along) { return mean(t, along, keepdims); };
  Var v = parameter(x.clone());
  sum(square(pad(v, {1, 0}, mean_of))).backward();
  CHECK(allclose(v.grad(), x * 2 + 2 * mean(x, axis(1), keepdims) / 3));
}
