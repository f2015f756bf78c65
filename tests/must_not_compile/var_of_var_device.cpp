// expect: this expression is on another device than the Var: write x.to(device)
#include <weft/autograd.hpp>
#include <weft/cuda.hpp>

using namespace weft;

void f(const Var<float, Cuda>& x) { Var<float, Cpu> y = x; }
