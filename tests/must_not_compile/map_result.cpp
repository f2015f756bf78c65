// expect: this type is not an element type
#include <weft/weft.hpp>

#include <string>

using namespace weft;

struct Name {
  std::string operator()(float x) const { return x > 0 ? "cat" : "dog"; }
};

auto f(const Tensor<float>& x) { return map(Name{}, x); }
