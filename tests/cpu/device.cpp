#include "weft/cpu/device.hpp"

#include <string>

#include "test.hpp"

TEST_CASE_TEMPLATE("generic code asks any device the same things", D, TEST_DEVICES) {
  const D device{};
  CHECK(weft::is_available(device));
  CHECK(std::string(weft::device_name(device)).size() > 2);
  auto x = weft::ones({3}, device);
  weft::synchronize(device);
  CHECK(sum(x).item() == 3);
}
