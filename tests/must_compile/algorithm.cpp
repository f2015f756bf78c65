#include <algorithm>
#include <numeric>
#include <vector>

#include <weft/weft.hpp>

using namespace weft;

int smaller(int a, int b) { return std::min(a, b) + std::max({a, b, 3}) + std::clamp(a, 0, b); }

float total(const Tensor<float>& x) {
  std::vector<float> v = x.to_vector();
  std::transform(v.begin(), v.end(), v.begin(), [](float a) { return std::min(a, 1.0F); });
  std::vector<Tensor<float>> parts = {x, x + 1};
  parts.push_back(x(0, all));
  for (auto& part : parts) part = minimum(part, 1) + x;
  return std::accumulate(v.begin(), v.end(), 0.0F) + max(x).item() + std::max(2.0F, x.at(0, 0));
}
