#include "weft/dist/tensor_parallel.hpp"

#include "test.hpp"
#include "weft/nn.hpp"

using namespace weft;

TEST_CASE("on one rank the parts are the whole") {
  manual_seed(1);
  const nn::Linear<> whole(4, 6);
  manual_seed(1);
  const dist::ColumnLinear<> columns(4, 6, dist::Group());
  manual_seed(1);
  const dist::RowLinear<> rows(4, 6, dist::Group());
  const Var<float> x = randn({3, 4});
  CHECK(allclose(columns(x).value(), whole(x).value()));
  CHECK(allclose(rows(x).value(), whole(x).value()));
}
