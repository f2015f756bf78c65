// expect: correction(n) belongs to var and std
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return sum(x, axis(0), correction(0)); }
