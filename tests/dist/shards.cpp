#include "weft/dist/shards.hpp"

#include "test.hpp"
#include "weft/nn.hpp"

using namespace weft;

TEST_CASE("pieces take turns in two buffers, and their gradients come to the shards") {
  nn::Sequential net{dist::Unit{nn::Linear<>(3, 2)}, dist::Unit{nn::Linear<>(2, 2)},
                     dist::Unit{nn::Linear<>(2, 2)}};
  const StateDict before = nn::state_dict(nn::clone(net));
  const auto shards = std::make_shared<dist::Shards<float, Cpu>>(dist::Group(), Cpu{});
  shards->build(dist::detail::pieces_of<float, Cpu>("test", net, true, 100));
  auto& pieces = shards->pieces();
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].part == 128);  // two parameters, each aligned
  CHECK(pieces[0].slot == pieces[2].slot);
  CHECK(pieces[0].all.data() == pieces[2].all.data());
  const auto is_there = [&](const char* name, std::size_t i, std::size_t leaf) {
    return equal(pieces[i].leaves[leaf].value(), before.get<float>(name));
  };
  shards->need(0);
  shards->prefetch(1, 0, false);
  shards->prefetch(2, 0, false);  // would take the memory of 0
  CHECK(is_there("0.weight", 0, 0));
  shards->need(1);
  CHECK(is_there("1.bias", 1, 1));
  CHECK(is_there("0.weight", 0, 0));
  shards->need(2);
  CHECK(is_there("2.weight", 2, 0));
  CHECK(!pieces[0].present);
  shards->need(0);
  CHECK(is_there("0.weight", 0, 0));

  CHECK(shards->missing().empty());
  for (const std::size_t i : {2U, 1U, 0U}) {
    for (std::size_t k = 0; k < 2; ++k) {
      pieces[i].leaves[k].set_grad(full(pieces[i].leaves[k].shape(), static_cast<float>(i + 1)));
      if (i == 0 && k == 1) CHECK(shards->missing() == std::vector<std::string>{"0.bias"});
      shards->set_ready(i, k);
      if (i == 1 && k == 0) CHECK_SAYS("a second gradient of 1.weight", shards->set_ready(1, 0));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(pieces[i].shard.grad().at(0) == static_cast<float>(i + 1));
    CHECK(pieces[i].shard.grad().at(127) == 0);
    CHECK(!pieces[i].leaves[0].has_grad());
  }
}
