#include "weft/cuda/reduce/assumed.hpp"

#include <cmath>

#include "test.hpp"
#include "weft/cuda/reduce.hpp"

using weft::axis;
using weft::Cuda;
using weft::Tensor;

namespace on_cuda = weft::on_cuda::detail;

// Arg<I> is found again by its place among those that are kept.
static_assert(
    std::is_same_v<
        typename on_cuda::NeededTypes<0b1010, 1, weft::detail::TypeList<>,
                                      weft::detail::TypeList<float, double, std::int8_t>>::type,
        weft::detail::TypeList<float, std::int8_t>>);

namespace {

Tensor<float> noise(const weft::Shape& shape, float seed) {
  const Tensor<float> x = weft::arange<float>(static_cast<float>(shape.size())).reshape(shape);
  return frac(sin(x * 12.9898F + seed) * 43758.547F) - 0.5F;
}

/// A statement with parts that recur; x and y stand for one tensor, or for two.
template <class X, class Y, class B>
auto chosen(const X& x, const Y& y, const B& b) {
  const auto t = x + b;
  const auto t2 = exp(y * b);
  const auto again = y + b;
  return where(t > t2, again, t2 * 0.39F);
}

}  // namespace

TEST_CASE("equal parts of a reduction are computed once, different ones each [gpu] [sanitize]") {
  for (const std::int64_t n : {1, 7, 64, 300, 1024}) {
    CAPTURE(n);
    const auto x = noise({37, n}, 0);
    const auto y = noise({37, n}, 1);
    const auto b = noise({n}, 2);
    const auto gx = x.to(Cuda{});
    const auto gy = y.to(Cuda{});
    const auto gb = b.to(Cuda{});
    for (const auto& axes : {axis(0), axis(1), axis(0, 1)}) {
      const auto close = [](const auto& on_cpu, const auto& on_gpu) {
        const auto expected = on_cpu.eval().to_vector();
        const auto found = on_gpu.eval().to_vector();
        REQUIRE(expected.size() == found.size());
        int wrong = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          wrong += std::abs(expected[i] - found[i]) > 1e-5F * (1 + std::abs(expected[i]));
        }
        CHECK(wrong == 0);
      };
      close(sum(chosen(x, x, b), axes), sum(chosen(gx, gx, gb), axes));
      close(sum(chosen(x, y, b), axes), sum(chosen(gx, gy, gb), axes));
      close(max(chosen(x, x, b), axes), max(chosen(gx, gx, gb), axes));
      close(sum(chosen(x, x.flip(0), b), axes), sum(chosen(gx, gx.flip(0), gb), axes));
    }
  }
}

TEST_CASE("parts that are not computed may read operands of any type [gpu]") {
  const auto b = weft::full<float>({3, 40}, 2.F, Cuda{});
  const auto c = weft::full<weft::complex<float>>({3, 40}, 1.F, Cuda{});
  const auto u = weft::full<float>({3, 40}, 5.F, Cuda{});
  const auto t = b + abs(c);
  CHECK(sum(where(t > 2.5F, t, u)).item() == 360);
  CHECK(sum(where(t > 3.5F, t, u)).item() == 600);
}

TEST_CASE("the operands of equal parts alone are kept") {
  using Add = weft::Apply<weft::op::add, weft::Arg<1, float>, weft::Arg<2, float>>;
  using Again = weft::Apply<weft::op::add, weft::Arg<3, float>, weft::Arg<4, float>>;
  using Program = weft::Apply<weft::op::mul, weft::Apply<weft::op::abs, Add>, Again>;
  static_assert(on_cuda::assumes_reduced<Program>);
  static_assert(on_cuda::AssumedProgram<Program>::needed == 0b110);
  const Program program{};
  float memory[2] = {};
  weft::detail::Operand operands[5]{};
  for (auto& operand : operands) operand.itemsize = sizeof(float);
  for (int i = 0; i < 4; ++i) operands[i + 1].data = reinterpret_cast<char*>(memory + i % 2);
  CHECK(on_cuda::has_assumed_parts<Program>(&program, operands, 0, 1));
  weft::detail::Operand few[3];
  on_cuda::keep_needed<Program>(operands, few);
  CHECK(few[0].data == nullptr);
  CHECK(few[1].data == operands[1].data);
  CHECK(few[2].data == operands[2].data);
  const auto operands_read = [&] {
    int out = 0;
    on_cuda::with_reduced<weft::detail::TypeList<float, float, float, float>>(
        program, operands, 1, [&]<class Types, class P>(const P&, const weft::detail::Operand*) {
          out = weft::detail::count(Types{});
        });
    return out;
  };
  CHECK(operands_read() == 2);
  operands[4].stride[0] = 1;
  CHECK(operands_read() == 4);
  operands[4].stride[0] = 0;
  weft::Storage other{};
  operands[4].storage = &other;  // the same memory, but on another stream perhaps
  CHECK(operands_read() == 4);
  CHECK_FALSE(on_cuda::has_assumed_parts<Program>(&program, operands, 0, 1));
}
