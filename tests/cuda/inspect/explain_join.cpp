// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/inspect/explain_join.hpp>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"
#include "weft/explain.hpp"

using weft::axis;
using weft::Cuda;
using weft::Explanation;

TEST_CASE("a join of short pieces is explained, planned without a GPU") {
  const auto x = weft::ones<weft::half>({1000, 64}, weft::Cpu{});
  using Parts = weft::Pack<weft::Tensor<weft::half>, weft::Tensor<weft::half>>;
  weft::on_cuda::detail::ExplainedJoin join;
  CHECK(join.add(Parts{x, {x, {}}}, 2));
  CHECK(join.n == 2);
  CHECK(join.longest == 2);
  CHECK(join.kernel.reads.size() == 1);
  CHECK(join.kernel.reads[0].bytes == 128'000);
  CHECK_FALSE(join.add(Parts{x.t(), {x, {}}}, 0));
}

TEST_CASE("a join of short pieces is one kernel that explain knows [gpu]") {
  const auto x = weft::ones<weft::half>({1000, 64}, Cuda{});
  const auto y = weft::zeros<weft::half>({1000, 64}, Cuda{});
  const Explanation e = explain(stack(x, y, axis(2)));
  CHECK(e.kernels.at(0).kind == "join");
  CHECK(e.kernel_count() == captured([&] { auto fresh = stack(x, y, axis(2)).eval(); }).kernels);
  CHECK(e.opaque == 0);
  CHECK(e.bytes_read() == 256'000);
  CHECK(e.bytes_written() == 256'000);
  CHECK(e.kernels[0].blocks == 63);
  CHECK(explain(cat(x, y, axis(1))).kernels.at(0).kind == "join");
  CHECK(explain(cat(x, y, axis(0))).opaque == 1);
}
