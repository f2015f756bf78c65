// expect: topk takes axis(n), smallest and stable
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x) { return topk(x, 3, descending).values; }
