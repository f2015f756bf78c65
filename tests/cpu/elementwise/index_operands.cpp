// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/index_operands.hpp>

#include "test.hpp"
#include "weft/arrays.hpp"

using namespace weft::cpu::detail;
using weft::all;
using weft::Apply;
using weft::Arg;
using weft::axis;
using weft::slice;
using weft::Tensor;

namespace {
struct Unknown {
  float value;
};
}  // namespace

TEST_CASE("which operands are nothing but indices") {
  using Picked = Apply<weft::op::gathered<float, weft::AlongAxis>, Arg<1, weft::IndexOperand>,
                       Arg<2, std::int64_t>>;
  CHECK(index_operands<Picked> == 4);
  CHECK(index_operands<Apply<weft::op::mul, Picked, Arg<3, float>>> == 4);
  using Number = Apply<weft::op::cast<float>, Arg<2, std::int64_t>>;
  CHECK(index_operands<Apply<weft::op::mul, Picked, Number>> == 0);
  CHECK(index_operands<Picked, Arg<2, std::int64_t>> == 0);
  CHECK(index_operands<Arg<1, float>> == 0);
  CHECK(index_operands<Picked, Unknown> == 0);
}

TEST_CASE("indices at any stride, read where they are") {
  using Operands =
      weft::cpu::OperandElements<weft::detail::TypeList<float, std::int64_t, weft::IndexOperand>,
                                 2>;
  CHECK(!Operands::computed[0]);
  CHECK(Operands::computed[1]);
  CHECK(Operands::computed[2]);
  const float values[] = {1, 2, 3};
  const std::int64_t ids[] = {7, 8, 9, 10, 11};
  char* at[] = {reinterpret_cast<char*>(const_cast<float*>(values)),
                reinterpret_cast<char*>(const_cast<std::int64_t*>(ids)),
                reinterpret_cast<char*>(weft::IndexOperand::origin)};
  const std::int64_t step[] = {1, 2, 1};
  const std::int64_t skip[] = {4, 8, 0};
  const auto operands = Operands::moved(at, step, skip, 1);
  CHECK(weft::get<0>(operands).at(1) == 3);
  CHECK(weft::get<1>(operands).at(1) == 10);
  CHECK(!weft::get<1>(operands).repeats());
}

TEST_CASE_TEMPLATE("rows by indices of every layout", T, float, weft::half, weft::bfloat16, double,
                   std::int32_t) {
  for (const std::int64_t n : {1, 3, 16, 70, 600}) {
    CAPTURE(n);
    const auto table = weft::cast<T>(weft::arange<float>(40 * n)).eval().reshape({40, n});
    const auto wide = weft::randint<std::int64_t>(0, 40, {6, 10});
    const auto check = [&](const auto& ids) {
      const Tensor<T> rows = take(table, ids, axis(0));
      const Tensor<T> twice = take(table, ids, axis(0)) + take(table, ids, axis(0));
      const auto counted = (take(table, ids, axis(0)) * weft::cast<T>(ids.unsqueeze(-1))).eval();
      const auto flat_ids = ids.clone().reshape({-1});
      const auto flat = rows.reshape({-1, n});
      for (std::int64_t r = 0; r < flat.shape()[0]; ++r) {
        const std::int64_t id = flat_ids(r).item();
        CHECK(equal(flat(r, all), table(id, all)));
        CHECK(equal(twice.reshape({-1, n})(r, all), (table(id, all) + table(id, all)).eval()));
        CHECK(
            equal(counted.reshape({-1, n})(r, all), (table(id, all) * static_cast<T>(id)).eval()));
      }
    };
    check(wide);
    check(wide.t());
    check(wide(all, slice(0, 10, 3)));
    check(wide.flip(1));
    check(wide(0, all));
    check(weft::cast<std::int32_t>(wide).eval());
    const auto columns = take(table, weft::tensor<std::int64_t>({3 % n, 0, n - 1}), axis(1)).eval();
    CHECK(equal(columns(all, 0), table(all, 3 % n)));
    CHECK(equal(columns(all, 2), table(all, n - 1)));
    const auto one_a_row = (weft::arange<std::int64_t>(40) % n).eval();
    const auto along = gather(table, axis(1), one_a_row.unsqueeze(1).expand({40, n})).eval();
    CHECK(equal(along(7, all), table(7, 7 % n).expand({n})));
  }
  const auto table = weft::ones<T>({4, 30});
  CHECK_THROWS_AS(take(table, weft::tensor<std::int64_t>({0, 4}), axis(0)).eval(),
                  weft::IndexError);
}

TEST_CASE("beside other operands, in two outputs, and into a part of a tensor") {
  const auto table = weft::sin(weft::arange<float>(50 * 24)).eval().reshape({50, 24});
  const auto ids = weft::randint<std::int64_t>(0, 50, {33});
  const auto bias = weft::arange<float>(24).eval();
  const auto scale = weft::arange<float>(33).eval();
  const auto picked = take(table, ids, axis(0)).eval();
  const auto into = weft::zeros({33, 30});
  into(all, slice(3, 27)).assign(take(table, ids, axis(0)) * scale.unsqueeze(1) + bias);
  CHECK(equal(into(all, slice(3, 27)), picked * scale.unsqueeze(1) + bias));
  CHECK(all(into(all, slice(0, 3)) == 0.F).item());
  const auto [a, b] = weft::fuse(take(table, ids, axis(0)) + 1.F, take(table, ids, axis(0)) * bias);
  CHECK(equal(a, picked + 1.F));
  CHECK(equal(b, picked * bias));
  const auto turned = weft::zeros({24, 33});
  turned.t().assign(take(table, ids, axis(0)) * 2.F);
  CHECK(equal(turned, (picked * 2.F).eval().t()));
  CHECK(allclose(softmax(take(table, ids, axis(0)), axis(-1)), softmax(picked, axis(-1))));
  CHECK(allclose(sum(take(table, ids, axis(0)), axis(0)), sum(picked, axis(0))));
}
