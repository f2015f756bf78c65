#include "weft/eval/rows/norm.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("a norm's rows and columns are those of its statistics and its weight") {
  const Tensor x = zeros({2, 3, 5});
  const Tensor weight = ones({5});
  const Tensor scale = ones({2, 3, 1});
  const NormGradients<float, float, Cpu> n{nullptr, x,       weight,         nullptr,
                                           scale,   nullptr, {weight, true}, {weight}};
  CHECK(n.rows() == 6);
  CHECK(n.columns() == 5);
  CHECK(n.to_weight.adds);
  CHECK(!n.to_bias.adds);
}

TEST_CASE("operands that lie in rows") {
  const Tensor x = zeros({4, 6, 8});
  const auto rows = [&](const Tensor<float, Cpu>& of, const Shape& shape, int64_t row,
                        int64_t along) {
    detail::Operand operand;
    detail::set_target(operand, of);
    if (!detail::lies_in_rows(operand, shape)) return false;
    return operand.stride[0] == row && operand.stride[1] == along;
  };
  CHECK(rows(x, x.shape(), 8, 1));
  CHECK(rows(zeros({8}), x.shape(), 0, 1));
  CHECK(rows(zeros({4, 6, 1}), x.shape(), 1, 0));
  CHECK(rows(zeros({}), x.shape(), 0, 0));
  CHECK(rows(x(all, all, slice(1, 5)), {4, 6, 4}, 8, 1));
  CHECK(rows(x(all, slice(0, 1)), {4, 1, 8}, 48, 1));
  detail::Operand operand;
  detail::set_target(operand, zeros({6, 1}));  // the same rows again and again
  CHECK(!detail::lies_in_rows(operand, x.shape()));
  const Tensor turned = x.permute({0, 2, 1});
  detail::set_target(operand, turned);
  CHECK(!detail::lies_in_rows(operand, turned.shape()));
}
