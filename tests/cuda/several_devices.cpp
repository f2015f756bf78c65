#include "weft/cuda/peer.hpp"

// Statements on a second GPU; a machine with one says that it skips them.
#include "cuda/graph_nodes.hpp"
#include "test.hpp"

using weft::Cpu;
using weft::Cuda;
using weft::Tensor;

namespace {
bool two() {
  if (weft::cuda::device_count() >= 2) return true;
  MESSAGE("skipped: needs two GPUs");
  return false;
}
}  // namespace

TEST_CASE("statements run where their operands are [gpu]") {
  if (!two()) return;
  const auto x = weft::full({1000}, 3.f, Cuda{1});
  CHECK(x.device() == Cuda{1});
  Tensor y = x * x + 1;
  CHECK(y.device() == Cuda{1});
  CHECK(y(999).item() == 10);
  CHECK(sum(y).item() == 10000);
  CHECK(weft::cuda::current_device() == 0);
  const weft::cuda::DeviceGuard guard(Cuda{1});
  CHECK(weft::ones({3}, Cuda{}).device() == Cuda{1});
}

TEST_CASE("operands on two GPUs are refused by name [gpu]") {
  if (!two()) return;
  const auto a = weft::ones({3}, Cuda{0});
  const auto b = weft::ones({3}, Cuda{1});
  CHECK_SAYS("[add] operands on cuda:0 and cuda:1", (a + b).eval());
  weft::Tensor<float, weft::CudaAt<1>> fixed = weft::ones({3}, weft::CudaAt<1>{});
  CHECK((fixed + b).eval().device() == Cuda{1});
  CHECK_SAYS("cuda:0", weft::Tensor<float, weft::CudaAt<1>>(a));
}

TEST_CASE("copies between GPUs are ordered with what made and uses them [gpu]") {
  if (!two()) return;
  Tensor<float> values = weft::arange<float>(1 << 20);
  const auto a = values.to(Cuda{0});
  for (int i = 0; i < 20; ++i) {
    Tensor here = a + static_cast<float>(i);
    const auto there = here.to(Cuda{1});
    here = here * 0;  // must not overtake the copy
    const Tensor back = there - static_cast<float>(i);
    CHECK(equal(back.to(Cpu{}), values));
  }
}

TEST_CASE("rebinding follows the expression to its GPU [gpu]") {
  if (!two()) return;
  auto z = weft::ones({16}, Cuda{0});
  z = weft::full({16}, 2.f, Cuda{1}) + 1;
  CHECK(z.device() == Cuda{1});
  CHECK(z(3).item() == 3);
}
