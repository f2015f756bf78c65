// expect: write tensor(v) for a container
#include <weft/weft.hpp>

using namespace weft;

auto f(const Tensor<float>& x, const std::vector<int>& i) { return gather(x, i, axis(0)); }
