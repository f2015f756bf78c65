#include "weft/cuda/linalg/cudnn_graph.hpp"

#include "test.hpp"
#include "weft/cuda.hpp"

#if defined(WEFT_CUDNN)
using namespace weft;
namespace gpu = weft::on_cuda::detail;

TEST_CASE("[gpu] a product and what follows it as one graph of cuDNN") {
  const Tensor<weft::half, Cuda> a = cast<weft::half>(randn({1, 2, 64, 32}, Cuda{}));
  const Tensor<weft::half, Cuda> b = cast<weft::half>(randn({1, 2, 32, 64}, Cuda{}));
  const Tensor<weft::half, Cuda> c = zeros<weft::half>({1, 2, 64, 64}, Cuda{});
  const gpu::CudnnHandle handle("f", 0, weft::cuda::current_stream(Cuda{0}).handle());
  gpu::CudnnGraph graph;
  const auto x = graph.tensor(CUDNN_DATA_HALF, {1, 2, 64, 32}, {4096, 2048, 32, 1});
  const auto y = graph.tensor(CUDNN_DATA_HALF, {1, 2, 32, 64}, {4096, 2048, 64, 1});
  const auto z = graph.tensor(CUDNN_DATA_HALF, {1, 2, 64, 64}, {8192, 4096, 64, 1});
  const auto product = graph.between(1, 2, 64, 64);
  graph.matmul(x, y, product);
  graph.unary(CUDNN_POINTWISE_RELU_FWD, product, z);
  REQUIRE(graph.find_plan(handle));
  StorageHandle room;
  if (graph.workspace > 0) room = StorageHandle(Memory<Cuda>::allocate(Cuda{0}, graph.workspace));
  gpu::CudnnArguments arguments;
  arguments.add(x, a.data());
  arguments.add(y, b.data());
  arguments.add(z, c.data());
  CHECK(arguments.run(handle, graph, room ? room->data : nullptr) == CUDNN_STATUS_SUCCESS);
  const auto wide = [](const auto& t) { return cast<float>(t).eval().to(Cpu{}); };
  CHECK(allclose(wide(c), relu(matmul(wide(a), wide(b))), {1e-2, 1e-2}));
  graph.drop();

  gpu::CudnnGraph wrong;
  wrong.matmul(wrong.between(1, 1, 2, 3), wrong.between(1, 1, 5, 7), wrong.between(1, 1, 2, 7));
  CHECK(!wrong.find_plan(handle));
  CHECK(wrong.status != CUDNN_STATUS_SUCCESS);
  wrong.drop();
}
#else
TEST_CASE("this build is without cuDNN") {}
#endif
