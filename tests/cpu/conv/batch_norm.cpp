#include "weft/cpu/conv/batch_norm.hpp"

#include "images.hpp"
#include "weft/autograd.hpp"

using namespace weft;

namespace {
/// Kernels against batch norm's formulas, of images in one format.
template <class T>
void check(const Tensor<T>& x, bool relu, bool adds) {
  CAPTURE(x.shape());
  CAPTURE(relu);
  const int64_t channels = x.size(1);
  const bool last = is_channels_last(x);
  const double near = sizeof(T) == 4 ? 2e-4 : 1e-10;
  const auto wide = [](const auto& t) { return Tensor<double>(cast<double>(t)); };
  const auto same = [&](const auto& a, const Tensor<double>& b) {
    return allclose(wide(a), b, {near, near});
  };
  const auto small = [&](double first) {
    return test::image<T, Cpu>({1, channels}, first).reshape({channels}).eval();
  };
  const Tensor<T> weight = small(1);
  const Tensor<T> bias = small(2);
  const auto in_format = [&](const Tensor<T>& t) { return last ? channels_last(t) : t; };
  const Tensor<T> g = in_format(test::image<T, Cpu>(x.shape(), 0.3));
  const Tensor<T> added = in_format(test::image<T, Cpu>(x.shape(), 0.9));
  const BatchRunning<T, Cpu> running{ones<T>({channels}), ones<T>({channels}), zeros<int64_t>({}),
                                     0.25};
  using Kernels = BatchNormKernels<Cpu>;
  const auto numbers = Kernels::statistics<T, Cpu>(x, weight, 1e-3, &running);

  Axes axes = axis(0);
  for (int i = 2; i < x.rank(); ++i) axes.push_back(i);
  Shape beside{channels};
  for (int i = 2; i < x.rank(); ++i) beside.push_back(1);
  const Tensor<double> centre = mean(wide(x), axes);
  const Tensor<double> spread = var(wide(x), axes, correction(0));
  CHECK(same(numbers.mean, centre));
  CHECK(same(numbers.variance, spread));
  const double n = static_cast<double>(x.size() / channels);
  CHECK(same(running.mean, 0.75 + 0.25 * centre));
  CHECK(same(running.variance, 0.75 + 0.25 * (n / (n - 1)) * spread));
  CHECK(running.batches.item() == 1);

  const Tensor<double> scale = rsqrt(spread + 1e-3);
  const Tensor<double> h = (wide(x) - centre.reshape(beside)) * scale.reshape(beside);
  const Tensor<double> y = h * wide(weight).reshape(beside) + wide(bias).reshape(beside) +
                           (adds ? 1. : 0.) * wide(added);
  const Tensor<T> found = Kernels::results<T, Cpu>(x, numbers, bias, relu, adds ? &added : nullptr);
  CHECK(is_channels_last(found) == last);
  CHECK(same(found, relu ? Tensor<double>(weft::relu(y)) : y));
  if (adds) return;

  const Tensor<double> u = relu ? Tensor<double>(where(y > 0., wide(g), 0.)) : wide(g);
  const auto sums = Kernels::gradients<T, Cpu>(x, g, numbers, bias, relu);
  CHECK(same(sums.bias, sum(u, axes)));
  CHECK(same(sums.weight, sum(u * h, axes)));
  const Tensor<double> dx = (wide(weight) * scale).reshape(beside) *
                            (u - mean(u, axes, keepdims) - h * mean(u * h, axes, keepdims));
  const Tensor<T> slopes = Kernels::images<T, Cpu>(x, g, numbers, sums, bias, relu);
  CHECK(is_channels_last(slopes) == last);
  CHECK(same(slopes, dx));
}

const Shape shapes[] = {{5, 3},          {300, 7},       {4, 3, 5},      {64, 40, 2, 2},
                        {9, 5, 11, 13},  {3, 4, 37, 41}, {2, 300, 3, 3}, {7, 130, 6, 1},
                        {2, 3, 4, 5, 6}, {40, 2, 70, 40}};
}  // namespace

TEST_CASE("statistics, results and gradients are those of the formulas") {
  for (const Shape& shape : shapes) {
    for (const bool relu : {false, true}) {
      const auto x = test::image<double, Cpu>(shape);
      check(x, relu, false);
      check(Tensor<float>(cast<float>(x)), relu, false);
      if (shape.rank() > 2) check(channels_last(x), relu, false);
      if (shape.rank() > 2) check(channels_last(Tensor<float>(cast<float>(x))), relu, false);
    }
    const auto x = test::image<double, Cpu>(shape);
    check(x, true, true);
    if (shape.rank() > 2) check(channels_last(x), true, true);
  }
}

TEST_CASE("a mean far from 0 costs no digits of the variance") {
  const Tensor<double> spread = test::image<double, Cpu>({8, 3, 9, 9});
  const Tensor<float> x = cast<float>(spread + 1000.);
  const Tensor<float> weight = ones({3});
  const auto numbers = BatchNormKernels<Cpu>::statistics<float, Cpu>(x, weight, 0);
  const Tensor<double> exact = var(cast<double>(x), axis(0, 2, 3), correction(0));
  CHECK(allclose(Tensor<double>(cast<double>(numbers.variance)), exact, {1e-5, 0}));
}

TEST_CASE("the bits do not depend on the number of threads, and what is not a number stays so") {
  const auto x = test::image<float, Cpu>({40, 6, 40, 40});
  const Tensor<float> weight = ones({6});
  const Tensor<float> bias = zeros({6});
  for (const bool last : {false, true}) {
    const Tensor<float> images = last ? channels_last(x) : x;
    const auto all_of = [&] {
      const auto numbers = BatchNormKernels<Cpu>::statistics<float, Cpu>(images, weight, 1e-5);
      const auto sums =
          BatchNormKernels<Cpu>::gradients<float, Cpu>(images, images, numbers, bias, true);
      return std::vector{numbers.mean, numbers.variance, sums.slope, sums.weight};
    };
    set_num_threads(1);
    const auto one = all_of();
    set_num_threads(3);
    const auto three = all_of();
    set_num_threads(0);
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(equal(one[i], three[i]));
  }
  Tensor<float> undefined = x.clone();
  undefined(0, 2, 3, 3) = std::nanf("");
  const auto numbers = BatchNormKernels<Cpu>::statistics<float, Cpu>(undefined, weight, 1e-5);
  const auto y =
      BatchNormKernels<Cpu>::results<float, Cpu>(undefined, numbers, bias, true, nullptr);
  CHECK(std::isnan(y.at(7, 2, 0, 0)));
  CHECK(!std::isnan(y.at(7, 1, 0, 0)));
}

TEST_CASE("half types keep the formulas") {
  CHECK(!BatchNormKernels<Cpu>::takes<weft::half>);
  CHECK(BatchNormKernels<Cpu>::takes<double>);
}
