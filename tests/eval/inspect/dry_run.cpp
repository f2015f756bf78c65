// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/dry_run.hpp>

#include "test.hpp"
#include "weft/explain.hpp"

using namespace weft::detail;
using weft::axis;
using weft::Cpu;
using weft::Explanation;

namespace {

/// What running `e` into a tensor plans; nothing is written to the tensor.
template <class E>
Explanation planned(const E& e) {
  auto out = weft::zeros(e.shape());
  Explanation found;
  std::vector<int> kernel_of(4, -1);
  Lowered<E> lowered(e);
  lowered.operands[0].set(out.data(), sizeof(float), e.shape(), contiguous_strides(e.shape()),
                          nullptr);
  lowered.template run<float>(e.shape(), DryRun<Cpu>{Cpu{}, &found, &kernel_of});
  for (int64_t i = 0; i < out.size(); ++i) CHECK(out.data()[i] == 0);
  REQUIRE(found.kernels.size() == 1);
  return found;
}

}  // namespace

TEST_CASE("a dry run plans kernels and writes nothing") {
  const auto x = weft::ones({6, 5});
  const Explanation elementwise = planned(x * 2 + x);
  CHECK(elementwise.kernels[0].kind == "element-wise");
  CHECK(elementwise.kernels[0].reads[0].occurrences == 2);
  CHECK(planned(sum(x + 1, axis(1))).kernels[0].kind == "reduction");
  CHECK(planned(softmax(x, axis(1))).kernels[0].kind == "row program");
}

TEST_CASE("memory of a dry run is a placeholder") {
  Explanation found;
  const weft::StorageHandle storage(
      weft::Memory<DryRun<Cpu>>::allocate(DryRun<Cpu>{Cpu{}, &found, nullptr}, 100));
  CHECK(storage->bytes == 100);
  CHECK((storage->release == release_placeholder));
}
