// expect: hvp takes vectors of the inputs' element types
#include <weft/autograd.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const Tensor<double>& v) {
  return hvp([](const auto& p) { return sum(p * p); }, x, v).product;
}
