// expect: weft: to use explain and profile include <weft/explain.hpp>
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return explain(x * 2); }
