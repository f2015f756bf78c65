// expect: a number is added by x + Small<T, R, C>::full(v)
#include <weft/small.hpp>

int main() {
  const weft::Tensor p = weft::full({2}, weft::Small<float, 3>{1, 2, 3});
  return static_cast<int>((p + 1.F).size());
}
