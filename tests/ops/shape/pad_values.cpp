#include "weft/ops/shape/pad_values.hpp"

#include "array.hpp"

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
