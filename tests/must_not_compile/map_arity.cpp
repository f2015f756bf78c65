// expect: this f does not take them
#include <weft/weft.hpp>

using namespace weft;

struct Twice {
  float operator()(float x) const { return 2 * x; }
};

auto f(const Tensor<float>& x, const Tensor<float>& y) { return map(Twice{}, x, y); }
