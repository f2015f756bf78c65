#include "weft/cuda/conv/batch_norm.hpp"

#include "images.hpp"

using namespace weft;

namespace {
/// Both passes against the CPU's loops in double.
template <class T>
void check(const Shape& shape, bool last, bool relu, double offset, double tolerance) {
  CAPTURE(shape);
  CAPTURE(last);
  const int64_t channels = shape[1];
  const auto put = [&](const Tensor<T>& t) {
    Tensor<T, Cuda> on = t.to(Cuda{});
    return last ? channels_last(on) : on;
  };
  const auto wide = [](const Tensor<T>& t) { return Tensor<double>(cast<double>(t)); };
  const Tensor<T> x = cast<T>(wide(test::image<T, Cpu>(shape)) + offset);
  const Tensor<T> g = test::image<T, Cpu>(shape, 2);
  const Tensor<T> w = test::image<T, Cpu>({1, channels, 1, 1}, 3).reshape({channels});
  const Tensor<T> b = test::image<T, Cpu>({1, channels, 1, 1}, 4).reshape({channels});
  const Tensor<T, Cuda> images = put(x);
  const Tensor<T, Cuda> upstream = put(g);
  const Tensor<T, Cuda> weight = w.to(Cuda{});
  const Tensor<T, Cuda> bias = b.to(Cuda{});
  const BatchRunning<T, Cuda> running{b.to(Cuda{}), w.to(Cuda{}),
                                      zeros<int64_t>({}, Cpu{}).to(Cuda{}), 0.25};
  const auto numbers = BatchNormKernels<Cuda>::statistics<T>(images, weight, 1e-3, &running);
  const auto found = BatchNormKernels<Cuda>::gradients<T>(images, upstream, numbers, bias, relu);

  const int64_t count = x.size() / channels;
  const auto rows = [&](const Tensor<T>& t) {
    return Tensor<double>(wide(t).transpose(0, 1)).contiguous().reshape({channels, count});
  };
  const Tensor<double> v = rows(x);
  const Tensor<double> u = rows(g);
  const auto near = [&](const auto& values, const std::vector<double>& wanted) {
    for (int64_t c = 0; c < channels; ++c) {
      const double value = static_cast<double>(load_element(values.data()[c]));
      CHECK(std::abs(value - wanted[c]) <= tolerance * (1 + std::abs(wanted[c])));
    }
  };
  std::vector<double> means, variances, slopes, shifts, weights, biases, old_means, old_variances;
  for (int64_t c = 0; c < channels; ++c) {
    double mean = 0, squares = 0, total = 0, along = 0;
    for (int64_t i = 0; i < count; ++i) mean += v(c, i).item() / static_cast<double>(count);
    for (int64_t i = 0; i < count; ++i) {
      const double apart = v(c, i).item() - mean;
      squares += apart * apart / static_cast<double>(count);
    }
    const double scale = 1 / std::sqrt(squares + 1e-3);
    const double factor = scale * wide(w)(c).item();
    for (int64_t i = 0; i < count; ++i) {
      const double centred = v(c, i).item() - mean;
      if (relu && centred * factor + wide(b)(c).item() <= 0) continue;
      total += u(c, i).item();
      along += u(c, i).item() * centred;
    }
    means.push_back(mean);
    old_means.push_back(0.75 * wide(b)(c).item() + 0.25 * mean);
    const double unbiased = squares * static_cast<double>(count) / static_cast<double>(count - 1);
    old_variances.push_back(0.75 * wide(w)(c).item() + 0.25 * unbiased);
    variances.push_back(squares);
    slopes.push_back(scale * scale * along / static_cast<double>(count));
    shifts.push_back(total / static_cast<double>(count));
    weights.push_back(along * scale);
    biases.push_back(total);
  }
  const Tensor<T, Cuda> dx =
      BatchNormKernels<Cuda>::images<T>(images, upstream, numbers, found, bias, relu);
  CHECK(is_channels_last(dx) == is_channels_last(images));
  const Tensor<double> by_row = rows(dx.to(Cpu{}));
  for (int64_t c = 0; c < channels; ++c) {
    const double scale = 1 / std::sqrt(variances[c] + 1e-3);
    const double factor = scale * wide(w)(c).item();
    double furthest = 0;
    for (int64_t i = 0; i < count; ++i) {
      const double centred = v(c, i).item() - means[c];
      const double shown = centred * factor + wide(b)(c).item();
      if (std::abs(shown) < 1e-3 * (1 + std::abs(offset))) continue;  // which side, may differ
      const double upstream_i = relu && shown <= 0 ? 0 : u(c, i).item();
      const double wanted = factor * (upstream_i - shifts[c] - centred * slopes[c]);
      furthest = std::max(furthest, std::abs(by_row(c, i).item() - wanted));
    }
    CHECK(furthest <= tolerance * 4);
  }
  near(numbers.mean.to(Cpu{}), means);
  near(numbers.variance.to(Cpu{}), variances);
  near(running.mean.to(Cpu{}), old_means);
  near(running.variance.to(Cpu{}), old_variances);
  CHECK(running.batches.to(Cpu{}).item() == 1);
  near(found.slope.to(Cpu{}), slopes);
  near(found.shift.to(Cpu{}), shifts);
  near(found.weight.to(Cpu{}), weights);
  near(found.bias.to(Cpu{}), biases);
}
}  // namespace

TEST_CASE("[gpu] batch norm's sums are those of loops, whatever the format") {
  check<float>({6, 5, 12, 12}, false, false, 0, 1e-4);
  check<float>({6, 5, 7, 3}, false, true, 0, 1e-4);         // planes that no vectors fill
  check<float>({5, 40, 9, 7}, true, true, 0, 1e-4);         // channels last
  check<float>({3, 7, 9, 7}, true, false, 0, 1e-4);         // whose channels no vectors fill
  check<float>({700, 3}, false, false, 0, 1e-4);            // without places
  check<float>({2, 2, 40, 41}, false, false, 3000., 2e-3);  // far from 0
  check<bfloat16>({4, 264, 5, 5}, true, true, 0, 2e-2);
}
