// expect: weft: nn::to makes modules anew, on another device
#include <weft/nn.hpp>

using namespace weft;

template <class D>
struct Block {
  nn::Linear<D> linear;
  explicit Block(int64_t width) : linear(width, width) {}
  auto fields() { return nn::fields("linear", linear); }
};
template <class D>
struct Net {
  std::vector<Block<D>> blocks;
  auto fields() { return nn::fields("blocks", blocks); }
};

auto f(const Net<Cpu>& net) { return nn::to(net, Cpu{}); }
