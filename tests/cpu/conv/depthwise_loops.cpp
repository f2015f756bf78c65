#include "weft/cpu/conv/depthwise_loops.hpp"

#include "images.hpp"

using namespace weft;
using namespace weft::cpu::detail;

TEST_CASE("blocks of channels are whole vectors, and cover all channels once") {
  for (int64_t channels = 1; channels < 200; ++channels) {
    const ChannelBlocks<float> blocks(channels);
    int64_t next = 0;
    for (int64_t i = 0; i < blocks.count(); ++i) {
      const ChannelBlock b = blocks.at(i);
      CHECK(b.first == next);
      CHECK((b.vectors == 1 || b.vectors == 2 || b.vectors == 4));
      CHECK(b.count > 0);
      CHECK(b.count <= b.vectors * side_by_side<float>);
      CHECK(b.first + b.vectors * side_by_side<float> <= blocks.padded());
      next += b.count;
    }
    CHECK(next == channels);
  }
}

TEST_CASE("a reach has the taps that read inside of the image, in equal steps") {
  for (const int stride : {1, 2, 3, 4}) {
    for (const int dilation : {1, 2, 3}) {
      const conv::Problem p =
          conv::plan("f", {1, 2, 19}, {2, 1, 5}, 1,
                     {.stride = stride, .padding = 3, .dilation = dilation, .groups = 2});
      const conv::Window w(p);
      for (const bool back : {false, true}) {
        const ReachSteps step(w, 2, back);
        for (int at = 0; at < (back ? w.in[2] : w.out[2]); ++at) {
          Reach r = reach_of(w, 2, at, back);
          for (int tap = 0; tap < 5; ++tap) {
            int from = back ? 0 : w.source(2, at, tap);
            if (!(back ? w.target(2, at, tap, from) : w.inside(2, from))) continue;
            CHECK(r.count-- > 0);
            CHECK(r.tap == tap);
            CHECK(r.source == from);
            r.tap += step.tap;
            r.source += step.source;
          }
          CHECK(r.count == 0);
        }
      }
    }
  }
}
