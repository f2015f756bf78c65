// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/statement.hpp>

#include <weft/eval/program/lower.hpp>

#include "test.hpp"

using weft::Shape;
using weft::Tensor;

namespace {

/// Writes 1, 2, 3, ... into the target, whatever its shape, and counts its calls.
template <class D>
struct Counting {
  weft::detail::OperandArray<2> operands;
  Shape shape;
  int calls = 0;

  explicit Counting(const Tensor<float, D>& x) : shape(x.shape()) {
    weft::detail::set_target(operands[1], x);
  }
  weft::detail::Statement<D> statement() {
    return {"count", &shape, operands, 2, true, D{}, this, run};
  }
  static void run(void* self, const Shape& shape, D device) {
    auto& mine = *static_cast<Counting*>(self);
    ++mine.calls;
    const auto& operand = mine.operands[0];
    operand.storage->share();
    const auto target = weft::detail::Access::make<float, D>(
        weft::StorageHandle(operand.storage), reinterpret_cast<float*>(operand.data), shape,
        weft::contiguous_strides(shape));
    std::vector<float> values(static_cast<std::size_t>(shape.size()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
    target.assign(weft::tensor(values).reshape(shape).to(device));
  }
};

}  // namespace

TEST_CASE_TEMPLATE("a statement runs into new memory, into a tensor and into a view", D,
                   TEST_DEVICES) {
  const auto x = weft::zeros({2, 3}, D{});
  Counting<D> counting(x);
  const auto made = weft::detail::run_into_new<float, D>(counting.statement());
  CHECK(made.to_vector() == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(counting.calls == 1);

  auto z = weft::zeros({3, 2}, D{});
  const auto* const before = z.data();
  weft::detail::run_into(z, counting.statement(), 0);
  CHECK(z.shape() == Shape{2, 3});
  CHECK(z.data() == before);
  const auto other = z;
  weft::detail::run_into(z, counting.statement(), 0);
  CHECK(z.data() != before);

  // The only operand is what is written: at once where each element is read before, and not
  // where the statement must wait.
  weft::detail::run_in_place(x, counting.statement(), false);
  CHECK(counting.operands[0].data == reinterpret_cast<const char*>(x.data()));
  CHECK(x.to_vector() == made.to_vector());
  x.fill(0);
  weft::detail::run_in_place(x, counting.statement(), true);
  CHECK(counting.operands[0].data != reinterpret_cast<const char*>(x.data()));
  CHECK(x.to_vector() == made.to_vector());
  CHECK(counting.calls == 5);
}

TEST_CASE_TEMPLATE("what can be written into a view", D, TEST_DEVICES) {
  const auto x = weft::zeros({2, 3}, D{});
  CHECK(weft::detail::check_writable(x, {3}, "write"));
  CHECK(!weft::detail::check_writable(weft::zeros({0, 3}, D{}), {3}, "write"));
  CHECK_THROWS_WITH_AS(weft::detail::check_writable(x, {2}, "write"),
                       "[write] shape (2,) does not broadcast to the target's (2, 3)",
                       weft::ShapeError);
  CHECK_THROWS_AS(weft::detail::check_writable(x(0, weft::all).expand({2, 3}), {3}, "write"),
                  weft::ShapeError);
}

TEST_CASE("operands of one storage are counted behind the target") {
  const auto x = weft::ones({4});
  const auto y = weft::ones({4});
  weft::detail::OperandArray<4> operands;
  for (int i = 0; i < 4; ++i) weft::detail::set_target(operands[i], i == 2 ? y : x);
  CHECK(weft::detail::count_owned(operands, 4, x.storage()) == 2);
  CHECK(weft::detail::count_owned(operands, 4, y.storage()) == 1);
  CHECK(weft::detail::count_owned(operands, 1, x.storage()) == 0);
}

TEST_CASE_TEMPLATE("results keep channels last only where all operands have them so", D,
                   TEST_DEVICES) {
  const auto x = weft::ones<float>({2, 3, 4, 5}, D{});
  const auto last = weft::channels_last(x);
  const weft::Tensor<float, D> kept = last * 2.0F;
  CHECK(kept.strides() == last.strides());
  const weft::Tensor<float, D> both = x + last;
  CHECK(both.is_contiguous());
  const weft::Tensor<float, D> rows = weft::ones<float>({2, 5, 3}, D{});
  const weft::Tensor<float, D> turned = weft::ones<float>({2, 3, 5}, D{}) + rows.permute({0, 2, 1});
  CHECK(turned.is_contiguous());
}

TEST_CASE("a statement runs on its operands' GPU; a dry run's placeholders are on none") {
  weft::Storage first, second, placeholder;
  first.ordinal = 0;
  second.ordinal = 1;
  weft::detail::Operand operands[3];
  const auto place = [&](weft::Storage* x, weft::Storage* y, weft::Storage* z) {
    operands[0].storage = x;
    operands[1].storage = y;
    operands[2].storage = z;
    return weft::detail::place("add", operands, 3, weft::Cuda{-1}).ordinal;
  };
  CHECK(place(&placeholder, &second, &placeholder) == 1);
  CHECK(place(&first, &placeholder, nullptr) == 0);
  CHECK(place(&placeholder, nullptr, nullptr) == -1);
  CHECK_SAYS("operands on cuda:0 and cuda:1", place(&first, &placeholder, &second));
}
