// compilers: nvcc
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <weft/cuda.hpp>
#include <weft/cuda/reduce.hpp>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

using namespace weft;  // nvcc's generated code says cuda::std, which must not be ambiguous

float f(thrust::device_vector<float>& v, thrust::device_vector<int>& k) {
  thrust::sort(v.begin(), v.end());
  thrust::sort_by_key(k.begin(), k.end(), v.begin());
  thrust::transform(v.begin(), v.end(), v.begin(), thrust::negate<float>());
  thrust::inclusive_scan(v.begin(), v.end(), v.begin());
  thrust::exclusive_scan(v.begin(), v.end(), v.begin());
  thrust::unique(v.begin(), v.end());
  thrust::sequence(k.begin(), k.end());
  thrust::reduce_by_key(k.begin(), k.end(), v.begin(), k.begin(), v.begin());
  float s = thrust::reduce(v.begin(), v.end());
  s += thrust::transform_reduce(v.begin(), v.end(), thrust::negate<float>(), 0.F,
                                thrust::plus<float>());
  s += thrust::inner_product(v.begin(), v.end(), v.begin(), 0.F);
  return s + thrust::count(v.begin(), v.end(), 1.F) + *thrust::max_element(v.begin(), v.end());
}

std::size_t g(float* p, int* q) {
  std::size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, p, p, 10);
  cub::DeviceReduce::Max(nullptr, bytes, p, p, 10);
  cub::DeviceScan::InclusiveSum(nullptr, bytes, p, p, 10);
  cub::DeviceScan::ExclusiveSum(nullptr, bytes, q, q, 10);
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, q, q, p, p, 10);
  cub::DeviceSelect::Flagged(nullptr, bytes, p, q, p, q, 10);
  cub::DeviceHistogram::HistogramEven(nullptr, bytes, p, q, 11, 0.F, 1.F, 10);
  return bytes;
}

float h() {
  const auto x = zeros(3, 4, Cuda{});
  const cuda::Stream stream;
  const weft::cuda::StreamGuard guard(stream);
  return sum(x * 2 + 1) + static_cast<float>(cuda::memory_allocated() + cuda::device_count());
}
