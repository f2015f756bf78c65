// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/atomic.hpp>

#include <vector>

#include "test.hpp"

TEST_CASE("atomic_add of one thread") {
  float x = 1.5F;
  weft::detail::atomic_add(&x, 2.0F);
  CHECK(x == 3.5F);
  std::int8_t i = 127;
  weft::detail::atomic_add(&i, std::int8_t{1});
  CHECK(i == -128);
  weft::half h(2048.0F);
  weft::detail::atomic_add(&h, 1.0F);  // rounded to even
  CHECK(static_cast<float>(h) == 2048.0F);
  weft::complex<double> z(1, 2);
  weft::detail::atomic_add(&z, weft::complex<double>(3, 4));
  CHECK(z == weft::complex<double>(4, 6));
}

#ifdef __CUDACC__
namespace {
template <class T>
__global__ void add_to_all(T* p, int n) {
  for (int i = 0; i < n; ++i) weft::detail::atomic_add(p + i, weft::compute_t<T>(1));
}
template <class T>
bool all_count(int n) {
  const auto x = weft::zeros<T>({n + 1}, weft::Cuda{});
  add_to_all<<<2, 64, 0, weft::cuda::current_stream()>>>(x.data(), n);
  std::vector<T> expected(static_cast<std::size_t>(n), static_cast<T>(128));
  expected.push_back(T{});
  return x.to_vector() == expected;
}
}  // namespace

TEST_CASE("[gpu] atomic_add loses nothing and leaves its neighbours alone") {
  CHECK(all_count<std::uint8_t>(7));
  CHECK(all_count<std::int16_t>(5));
  CHECK(all_count<weft::half>(5));
  CHECK(all_count<weft::bfloat16>(3));
  CHECK(all_count<std::int32_t>(2));
  CHECK(all_count<std::uint64_t>(2));
  CHECK(all_count<float>(2));
  CHECK(all_count<double>(2));
  CHECK(all_count<weft::complex<float>>(2));
}
#endif
