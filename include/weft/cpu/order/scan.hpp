// The CPU's scans: neighbouring rows side by side in vectors, long ones in pieces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/cpu/memory.hpp"
#include "weft/cpu/order/scan_rows.hpp"
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
    using Kernel = cpu::detail::ScanRows<S, In, Out>;
    const int last = rows.rank - 1;
    const int64_t size = rows.size[last];
    const bool beside = operands[0].stride[last] == 1;
    const bool long_ones = rows.count() < 2 * few && length >= 16 * Kernel::piece;
    const bool transposed = !beside && !long_ones && size >= 4 && Kernel::can_transpose(to, from);
    const int width = beside ? Kernel::beside : transposed ? Kernel::transposed : 1;
    const int64_t blocks = (size + width - 1) / width;
    const int64_t count = rows.count() / size * blocks;
    /// f(rows of the kernel, how many) of block k.
    const auto block = [&](int64_t k, const auto& f) {
      char* at[2] = {operands[0].data, operands[1].data};
      detail::Cursor cursor;
      cursor.seek(rows, last, operands, 2, at, k / blocks);
      const int64_t start = k % blocks * width;
      const int64_t left = size - start;
      f(Kernel{{reinterpret_cast<const In*>(at[1]) + start * operands[1].stride[last], from,
                operands[1].stride[last]},
               {reinterpret_cast<Out*>(at[0]) + start * operands[0].stride[last], to,
                operands[0].stride[last]},
               static_cast<int>(left < width ? left : width)});
    };
    if ((count < few || (long_ones && !beside)) && length >= 2 * Kernel::piece && !transposed) {
      for (int64_t k = 0; k < count; ++k) {
        block(k, [&](const Kernel& kernel) { in_pieces(kernel, length); });
      }
      return;
    }
    cpu::parallel(count, target.size(), [&](int64_t first, int64_t end) {
      for (int64_t k = first; k < end; ++k) {
        block(k, [&](const Kernel& kernel) {
          transposed ? kernel.run_along(length) : kernel.run(length);
        });
      }
    });
  }

 private:
  static constexpr int64_t few = 16;  // blocks of rows that are cut into pieces

  /// All pieces' totals first, then each piece from what is before it. Where pieces end depends on
  /// the length alone. One thread goes through what its cache holds.
  template <class Kernel>
  static void in_pieces(const Kernel& kernel, int64_t length) {
    using Total = typename Kernel::Total;
    constexpr int64_t piece = Kernel::piece;
    const int64_t pieces = (length + piece - 1) / piece;
    const bool shared = cpu::threads_for(pieces, length * kernel.rows) > 1;
    const int64_t most = shared ? pieces : 64;
    Total carry[Kernel::beside];
    for (int i = 0; i < kernel.rows; ++i) carry[i].value = Kernel::none();
    std::vector<Total> before(
        static_cast<std::size_t>((most < pieces ? most : pieces) * kernel.rows));
    for (int64_t begin = 0; begin < pieces; begin += most) {
      const int64_t some = pieces - begin < most ? pieces - begin : most;
      const int64_t elements = some * piece * kernel.rows;
      cpu::parallel(some, elements, [&](int64_t first, int64_t last) {
        for (int64_t p = first; p < last; ++p) {
          kernel.total((begin + p) * piece, length, before.data() + p * kernel.rows);
        }
      });
      for (int64_t p = 0; p < some; ++p) {
        for (int i = 0; i < kernel.rows; ++i) {
          Total& own = before[static_cast<std::size_t>(p * kernel.rows + i)];
          Total next = carry[i];
          Kernel::join(next, own);
          own = carry[i];
          carry[i] = next;
        }
      }
      cpu::parallel(some, elements, [&](int64_t first, int64_t last) {
        kernel.run_pieces(begin + first, begin + last, length, before.data() + first * kernel.rows);
      });
    }
  }
};

WEFT_MODEL(ScanningDevice<Cpu, scanner::cumsum>);

}  // namespace weft
