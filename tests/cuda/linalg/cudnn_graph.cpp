#include "weft/cuda/linalg/cudnn_graph.hpp"

#include <weft/cuda/linalg/cudnn_arguments.hpp>

#include "test.hpp"
#include "weft/cuda.hpp"

#if defined(WEFT_CUDNN)
using namespace weft;
namespace gpu = weft::on_cuda::detail;

TEST_CASE("[gpu] products with a softmax in between as one graph of cuDNN") {
  const auto some = [] {
    return Tensor<weft::half, Cuda>(cast<weft::half>(randn({64, 64}, Cuda{})));
  };
  const Tensor<weft::half, Cuda> a = some();
  const Tensor<weft::half, Cuda> b = some();
  const Tensor<weft::half, Cuda> c = zeros<weft::half>({64, 64}, Cuda{});
  const Tensor<float, Cuda> logs = zeros({64}, Cuda{});
  const gpu::CudnnHandle handle("f", 0, weft::cuda::current_stream(Cuda{0}).handle());
  gpu::CudnnGraph graph;
  const auto array = [&] {
    return graph.tensor(CUDNN_DATA_HALF, {1, 1, 64, 64}, {4096, 4096, 64, 1});
  };
  const int64_t size[] = {1, 1, 64, 64};
  const int64_t stride[] = {4096, 4096, 64, 1};
  const auto x = array();
  const auto transposed = graph.transposed(CUDNN_DATA_HALF, size, stride);
  const auto z = array();
  const auto scale = graph.scalar();
  const auto sums = graph.tensor(CUDNN_DATA_FLOAT, {1, 1, 64, 1}, {64, 64, 1, 1});
  const auto product = graph.between(1, 1, 64, 64);
  const auto most = graph.between(1, 1, 64, 1);
  const auto sum = graph.like(most);
  const auto log = graph.like(most);
  const auto scaled = graph.like(product);
  const auto below = graph.like(product);
  const auto power = graph.like(product);
  const auto weights = graph.like(product, CUDNN_DATA_HALF);
  graph.matmul(x, transposed, product);
  graph.binary(CUDNN_POINTWISE_MUL, product, scale, scaled);
  graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scaled, most);
  graph.binary(CUDNN_POINTWISE_SUB, scaled, most, below);
  graph.unary(CUDNN_POINTWISE_EXP, below, power);
  graph.reduce(CUDNN_REDUCE_TENSOR_ADD, power, sum);
  graph.unary(CUDNN_POINTWISE_LOG, sum, log);
  graph.binary(CUDNN_POINTWISE_ADD, most, log, sums);
  graph.binary(CUDNN_POINTWISE_DIV, power, sum, weights);
  const auto values = array();
  graph.matmul(weights, values, z);
  REQUIRE(graph.find_plan(handle));
  StorageHandle room;
  if (graph.workspace > 0) room = StorageHandle(Memory<Cuda>::allocate(Cuda{0}, graph.workspace));
  const float factor = 0.5F;
  gpu::CudnnArguments arguments;
  arguments.add(x, a.data());
  arguments.add(transposed, b.data());
  arguments.add(values, b.data());
  arguments.add(z, c.data());
  arguments.add(scale, &factor);
  arguments.add(sums, logs.data());
  CHECK(arguments.run(handle, graph, room ? room->data : nullptr) == CUDNN_STATUS_SUCCESS);
  const auto wide = [](const auto& t) { return cast<float>(t).eval().to(Cpu{}); };
  const Tensor<float> scores = matmul(wide(a), wide(b).t()) * factor;
  CHECK(allclose(wide(c), matmul(softmax(scores), wide(b)), {1e-2, 1e-2}));
  CHECK(allclose(wide(logs), logsumexp(scores, axis(-1)), {1e-3, 1e-3}));
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
