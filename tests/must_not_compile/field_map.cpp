// expect: weft: weights in this field would not be found
#include <weft/nn.hpp>

#include <map>

using namespace weft;

struct Network {
  nn::Linear<> head{2, 2};
  std::map<std::string, nn::Linear<>> body;
  auto fields() { return nn::fields("body", body, "head", head); }
};

auto f(const Network& network) { return nn::state_dict(network); }
