#include "weft/cuda/elementwise/multi_output.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE("[gpu] aligned vectors are stored, and added to what is there") {
  const Var x = parameter(test::numbers<Cuda>({64, 128}));
  const Var y = parameter(test::numbers<Cuda>({64, 128}, 1));
  for (int pass = 1; pass <= 2; ++pass) {
    const Var z = x * y;
    z.backward(ones<double>({64, 128}, Cuda{}));
    CHECK(allclose(x.grad(), y.detach() * static_cast<double>(pass)));
    CHECK(allclose(y.grad(), x.detach() * static_cast<double>(pass)));
  }
}
