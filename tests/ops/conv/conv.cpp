#include "weft/ops/conv/conv.hpp"

#include "images.hpp"

using namespace weft;

namespace {

template <class T, class D>
void compare(const Shape& x_shape, const Shape& w_shape, const ConvOptions& o, double tolerance) {
  CAPTURE(x_shape);
  CAPTURE(w_shape);
  const auto x = test::image<T, D>(x_shape);
  const auto w = test::image<T, D>(w_shape, 1);
  const auto b = test::image<T, D>({w_shape[0]}, 2);
  const Tensor y = conv2d(x, w, b, o);
  const Tensor<double> wide_x = cast<double>(x.to(Cpu{}));
  const Tensor<double> wide_w = cast<double>(w.to(Cpu{}));
  const Tensor<double> wide_b = cast<double>(b.to(Cpu{}));
  const Tensor<double> wanted =
      tensor(test::convolved(wide_x, wide_w, o, y.size(2), y.size(3)), y.shape()) +
      wide_b.reshape({-1, 1, 1});
  CHECK(allclose(cast<double>(y.to(Cpu{})), wanted, {tolerance, tolerance}));
  const Tensor last = conv2d(channels_last(x), w, b, o);
  CHECK(is_channels_last(last) == is_channels_last(channels_last(y)));
  CHECK(allclose(cast<double>(last.to(Cpu{})), wanted, {tolerance, tolerance}));
}

}  // namespace

TEST_CASE_TEMPLATE("conv2d is the sum over a window", D, TEST_DEVICES) {
  compare<float, D>({2, 3, 7, 9}, {4, 3, 3, 3}, {.padding = 1}, 1e-5);
  compare<float, D>({2, 4, 7, 9}, {6, 2, 3, 2}, {.stride = {2, 1}, .padding = {0, 2}, .groups = 2},
                    1e-5);
  compare<double, D>({1, 2, 11, 8}, {3, 2, 3, 3}, {.stride = 2, .padding = 3, .dilation = {2, 3}},
                     1e-12);
  compare<float, D>({3, 5, 4, 6}, {7, 5, 1, 1}, {}, 1e-5);                           // pointwise
  compare<float, D>({3, 4, 6, 5}, {4, 1, 3, 3}, {.padding = 1, .groups = 4}, 1e-5);  // depthwise
  compare<float, D>({2, 3, 8, 9}, {6, 1, 5, 5}, {.stride = 2, .padding = 2, .groups = 3}, 1e-5);
  compare<weft::half, D>({2, 3, 7, 9}, {4, 3, 3, 3}, {.padding = 1}, 4e-3);
  compare<bfloat16, D>({2, 4, 7, 9}, {4, 1, 3, 3}, {.padding = 1, .groups = 4}, 3e-2);
}

TEST_CASE_TEMPLATE("one, two and three spatial axes agree", D, TEST_DEVICES) {
  const auto x = test::image<float, D>({2, 3, 10});
  const auto w = test::image<float, D>({4, 3, 3}, 1);
  const Tensor y = conv1d(x, w, {.stride = 2, .padding = 1});
  CHECK(y.shape() == Shape{2, 4, 5});
  const Tensor flat = conv2d(x.unsqueeze(2), w.unsqueeze(2), {.stride = {1, 2}, .padding = {0, 1}});
  CHECK(allclose(y, flat.squeeze(2), {1e-5, 1e-5}));
  const Tensor deep = conv3d(x.reshape({2, 3, 1, 10, 1}), w.reshape({4, 3, 1, 3, 1}),
                             {.stride = {1, 2, 1}, .padding = {0, 1, 0}});
  CHECK(allclose(y, deep.reshape({2, 4, 5}), {1e-5, 1e-5}));
  CHECK(allclose(conv1d(x(0), w, {.stride = 2, .padding = 1}), y(0), {1e-5, 1e-5}));
}

TEST_CASE_TEMPLATE("padding same keeps the size", D, TEST_DEVICES) {
  const auto x = test::image<float, D>({1, 2, 5, 6});
  const auto w = test::image<float, D>({3, 2, 3, 4}, 1);
  const Tensor y = conv2d(x, w, {.padding = Padding::same});
  CHECK(y.shape() == Shape{1, 3, 5, 6});
  // One more behind than before, as PyTorch has it.
  const Tensor wide = zeros({1, 2, 7, 9}, D{});
  wide(0, all, slice(1, 6), slice(1, 7)) = x(0);
  CHECK(allclose(y, conv2d(wide, w), {1e-5, 1e-5}));
  CHECK(conv2d(x, w, {.padding = Padding::valid}).shape() == Shape{1, 3, 3, 3});
}

