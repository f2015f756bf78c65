// expect: hvp takes inputs of float or double
#include <weft/autograd.hpp>

using namespace weft;

auto f(const Tensor<half>& x) {
  return hvp([](const auto& p) { return sum(p * p); }, x, x).product;
}
