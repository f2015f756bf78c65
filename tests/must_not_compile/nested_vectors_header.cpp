// expect: for tensors of nested containers include <weft/arrays.hpp>
#include <weft/weft.hpp>

#include <vector>

auto f(const std::vector<std::vector<float>>& rows) { return weft::tensor(rows); }
