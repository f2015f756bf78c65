#include "weft/cpu/conv/visit.hpp"

#include "images.hpp"

using namespace weft;

namespace {
struct Rows {
  conv::Planes<float> to;
  void operator()(const conv::Place&) const {}
  void row(const conv::Place& p, int count) const {
    for (int i = 0; i < count; ++i) to.at(p)[i * to.x] += 1;
  }
};
}  // namespace

TEST_CASE("rows are visited once each, whatever the number of threads") {
  for (const bool last : {false, true}) {
    const Tensor<float> plain = zeros({4, 16, 2, 16, 32});
    const Tensor<float> x = last ? channels_last(plain) : plain;
    conv::visit("test", Cpu{}, conv::volume_of(x), Rows{conv::Planes<float>(x)}, {}, {x.storage()});
    CHECK(all(x == 1.0F).item());
  }
}
