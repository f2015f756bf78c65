#include "weft/dist/sampler.hpp"

#include "test.hpp"
#include "weft/data/loader.hpp"

using namespace weft;
using dist::DistributedSampler;

TEST_CASE("the ranks' samples are all, and as many on each") {
  for (const bool drop : {false, true}) {
    std::vector<int> seen(11);
    for (int r = 0; r < 4; ++r) {
      DistributedSampler sampler(11, r, 4, {.seed = 3, .drop_last = drop});
      sampler.set_epoch(2);
      CHECK(sampler.size() == (drop ? 2 : 3));
      for (const int64_t i : sampler.indices()) ++seen[static_cast<std::size_t>(i)];
    }
    int total = 0;
    for (const int count : seen) {
      CHECK(count >= (drop ? 0 : 1));
      CHECK(count <= (drop ? 1 : 2));
      total += count;
    }
    CHECK(total == (drop ? 8 : 12));
  }
  const DistributedSampler plain(6, 1, 2, {.shuffle = false});
  CHECK(plain.indices() == std::vector<int64_t>{1, 3, 5});
}

TEST_CASE("an epoch has its order, which a loader follows") {
  const data::TensorDataset samples(arange<int64_t>(0, 20).eval());
  DistributedSampler sampler(20, 0, 2, {});
  data::DataLoader loader(sampler.share(samples), {.batch_size = 5, .workers = 1});
  std::vector<int64_t> epochs[2];
  for (int e = 0; e < 2; ++e) {
    sampler.set_epoch(e);
    for (auto [x] : loader) {
      for (const int64_t v : x.to_vector()) epochs[e].push_back(v);
    }
    CHECK(epochs[e] == sampler.indices());
  }
  CHECK(epochs[0] != epochs[1]);
  CHECK_SAYS("a data set of 20 samples, expected 7", DistributedSampler(7, 0, 1).share(samples));
  CHECK_SAYS("[DistributedSampler] 3 samples for rank 2 of 2", DistributedSampler(3, 2, 2));
}
