// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/tensor.hpp>

#include "array.hpp"

using test::Array;
using test::Index;
using weft::Shape;
using weft::Tensor;

namespace {

/// 0, 1, 2, ... in the given shape.
Array<float> counted(const Shape& shape) {
  Array<float> a{shape, {}};
  for (std::int64_t i = 0; i < shape.size(); ++i) a.values.push_back(static_cast<float>(i));
  return a;
}

}  // namespace

TEST_CASE_TEMPLATE("copies share, clones do not", D, TEST_DEVICES) {
  auto x = weft::tensor({1.F, 2.F, 3.F}, D{});
  auto shared = x;
  const auto copy = x.clone();
  x += 1;
  CHECK(shared.to_vector() == std::vector<float>{2, 3, 4});
  CHECK(copy.to_vector() == std::vector<float>{1, 2, 3});
  CHECK(shared.data() == x.data());
  CHECK(copy.data() != x.data());
  CHECK(x.storage()->owners == 2);
  shared = copy;
  CHECK(shared.data() == copy.data());
  CHECK(x(0).item() == 2);
  const Tensor<const float, D> read = x;
  x.fill(9);
  CHECK(read.to_vector() == std::vector<float>{9, 9, 9});
  CHECK((read + 1).eval().to_vector() == std::vector<float>{10, 10, 10});
}

TEST_CASE_TEMPLATE("views share storage and keep it alive", D, TEST_DEVICES) {
  Tensor<float, D> view;
  {
    const auto x = counted({4, 3}).on(D{});
    view = x.t()(1);
    x(0, 1).fill(-1);
  }
  CHECK(view.to_vector() == std::vector<float>{-1, 4, 7, 10});
  const auto row = counted({4, 3}).on(D{})[-1];
  CHECK(row.to_vector() == std::vector<float>{9, 10, 11});
}

TEST_CASE_TEMPLATE("each view is what a walk of the indices gives", D, TEST_DEVICES) {
  const Array<float> a = counted({4, 5, 6});
  const auto x = a.on(D{});
  CHECK(test::same(x.permute({2, 0, 1}), a.pick({6, 4, 5}, [](Index i) {
    return Index{i[1], i[2], i[0]};
  })));
  CHECK(test::same(x.transpose(0, -1), a.pick({6, 5, 4}, [](Index i) {
    return Index{i[2], i[1], i[0]};
  })));
  CHECK(test::same(x.flip(1), a.pick({4, 5, 6}, [](Index i) {
    return Index{i[0], 4 - i[1], i[2]};
  })));
  CHECK(test::same(x.diagonal(), a.pick({4, 5}, [](Index i) { return Index{i[0], i[1], i[1]}; })));
  CHECK(test::same(x.diagonal(-1, 0, 2), a.pick({5, 3}, [](Index i) {
    return Index{i[1] + 1, i[0], i[1]};
  })));
  CHECK(test::same(x.narrow(2, 1, 3), a.pick({4, 5, 3}, [](Index i) {
    return Index{i[0], i[1], i[2] + 1};
  })));
  CHECK(test::same(x.unsqueeze(1).expand({4, 2, 5, -1}), a.pick({4, 2, 5, 6}, [](Index i) {
    return Index{i[0], i[2], i[3]};
  })));
  CHECK(test::same(x.unsqueeze(-1).squeeze(-1), a));
  CHECK(test::same(x.unsqueeze(0).unsqueeze(2).squeeze(), a));
  CHECK(test::same(x[2].t(), a.pick({6, 5}, [](Index i) { return Index{2, i[1], i[0]}; })));
  CHECK(test::same(x[1][2].t(), a.pick({6}, [](Index i) { return Index{1, 2, i[0]}; })));
  CHECK(x.transpose(0, 1).storage() == x.storage());
}

