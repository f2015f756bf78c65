// The CPU's loops over the places of images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/parallel.hpp"
#include "weft/ops/conv/visit.hpp"

namespace weft {

template <>
struct Visitor<Cpu> {
  template <class F>
  static void run(const char*, Cpu, const conv::Volume& v, const F& f,
                  std::initializer_list<Storage*>, std::initializer_list<Storage*> writes) {
    const int64_t rows = v.images * v.channels * v.size[0] * v.size[1];
    const int width = static_cast<int>(v.size[2]);
    cpu::parallel(rows, v.count(), [&](int64_t first, int64_t last) {
      conv::Place at = place_of_row(v, first);
      for (int64_t row = first; row < last; ++row) {
        if constexpr (requires { f.row(at, width); }) {
          f.row(at, width);
        } else {
          for (at.x = 0; at.x < width; ++at.x) conv::visit_one(f, at);
          at.x = 0;
        }
        next_row(v, at);
      }
    });
    for (Storage* storage : writes) storage->bump_version();
  }

 private:
  /// Rows lie along x. For channels-last images, all channels of a row come first.
  static conv::Place place_of_row(const conv::Volume& v, int64_t row) {
    conv::Place at;
    const auto take = [&](int64_t size) {
      const int64_t i = row % size;
      row /= size;
      return static_cast<int>(i);
    };
    if (v.last) at.c = take(v.channels);
    at.y = take(v.size[1]);
    at.z = take(v.size[0]);
    if (!v.last) at.c = take(v.channels);
    at.n = static_cast<int>(row);
    return at;
  }
  static void next_row(const conv::Volume& v, conv::Place& at) {
    const auto step = [](int& i, int64_t size) {
      if (++i < size) return true;
      i = 0;
      return false;
    };
    if (v.last && step(at.c, v.channels)) return;
    if (step(at.y, v.size[1]) || step(at.z, v.size[0])) return;
    if (!v.last && step(at.c, v.channels)) return;
    ++at.n;
  }
};

}  // namespace weft
