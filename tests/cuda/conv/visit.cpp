#include "weft/cuda/conv/visit.hpp"

#include "cuda/graph_nodes.hpp"
#include "gradients.hpp"
#include "images.hpp"
#include "weft/autograd/conv/lp_pool.hpp"
#include "weft/autograd/conv/pool.hpp"
#include "weft/autograd/conv/resample.hpp"
#include "weft/random.hpp"

using namespace weft;

TEST_CASE("[gpu] a pooling is one kernel") {
  const auto x = test::image<float, Cuda>({2, 4, 9, 8});
  max_pool2d(x, 3);
  CHECK(captured([&] { max_pool2d(x, 3); }).kernels == 1);
}

namespace {

/// Images on both devices.
template <class T = float>
struct Both {
  Tensor<T> here;
  Tensor<T, Cuda> there;
};

template <class T = float>
Both<T> both_of(const Shape& shape, bool last) {
  const Tensor<T> x = randn<T>(shape);
  return {x, last ? channels_last(x.to(Cuda{})) : x.to(Cuda{})};
}

/// Whether f has the same result on both devices.
template <class T, class F>
bool agree(const Both<T>& x, const F& f) {
  return allclose(f(x.there).to(Cpu{}), f(x.here), {.atol = 1e-5});
}

/// The same of the gradient of its sum of squares.
template <class T, class F>
bool gradients_agree(const Both<T>& x, const F& f) {
  const auto gradient = [&](const auto& images) {
    const auto v = parameter(images);
    sum(square(f(v))).backward();
    return v.grad();
  };
  return allclose(gradient(x.there).to(Cpu{}), gradient(x.here), {.rtol = 1e-4, .atol = 1e-4});
}

}  // namespace

TEST_CASE("[gpu] a thread takes several places along a row, in several planes") {
  manual_seed(5);
  for (const bool last : {false, true}) {
    CAPTURE(last);
    const Both x = both_of({2, 3, 301, 203}, last);
    const Both wide = both_of({2, 3, 510, 411}, last);
    for (const auto mode : {Interpolation::nearest, Interpolation::linear, Interpolation::cubic}) {
      CHECK(agree(x, [&](const auto& v) {
        return interpolate(v, {.size = {602, 406}, .mode = mode}).eval();  // exact places
      }));
    }
    const Both wider = both_of<double>({2, 3, 301, 203}, last);
    CHECK(agree(wider, [](const auto& v) {
      return interpolate(v, {.size = {510, 411}, .mode = Interpolation::linear}).eval();
    }));
    for (const int kernel : {2, 3}) {
      for (const int stride : {1, 2}) {
        CAPTURE(kernel);
        CAPTURE(stride);
        const AvgPoolOptions o{.stride = stride, .padding = 1};
        const auto f = [&](const auto& v) { return avg_pool2d(v, kernel, o); };
        CHECK(agree(wide, [&](const auto& v) { return f(v).eval(); }));
        CHECK(agree(wide, [&](const auto& v) {
          return lp_pool2d(square(v), stride, kernel, {.stride = stride}).eval();
        }));
        CHECK(gradients_agree(wide, f));
      }
    }
    CHECK(agree(x, [](const auto& v) { return unfold(v, {3, 2}, {.padding = 1}).eval(); }));
  }
}

TEST_CASE("[gpu] the gradient of interpolation, by few results and by many") {
  manual_seed(6);
  for (const auto mode : {Interpolation::nearest, Interpolation::linear, Interpolation::cubic}) {
    const Both wide = both_of({2, 3, 510, 410}, false);
    CHECK(gradients_agree(wide, [&](const auto& v) {
      return interpolate(v, {.size = {255, 205}, .mode = mode});
    }));
    for (const bool last : {false, true}) {
      const Both small = both_of({2, 3, 9, 8}, last);
      for (const double scale : {2., 5.}) {
        CAPTURE(scale);
        CHECK(gradients_agree(
            small, [&](const auto& v) { return interpolate(v, {.scale = scale, .mode = mode}); }));
      }
    }
  }
}

TEST_CASE("[gpu] images of one and of three axes, and of axes of one element") {
  manual_seed(7);
  for (const Shape& shape : {Shape{2, 3, 17}, {2, 3, 1, 17}, {2, 3, 5, 7, 9}, {2, 3, 1, 7, 9}}) {
    CAPTURE(shape);
    const Both x = both_of(shape, false);
    for (const auto mode : {Interpolation::nearest, Interpolation::linear}) {
      const auto f = [&](const auto& v) { return interpolate(v, {.scale = 2, .mode = mode}); };
      CHECK(agree(x, [&](const auto& v) { return f(v).eval(); }));
      CHECK(gradients_agree(x, f));
    }
  }
}
