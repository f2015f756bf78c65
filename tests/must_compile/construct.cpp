#include <weft/weft.hpp>

using namespace weft;

Tensor<float> made(const Tensor<float>& x, const Tensor<const float>& read_only) {
  Tensor<float> a = x + 1, b(x * 2), c{x - 1}, d;
  const auto e = x + read_only;
  Tensor f = e, g(e), h{x};
  Tensor<const float> i = x, j = e;
  Tensor<float, Cpu> k = {};
  k = e;
  k = {};
  d = read_only.clone();
  d = a;
  d(0, all) = e.eval()(0);
  d(slice(0, 2), newaxis, ellipsis) = 1;
  d[0] = i[1];
  i = x;
  auto p = std::make_pair(a, b);
  float v = sum(c).item(), w = x.at(0, 0);
  if (all(x == f).item() && (x(0, 0) > 0).item()) d += v + w;
  return d + g + h + j + p.first + map([](float s, bool t) { return t ? s : 0; }, x, x > 0);
}
