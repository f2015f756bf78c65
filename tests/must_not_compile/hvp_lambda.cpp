// expect: hvp calls f with Vars of Dual elements
#include <weft/autograd.hpp>

using namespace weft;

auto f(const Tensor<float>& x) {
  return hvp([](const Var<float>& p) { return Var<float>(sum(p * p)); }, x, x).product;
}
