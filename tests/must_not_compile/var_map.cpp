// expect: an operation in this statement has no derivative
#include <weft/autograd.hpp>

using namespace weft;

struct Half {
  float operator()(float x) const { return x / 2; }
};
Var<float> f(const Var<float>& x) { return map(Half{}, x); }
