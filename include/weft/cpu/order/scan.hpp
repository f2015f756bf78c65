// The CPU's scans: neighbouring rows side by side, each one element after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/memory.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/eval/program/plan.hpp"
#include "weft/ops/order/scan.hpp"

namespace weft {

template <>
struct Scanner<Cpu> {
  /// target = the running values of x along the axis.
  template <class S, class In, class X, class Out, class Y>
  static void scan(const Tensor<In, X>& x, const Tensor<Out, Y>& target, int axis, bool) {
    detail::Operand operands[2];
    operands[0].set(target.data(), sizeof(Out), target.shape(), target.strides(), nullptr);
    operands[1].set(x.data(), sizeof(In), x.shape(), x.strides(), nullptr);
    detail::Loops rows = detail::loops_over(target.shape());
    const int64_t length = rows.size[axis];
    const int64_t to = operands[0].stride[axis];
    const int64_t from = operands[1].stride[axis];
    rows.size[axis] = 1;
    detail::simplify(rows, operands, 2, true);
    if (rows.rank == 0) {
      rows.rank = 1;
      rows.size[0] = 1;
      operands[0].stride[0] = operands[1].stride[0] = 0;
    }
    const int last = rows.rank - 1;
    const int width = operands[0].stride[last] == 1 ? side_by_side : 1;
    const int64_t blocks = (rows.size[last] + width - 1) / width;
    const int64_t count = rows.count() / rows.size[last] * blocks;
    cpu::parallel(count, target.size(), [&](int64_t first, int64_t end) {
      for (int64_t k = first; k < end; ++k) {
        char* at[2] = {operands[0].data, operands[1].data};
        detail::Cursor cursor;
        cursor.seek(rows, last, operands, 2, at, k / blocks);
        const int64_t start = k % blocks * width;
        const int64_t left = rows.size[last] - start;
        Row<Out> out{reinterpret_cast<Out*>(at[0]) + start * operands[0].stride[last], to,
                     operands[0].stride[last]};
        Row<const In> in{reinterpret_cast<const In*>(at[1]) + start * operands[1].stride[last],
                         from, operands[1].stride[last]};
        scan_rows<S>(in, out, length, static_cast<int>(left < width ? left : width));
      }
    });
  }

 private:
  static constexpr int side_by_side = 64;

  template <class T>
  struct Row {
    T* data;
    int64_t along;
    int64_t across;
  };

  template <class S, class In, class Out>
  static void scan_rows(Row<const In> in, Row<Out> out, int64_t length, int rows) {
    using C = compute_t<In>;
    using Carry = typename S::template Carry<C>;
    Carry carry[side_by_side];
    for (int i = 0; i < rows; ++i) carry[i] = S::template identity<Carry>();
    for (int64_t k = 0; k < length; ++k) {
      for (int i = 0; i < rows; ++i) {
        const C x = load_element(in.data[k * in.along + i * in.across]);
        carry[i] = S::join(carry[i], static_cast<Carry>(S::enter(x)));
        out.data[k * out.along + i * out.across] = static_cast<Out>(S::finish(carry[i]));
      }
    }
  }
};

WEFT_MODEL(ScanningDevice<Cpu, scanner::cumsum>);

}  // namespace weft
