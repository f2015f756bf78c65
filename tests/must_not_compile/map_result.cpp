// expect: XX
#include <weft/weft.hpp>

using namespace weft;

struct Name {
  std::string operator()(float x) const { return x > 0 ? "cat" : "dog"; }
};

auto f(const Tensor<float>& x) {
  return map(Name{}, x);
}
