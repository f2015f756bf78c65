// expect: weft: this operation takes numbers, not Small: write components(x)
#include <weft/small.hpp>

int main() {
  const weft::Tensor p = weft::full({2}, weft::Small<float, 3>{1, 2, 3});
  return static_cast<int>(exp(p).size());
}
