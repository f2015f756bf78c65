// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/rows/sharing.hpp>

#include <cstring>

#include "rows.hpp"
#include "weft/weft.hpp"

using namespace weft;
using test::apart;
using test::array;
using test::by_rows;
using test::noise;
using weft::detail::TypeList;

TEST_CASE("what costs more than arithmetic and occurs twice becomes one more operand") {
  using Exp = Apply<op::exp, Arg<1, float>>;
  using Again = Apply<op::exp, Arg<2, float>>;
  using Mean = RowReduction<reducer::mean, Exp, float>;
  using Program = RowProgram<Pack<Mean>, Pack<Apply<op::sub, Again, Reduced<0, float>>>>;
  using Found = cpu::detail::Sharing<TypeList<float>, TypeList<float, float>, Program>;
  static_assert(Found::possible && Found::leaf == 3 && Found::bytes == 4);
  static_assert(std::is_same_v<Found::Part, Exp>);
  using Output = Apply<op::sub, Arg<3, float>, Reduced<0, float>>;
  static_assert(std::is_same_v<
                Found::Less,
                RowProgram<Pack<RowReduction<reducer::mean, Arg<3, float>, float>>, Pack<Output>>>);
  static_assert(Found::Kernel::leaves == 3);

  using Square = Apply<op::square, Arg<1, float>>;
  using Plain =
      RowProgram<Pack<RowReduction<reducer::mean, Square, float>>,
                 Pack<Apply<op::sub, Apply<op::square, Arg<2, float>>, Reduced<0, float>>>>;
  static_assert(!cpu::detail::Sharing<TypeList<float>, TypeList<float, float>, Plain>::possible);
}

namespace {
template <int I>
using Take = Apply<op::gathered<float, AlongAxis>, Arg<I, IndexOperand>, Arg<I + 1, std::int64_t>>;
using TakeLessMean = RowProgram<Pack<RowReduction<reducer::mean, Take<1>, float>>,
                                Pack<Apply<op::sub, Take<3>, Reduced<0, float>>>>;

/// Each operand of the second gather is the first one's.
struct SameRow {
  static bool computes(int) { return true; }
  static int number(int r) { return r; }
  static bool same_operand(int i, int j) { return (i - j) % 2 == 0; }
};
}  // namespace

TEST_CASE("a gather that is read twice becomes one more operand, if it is of the same elements") {
  using Found =
      cpu::detail::Sharing<TypeList<float>,
                           TypeList<IndexOperand, std::int64_t, IndexOperand, std::int64_t>,
                           TakeLessMean>;
  static_assert(Found::possible && Found::leaf == 5);
  static_assert(std::is_same_v<decltype(Found::Less::outputs),
                               Pack<Apply<op::sub, Arg<5, float>, Reduced<0, float>>>>);
  using Once =
      RowProgram<Pack<RowReduction<reducer::mean, Take<1>, float>>, Pack<Reduced<0, float>>>;
  static_assert(
      !cpu::detail::Sharing<TypeList<float>, TypeList<IndexOperand, std::int64_t>, Once>::possible);
  const float table[2] = {};
  const op::gathered<float, AlongAxis> a{{{2, nullptr, "take", -1}, 1}, table};
  const op::gathered<float, AlongAxis> b{{{2, nullptr, "take", -1}, 1}, table + 1};
  const auto program = [&](const auto& first, const auto& second) {
    return TakeLessMean{{{reducer::mean{}, {first, {}}}, {}},
                        {{op::sub{}, {{second, {}}, {}}}, {}}};
  };
  const auto same = program(a, a);
  const auto others = program(a, b);
  CHECK(Found::Found::same(&same, SameRow{}));
  CHECK(!Found::Found::same(&others, SameRow{}));
}

TEST_CASE_TEMPLATE("rows that indices pick, as if they were a tensor", T, float, double, weft::half,
                   bfloat16) {
  for (const std::int64_t n : {1, 7, 64, 100, 2049, 33000}) {
    if (n > 3000 && !std::is_same_v<T, float>) continue;  // what is kept is float or wider
    CAPTURE(n);
    const auto table = noise<T>({9, n}).on(Cpu{});
    const Tensor w = table(2), b = table(3);
    const Tensor ids =
        remainder(arange<std::int64_t>(n > 2000 ? 6 : 40) * std::int64_t{7}, std::int64_t{18}) -
        std::int64_t{9};
    const Tensor x = take(table, ids, axis(0));
    const Tolerance near{1e-2, 1e-2};
    CHECK(allclose(layer_norm(take(table, ids, axis(0)), w, b), layer_norm(x, w, b), near));
    CHECK(allclose(softmax(take(table, ids, axis(0)), axis(-1)), softmax(x, axis(-1)), near));
    // What looks the same is not.
    const Tensor other = ids.flip(0);
    const Tensor y = take(table, other, axis(0));
    CHECK(
        allclose(take(table, ids, axis(0)) - mean(take(table, other, axis(0)), axis(-1), keepdims),
                 x - mean(y, axis(-1), keepdims), near));
    CHECK(allclose(softmax(take(table, ids, axis(0)) + take(table, other, axis(0)), axis(-1)),
                   softmax(x + y, axis(-1)), near));
    // Each element by an index of its own, and columns.
    const Tensor each = remainder(arange<std::int64_t>(9 * n), n).reshape({9, n}).flip(1);
    CHECK(allclose(softmax(take_along_axis(table, each, axis(1)), axis(-1)),
                   softmax(take_along_axis(table, each, axis(1)).eval(), axis(-1)), near));
    CHECK(allclose(softmax(take(table, ids, axis(0)), axis(0)), softmax(x, axis(0)), near));
    const Tensor bad = ids + std::int64_t{9};
    CHECK_THROWS_AS(softmax(take(table, bad, axis(0)), axis(-1)).eval(), IndexError);
  }
}

