#ifdef __CUDACC__
#include "weft/dist/cuda.hpp"
#endif

#include "test.hpp"

#ifdef __CUDACC__
using namespace weft;

TEST_CASE("a thread for each GPU [gpu]") {
  const auto devices = dist::all_devices<Cuda>();
  REQUIRE(static_cast<int>(devices.size()) == cuda::device_count());
  const auto sums = dist::map_tasks(devices, 8, [](int task, Cuda device) {
    CHECK(cuda::current_device() == device.ordinal);
    return full({1000}, static_cast<float>(task), device).to(Cpu{}).at(999);
  });
  for (int i = 0; i < 8; ++i) CHECK(sums[static_cast<std::size_t>(i)] == static_cast<float>(i));
}
#endif
