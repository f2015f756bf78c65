// What tests/debugger/check.py looks at in gdb.
// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd.hpp>
#include <weft/io.hpp>
#include <weft/weft.hpp>

using namespace weft;

template <class E>
static void stop_here(const Tensor<float>& x, const Tensor<float>& columns,
                      const Tensor<half>& halves, const Tensor<float>& none,
                      const Tensor<double>& scalar, const Var<float, Cpu>& var,
                      const AnyTensor& any, const Shape& shape, const Text& name,
                      const E& formula) {
  static volatile bool stopped = false;
  stopped = x.size() + columns.size() + halves.size() + none.size() + scalar.size() + var.size() +
                any.size() + shape.size() + static_cast<int64_t>(name.size()) + formula.size() >
            0;
}

int main() {
  const Tensor x = arange<float>(6).reshape({2, 3});
  const Var var = parameter(x);
  stop_here(x, x.t(), full({3}, half(0.5F)), Tensor<float>(), full({}, 2.5), var, AnyTensor(x),
            x.shape(), "a text", x * 2.F + exp(sum(x - var, axis(0))));
}