TEST_CASE_TEMPLATE("chains of views at random", D, TEST_DEVICES) {
  test::Random r(3);
  for (int n = 0; n < 200; ++n) {
    Shape shape = r.shape(3, 5);
    shape.push_back(r.between(1, 9));
    auto a = r.array<std::int32_t>(shape);
    auto x = a.on(D{});
    const auto* storage = x.storage();
    for (int times = 4; times > 0; --times) r.vary(x, a);
    CHECK(x.storage() == storage);
    CHECK(test::same(x, a));
    CHECK(test::same(x.clone(), a));
    CHECK(test::same(x.contiguous(), a));
    CHECK(x.contiguous().is_contiguous());
    CHECK(x.flatten().to_vector() == a.values);
  }
}

TEST_CASE_TEMPLATE("reshape shares where it can and copies where it must", D, TEST_DEVICES) {
  const auto x = counted({4, 6}).on(D{});
  CHECK(x.reshape({2, 2, -1}).data() == x.data());
  CHECK(x.reshape({3, 8}).to_vector() == x.to_vector());
  const auto t = x.t();
  CHECK(t.reshape({2, 3, 4}).data() == x.data());
  const auto flat = t.reshape({24});
  CHECK(flat.storage() != x.storage());
  CHECK(flat.to_vector() == t.to_vector());
  CHECK(t.view({2, 3, 2, 2}).storage() == x.storage());
  CHECK(test::message([&] { t.view({24}); }) ==
        "[view] shape (6, 4) with strides (1, 6) has no view of shape (24,): write reshape(...)");
  CHECK_THROWS_AS(x.reshape({5, 5}), weft::ShapeError);
  CHECK(weft::ones({0, 3}, D{})(weft::all, weft::slice(0, 2)).view({5, 0}).shape() == Shape{5, 0});
  CHECK(weft::ones({1}, D{}).reshape({}).item() == 1);
}

TEST_CASE_TEMPLATE("split and chunk", D, TEST_DEVICES) {
  const auto x = counted({2, 7}).on(D{});
  const auto three = x.split(3, -1);
  CHECK(three.size() == 3);
  CHECK(three[0].shape() == Shape{2, 3});
  CHECK(three[2].to_vector() == std::vector<float>{6, 13});
  CHECK(x.split(100).size() == 1);
  CHECK(x.split(INT64_MAX).size() == 1);
  CHECK(weft::ones({0, 2}, D{}).split(4).size() == 1);
  CHECK(x.chunk(4, 1).back().shape() == Shape{2, 1});
  CHECK(x.chunk(5, 1).size() == 4);
  CHECK(x.chunk(100).size() == 2);
  CHECK_SAYS("[split] pieces of length 0, expected at least 1", x.split(0));
  CHECK_SAYS("[chunk] 0 pieces, expected at least 1", x.chunk(0));
  CHECK_THROWS_AS(x.split(1, 2), weft::IndexError);
}

TEST_CASE_TEMPLATE("item", D, TEST_DEVICES) {
  const auto x = counted({2, 3}).on(D{});
  CHECK(x(1, 2).item() == 5);
  CHECK(x.t()(weft::slice(1, 2), 1).item() == 4);
  CHECK(weft::ones<weft::half>({1, 1, 1}, D{}).item() == 1);
  CHECK_THROWS_WITH_AS(x.item(), "[item] a tensor of shape (2, 3), expected one element",
                       weft::ShapeError);
  CHECK_THROWS_AS((Tensor<float, D>{}.item()), weft::ShapeError);
}

TEST_CASE("elements on the CPU") {
  auto x = counted({2, 3}).on(weft::Cpu{});
  x.at(1, -1) = 50;
  CHECK(x.at(1, 2) == 50);
  const float converted = x(1, 2);
  CHECK(converted == 50);
  CHECK_THROWS_WITH_AS(x.at(1), "[at] 1 indices for shape (2, 3), expected one for each axis",
                       weft::IndexError);
  CHECK_THROWS_WITH_AS(x.at(0, 3), "[index] index 3 at axis 1 of shape (2, 3), expected -3 to 2",
                       weft::IndexError);
  CHECK_THROWS_AS(x.at(0, 0, 0), weft::IndexError);
  CHECK_THROWS_AS((Tensor<float>{}.at(0)), weft::IndexError);
}

