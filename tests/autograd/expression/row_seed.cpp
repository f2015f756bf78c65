#include "weft/autograd/expression/row_seed.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

namespace {
/// A row whose reductions are operands from 4 on.
struct Row {
  double reductions[2];
  template <int I>
  WEFT_HD double get() const {
    return reductions[I - 4];
  }
};
struct OfReduction {
  static constexpr std::uint64_t reads = std::uint64_t{1} << 5;
  template <class Inputs>
  WEFT_HD double operator()(const Inputs& inputs) const {
    return 2 * inputs.template get<5>();
  }
};
struct OfOperand : OfReduction {
  static constexpr std::uint64_t reads = std::uint64_t{1} << 3;
};
}  // namespace

TEST_CASE("what reads reductions only is computed once for a row") {
  using Seed = autograd::ElementGradient<reducer::norm, OfReduction, Arg<1, double>, 4, -1>;
  const Seed seed{{}, {}, 3};
  const Row row{{5, 7}};
  const auto known = seed.along<4>(row);
  CHECK(known.of(Row{}) == 14);
  CHECK(known(row, 3.0) == doctest::Approx(14 * 3.0 / 5));
  CHECK(seed(row, 3.0) == known(row, 3.0));
  using Other = autograd::ElementGradient<reducer::norm, OfOperand, Arg<1, double>, 4, -1>;
  static_assert(std::is_same_v<decltype(Other{}.along<4>(row)), Other>);
}

TEST_CASE_TEMPLATE("gradients of norms, of small and of zero vectors too", D, TEST_DEVICES) {
  const Tensor<float, D> unit = cast<float>(numbers<D>({3, 40}));
  for (const float scale : {1.0F, 1e-15F, 0.0F}) {
    CAPTURE(scale);
    const Var x = parameter(Tensor<float, D>(unit * scale));
    const Var y = norm(x, axis(1)) * 2.0F + 1.0F;
    y.backward(ones<float>({3}, D{}));
    const auto expected = (unit / norm(unit, axis(1), keepdims) * (scale > 0 ? 2.0F : 0.0F)).eval();
    CHECK(allclose(x.grad(), expected, {1e-4, 1e-4}));
  }
}

TEST_CASE_TEMPLATE("a row's one value has gradients of all that it is made of", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 33}));
  const Var y = parameter(numbers<D>({4, 33}, 1));
  const auto f = [](const auto& a, const auto& b) {
    return Var(sum(a * b, axis(1)) / (norm(a, axis(1)) * maximum(norm(b, axis(1)), 0.1) + 0.5));
  };
  CHECK(gradcheck(f, x, y));
  const auto g = [](const auto& a, const auto& b) {
    return Var((a - mean(b, axis(1), keepdims)) * rsqrt(var(a, axis(1), keepdims) + 0.1) + b);
  };
  CHECK(gradcheck(g, x, y));
}
