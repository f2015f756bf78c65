// Other libraries' algorithms on a tensor's memory: Thrust on the GPU, <algorithm> on the CPU.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <algorithm>
#include <numeric>

#ifdef __CUDACC__
#include <thrust/execution_policy.h>
#include <thrust/partition.h>
#include <thrust/sort.h>
#endif

using namespace weft;

struct IsCold {
  WEFT_HD bool operator()(float celsius) const { return celsius < 10; }
};

// A contiguous tensor is a pointer and a size; nothing is copied.
int64_t cold_first(const Tensor<float, Cpu>& x) {
  return std::stable_partition(x.data(), x.data() + x.size(), IsCold{}) - x.data();
}
void sort_pairs(const Tensor<float, Cpu>& keys, const Tensor<int, Cpu>& values) {
  std::vector<std::pair<float, int>> pairs;
  for (int64_t i = 0; i < keys.size(); ++i) pairs.emplace_back(keys.data()[i], values.data()[i]);
  std::stable_sort(pairs.begin(), pairs.end(), [](auto a, auto b) { return a.first < b.first; });
  for (int64_t i = 0; i < keys.size(); ++i) {
    keys.data()[i] = pairs[static_cast<std::size_t>(i)].first;
    values.data()[i] = pairs[static_cast<std::size_t>(i)].second;
  }
}

#ifdef __CUDACC__
// On weft's current stream, Thrust's kernels run in order with weft's own; par_nosync does not make
// the CPU wait for them.
auto on_stream() { return thrust::cuda::par_nosync.on(weft::cuda::current_stream()); }

int64_t cold_first(const Tensor<float, Cuda>& x) {
  float* const first = x.data();
  return thrust::stable_partition(on_stream(), first, first + x.size(), IsCold{}) - first;
}
void sort_pairs(const Tensor<float, Cuda>& keys, const Tensor<int, Cuda>& values) {
  thrust::stable_sort_by_key(on_stream(), keys.data(), keys.data() + keys.size(), values.data());
}
#endif

template <class Device>
int run(Device device) {
  auto celsius = tensor({12.0F, 3.0F, 25.0F, -4.0F, 18.0F, 9.0F}, device);
  auto month = arange<int>(6, device);

  Tensor shifted = celsius - 1;  // weft's kernel, then Thrust's on its result, then weft's again
  const int64_t cold = cold_first(shifted);
  Tensor warmest = max(shifted(slice(cold, none)));
  std::cout << cold << " cold, then " << shifted(slice(cold, none)) << "\n";

  sort_pairs(celsius, month);
  Tensor fahrenheit = celsius * 1.8F + 32;
  std::cout << "months from cold to warm " << month << "\n" << fahrenheit << "\n";

  bool right = example::check("three are cold", cold == 3 && warmest.item() == 24);
  right &= example::check("the months follow their temperatures",
                          equal(month, tensor({3, 1, 5, 0, 4, 2}, device)));
  right &= example::check("weft goes on with what was sorted",
                          allclose(fahrenheit(0), 24.8F) && allclose(fahrenheit(-1), 77.0F));

  // weft's own functions need no pointers.
  const auto [values, indices] = sort(celsius, descending);
  right &= example::check("the warmest month is the last one", indices(0).item() == 5);
  right &= example::check("and has 25 degrees", values(0).item() == 25);
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
