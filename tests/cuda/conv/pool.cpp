#include "weft/cuda/conv/pool.hpp"

#include "images.hpp"
#include "weft/autograd/conv/pool.hpp"
#include "weft/cuda/conv.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

namespace {
/// Values, places and gradients beside the CPU's, in both formats.
template <class T>
void compare(const Shape& shape, const PerAxis& kernel, const MaxPoolOptions& o) {
  CAPTURE(shape);
  CAPTURE(kernel[0]);
  const Tensor<T> x = test::image<T, Cpu>(shape);
  const auto [values, places] = max_pool2d_with_indices(x, kernel, o);
  const Tensor<T> g = test::image<T, Cpu>(values.shape(), 1);
  const Var leaf = parameter(x);
  Var(max_pool2d(leaf, kernel, o)).backward(g);
  for (const bool last : {false, true}) {
    CAPTURE(last);
    const auto format = [&](const auto& t) { return weft::detail::in_format(t.to(Cuda{}), last); };
    const auto on_gpu = format(x);
    CHECK(equal(max_pool2d(on_gpu, kernel, o).to(Cpu{}), values));
    const auto found = max_pool2d_with_indices(on_gpu, kernel, o);
    CHECK(is_channels_last(found.values) == last);
    CHECK(equal(found.values.to(Cpu{}), values));
    CHECK(equal(found.indices.to(Cpu{}), places));
    const Var there = parameter(on_gpu);
    Var(max_pool2d(there, kernel, o)).backward(format(g));
    CHECK(allclose(cast<float>(there.grad()).eval().to(Cpu{}), cast<float>(leaf.grad()),
                   {1e-2, 1e-6}));
  }
}
}  // namespace

TEST_CASE("[gpu] max pooling by vectors is the CPU's") {
  const MaxPoolOptions halves{.stride = 2, .padding = 1};
  compare<float>({3, 8, 16, 24}, 3, halves);  // vectors of 4
  compare<float>({2, 4, 13, 12}, 3, halves);  // of 2, an odd number of rows
  compare<float>({2, 4, 8, 16}, 2, {});
  compare<float>({2, 4, 9, 12}, 2, {});
  compare<float>({2, 3, 8, 10}, 2, {});  // no whole vectors
  compare<float>({1, 8, 9, 10}, {3, 2}, {.stride = 1, .padding = 1, .dilation = 2});
  compare<weft::half>({2, 16, 8, 32}, 3, halves);
  compare<weft::bfloat16>({2, 8, 6, 16}, 2, {});
  compare<double>({1, 4, 8, 8}, 3, halves);
}

TEST_CASE("[gpu] what is no number is the largest of its windows") {
  Tensor<float> x = test::image<float, Cpu>({1, 4, 8, 8});
  x(0, 1, 3, 3) = std::nanf("");
  x(0, 2) = -std::numeric_limits<float>::infinity();
  const MaxPoolOptions halves{.stride = 2, .padding = 1};
  const Tensor wanted = max_pool2d(x, 3, halves);
  for (const bool last : {false, true}) {
    const auto there = weft::detail::in_format(x.to(Cuda{}), last);
    const Tensor found = max_pool2d(there, 3, halves).to(Cpu{});
    CHECK(isnan(found).to_vector() == isnan(wanted).to_vector());
    CHECK(equal(where(isnan(found), 0.0F, found), where(isnan(wanted), 0.0F, wanted)));
  }
}
