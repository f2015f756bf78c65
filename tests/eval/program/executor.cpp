// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/executor.hpp>

#include "test.hpp"

namespace {
struct PlaceholderStorage {};
}  // namespace

static_assert(weft::detail::Complete<weft::Executor<weft::Cpu>>);
static_assert(weft::detail::Complete<weft::Reducer<weft::Cpu>>);
static_assert(!weft::detail::Complete<weft::Executor<PlaceholderStorage>>);

TEST_CASE_TEMPLATE("a device has loops, reductions and memory", D, TEST_DEVICES) {
  static_assert(weft::detail::Complete<weft::Executor<D>> &&
                weft::detail::Complete<weft::Reducer<D>>);
  static_assert(weft::detail::Complete<weft::Memory<D>>);
  auto x = weft::ones({4}, D{});
  x += 1;
  CHECK(weft::Executor<D>::may_overwrite(x.storage(), 0));
  CHECK_FALSE(weft::Executor<D>::may_overwrite(x.storage(), 1));
}
