// What the parts of this program promise each other. Tensors cross the borders, expressions do not:
// main.cpp is compiled by the host compiler also where the others are compiled by nvcc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef MIXED_CUDA
#include "weft/cuda.hpp"
#else
#include "weft/weft.hpp"
#endif

/// Marks what the shared library shows; it is built with everything else hidden.
#define MIXED_API [[gnu::visibility("default")]]

namespace mixed {

#ifdef MIXED_CUDA
using Device = weft::Cuda;
#else
using Device = weft::Cpu;
#endif
using Vector = weft::Tensor<float, Device>;

/// What one part sees of the state that weft keeps for the whole process.
struct State {
  weft::int64_t allocated = 0;
  weft::int64_t peak = 0;
  std::uint64_t draws = 0;       // by the default generator
  const void* stream = nullptr;  // the current one; none on the CPU

  friend bool operator==(const State&, const State&) = default;
};

inline State state() {
  State s;
#ifdef MIXED_CUDA
  s.allocated = weft::cuda::memory_allocated();
  s.peak = weft::cuda::max_memory_allocated();
  s.stream = weft::cuda::current_stream().handle();
#else
  s.allocated = weft::cpu::memory_allocated();
  s.peak = weft::cpu::max_memory_allocated();
#endif
  s.draws = weft::default_generator().offset();
  return s;
}

// evaluate.cpp, in the program
Vector scaled(const Vector& x, float factor);
std::vector<float> elements(const Vector& x);
Vector& evaluators_static();

// library.cpp, a shared library
MIXED_API Vector ramp(weft::int64_t n);
MIXED_API Vector noise(weft::int64_t n);
MIXED_API Vector add(const Vector& x, const Vector& y);  // throws weft::ShapeError
MIXED_API void keep(Vector x);
MIXED_API void drop();
MIXED_API Vector& librarys_static();
MIXED_API State librarys_state();

}  // namespace mixed
