// The shared library: it makes tensors, evaluates other parts' and frees them.
// SPDX-License-Identifier: Apache-2.0
#include "mixed.hpp"

namespace mixed {

namespace {
Vector kept;  // static: alive at program exit
}  // namespace

Vector ramp(weft::int64_t n) { return weft::arange<float>(static_cast<float>(n), Device{}); }
Vector noise(weft::int64_t n) { return weft::rand({n}, Device{}); }
Vector add(const Vector& x, const Vector& y) { return x + y; }

void keep(Vector x) { kept = x; }
void drop() { kept = Vector(); }

Vector& librarys_static() { return kept; }
State librarys_state() { return state(); }

}  // namespace mixed
