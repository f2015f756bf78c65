// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/device.hpp>

#include <thread>

#include "test.hpp"

using namespace weft::on_cuda;
using weft::Cuda;
using weft::CudaAt;

TEST_CASE("versions of CUDA") {
  CHECK(compiled_version() == CUDART_VERSION);
  CHECK(runtime_version() >= 12060);
  CHECK(driver_version() >= 0);
}

TEST_CASE("[nogpu] without a GPU all is false, zero or one clear exception") {
  CHECK_FALSE(is_available());
  CHECK(device_count() == 0);
  CHECK_SAYS("[cuda] no CUDA device is available: ", resolve(Cuda{}));
  CHECK_SAYS("[cuda] no CUDA device is available: ", resolve(Cuda{3}));
  CHECK_SAYS("[cuda] no CUDA device is available: ", resolve(CudaAt<0>{}));
  CHECK_SAYS("[cuda] no CUDA device is available: ", current_device());
  CHECK_SAYS("[cuda] no CUDA device is available: ", set_device(0));
  CHECK_SAYS("[cuda] no CUDA device is available: ", DeviceGuard(Cuda{}));
  CHECK_SAYS("[cuda] no CUDA device is available: ", properties());
  CHECK_THROWS_AS(resolve(Cuda{}), weft::DeviceError);
}

TEST_CASE("[gpu] ordinals") {
  CHECK(is_available());
  CHECK(device_count() >= 1);
  CHECK(resolve(Cuda{}) == current_device());
  CHECK(resolve(Cuda{0}) == 0);
  CHECK(resolve(CudaAt<0>{}) == 0);
  CHECK_SAYS("[cuda] there is no device cuda:63, expected cuda:0", resolve(Cuda{63}));
  CHECK_THROWS_AS(resolve(Cuda{-2}), weft::DeviceError);
  CHECK_THROWS_AS(set_device(device_count()), weft::DeviceError);
}

TEST_CASE("[gpu] a guard restores the device, also after set_device inside") {
  set_device(0);
  const int last = device_count() - 1;
  {
    const DeviceGuard guard(Cuda{last});
    CHECK(current_device() == last);
    set_device(0);
    set_device(Cuda{last});
  }
  CHECK(current_device() == 0);
}

TEST_CASE("[gpu] properties are there and the same for all threads") {
  const Properties* elsewhere = nullptr;
  std::thread other([&] { elsewhere = &properties(Cuda{0}); });
  const Properties& p = properties(Cuda{0});
  other.join();
  CHECK(elsewhere == &p);
  CHECK_FALSE(p.name.empty());
  CHECK(p.major >= 5);
  CHECK(p.multiprocessors > 0);
  CHECK(p.total_memory > (std::int64_t{1} << 30));
  CHECK(p.l2_bytes > 0);
  CHECK(p.shared_memory_per_block >= 48 * 1024);
  CHECK(p.bandwidth >= 0);
  MESSAGE(p.name, ", ", p.multiprocessors, " multiprocessors, ", p.bandwidth / 1e9, " GB/s");
}
