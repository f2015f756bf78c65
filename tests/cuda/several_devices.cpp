#include "weft/cuda/peer.hpp"

// Statements on a second GPU; a machine with one says that it skips them.
#include "cuda/graph_nodes.hpp"
#include "test.hpp"
#include "weft/cuda/graph.hpp"

using weft::Cpu;
using weft::Cuda;
using weft::CudaAt;
using weft::Tensor;
using weft::cuda::Graph;

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

TEST_CASE("fuse takes CudaAt<N> beside Cuda, and gives Cuda [gpu]") {
  const Tensor<float, CudaAt<0>> fixed = weft::tensor({1.f, 2.f, 3.f}, CudaAt<0>{});
  const Tensor<float, Cuda> open = weft::tensor({10.f, 20.f, 30.f}, Cuda{0});
  auto [total, product] = weft::fuse(fixed + 1, fixed * open);
  static_assert(std::is_same_v<decltype(total), Tensor<float, Cuda>>);
  CHECK(total.device() == Cuda{0});
  CHECK(equal(total.to(Cpu{}), weft::tensor({2.f, 3.f, 4.f})));
  CHECK(equal(product.to(Cpu{}), weft::tensor({10.f, 40.f, 90.f})));

  auto a = weft::zeros({3}, CudaAt<0>{});
  auto b = weft::zeros({3}, Cuda{0});
  CHECK(captured([&] { weft::tie(a, b) = weft::fuse(open - fixed, fixed * 2); }).kernels == 1);
  weft::tie(a, b) = weft::fuse(open - fixed, fixed * 2);
  CHECK(equal(a.to(Cpu{}), weft::tensor({9.f, 18.f, 27.f})));
  CHECK(equal(b.to(Cpu{}), weft::tensor({2.f, 4.f, 6.f})));
}

TEST_CASE("fuse checks the GPU of a Cuda operand against CudaAt<N> and the others [gpu]") {
  if (!two()) return;
  const auto fixed = weft::ones({3}, CudaAt<1>{});
  const auto there = weft::full({3}, 2.f, Cuda{1});
  const auto elsewhere = weft::ones({3}, Cuda{0});
  auto [total, product] = weft::fuse(fixed + there, fixed * there);
  CHECK(total.device() == Cuda{1});
  CHECK(equal(total.to(Cpu{}), weft::full({3}, 3.f)));
  CHECK(equal(product.to(Cpu{}), weft::full({3}, 2.f)));

  const auto mixed = [&] { auto [p, q] = weft::fuse(fixed + 1, elsewhere + 1); };
  CHECK_SAYS("[fuse] operands on cuda:1 and cuda:0", mixed());
  auto a = weft::zeros({3}, CudaAt<1>{});
  auto b = weft::zeros({3}, Cuda{0});
  CHECK_SAYS("[tie] operands on cuda:1 and cuda:0",
             weft::tie(a, b) = weft::fuse(fixed + 1, there + 1));
  CHECK(sum(a).item() == 0);
  CHECK(sum(b).item() == 0);
}

TEST_CASE("a capture on another GPU than the current one [gpu]") {
  if (!two()) return;
  auto x = weft::ones({1000}, Cuda{1});
  Graph step = weft::cuda::capture([&] { x += 1; }, Cuda{1});
  CHECK(step.kernels() == 1);
  CHECK(weft::cuda::current_device() == 0);
  CHECK(sum(x).item() == 1000);
  step.replay();
  step.replay();
  CHECK(sum(x).item() == 3000);
  CHECK(weft::cuda::current_device() == 0);
}

TEST_CASE("a capture refuses statements on another GPU, and leaves both usable [gpu]") {
  if (!two()) return;
  auto here = weft::ones({100}, Cuda{0});
  auto there = weft::ones({100}, Cuda{1});
  CHECK_SAYS("a statement on a stream of cuda:1 that takes no part in the capture on cuda:0",
             weft::cuda::capture([&] {
               here += 1;
               there += 1;
             }));
  CHECK(sum(here).item() == 100);
  CHECK(sum(there).item() == 100);
  there += 1;
  Graph step = weft::cuda::capture([&] { here += 1; });
  step.replay();
  CHECK(sum(here).item() == 200);
  CHECK(sum(there).item() == 200);
}

TEST_CASE("a copy to another GPU is refused in a capture, and made after it [gpu]") {
  if (!two()) return;
  auto here = weft::ones({1 << 20}, Cuda{0});
  Tensor<float, Cuda> there;
  CHECK_THROWS_WITH_AS(weft::cuda::capture([&] { there = here.to(Cuda{1}); }),
                       doctest::Contains("from cuda:0 to cuda:1 in a capture"), weft::DeviceError);
  there = here.to(Cuda{1});
  CHECK(there.device() == Cuda{1});
  CHECK(equal((there * 2).eval().to(Cpu{}), weft::full({1 << 20}, 2.0F)));
}