TEST_CASE_TEMPLATE("conv_transpose2d spreads each element over a window", D, TEST_DEVICES) {
  const auto x = test::image<double, D>({2, 4, 3, 5});
  const auto w = test::image<double, D>({4, 3, 3, 2}, 1);
  const ConvTransposeOptions o{
      .stride = {2, 3}, .padding = {1, 0}, .output_padding = {1, 2}, .groups = 2};
  const auto b = test::image<double, D>({6}, 2);
  const Tensor<double> y = conv_transpose2d(x, w, b, o).to(Cpu{});
  CHECK(y.shape() == Shape{2, 6, 6, 16});
  Tensor<double> wanted = zeros<double>({2, 6, 8, 16});
  const Tensor<double> from = x.to(Cpu{});
  const Tensor<double> filters = w.to(Cpu{});
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t n = i / 60, c = i / 15 % 4, row = i / 5 % 3, column = i % 5;
    for (int64_t f = 0; f < 3; ++f) {
      for (int64_t k = 0; k < 6; ++k) {
        wanted.at(n, c / 2 * 3 + f, row * 2 + k / 2, column * 3 + k % 2) +=
            from.at(n, c, row, column) * filters.at(c, f, k / 2, k % 2);
      }
    }
  }
  const Tensor<double> cut = wanted(all, all, slice(1, 7)) + b.to(Cpu{}).reshape({-1, 1, 1});
  CHECK(allclose(y, cut, {1e-12, 1e-12}));
  const Tensor last = conv_transpose2d(channels_last(x), w, b, o);
  CHECK(is_channels_last(last));
  CHECK(allclose(last.to(Cpu{}), cut, {1e-12, 1e-12}));
}

TEST_CASE_TEMPLATE("empty batches and expressions", D, TEST_DEVICES) {
  const auto w = test::image<float, D>({4, 3, 3, 3}, 1);
  CHECK(conv2d(zeros({0, 3, 5, 5}, D{}), w).shape() == Shape{0, 4, 3, 3});
  const auto x = test::image<float, D>({2, 3, 5, 5});
  CHECK(allclose(conv2d(x + x, w * 0.5F), conv2d(x, w), {1e-5, 1e-5}));
}

TEST_CASE_TEMPLATE("what does not fit says so", D, TEST_DEVICES) {
  const Tensor x = zeros({1, 3, 5, 5}, D{});
  const Tensor w = zeros({4, 3, 3, 3}, D{});
  CHECK_SAYS(
      "[conv2d] an input of shape (1, 3, 5, 5) and a weight of shape (4, 2, 3, 3) with 1 "
      "groups, expected a weight for 3 channels",
      conv2d(x, zeros({4, 2, 3, 3}, D{})));
  CHECK_SAYS("with 2 spatial axes", conv2d(x, zeros({4, 3, 3}, D{})));
  CHECK_SAYS("a kernel that reaches over 7 of 5 places", conv2d(x, w, {.dilation = 3}));
  CHECK_SAYS("3 channels and 4 filters in 2 groups", conv2d(x, w, {.groups = 2}));
  CHECK_SAYS("0 groups", conv2d(x, w, {.groups = 0}));
  CHECK_SAYS("stride 0, expected at least 1", conv2d(x, w, {.stride = 0}));
  CHECK_SAYS("stride of 3 numbers, expected 1 or 2", conv2d(x, w, {.stride = {1, 1, 1}}));
  CHECK_SAYS("expected stride 1", conv2d(x, w, {.stride = 2, .padding = Padding::same}));
  CHECK_SAYS("a bias of shape (3,), expected (4,)", conv2d(x, w, zeros({3}, D{})));
  CHECK_SAYS("output_padding 1",
             conv_transpose2d(zeros({1, 4, 5, 5}, D{}), w, {.output_padding = 1}));
  CHECK_SAYS("[conv_transpose2d]", conv_transpose2d(x, w));
}
