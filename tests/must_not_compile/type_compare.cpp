// expect: element types do not mix silently
#include <weft/weft.hpp>

#include <cstdint>

using namespace weft;

auto f(const Tensor<std::int64_t>& x, const Tensor<std::int32_t>& y) { return x == y; }
