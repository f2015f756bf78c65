#include "weft/cuda/copy.hpp"

#include "test.hpp"

using weft::Cpu;
using weft::Cuda;
using weft::Tensor;

TEST_CASE("to and back, strided views too [gpu]") {
  Tensor<float> x = weft::arange<float>(24).reshape({4, 6});
  CHECK(x.to(Cuda{}).to(Cpu{}).to_vector() == x.to_vector());
  CHECK(x.t().to(Cuda{}).to_vector() == x.t().to_vector());
  CHECK(x.to(Cuda{}).t()(weft::slice(1, 3)).to(Cpu{}).to_vector() ==
        x.t()(weft::slice(1, 3)).to_vector());
  auto g = x.to(Cuda{});
  CHECK(g.to(Cuda{}).data() == g.data());
  CHECK(g.device() == Cuda{0});
  CHECK(weft::zeros({0}).to(Cuda{}).size() == 0);
}

TEST_CASE("non-blocking copies from and to pinned memory [gpu]") {
  Tensor<float> x = weft::arange<float>(100000);
  const auto pinned = weft::cuda::pin(x);
  CHECK(weft::cuda::is_pinned(pinned));
  CHECK_FALSE(weft::cuda::is_pinned(x));
  const weft::cuda::Stream side;
  Tensor<float, Cuda> g;
  {
    const weft::cuda::StreamGuard guard(side);
    g = pinned.to(Cuda{}, {.non_blocking = true});
  }
  Tensor twice = g * 2;  // on the default stream: waits for the copy by itself
  const auto back = twice.to(Cpu{}, {.non_blocking = true});
  weft::cuda::current_stream().synchronize();
  CHECK(weft::cuda::is_pinned(back));
  CHECK(back.at(99999) == 199998.f);
}

TEST_CASE("a fixed ordinal is checked [gpu]") {
  auto g = weft::ones({3}, weft::CudaAt<0>{});
  Tensor<float, Cuda> any = g;
  CHECK(any.data() == g.data());
  CHECK((g + any).eval()(2).item() == 2);
  CHECK_SAYS("there is no device cuda:77", weft::ones({3}).to(Cuda{77}));
}
