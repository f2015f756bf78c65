// expect: floating-point numbers do not become integers silently: write tensor(values)
#include <weft/weft.hpp>

#include <vector>

auto f(const std::vector<float>& values) { return weft::tensor<int>(values); }
