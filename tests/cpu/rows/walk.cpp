// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/rows/walk.hpp>

#include "test.hpp"
#include "weft/weft.hpp"

using namespace weft;
using weft::detail::TypeList;

namespace {
Tensor<float> noise(const Shape& shape) {
  const Tensor<float> i = cast<float>(arange(shape.size()));
  return (sin(i * 0.7F) * 2.F + cos(i * 0.013F)).eval().reshape(shape);
}
}  // namespace

TEST_CASE("a long row is walked in runs, and a turned operand's are brought to unit stride") {
  using Sum = RowReduction<reducer::sum, Arg<1, float>, float>;
  using Program = RowProgram<Pack<Sum>, Pack<Apply<op::div, Arg<1, float>, Reduced<0, float>>>>;
  using Kernel = cpu::detail::RowFunctionTable<TypeList<float>, TypeList<float>, Program>;
  static constexpr cpu::detail::RowFunctions loops = Kernel::loops();
  const Program program{};
  const auto x = arange<float>(10000.F);
  const auto z = zeros({2500});
  detail::RowTask task;
  task.mode[0] = detail::RowMode::compute;
  task.along_row[0] = true;
  detail::Loops outer;
  outer.rank = 1;
  outer.size[0] = 1;
  detail::Loops inner;
  inner.rank = 1;
  inner.size[0] = 2500;
  detail::Operand operands[3];
  detail::Operand inside[3];
  operands[0].data = inside[0].data = reinterpret_cast<char*>(z.data());
  operands[1].data = inside[1].data = reinterpret_cast<char*>(x.data());
  for (int i = 0; i < 3; ++i) {
    operands[i].itemsize = inside[i].itemsize = sizeof(float);
    operands[i].stride[0] = 0;
    inside[i].stride[0] = i == 0 ? 1 : i == 1 ? 4 : 0;
  }
  const cpu::detail::RowScratch walk{loops, task, &program, outer, operands, inner, inside};
  CHECK(walk.count() == 3);
  CHECK(walk.value(0) == 2);
  std::int64_t next = 0;
  double sum = 0;
  walk.with_memory([&](auto& memory, cpu::Block& block) {
    walk.walk(memory, block,
              [&](std::int64_t start, std::int64_t position, std::int64_t m, std::int64_t lines) {
                CHECK(lines == 1);
                CHECK(start == next);
                CHECK(position == next);
                CHECK(m <= cpu::block_size);
                std::int64_t pitch = 0;
                const auto* values = reinterpret_cast<const float*>(
                    walk.values_of(memory, block, 0, start, position, m, 1, pitch));
                for (std::int64_t i = 0; i < m; ++i) sum += values[i];
                next += m;
              });
  });
  CHECK(next == 2500);
  CHECK(sum == 4. * 2500 * 2499 / 2);
}

TEST_CASE("rows of one axis, read and written where they are: strides as the operands have them") {
  using Sum = RowReduction<reducer::sum, Arg<1, float>, float>;
  using Max = RowReduction<reducer::max, Arg<2, float>, float>;
  using Quotient = Apply<op::div, Arg<1, float>, Reduced<0, float>>;
  using Output = Apply<op::add, Quotient, Reduced<1, float>>;
  using Program = RowProgram<Pack<Sum, Max>, Pack<Output>>;
  using Kernel = cpu::detail::RowFunctionTable<TypeList<float>, TypeList<float, float>, Program>;
  static constexpr cpu::detail::RowFunctions loops = Kernel::loops();
  const Program program{};
  const auto x = arange<float>(100.F);
  const auto z = zeros({4, 20});
  const auto value = zeros({4});
  detail::RowTask task;
  task.mode[0] = detail::RowMode::compute;
  task.mode[1] = detail::RowMode::load;
  task.along_row[0] = true;
  const detail::Loops outer{1, {4}};
  const detail::Loops inner{1, {20}};
  detail::Operand operands[5];
  const auto set = [&](int i, const float* at, std::int64_t row, std::int64_t element) {
    operands[i].data = reinterpret_cast<char*>(const_cast<float*>(at));
    operands[i].itemsize = sizeof(float);
    operands[i].stride[0] = row;
    operands[i].stride[1] = element;
  };
  set(0, z.data(), 20, 1);
  set(1, x.data(), 25, 1);
  set(2, x.data(), 25, 2);  // of a reduction that was computed before: not read
  set(3, nullptr, 0, 0);
  set(4, value.data(), 1, 0);
  const cpu::detail::RowScratch walk{loops, task, &program, outer, operands, inner, operands, 1};
  CHECK(walk.step_of(0) == 1);
  CHECK(walk.step_of(2) == 2);
  walk.with_memory([&](auto& memory, cpu::Block&) {
    CHECK(memory.blocked == nullptr);
    CHECK(memory.at == memory.row);
    CHECK(memory.row[1] == operands[1].data);
    CHECK(memory.skip[1] == 100);
    CHECK(memory.step[1] == 1);
    CHECK(memory.row[3] == walk.slots_of(memory, 0));
    CHECK(memory.skip[3] == 0);
    CHECK(memory.row[4] == operands[4].data);
    CHECK(memory.skip[4] == 4);
    CHECK(memory.values == 0b10000);
  });
  operands[1].stride[1] = 2;  // now elements are apart
  walk.with_memory([&](auto& memory, cpu::Block&) {
    CHECK(memory.blocked != nullptr);
    CHECK(memory.blocked[0].direct);
    CHECK(!memory.blocked[1].direct);
    CHECK(memory.blocked[1].stride == 2);
    CHECK(memory.blocked[1].pitch == 100);
    CHECK(memory.blocked[2].direct);
  });
}

