#include "weft/ops/conv/columns.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE("which results a tap belongs to") {
  const conv::Problem p =
      conv::plan("f", {1, 1, 7}, {1, 1, 3}, 1, {.stride = 2, .padding = 2, .dilation = 2});
  const conv::Window w(p);
  for (int tap = 0; tap < 3; ++tap) {
    int first = 0;
    int last = 0;
    w.range(2, tap, first, last);
    for (int o = 0; o < w.out[2]; ++o) {
      CHECK(w.inside(2, w.source(2, o, tap)) == (o >= first && o < last));
    }
    for (int i = 0; i < 7; ++i) {
      int o = 0;
      if (w.target(2, i, tap, o)) CHECK(w.source(2, o, tap) == i);
    }
  }
}

TEST_CASE("rows of columns are their elements") {
  const conv::Problem p = conv::plan("f", {2, 3, 5, 6}, {1, 3, 3, 2}, 2,
                                     {.stride = {1, 2}, .padding = {1, 2}, .dilation = {2, 1}});
  const auto x = test::image<float, Cpu>(p.image_shape());
  const int64_t rows = p.channels * p.taps();
  const auto columns = [&](bool by_row) {
    const Tensor<float> out = zeros({p.images, rows, p.places()});
    const conv::IntoColumns<float> f{conv::Window(p), conv::Planes<const float>(x), out.data(),
                                     p.places(), rows * p.places()};
    conv::Place at;
    for (at.n = 0; at.n < 2; ++at.n) {
      for (at.c = 0; at.c < p.channels; ++at.c) {
        for (at.z = 0; at.z < p.taps(); ++at.z) {
          for (at.y = 0; at.y < p.out[1]; ++at.y) {
            at.x = 0;
            if (by_row) f.row(at, static_cast<int>(p.out[2]));
            for (; !by_row && at.x < p.out[2]; ++at.x) conv::visit_one(f, at);
          }
        }
      }
    }
    return out;
  };
  CHECK(equal(columns(true), columns(false)));
  const Tensor<float> matrix = columns(false);
  const auto back = [&](bool by_row) {
    const Tensor<float> out = zeros(p.image_shape());
    const conv::FromColumns<float> f{conv::Window(p), matrix.data(), conv::Planes<float>(out),
                                     p.places(), rows * p.places()};
    conv::Place at;
    for (at.n = 0; at.n < 2; ++at.n) {
      for (at.c = 0; at.c < 3; ++at.c) {
        for (at.y = 0; at.y < 5; ++at.y) {
          at.x = 0;
          if (by_row) f.row(at, 6);
          for (; !by_row && at.x < 6; ++at.x) conv::visit_one(f, at);
        }
      }
    }
    return out;
  };
  CHECK(allclose(back(true), back(false), {1e-6, 1e-6}));
}
