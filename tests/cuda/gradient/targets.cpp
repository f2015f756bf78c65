#include "weft/cuda/gradient/targets.hpp"

#include "gradients.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("[gpu] targets that are stored, added to and summed, aligned or not", T, float,
                   weft::half, double) {
  const auto gradients = [](auto device, std::int64_t columns) {
    using D = decltype(device);
    const auto make = [](const Shape& shape, double first) {
      return parameter(Tensor<T, D>(cast<T>(test::numbers<D>(shape, first))));
    };
    const Var x = make({70, columns + 3}, 0);
    const Var row = make({columns}, 1);
    const Var column = make({70, 1}, 2);
    const Var one = make({}, 3);
    for (int i = 0; i < 2; ++i) {
      const Var part = x(all, slice(3 - i, columns + 3 - i));
      const Var y = part * row + column * one;
      y.backward(ones<T>({70, columns}, device));
    }
    const auto host = [](const Var<T, D>& v) { return cast<double>(v.grad().to(Cpu{})).eval(); };
    return std::tuple(host(x), host(row), host(column), host(one));
  };
  const double close = std::is_same_v<T, weft::half> ? 2e-2
                       : std::is_same_v<T, float>    ? 1e-4
                                                     : 1e-10;
  for (const std::int64_t columns : {1, 5, 16, 33, 40, 300, 1100}) {
    CAPTURE(columns);
    const auto [x, row, column, one] = gradients(Cuda{}, columns);
    const auto [x_host, row_host, column_host, one_host] = gradients(Cpu{}, columns);
    CHECK(allclose(x, x_host, {close, close}));
    CHECK(allclose(row, row_host, {close, close}));
    CHECK(allclose(column, column_host, {close, close}));
    CHECK(allclose(one, one_host, {close, close}));
  }
}
