// SPDX-License-Identifier: Apache-2.0
#include "watched_statements.hpp"

#include <vector>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"
#include "weft/cuda/algorithms.hpp"
#include "weft/cuda/matmul.hpp"

using weft::axis;
using weft::Cuda;
using weft::keepdims;

namespace {
/// Runs a statement, which must be compared with its explanation, then captures it: the graph has
/// as many kernels as the observer was told of, and nothing else.
template <class F>
void compared(const F& statement) {
  const long before = watched::compared;
  statement();
  CHECK(watched::compared > before);
  const int launches = watched::all_launches;
  const GraphNodes nodes = captured(statement);
  CHECK(nodes.kernels == watched::all_launches - launches);
  CHECK(nodes.kernels > 0);
  CHECK(nodes.memsets + nodes.copies == 0);
}
}  // namespace

TEST_CASE("each statement launches the kernels that explain names [gpu]") {
  const auto x = weft::ones({300, 700}, Cuda{});
  const auto row = weft::ones({700}, Cuda{});
  const auto wide = weft::ones({2, 1 << 20}, Cuda{});
  weft::Tensor<float, Cuda> z;
  compared([&] { z = tanh(x * x + row) * 2; });
  compared([&] { z = x.transpose(0, 1) + 1; });
  compared([&] { z = softmax(x, axis(-1)); });
  compared([&] { z = sum(x * 2); });
  compared([&] { z = sum(wide, axis(1)); });
  compared([&] { z = softmax(wide, axis(-1)); });
  compared([&] { z = x / sum(x); });
  compared([&] {
    z = (x - mean(x, axis(0))) / sum(exp(x - max(x, axis(1), keepdims)), axis(1), keepdims);
  });
  compared([&] {
    auto [a, b] = fuse(x + 1, x * 2);
    z = a;
  });
  compared([&] {
    auto [a, b] = fuse(sum(x, axis(1)), max(x, axis(1)));
    z = b;
  });
  z = x + 0;
  compared([&] { z += row; });
  compared([&] { z(0, weft::all) = row; });
}

TEST_CASE("the launches of a part that runs by its own algorithm are not the statement's [gpu]") {
  const auto x = weft::ones({30, 70}, Cuda{});
  const long before = watched::compared;
  const weft::Tensor<float, Cuda> z = sum(matmul(x, x.transpose(0, 1)), axis(0)) + 1;
  CHECK(watched::compared > before);
  CHECK(z.to_vector() == std::vector<float>(30, 30 * 70 + 1));
}

TEST_CASE("somebody else's observer is left where it is [gpu]") {
  const auto x = weft::ones({30, 70}, Cuda{});
  static int seen = 0;
  static constexpr weft::cuda::LaunchObserver mine{[](const weft::detail::Name&) { ++seen; },
                                                   [] {}};
  weft::cuda::observe_launches(&mine);
  const long before = watched::left_out;
  const weft::Tensor<float, Cuda> z = x + 1;
  weft::cuda::observe_launches(nullptr);
  CHECK(seen == 1);
  CHECK(watched::left_out == before + 1);
}
