// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/inspect/machine.hpp>

#include "test.hpp"

using weft::Machine;

TEST_CASE("a machine's figures follow from a GPU's properties") {
  weft::cuda::Properties gpu;
  gpu.multiprocessors = 132;
  gpu.bandwidth = 4.9e12;
  gpu.l2_bytes = 50 << 20;
  const Machine m = weft::cuda::detail::machine_of(gpu, 1'980'000, 2);
  CHECK(m.bandwidth == 4.9e12);
  CHECK(m.cache_bytes == 50 << 20);
  CHECK(m.multiprocessors == 132);
  CHECK(m.clock == 1.98e9);
  CHECK(m.cache_bandwidth == doctest::Approx(6.27e12).epsilon(0.01));
  CHECK(m.wide_rate == 64);
  const Machine unknown = weft::cuda::detail::machine_of(gpu, 0, 0);
  CHECK(unknown.clock == Machine{}.clock);
  CHECK(unknown.wide_rate == Machine{}.wide_rate);
}

TEST_CASE("the figures of this GPU [gpu]") {
  const Machine m = weft::cuda::machine_of();
  CHECK(m.bandwidth == weft::cuda::properties().bandwidth);
  CHECK(m.multiprocessors == weft::cuda::properties().multiprocessors);
  CHECK(m.cache_bandwidth > m.bandwidth / 2);
}
