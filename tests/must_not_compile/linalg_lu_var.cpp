// expect: lu_factor has no gradient: write solve, inv or det, or lu_factor(x.detach())
#include <weft/autograd.hpp>
#include <weft/linalg.hpp>

using namespace weft;

auto f(const Var<float>& x) { return lu_factor(x); }
