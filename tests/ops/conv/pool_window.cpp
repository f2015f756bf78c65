#include "weft/ops/conv/pool_window.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("the windows that hold a place are found from it") {
  pool::Window w;
  w.in[2] = 11;
  for (const bool parts : {false, true}) {
    w.parts = parts;
    w.out[2] = parts ? 4 : 6;
    w.kernel[2] = 4;
    w.stride[2] = 2;
    w.padding[2] = 1;
    for (int i = 0; i < w.in[2]; ++i) {
      for (int o = 0; o < w.out[2]; ++o) {
        const bool holds = i >= w.begin(2, o) && i < w.end(2, o);
        CHECK(holds == (o >= w.first(2, i) && o < w.last(2, i)));
      }
    }
  }
}
