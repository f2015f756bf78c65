// expect: an operation names the element types it takes
#include <weft/weft.hpp>

struct halve {
  static constexpr const char* text = "halve";
  template <class T>
  static T value(T x) {
    return x / 2;
  }
};

void wrong(const weft::Tensor<float>& x) { static_cast<void>(weft::lift(halve{}, x)); }
