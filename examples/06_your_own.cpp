// Your own operation, your own function object, and your own kernel on a tensor.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

// One line makes an operation: name, element types, value and derivative (y is the value). It
// broadcasts, fuses and runs on both devices like any other.
WEFT_UNARY(squash, Floating, x / (1 + math::abs(x)), math::square(1 - math::abs(y)))

using namespace weft;

// For one use there is map, with any function object; operands may differ in element type.
struct Season {
  WEFT_HD int operator()(int month, bool northern) const {
    return (northern ? month : month + 6) % 12 / 3;  // 0 is winter
  }
};

// What no expression can say, such as a recurrence, is a loop over views: pointer, shape and
// strides, indexed like std::mdspan, on the CPU and in kernels alike.
struct Smooth {
  View<const float> in;  // (row, time)
  View<float> out;       // (row, time)

  WEFT_HD void operator()(int64_t row) const {
    float average = in(row, 0);
    for (int64_t t = 0; t < in.extent(1); ++t) {
      average += 0.5F * (in(row, t) - average);
      out(row, t) = average;
    }
  }
};

void for_each_row(Cpu, const Smooth& smooth) {
  for (int64_t row = 0; row < smooth.in.extent(0); ++row) smooth(row);
}

#ifdef __CUDACC__
__global__ void smooth_kernel(Smooth smooth) {
  const int64_t row = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (row < smooth.in.extent(0)) smooth(row);
}

void for_each_row(Cuda device, const Smooth& smooth) {
  const auto blocks = static_cast<unsigned>((smooth.in.extent(0) + 255) / 256);
  smooth_kernel<<<blocks, 256, 0, weft::cuda::current_stream(device)>>>(smooth);
  weft::cuda::check(cudaGetLastError(), "smooth");
}
#endif

template <class Device>
int run(Device device) {
  auto x = linspace(-4, 4, 9, device);
  Tensor squashed = 2 * squash(x) + 1;
  std::cout << "2 * squash(x) + 1 =\n" << squashed << "\n";
  bool right = example::check("squash(4) is 4/5", allclose(squashed(8), 2 * 0.8 + 1));

  // A formula of one value is a let: x - 1 is computed once for each element.
  Tensor bump = let(x - 1, [](auto t) { return exp(-t * t) + t / 10; });
  right &= example::check("bump(1) is 1", allclose(bump(5), 1));

  auto month = arange<int>(12, device)(newaxis, all);           // (1, 12)
  auto northern = tensor({true, false}, device)(all, newaxis);  // (2, 1)
  Tensor season = map(Season{}, month, northern);               // (2, 12)
  std::cout << "seasons, north and south:\n" << season << "\n";
  right &= example::check("July is summer in the north and winter in the south",
                          season(0, 6).item() == 2 && season(1, 6).item() == 0);

  Tensor<const float, Device> signal =
      tensor({{0.0F, 1.0F, 2.0F, 3.0F}, {8.0F, 0.0F, 0.0F, 0.0F}}, device);  // (row, time)
  auto smoothed = empty_like(signal);                                        // (row, time)
  for_each_row(device, {signal.view(), smoothed.view()});
  std::cout << "smoothed:\n" << smoothed << "\n";
  right &= example::check(
      "both rows are smoothed",
      equal(smoothed, tensor({{0.0F, 0.5F, 1.25F, 2.125F}, {8.0F, 4.0F, 2.0F, 1.0F}}, device)));
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
