#include "weft/ops/conv/pool_average.hpp"

#include "test.hpp"
#include "weft/ops/conv/visit.hpp"
#include "weft/random.hpp"

using namespace weft;

namespace {

/// A window of an image (1, 1, 7, 19).
pool::Window window_of(int kernel, int stride, int padding) {
  pool::Window w;
  for (int i = 1; i < 3; ++i) {
    w.in[i] = i == 1 ? 7 : 19;
    w.kernel[i] = kernel;
    w.stride[i] = stride;
    w.padding[i] = padding;
    w.out[i] = (w.in[i] + 2 * padding - kernel) / stride + 1;
  }
  return w;
}

}  // namespace

TEST_CASE("several averages along a line are those computed one by one") {
  const auto x = randn({1, 1, 7, 19});
  for (const int kernel : {2, 3}) {
    for (const int stride : {1, 2}) {
      for (const int padding : {0, 1}) {
        CAPTURE(kernel);
        CAPTURE(stride);
        CAPTURE(padding);
        const pool::Window w = window_of(kernel, stride, padding);
        const Tensor<float> y = zeros({1, 1, w.out[1], w.out[2]});
        const pool::Average<float> f{w, conv::Planes<const float>(x), conv::Planes<float>(y)};
        CHECK(f.takes_neighbours());
        conv::Place at;
        for (; at.y < w.out[1]; ++at.y) {
          for (at.x = 0; at.x < w.out[2]; ++at.x) conv::visit_one(f, at);
          for (at.x = 0; at.x < w.out[2]; at.x += 4) {
            float several[4];
            f.compute(f.look<4>(at), {}, several);
            for (int v = 0; v < 4 && at.x + v < w.out[2]; ++v) {
              CHECK(several[v] == y(0, 0, at.y, at.x + v));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("gradients of averages add up to those of the results") {
  const pool::Window w = window_of(3, 2, 0);
  const auto g = randn({1, 1, w.out[1], w.out[2]});
  const Tensor<float> dx = zeros({1, 1, 7, 19});
  const pool::AverageGradient<float> f{w, conv::Planes<const float>(g), conv::Planes<float>(dx)};
  conv::Place at;
  for (; at.y < 7; ++at.y) {
    for (at.x = 0; at.x < 19; ++at.x) conv::visit_one(f, at);
  }
  CHECK(sum(dx).item() == doctest::Approx(sum(g).item()).epsilon(1e-5));
}
