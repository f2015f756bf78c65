#include "weft/cuda/conv/choice.hpp"

#include "test.hpp"

using namespace weft::cuda::detail;

namespace {
constexpr int64_t mib = int64_t{1} << 20;

template <int N>
int choose(const ConvCandidate (&found)[N], int64_t arrays, int64_t limit = 0) {
  return choose_algorithm(found, N, arrays, limit);
}
}  // namespace

TEST_CASE("the fastest algorithm is taken unless it works in much more memory") {
  CHECK(choose({{1.0F, 0}, {0.9F, 0}}, mib) == 1);
  CHECK(choose({{1.0F, 100 * mib}, {1.04F, 0}}, 100 * mib) == 1);
  CHECK(choose({{1.0F, 100 * mib}, {1.06F, 0}}, 100 * mib) == 0);
  CHECK(choose({{1.0F, 300 * mib}, {1.14F, 0}}, 100 * mib) == 1);
  CHECK(choose({{1.0F, 300 * mib}, {1.16F, 0}}, 100 * mib) == 0);
  CHECK(choose({{1.0F, 500 * mib}, {3.0F, 10 * mib}}, 100 * mib) == 1);
}

TEST_CASE("algorithms that were not measured are taken in their order") {
  CHECK(choose({{-1.0F, 30 * mib}, {-1.0F, 0}}, 10 * mib) == 0);
  CHECK(choose({{-1.0F, 50 * mib}, {-1.0F, 20 * mib}, {-1.0F, 0}}, 10 * mib) == 1);
}

TEST_CASE("small convolutions may work in 32 MiB, large ones in 1 GiB") {
  CHECK(automatic_workspace(0) == 32 * mib);
  CHECK(automatic_workspace(mib) == 32 * mib);
  CHECK(automatic_workspace(19 * mib) == 76 * mib);
  CHECK(automatic_workspace(2048 * mib) == 1024 * mib);
}

TEST_CASE("where all work in too much memory, the least decides, unless the user has set a limit") {
  CHECK(choose({{0.5F, 900 * mib}, {1.0F, 600 * mib}, {0.8F, 700 * mib}}, 10 * mib) == 1);
  CHECK(choose({{0.5F, 3000 * mib}}, 10 * mib) == -1);
  CHECK(choose({{0.5F, 900 * mib}, {1.0F, 600 * mib}}, 10 * mib, 500 * mib) == -1);
  CHECK(choose({{0.5F, 900 * mib}, {1.0F, 600 * mib}}, 10 * mib, 700 * mib) == 1);
  CHECK(choose({{0.5F, 2000 * mib}}, 1000 * mib, 3000 * mib) == 0);
  CHECK(choose_algorithm(nullptr, 0, mib, 0) == -1);
}
