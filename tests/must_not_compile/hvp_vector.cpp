// expect: hvp takes a vector for each input
#include <weft/autograd.hpp>

using namespace weft;

auto f(const Tensor<float>& x) {
  return hvp([](const auto& p) { return sum(p * p); }, std::tuple(x), std::tuple(x, x)).product;
}
