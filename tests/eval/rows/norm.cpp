#include "weft/eval/rows/norm.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("a norm's rows and columns are those of its statistics and its weight") {
  const Tensor x = zeros({2, 3, 5});
  const Tensor weight = ones({5});
  const Tensor scale = ones({2, 3, 1});
  const NormGradients<float, float, Cpu> n{x,     x,   weight,         nullptr,
                                           scale, {x}, {weight, true}, {weight}};
  CHECK(n.rows() == 6);
  CHECK(n.columns() == 5);
  CHECK(!n.to_x.adds);
  CHECK(n.to_weight.adds);
}
