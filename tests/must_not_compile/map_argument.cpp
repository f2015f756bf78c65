// expect: this f does not take them
#include <weft/weft.hpp>

#include <string>

using namespace weft;

struct Shout {
  std::string operator()(const std::string& s) const { return s + "!"; }
};

auto f(const Tensor<float>& x) { return map(Shout{}, x); }
