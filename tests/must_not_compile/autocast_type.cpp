// expect: weft: Autocast computes in 16 bits
#include <weft/nn.hpp>

using namespace weft;

void f() { const Autocast<float> guard; }
