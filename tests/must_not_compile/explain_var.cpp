// expect: weft: explain takes tensors: for Vars write explain_backward(e)
#include <weft/autograd.hpp>
#include <weft/explain.hpp>
#include <weft/weft.hpp>

using namespace weft;

auto f(const Var<float>& x) { return explain(mean(x * 2)); }
