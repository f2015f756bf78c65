#include "weft/cuda/reduce/launch.hpp"

#include <weft/cuda/reduce/row_kernel.hpp>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"

TEST_CASE("a reduction is one kernel, or two where rows are split [gpu]") {
  const auto x = weft::ones({512, 4096}, weft::Cuda{});
  auto rows = weft::zeros({512}, weft::Cuda{});
  auto whole = weft::zeros({}, weft::Cuda{});
  CHECK(captured([&] { rows.assign(sum(x * x, weft::axis(-1))); }).kernels <= 2);
  CHECK(captured([&] { whole.assign(sum(x * x)); }).kernels == 2);
  const auto narrow = weft::ones({100000, 64}, weft::Cuda{});
  auto many = weft::zeros({100000}, weft::Cuda{});
  const GraphNodes n = captured([&] { many.assign(mean(exp(narrow), weft::axis(-1))); });
  CHECK(n.kernels == 1);
  CHECK(n.allocations == 0);
  CHECK(n.memsets + n.copies == 0);
}
