// expect: weft: * of Small is the matrix product
#include <weft/small.hpp>

int main() {
  const weft::Tensor p = weft::full({2}, weft::Small<float, 3>{1, 2, 3});
  return static_cast<int>((p * p).size());
}
