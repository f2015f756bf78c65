#include "weft/ops/linalg/recurrent.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("gates and weights of recurrent layers") {
  RecurrentProblem p;
  p.width = p.out = 8;
  CHECK(p.gates() == 4);
  CHECK(p.weights() == 4);
  p.cell = RecurrentCellKind::gru;
  p.bias = false;
  p.out = 4;
  CHECK(p.gates() == 3);
  CHECK(p.projects());
  CHECK(p.weights() == 3);
}
