#include "weft/ops/conv/resample_window.hpp"

#include "test.hpp"

using namespace weft;

namespace {

template <int K>
double weight(const resampling::Window<double>& w, int o, int i) {
  return w.weight<K>(2, o, i);
}

}  // namespace

TEST_CASE("the results that read a place are found from it") {
  for (const auto kind : {Interpolation::nearest, Interpolation::linear, Interpolation::cubic}) {
    const auto weight_of = kind == Interpolation::nearest  ? weight<1>
                           : kind == Interpolation::linear ? weight<2>
                                                           : weight<4>;
    for (const bool corners : {false, true}) {
      for (const int out : {1, 3, 7, 20}) {
        resampling::Window<double> w;
        w.kind = kind;
        w.align_corners = corners && kind != Interpolation::nearest;
        w.in[2] = 7;
        w.out[2] = out;
        w.scale[2] = w.align_corners ? (out > 1 ? 6.0 / (out - 1) : 0.0) : 7.0 / out;
        for (int i = 0; i < 7; ++i) {
          int first = 0;
          int last = 0;
          w.range(2, i, first, last);
          for (int o = 0; o < out; ++o) {
            if (weight_of(w, o, i) != 0) CHECK((o >= first && o < last));
          }
        }
        double sum = 0;
        for (int i = 0; i < 7; ++i) sum += weight_of(w, 0, i);
        CHECK(sum == doctest::Approx(1));
      }
    }
  }
}
