// expect: XX
#include <weft/weft.hpp>

using namespace weft;

struct Shout {
  std::string operator()(const std::string& s) const { return s + "!"; }
};

auto f(const Tensor<float>& x) {
  return map(Shout{}, x);
}
