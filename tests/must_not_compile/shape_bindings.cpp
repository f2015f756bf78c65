// expect: weft: how many axes a shape has is known when the program runs
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) {
  auto [rows, columns] = x.shape();
  return rows + columns;
}
