// expect: an operation has a name
#include <weft/weft.hpp>

struct halve {
  using domain = weft::op::Numeric;
  template <class T>
  static T value(T x) {
    return x / 2;
  }
};

void wrong(const weft::Tensor<float>& x) { static_cast<void>(weft::lift(halve{}, x)); }
