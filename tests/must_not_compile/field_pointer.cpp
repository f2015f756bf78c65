// expect: weft: weights in this field would not be found
#include <weft/nn.hpp>

#include <memory>

using namespace weft;

struct Network {
  nn::Linear<> head{2, 2};
  std::unique_ptr<nn::Linear<>> body = std::make_unique<nn::Linear<>>(2, 2);
  auto fields() { return nn::fields("body", body, "head", head); }
};

auto f(const Network& network) { return nn::parameters(network); }
