#include <weft/weft.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

using namespace std;

weft::Tensor<float> f(const weft::Tensor<float>& x, const weft::Tensor<bool>& chosen) {
  weft::Tensor<float> y = where(chosen && x > 0, sqrt(x), exp(-x)) + max(x, weft::axis(0));
  cout << y << "\n" << string("text") + "\n";
  if (all(y == x).item() || y.at(0) == 1) return abs(y) * max(2, 3) + std::min(1.0F, 2.0F);
  return y;
}

double g(vector<double> v) {
  sort(v.begin(), v.end());
  return max(v[0], v[1]) + tanh(2.0) + pow(v[0], 2) + floor(v[1]);
}

float h(weft::Tensor<float>& x, weft::Tensor<float>& y) {
  tie(x, y) = fuse(y, x + 1);
  tie(x(0), y) = fuse(y, y);
  auto [a, b] = fuse(exp(x), log(x));
  int i = 0;
  float v = 0;
  tie(i, v) = make_pair(1, 2.0F);
  return a.at(i) + b.at(0) + v;
}
