#include "weft/nn/models/cnn.hpp"

#include "nn/models/models.hpp"

using namespace weft;
namespace models = nn::models;

TEST_CASE_TEMPLATE("the guides' network has gradients for all it learns", D, TEST_DEVICES) {
  const models::Cnn<D> net({.channels = 3, .size = 8, .classes = 4, .hidden = 16});
  CHECK(nn::count(net) == 3 * 16 * 9 + 16 + 16 * 32 * 9 + 32 + 128 * 16 + 16 + 16 * 4 + 4);
  const Var loss = sum(net(Var(test::image<float, D>({2, 3, 8, 8}))));
  loss.backward();
  for (const auto& p : nn::parameters(net)) CHECK(any(p.grad() != 0.0F).item());
}
