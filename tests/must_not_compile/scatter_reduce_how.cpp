// expect: weft: how values are joined is one of combine::sum, prod, mean, max and min
#include <weft/arrays.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const Tensor<std::int64_t>& i) {
  return scatter_reduce(x, axis(0), i, x, "amax");
}
