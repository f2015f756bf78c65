#include "weft/cpu/conv/pool.hpp"

#include <limits>

#include "images.hpp"
#include "weft/conv.hpp"

using namespace weft;

namespace {
template <class T>
Tensor<T> in_format(const Tensor<T>& x, bool last) {
  return last ? channels_last(x) : x;
}

/// Results and places by pool::Largest, place by place.
template <class T>
void compare(const Shape& shape, const PerAxis& kernel, const MaxPoolOptions& o, bool last) {
  CAPTURE(shape);
  CAPTURE(last);
  // Few different numbers, so that many are equal, and some that are none.
  Tensor<float> numbers = floor(randn(shape) * 2.0F);
  numbers = where(rand(shape) < 0.05F, std::numeric_limits<float>::quiet_NaN(), numbers);
  numbers = where(rand(shape) < 0.1F, -std::numeric_limits<float>::infinity(), numbers);
  const Tensor<T> x = in_format(Tensor<T>(cast<T>(numbers)), last);
  const int axes = shape.rank() - 2;
  const pool::Window w =
      pool::plan("max_pool", shape, axes, kernel, o.stride, o.padding, o.dilation, o.ceil_mode);
  const auto found = pool::largest<std::int32_t>("max_pool", w, x, true);
  const Tensor<T> values = found.values.clone();
  const Tensor<std::int32_t> places = found.indices.clone();
  const Tensor<T> wanted = zeros<T>(values.shape());
  const Tensor<std::int32_t> wanted_places = zeros<std::int32_t>(values.shape());
  const pool::Largest<T, std::int32_t> f{w, conv::Planes<const T>(x), conv::Planes<T>(wanted),
                                         conv::Planes<std::int32_t>(wanted_places)};
  const Tensor<T> g = in_format(Tensor<T>(cast<T>(randn(values.shape()))), last);
  const Tensor<T> dx = in_format(Tensor<T>(ones<T>(shape)), last);
  const Tensor<T> wanted_dx = zeros<T>(shape);
  const pool::LargestGradient<T, std::int32_t> back{w, conv::Planes<const T>(g),
                                                    conv::Planes<const std::int32_t>(found.indices),
                                                    conv::Planes<T>(wanted_dx)};
  const auto each = [](const conv::Volume& v, const auto& call) {
    for (int n = 0; n < v.images; ++n) {
      for (int c = 0; c < v.channels; ++c) {
        for (int z = 0; z < v.size[0]; ++z) {
          for (int y = 0; y < v.size[1]; ++y) {
            for (int at = 0; at < v.size[2]; ++at) call(conv::Place{n, c, z, y, at});
          }
        }
      }
    }
  };
  each(conv::volume_of(wanted), f);
  each(conv::volume_of(wanted_dx), back);
  CHECK(allclose(cast<float>(values), cast<float>(wanted), {0, 0, true}));
  CHECK(equal(places, wanted_places));
  if (MaxPoolKernels<Cpu>::gradient("max_pool", w, g, found.indices, dx)) {
    CHECK(equal(dx.contiguous(), wanted_dx));
  } else {
    CHECK(is_half<T>);
  }
}
}  // namespace

TEST_CASE_TEMPLATE("the largest and its place are those of plain loops", T, float, double,
                   weft::half) {
  manual_seed(1);
  set_num_threads(1);  // with more threads than images and channels, another loop runs
  for (const bool last : {false, true}) {
    compare<T>({2, 3, 8, 10}, 2, {}, last);
    compare<T>({3, 5, 9, 13}, 3, {.stride = 2, .padding = 1}, last);
    compare<T>({2, 3, 9, 11}, 3, {.stride = 2, .padding = 1, .ceil_mode = true}, last);
    compare<T>({2, 4, 9, 150}, {2, 5}, {.stride = {1, 3}, .padding = {1, 2}}, last);
    compare<T>({2, 4, 9, 140}, {3, 2}, {.stride = 1, .padding = 1, .dilation = {2, 3}}, last);
    compare<T>({2, 130, 5, 4}, 2, {.stride = 1}, last);
    compare<T>({2, 3, 6, 7, 9}, {2, 3, 2}, {.stride = {1, 2, 2}, .padding = {0, 1, 1}}, last);
    compare<T>({2, 3, 40}, 3, {.stride = 2, .padding = 1}, last);
    compare<T>({2, 2, 4, 4}, 2, {.stride = 1, .padding = 1, .dilation = 5}, last);
  }
  set_num_threads(0);
}

TEST_CASE("places wider than 32 bits, and values alone") {
  manual_seed(2);
  const Tensor x = randn({2, 3, 8, 8});
  const auto found = max_pool2d_with_indices(x, 2);
  CHECK(equal(found.values, max_pool2d(x, 2)));
  const Tensor flat =
      take_along_axis(x.reshape({2, 3, 64}), found.indices.reshape({2, 3, 16}), axis(2));
  CHECK(equal(flat.reshape({2, 3, 4, 4}), found.values));
}
