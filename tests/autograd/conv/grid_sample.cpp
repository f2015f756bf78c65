#include "weft/autograd/conv/grid_sample.hpp"

#include "image_vectors.hpp"

using namespace weft;

namespace {
/// Values and both gradients beside PyTorch's.
template <class D>
void compare(const std::string& operands, const std::string& name, const GridSampleOptions& o,
             bool last) {
  CAPTURE(name);
  CAPTURE(last);
  const auto images = test::images<double, D>(operands + ".x");
  const Var x = parameter(last ? channels_last(images) : images);
  const Var grid = parameter(test::images<double, D>(operands + ".grid"));
  const Var y = grid_sample(x, grid, o);
  CHECK(allclose(y.detach(), test::images<double, D>(name + ".y"), {1e-9, 1e-9}));
  const Tensor<double, D> weight =
      cast<double>(arange<int64_t>(1, y.size() + 1)).eval().to(D{}).reshape(y.shape()) /
      static_cast<double>(y.size());
  sum(y * y * weight).backward();
  CHECK(allclose(x.grad(), test::images<double, D>(name + ".dx"), {1e-8, 1e-8}));
  CHECK(allclose(grid.grad(), test::images<double, D>(name + ".dgrid"), {1e-8, 1e-8}));
}
}  // namespace

TEST_CASE_TEMPLATE("grid_sample is PyTorch's, and its gradients", D, TEST_DEVICES) {
  const std::pair<const char*, Interpolation> modes[] = {{"nearest", Interpolation::nearest},
                                                         {"bilinear", Interpolation::linear},
                                                         {"bicubic", Interpolation::cubic}};
  const std::pair<const char*, GridPadding> paddings[] = {{"zeros", GridPadding::zeros},
                                                          {"border", GridPadding::border},
                                                          {"reflection", GridPadding::reflection}};
  for (const auto& [mode, kind] : modes) {
    for (const auto& [around, padding] : paddings) {
      for (const bool corners : {false, true}) {
        const GridSampleOptions o{kind, padding, corners, corners};
        const std::string name = std::string("grid_sample.") + mode + "." + around;
        compare<D>("grid_sample", name + (corners ? ".1" : ".0"), o, false);
        compare<D>("grid_sample", name + (corners ? ".1" : ".0"), o, true);
      }
    }
    if (kind == Interpolation::cubic) continue;
    const std::string name = std::string("grid_sample3.") + mode;
    compare<D>("grid_sample3", name, {kind, GridPadding::reflection}, false);
  }
}

TEST_CASE_TEMPLATE("affine_grid is PyTorch's, and its gradient", D, TEST_DEVICES) {
  for (const bool corners : {false, true}) {
    const std::string which = corners ? "1" : "0";
    for (const auto& [name, size] : {std::pair("affine_grid.", Shape{2, 3, 4, 1}),
                                     std::pair("affine_grid3.", Shape{1, 2, 2, 3, 4})}) {
      test::compare_image<D>(
          name + which, test::images<double, D>(name + which + ".x"),
          [&, &shape = size](const auto& v) { return affine_grid(v, shape, corners); });
    }
  }
}

TEST_CASE_TEMPLATE("one of the operands may be a tensor", D, TEST_DEVICES) {
  const auto images = test::numbers<D>({1, 2, 3, 4});
  const auto grid = test::numbers<D>({1, 2, 2, 2});
  CHECK(gradcheck([&](const auto& v) { return grid_sample(tanh(v), grid); }, parameter(images)));
  CHECK(gradcheck([&](const auto& v) { return grid_sample(images, v * 0.9); }, parameter(grid)));
}
