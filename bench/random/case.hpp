// What a drawn statement is to the program that runs it: operands, results and two functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#if defined(__CUDACC__)
#include "weft/cuda.hpp"
#else
#include "weft/weft.hpp"
#endif

namespace bench {

using weft::int64_t;
#if defined(__CUDACC__)
using Device = weft::Cuda;
#else
using Device = weft::Cpu;
#endif
template <class T>
using Dense = weft::Tensor<T, Device>;

/// How elements are made from 32 random bits of their position; rivals.py does the same. Floating
/// ones have few enough bits to be the same in every type.
enum class Kind {
  centred,   // [-1, 1)
  unit,      // [0, 1)
  positive,  // [0.5, 1)
  mask,      // 1 in four of five places
  index,     // [0, bound)
  order,     // the position itself
  bits       // any of 256 integers
};

/// n elements of a type at `data`; defined in driver.cpp.
void fill(void* data, weft::Dtype type, int64_t n, unsigned seed, Kind kind, int64_t bound);

template <class T>
Dense<T> input(const weft::Shape& shape, unsigned seed, Kind kind, int64_t bound = 0) {
  auto x = weft::empty<T>(shape, Device{});
  fill(x.data(), weft::dtype_of<T>, x.size(), seed, kind, bound);
  return x;
}

/// A tensor to look at after a run.
struct Result {
  const void* data;
  weft::Dtype type;
  int64_t size;
};

/// A statement over one set of operands.
class Work {
 public:
  virtual ~Work() = default;
  virtual void run() = 0;
  virtual std::vector<Result> results() const = 0;
  virtual std::string explained() const { return ""; }
};

/// The statements that are linked in, by number; `make` takes the seed of the first operand.
struct Case {
  int number;
  Work* (*make)(unsigned seed);
};
std::vector<Case>& cases();

template <class W>
struct Added {
  explicit Added(int number) {
    cases().push_back({number, [](unsigned seed) -> Work* { return new W(seed); }});
  }
};

template <class T>
Result result(const Dense<T>& x) {
  if (!x.is_contiguous()) weft::fail<weft::ValueError>("result", "it is not contiguous");
  return {x.data(), weft::dtype_of<T>, x.size()};
}

}  // namespace bench
