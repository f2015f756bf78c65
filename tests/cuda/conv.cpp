#include "weft/cuda/conv.hpp"

#include "images.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE("[gpu] convolutions on the GPU are those of the CPU, with cuDNN and without") {
  struct Case {
    Shape x, w;
    ConvOptions options;
  };
  const Case cases[] = {{{4, 16, 14, 14}, {32, 16, 3, 3}, {.padding = 1}},
                        {{4, 16, 15, 13}, {32, 8, 3, 3}, {.stride = 2, .padding = 1, .groups = 2}},
                        {{4, 16, 14, 14}, {24, 16, 1, 1}, {}},
                        {{4, 16, 14, 14}, {16, 1, 5, 5}, {.stride = 2, .padding = 2, .groups = 16}},
                        {{4, 16, 14, 14}, {16, 1, 3, 11}, {.padding = {1, 5}, .groups = 16}},
                        {{2, 8, 9, 9}, {8, 8, 4, 4}, {.padding = Padding::same}},
                        {{2, 8, 12, 12}, {8, 8, 3, 3}, {.padding = 2, .dilation = 2}}};
  for (const Case& c : cases) {
    CAPTURE(c.w);
    const auto run = [&](auto device, bool last) {
      using D = decltype(device);
      const auto values = test::image<float, D>(c.x);
      const Var x = parameter(last ? channels_last(values) : values);
      const Var w = parameter(test::image<float, D>(c.w, 1));
      const Var y = conv2d(x, w, c.options);
      y.backward(test::image<float, D>(y.shape(), 2));
      return std::tuple(y.detach().to(Cpu{}), x.grad().to(Cpu{}), w.grad().to(Cpu{}));
    };
    const auto [y, dx, dw] = run(Cpu{}, false);
    for (const bool cudnn : {true, false}) {
      weft::cuda::set_use_cudnn(cudnn);
      for (const bool last : {false, true}) {
        CAPTURE(cudnn);
        CAPTURE(last);
        const auto [z, ex, ew] = run(Cuda{}, last);
        CHECK(allclose(y, z, {1e-3, 1e-3}));
        CHECK(allclose(dx, ex, {1e-3, 1e-3}));
        CHECK(allclose(dw, ew, {1e-3, 5e-3}));
      }
    }
    weft::cuda::set_use_cudnn(true);
  }
}