TEST_CASE("rows of every length, as if what they share were a tensor") {
  for (const std::int64_t n : {1, 2, 7, 8, 21, 64, 100, 700, 2047, 2049, 5000, 33000}) {
    CAPTURE(n);
    const auto x = noise<float>({n > 2000 ? 4 : 40, n}).on(Cpu{});
    const Tensor t = tanh(x * 1.5F);
    const auto c = tanh(x * 1.5F) - mean(tanh(x * 1.5F), axis(-1), keepdims);
    const Tensor d = t - mean(t, axis(-1), keepdims);
    CHECK(allclose(c, d, {1e-5, 1e-6}));
    CHECK(allclose(c * rsqrt(mean(square(c), axis(-1), keepdims) + 0.01F),
                   d * rsqrt(mean(square(d), axis(-1), keepdims) + 0.01F), {1e-5, 1e-6}));
    CHECK(apart(log_softmax(sigmoid(softplus(x)), axis(-1)),
                by_rows(array(sigmoid(softplus(x)).eval()), 2, test::log_softmax)) < 2e-5);
    const Tensor h = cast<weft::half>(x);
    const Tensor w = cast<weft::half>(noise<float>({n}, 3).on(Cpu{}));
    CHECK(allclose(cast<float>(rms_norm(1.F - (silu(h) - h), w)),
                   cast<float>(rms_norm((1.F - (silu(cast<float>(h)) - cast<float>(h))).eval(),
                                        cast<float>(w))),
                   {4e-3, 4e-3}));
    // Two operands: what looks the same is not.
    const Tensor y = exp(x * 0.25F);
    CHECK(allclose(tanh(x) - mean(tanh(y), axis(-1), keepdims),
                   tanh(x).eval() - mean(tanh(y).eval(), axis(-1), keepdims), {1e-5, 1e-6}));
    // Several outputs, one of them in place.
    const Tensor z = x.clone();
    const Tensor u = x.clone();
    const auto top = max(gelu(z), axis(-1), keepdims);
    tie(z, u) = fuse(gelu(z) - top, gelu(z) * 2.F - mean(gelu(z), axis(-1), keepdims));
    const Tensor g = gelu(x);
    CHECK(allclose(z, g - max(g, axis(-1), keepdims), {1e-5, 1e-6}));
    CHECK(allclose(u, g * 2.F - mean(g, axis(-1), keepdims), {1e-4, 1e-5}));
  }
}

TEST_CASE("columns, rows of two axes, rows with gaps, empty ones") {
  const auto base = noise<float>({9, 40, 50}).on(Cpu{});
  for (const auto& x :
       {base(all, all, slice(3, 40)), base(all, slice(0, none, 3), all), base.transpose(1, 2),
        base.permute({2, 0, 1}), base.flip(0), base.flip(2)}) {
    const Tensor g = silu(x);
    CHECK(apart(softmax(silu(x), axis(-1)), by_rows(array(g), 4, test::softmax)) < 1e-5);
    CHECK(apart(softmax(silu(x), axis(1)), by_rows(array(g), 2, test::softmax)) < 1e-5);
    CHECK(apart(softmax(silu(x), axis(1, 2)), by_rows(array(g), 6, test::softmax)) < 1e-5);
    CHECK(apart(softmax(silu(x), axis(0, 2)), by_rows(array(g), 5, test::softmax)) < 1e-5);
  }
  // Few long columns, taken several at a time.
  const auto narrow = noise<float>({3000, 6}).on(Cpu{});
  CHECK(apart(softmax(silu(narrow), axis(0)),
              by_rows(array(silu(narrow).eval()), 1, test::softmax)) < 1e-5);
  const auto none_in_rows = zeros({4, 0});
  CHECK((softmax(silu(none_in_rows), axis(-1)).eval().shape() == Shape{4, 0}));
  CHECK((softmax(silu(zeros({0, 4})), axis(-1)).eval().shape() == Shape{0, 4}));
}

TEST_CASE("bits do not depend on threads") {
  const auto x = noise<float>({2001, 300}).on(Cpu{});
  const int before = num_threads();
  set_num_threads(1);
  const Tensor one = softmax(gelu(x), axis(-1));
  set_num_threads(3);
  const Tensor three = softmax(gelu(x), axis(-1));
  set_num_threads(before);
  CHECK(std::memcmp(one.data(), three.data(), sizeof(float) * 2001 * 300) == 0);
}
