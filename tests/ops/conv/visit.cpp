#include "weft/ops/conv/visit.hpp"

#include "images.hpp"

using namespace weft;

namespace {
/// Writes each place's number in row-major order.
struct PlaceNumber {
  conv::Planes<float> to;
  conv::Volume v;
  WEFT_HD void operator()(const conv::Place& p) const {
    const auto size = [&](int i) { return static_cast<int>(v.size[i]); };
    const int channels = static_cast<int>(v.channels);
    const int at = (((p.n * channels + p.c) * size(0) + p.z) * size(1) + p.y) * size(2) + p.x;
    *to.at(p) = static_cast<float>(at);
  }
};
}  // namespace

TEST_CASE_TEMPLATE("each place is visited once, in both formats", D, TEST_DEVICES) {
  for (const bool last : {false, true}) {
    const Tensor plain = full<float>({3, 5, 2, 7, 6}, -1.0F, D{});
    const Tensor<float, D> x = last ? channels_last(plain) : plain;
    const conv::Volume v = conv::volume_of(x);
    CHECK(v.last == last);
    conv::visit("test", x.device(), v, PlaceNumber{conv::Planes<float>(x), v}, {}, {x.storage()});
    const Tensor<float, D> wanted =
        cast<float>(arange<int64_t>(x.size(), D{})).eval().reshape(x.shape());
    CHECK(equal(x, wanted));
  }
}