TEST_CASE_TEMPLATE("a tensor without storage", D, TEST_DEVICES) {
  Tensor<float, D> x;
  CHECK(x.shape() == Shape{0});
  CHECK(x.to_vector().empty());
  CHECK((x + 1).eval().size() == 0);
  CHECK(weft::sum(x).item() == 0);
  CHECK(x.clone().size() == 0);
  CHECK(x.flip(0).reshape({0, 4}).size() == 0);
  x += 1;
  x = x + 1;
  x = weft::ones({2}, D{}) + 1;
  CHECK(x.to_vector() == std::vector<float>{2, 2});
}

TEST_CASE_TEMPLATE("what was moved from has no elements", D, TEST_DEVICES) {
  const auto check = [](Tensor<float, D>& x) {
    CHECK(x.shape() == Shape{0});
    CHECK(x.strides() == weft::Strides{1});
    CHECK(x.data() == nullptr);
    CHECK(x.storage() == nullptr);
    x += 1;
    x.fill(2);
    x.assign(x * 3);
    CHECK_THROWS_AS(x(0) = 1, weft::IndexError);
    CHECK_THROWS_AS(x.item(), weft::ShapeError);
    CHECK_THROWS_AS(x += weft::ones({3}, D{}), weft::ShapeError);
    CHECK_THROWS_AS(weft::tie(x) = weft::fuse(weft::ones({3}, D{}) + 1), weft::ShapeError);
    for (auto&& row : x) row.fill(1);
    const Tensor<float, D> z = x + 1;
    CHECK(z.shape() == Shape{0});
    CHECK(x.to_vector().empty());
    CHECK(sum(x).item() == 0);
    x = weft::ones({2}, D{}) + 1;
    CHECK(x.to_vector() == std::vector<float>{2, 2});
  };
  auto x = weft::ones({2, 3}, D{});
  const Tensor<float, D> taken = std::move(x);
  CHECK(taken.to_vector() == std::vector<float>(6, 1));
  check(x);
  Tensor<float, D> y = weft::zeros({4, 3, 2}, D{});
  x = std::move(y);
  CHECK(x.shape() == Shape{4, 3, 2});
  check(y);
  const auto e = std::move(x) * 2 + 1;  // an expression takes the handle too
  CHECK(e.eval().to_vector() == std::vector<float>(24, 1));
  check(x);
  auto& same = x;
  x = std::move(same);
  CHECK(x.to_vector() == std::vector<float>{2, 2});
}

TEST_CASE_TEMPLATE("expressions that were moved from have no elements", D, TEST_DEVICES) {
  const auto x = weft::ones({2, 3}, D{});
  const auto check = [](auto e) {
    const Shape shape = e.shape();
    const auto taken = std::move(e);
    CHECK(taken.eval().shape() == shape);
    CHECK(e.eval().size() == 0);
  };
  check(x + 1);
  check(x * x(0));
  check(x - sum(x, weft::axis(1), weft::keepdims));
  check(sum(x, weft::axis(0)));
  check(take(x, weft::tensor({1, 1}, D{}), weft::axis(0)));
}

TEST_CASE_TEMPLATE("questions", D, TEST_DEVICES) {
  const auto x = weft::ones<std::int16_t>({2, 3, 4}, D{});
  CHECK(x.rank() == 3);
  CHECK(x.size() == 24);
  CHECK(x.size(-1) == 4);
  CHECK(x.strides() == weft::Strides{12, 4, 1});
  CHECK(x.is_contiguous());
  CHECK_FALSE(x.flip(0).is_contiguous());
  CHECK(x.dtype() == weft::Dtype::int16);
  CHECK_THROWS_WITH_AS(x.size(3), "[size] axis 3 of a tensor of rank 3, expected -3 to 2",
                       weft::IndexError);
  CHECK_THROWS_WITH_AS(x.t(), "[t] shape (2, 3, 4), expected at most 2 axes: write transpose(a, b)",
                       weft::ShapeError);
}
