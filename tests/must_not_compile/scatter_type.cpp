// expect: element types do not mix silently
#include <weft/weft.hpp>

using namespace weft;

void f(const Tensor<float>& x, const Tensor<int>& i) {
  index_add(x, axis(0), i, zeros<double>({3}));
}
