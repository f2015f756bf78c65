#include "weft/cpu/conv/depthwise_blocks.hpp"

#include "images.hpp"
#include "weft/conv.hpp"

using namespace weft;

namespace {
/// The three parts against products of matrices, in both formats.
template <class T>
void check(const Shape& shape, const Shape& filters, const ConvOptions& options) {
  CAPTURE(shape);
  CAPTURE(filters);
  const auto x = test::image<T, Cpu>(shape);
  const auto w = test::image<T, Cpu>(filters, 1);
  const Tensor<T> bias = test::image<T, Cpu>({1, filters[0], 1, 1}, 3).reshape({filters[0]});
  const auto p = conv::plan("f", shape, filters, shape.rank() - 2, options);
  REQUIRE(cpu::DepthwiseBlocks<T>::takes(p));
  const auto g = test::image<T, Cpu>(p.result_shape(), 2);
  const conv::ByMatmul<T, Cpu> product("f", p);
  const Tensor<T> y = zeros<T>(p.result_shape());
  const Tensor<T> dx = zeros<T>(p.image_shape());
  product.results(x, w, y);
  product.images(g, w, dx);
  const Tensor<T> dw = product.weights(x, g);
  Shape beside{filters[0]};
  for (int i = 2; i < shape.rank(); ++i) beside.push_back(1);
  const double near = sizeof(T) == 4 ? 1e-3 : 1e-11;
  for (const bool last : {false, true}) {
    CAPTURE(last);
    const auto in_format = [&](const Tensor<T>& t) { return last ? channels_last(t) : t; };
    const auto room = [&](const Shape& s) {
      const auto made = detail::allocate_format<T>(s, Cpu{}, last);
      made.fill(T(7));
      return made;
    };
    const Tensor<T> images = in_format(x);
    const Tensor<T> upstream = in_format(g);
    const cpu::DepthwiseBlocks<T> blocks(p);
    const Tensor<T> to = room(p.result_shape());
    blocks.gather(false, conv::Planes<T>(images), w.data(), bias.data(), conv::Planes<T>(to));
    CHECK(allclose(to, y + bias.reshape(beside), {near, near}));
    const Tensor<T> back = room(p.image_shape());
    blocks.gather(true, conv::Planes<T>(upstream), w.data(), nullptr, conv::Planes<T>(back));
    CHECK(allclose(back, dx, {near, near}));
    const Tensor<T> slopes = full<T>(p.weight_shape(), 7);
    blocks.weights(conv::Planes<T>(images), conv::Planes<T>(upstream), slopes.data());
    CHECK(allclose(slopes, dw, {near, near}));
  }
}
}  // namespace

TEST_CASE("results and gradients are those of the products") {
  check<double>({3, 40, 13, 10}, {40, 1, 3, 3}, {.padding = 1, .groups = 40});
  check<float>({3, 72, 13, 10}, {72, 1, 3, 3}, {.padding = 1, .groups = 72});
  check<float>({70, 88, 2, 2}, {88, 1, 5, 5}, {.padding = 2, .groups = 88});
  check<float>({20, 20, 9, 11}, {20, 1, 3, 5}, {.stride = 2, .padding = 1, .groups = 20});
  check<float>({2, 37, 12, 11}, {37, 1, 5, 5}, {.padding = 3, .dilation = 2, .groups = 37});
  check<float>({2, 19, 15, 16}, {19, 1, 4, 4}, {{3, 2}, {4, 1}, {2, 3}, 19});
  check<float>({2, 40, 70, 61}, {40, 1, 3, 3}, {.padding = 1, .groups = 40});  // in several strips
  check<float>({2, 40, 71, 61}, {40, 1, 5, 5}, {.stride = 2, .padding = 2, .groups = 40});
  check<double>({2, 6, 5, 7, 4}, {6, 1, 3, 2, 3}, {.padding = {1, 1, 0}, .groups = 6});
  check<double>({5, 9, 40}, {9, 1, 7}, {.stride = 3, .padding = 2, .groups = 9});
  check<float>({2, 5, 3, 3}, {5, 1, 1, 1}, {.stride = 2, .padding = 2, .groups = 5});
}

TEST_CASE("several filters a channel, and half types, are left to others") {
  const auto both = conv::plan("f", {2, 4, 6, 6}, {8, 1, 3, 3}, 2, {.padding = 1, .groups = 4});
  CHECK(!cpu::DepthwiseBlocks<float>::takes(both));
  const auto one = conv::plan("f", {2, 4, 6, 6}, {4, 1, 3, 3}, 2, {.padding = 1, .groups = 4});
  CHECK(cpu::DepthwiseBlocks<double>::takes(one));
  CHECK(!cpu::DepthwiseBlocks<weft::half>::takes(one));
}

TEST_CASE("the bits do not depend on the number of threads") {
  const auto p = conv::plan("f", {30, 40, 9, 9}, {40, 1, 5, 5}, 2, {.padding = 2, .groups = 40});
  const auto x = test::image<float, Cpu>(p.image_shape());
  const auto g = test::image<float, Cpu>(p.result_shape(), 2);
  const auto slopes = [&](int threads) {
    set_num_threads(threads);
    const Tensor<float> dw = zeros(p.weight_shape());
    cpu::DepthwiseBlocks<float>(p).weights(conv::Planes<float>(x), conv::Planes<float>(g),
                                           dw.data());
    set_num_threads(0);
    return dw;
  };
  CHECK(equal(slopes(1), slopes(3)));
}