TEST_CASE("rows of short lines, which are taken several at a time") {
  const auto check = [](const Tensor<float>& x) {
    // The same values as rows of one axis.
    const std::int64_t n = x.shape()[0];
    const std::int64_t c = x.shape()[1];
    const std::int64_t size = x.shape()[2] * x.shape()[3];
    const Tensor rows = x.permute({1, 0, 2, 3}).contiguous().reshape({c, n * size});
    const auto back = [&](const Tensor<float>& z) {
      return z.reshape({c, n, x.shape()[2], x.shape()[3]}).permute({1, 0, 2, 3}).contiguous();
    };
    const auto m = mean(x, axis(0, 2, 3), keepdims);
    const auto v = var(x, axis(0, 2, 3), correction(0), keepdims);
    const auto row_mean = mean(rows, axis(1), keepdims);
    const auto row_var = var(rows, axis(1), correction(0), keepdims);
    const Tensor w = noise({c, 1});
    CHECK(allclose((x - m) * rsqrt(v + 1e-3F) * w.reshape({c, 1, 1}),
                   back((rows - row_mean) * rsqrt(row_var + 1e-3F) * w), {1e-4, 1e-5}));
    CHECK(allclose(softmax(x, axis(0, 2, 3)), back(softmax(rows, axis(1))), {1e-4, 1e-7}));
    CHECK(allclose(softmax(gelu(x), axis(0, 2, 3)), back(softmax(gelu(rows), axis(1))),
                   {1e-4, 1e-7}));
    const Tensor a = zeros({c});
    const Tensor b = zeros({c});
    tie(a, b) = fuse(mean(x, axis(0, 2, 3)), max(x, axis(0, 2, 3)) + 1.F);
    CHECK(allclose(a, mean(rows, axis(1)), {1e-5, 1e-5}));
    CHECK(equal(b, max(rows, axis(1)) + 1.F));
    const Tensor h = cast<weft::half>(x);
    const Tensor halves = cast<weft::half>(rows);
    CHECK(allclose(cast<float>(h - mean(h, axis(0, 2, 3), keepdims)),
                   back(cast<float>((halves - mean(halves, axis(1), keepdims)).eval())),
                   {2e-3, 2e-3}));
    const Tensor target = x.clone();
    target.assign(target - mean(target, axis(0, 2, 3), keepdims));
    CHECK(allclose(target, back(rows - row_mean), {1e-4, 1e-5}));
  };
  for (const std::int64_t size : {1, 3, 7, 16, 17}) {
    CAPTURE(size);
    for (const std::int64_t images : {1, 2, 70}) {
      const Tensor x = noise({images, 10, size, size});
      check(x);
      check(x.flip(0));
      check(x.permute({0, 1, 3, 2}));
      const Tensor gaps = noise({images, 10, size + 1, 2 * size + 1});
      check(gaps(all, all, slice(0, size), slice(0, size)));
      check(gaps(all, all, slice(1, none), slice(1, none, 2)));
      check(gaps(slice(none, none, 3), all, slice(0, size), slice(0, size)));
    }
  }
  const Tensor none_left = zeros({0, 40, 7, 7});
  CHECK(equal(sum(none_left, axis(0, 2, 3)) + 1.F, ones({40})));
}
