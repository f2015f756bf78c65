// What every test includes after the header under test: doctest, weft and the devices to run on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#ifdef __CUDACC__
#include "weft/cuda.hpp"
#include "weft/cuda/reduce.hpp"
#ifndef WEFT_UNWATCHED  // where tests are compiled but not run
#include "watched_statements.hpp"
#endif
#else
#include "weft/weft.hpp"
struct half;  // as in CUDA's headers: tests write weft::half, or nvcc does not compile them
#endif

#include <exception>

TYPE_TO_STRING_AS("weft::Cpu", weft::Cpu);

/// The devices of `TEST_CASE_TEMPLATE("sum over rows", D, TEST_DEVICES)`. The same sources run on
/// the CPU in weft_tests; compiled by nvcc they run on the GPU, tests/cpu on both.
#ifdef __CUDACC__
TYPE_TO_STRING_AS("weft::Cuda", weft::Cuda);
#define TEST_DEVICES weft::Cuda
#else
#define TEST_DEVICES weft::Cpu
#endif

namespace test {

/// What `f` throws says; empty where it throws nothing.
template <class F>
doctest::String message(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace test

/// The expression throws, and the message holds the text: `CHECK_SAYS("do not broadcast", x + y)`.
#define CHECK_SAYS(text, ...) \
  CHECK(test::message([&] { (void)(__VA_ARGS__); }) == doctest::Contains(text))
