// The front door: spellings that users of NumPy, PyTorch and Eigen try first, one a line.
// SPDX-License-Identifier: Apache-2.0
#ifdef __CUDACC__
#include "weft/all.hpp"
#else
#include "weft/autograd.hpp"
#include "weft/io.hpp"
#include "weft/random.hpp"
#endif

#include <algorithm>
#include <sstream>

#include "test.hpp"

using namespace weft;

namespace {
template <class X>
std::string printed(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}
template <class D>
Tensor<float, D> counted(D device) {  // [[0, 1, 2, 3], [4, ...], [8, ...]]
  return arange<float>(12, device).reshape(3, 4);
}
}  // namespace

TEST_CASE_TEMPLATE("new tensors", D, TEST_DEVICES) {
  const D device{};
  CHECK(zeros(3, 4, device).shape() == Shape{3, 4});
  CHECK(ones<int>(2, device).to_vector() == std::vector<int>{1, 1});
  CHECK(empty(2, 3, device).size() == 6);
  CHECK(rand(3, 4, device).shape() == Shape{3, 4});
  CHECK(randn(5, device).shape() == Shape{5});
  CHECK(zeros({3, 4}, device).shape() == Shape{3, 4});
  CHECK(zeros(2).device() == Cpu{});
  CHECK(arange(10).to_vector().back() == 9);
  CHECK(arange(3, device).dtype() == Dtype::int64);
  CHECK(arange(0, 1, 0.25).to_vector() == std::vector<float>{0, 0.25F, 0.5F, 0.75F});
  CHECK(arange(1, 4, device).to_vector() == std::vector<std::int64_t>{1, 2, 3});
  CHECK(arange(6).reshape(2, 3).shape() == Shape{2, 3});
  CHECK(tensor({1.0F, 2, 3}, device).to_vector() == std::vector<float>{1, 2, 3});
  CHECK(tensor<double>({1, 2.5F}).to_vector() == std::vector<double>{1, 2.5});
  CHECK_SAYS("[tensor] numbers of several types in braces, 1.5", tensor({1.5, 2}));
  CHECK_SAYS("[tensor] numbers of several types in braces", tensor({1.0F, 1 << 25}));
  CHECK_SAYS("[zeros] shape (-1,)", zeros(-1, device));
  CHECK_SAYS("[ones] shape (2, -1)", ones({2, -1}, device));
  CHECK_SAYS("[full] shape (-1,)", full({-1}, 1, device));
  CHECK_SAYS("[rand] shape (-1,)", rand(-1, device));
}

TEST_CASE_TEMPLATE("rows", D, TEST_DEVICES) {
  const auto x = counted(D{});
  CHECK(x.shape(0) == 3);
  CHECK(x.shape(-1) == 4);
  CHECK((x * 2).shape(1) == 4);
  CHECK_SAYS("[size] axis 2", x.shape(2));
  swap(x[0], x[2]);
  CHECK(x(all, 0).to_vector() == std::vector<float>{8, 4, 0});
  CHECK(x.end() - x.begin() == 3);
  auto y = zeros(2, 4, D{});
  std::copy(++x.begin(), x.end(), y.begin());
  CHECK(equal(y, x(slice(1, 3), all)));
  std::fill(y.begin(), y.end(), 7);
  CHECK(equal(y, full_like(y, 7)));
}

TEST_CASE_TEMPLATE("options by name, members of single numbers", D, TEST_DEVICES) {
  const auto x = counted(D{});
  CHECK(sum(x, axis(1), keepdims = true).shape() == Shape{3, 1});
  CHECK(sum(x, axis(1), keepdims = false).shape() == Shape{3});
  CHECK(sum(x, keepdims = true).shape() == Shape{1, 1});
  CHECK(x[0].argsort(descending = true).to_vector() == std::vector<std::int64_t>{3, 2, 1, 0});
  CHECK(sort(x[0], descending = false).values.to_vector() == x[0].to_vector());
  CHECK(x[2].topk(2).values.to_vector() == std::vector<float>{11, 10});
  const float root = (x - 1).square().mean().sqrt();
  CHECK(root == doctest::Approx(std::sqrt(32.1666667)));
  const float part = x.max().pow(2).clamp(0, 100);
  CHECK(part == 100);
  CHECK(x.sum().exp().log() > 65.9);
  const Var<float, D> v(tensor({0.0F, 5.0F, 0.0F}, D{}), true);
  CHECK(random::choice(arange(3, D{}), 1, v).item() == 1);  // weights that require a gradient
  CHECK(random::multinomial(v * 2, 1).item() == 1);
}

TEST_CASE_TEMPLATE("views of expressions", D, TEST_DEVICES) {
  const auto x = counted(D{});
  CHECK((x * 2)(all, slice(0, 3)).shape() == Shape{3, 3});
  CHECK((x * 2)(1, 2).item() == 12);
  CHECK((x * 2)[2].shape() == Shape{4});
  CHECK(exp(x).reshape(4, 3).shape() == Shape{4, 3});
  CHECK((x + x).reshape({2, -1}).shape() == Shape{2, 6});
  CHECK((x * 2).t()(3, 0).item() == 6);
  CHECK((x * 2).permute(1, 0).shape() == Shape{4, 3});
  CHECK((x + 1).transpose(0, 1).shape() == Shape{4, 3});
  CHECK((x + 1).flatten().shape() == Shape{12});
  CHECK((x + 1).unsqueeze(0).squeeze().shape() == Shape{3, 4});
  CHECK((x + 1).flip(0)(0, 0).item() == 9);
  CHECK((x + 1).chunk(2, 1)[1].shape() == Shape{3, 2});
  CHECK((x * 2).to_vector()[3] == 6);
  CHECK(cast<double>(x).reshape(12).dtype() == Dtype::float64);
  CHECK(sum(x, axis(0)).reshape(2, 2).shape() == Shape{2, 2});
  CHECK((x * 2).size(1) == 4);
  float total = 0;
  for (auto row : x * 2) total += sum(row).item();
  CHECK(total == 132);
}

TEST_CASE_TEMPLATE("numbers from reductions over everything", D, TEST_DEVICES) {
  const auto x = counted(D{});
  const float s = sum(x);
  CHECK(s == 66);
  const double d = mean(x);
  CHECK(d == 5.5);
  const float e = 0.5 * sum(x) + 2;
  CHECK(e == 35);
  bool more = false;
  if (sum(x) > 3) more = true;
  CHECK(more);
  if (any(x > 10) && !all(x > 10)) more = false;
  CHECK(!more);
  Tensor y = x;
  int steps = 0;
  while (norm(y) > 1e-3) y = y / 10, ++steps;
  CHECK(steps == 5);
  const auto average = [](const auto& z) -> float { return sum(z) / z.size(); };
  CHECK(average(x) == 5.5F);
  CHECK(mean(x > 5).item() == 0.5);
  CHECK(static_cast<int>(argmax(x)) == 11);
}

TEST_CASE_TEMPLATE("member forms", D, TEST_DEVICES) {
  const auto x = counted(D{});
  CHECK(x.sum().item() == 66);
  CHECK(x.mean(axis(1)).shape() == Shape{3});
  CHECK(x.max().item() == 11);
  CHECK(x.argmax(axis(1)).eval()(0).item() == 3);
  CHECK(x.std().item() == doctest::Approx(3.60555));
  CHECK((x - 5).abs().sum(axis(0), keepdims).shape() == Shape{1, 4});
  CHECK(x.exp().log().numel() == 12);
  CHECK(x.dim() == 2);
  CHECK(x.clamp(2, 3).min().item() == 2);
  CHECK(x.softmax(axis(1)).sum().item() == doctest::Approx(3));
  CHECK(x.pow(2)(0, 3).item() == 9);
  CHECK(x.template to<double>().eval().dtype() == Dtype::float64);
  CHECK(reshape(x, {2, 6}).shape() == Shape{2, 6});
  CHECK(transpose(x).shape() == Shape{4, 3});
  CHECK(permute(x, {1, 0}).shape() == Shape{4, 3});
  CHECK(flatten(x * 2).shape() == Shape{12});
  CHECK(unsqueeze(x, 0).permute(2, 0, 1).shape() == Shape{4, 1, 3});
  CHECK(x.reshape(4, 3).shape() == Shape{4, 3});
  CHECK(x.view(-1).shape() == Shape{12});
  CHECK(x(0).expand(2, 4).shape() == Shape{2, 4});
}

TEST_CASE_TEMPLATE("axes, options and joins", D, TEST_DEVICES) {
  const auto x = counted(D{});
  CHECK(sum(x, axis({0, 1})).shape() == Shape{});
  CHECK(mean(x, axis(-1), true).shape() == Shape{3, 1});
  CHECK(mean(x, axis(-1), false).shape() == Shape{3});
  CHECK(softmax(x, 1).shape() == Shape{3, 4});
  CHECK(sum(log_softmax(x, 0)).item() < 0);
  CHECK(layer_norm(x).shape() == Shape{3, 4});
  const auto [values, indices] = max(x * -1, axis(1));
  CHECK(values.to_vector() == std::vector<float>{0, -4, -8});
  CHECK(indices.to_vector() == std::vector<std::int64_t>{0, 0, 0});
  CHECK(cat({x, x}, axis(0)).shape() == Shape{6, 4});
  CHECK(cat({x, x}).shape() == Shape{6, 4});
  CHECK(cat({x * 2, x * 3}, axis(1))(0, 7).item() == 9);
  CHECK(cat(x, x + 1, x(slice(0, 1)), axis(0)).shape() == Shape{7, 4});
  CHECK(stack({x, x}).shape() == Shape{2, 3, 4});
  CHECK(stack({x, x}, axis(2)).shape() == Shape{3, 4, 2});
  CHECK(stack(x, 2 * x, axis(0))(1, 0, 1).item() == 2);
  CHECK_SAYS("[stack] shapes (3, 4) and (4, 3), expected equal shapes", stack({x, x.t()}));
  CHECK_SAYS("[layer_norm] a weight of shape (3,)", layer_norm(x, x(all, 0), x(0)));
}

TEST_CASE_TEMPLATE("bool and counts beside numbers", D, TEST_DEVICES) {
  const auto x = counted(D{}) - 5;
  CHECK(sum(x * (x > 0)).item() == 21);
  CHECK(((x > 0) + x)(2, 3).item() == 7);
  CHECK(((x > 0) * 0.5)(2, 3).item() == 0.5F);
  CHECK(sum((x > 0) * 2).item() == 12);
  CHECK((x / arange(1, 5))(0, 3).item() == -0.5F);
  CHECK((x + (arange(4) * 2 + 1))(0, 3).item() == 5);
  CHECK((arange(4) * 0.5).eval().dtype() == Dtype::float32);
}

TEST_CASE_TEMPLATE("choosing by a mask or by indices", D, TEST_DEVICES) {
  auto x = counted(D{});
  CHECK(x[x > 9].to_vector() == std::vector<float>{10, 11});
  CHECK(x(x > 9).shape() == Shape{2});
  CHECK(sum(x[x > 9]).item() == 21);
  x[x > 9] = 0;
  CHECK(sum(x).item() == 45);
  x[x == 0] += 1;
  CHECK(sum(x).item() == 48);
  const auto rows = tensor<std::int64_t>({2, 0}, D{});
  CHECK(x(rows)(0, 0).item() == 8);
  CHECK(x[rows].shape() == Shape{2, 4});
  x[rows] = 1;
  CHECK(sum(x).item() == 30);
}

TEST_CASE_TEMPLATE("types and shapes", D, TEST_DEVICES) {
  const auto x = counted(D{});
  const auto [rows, columns] = x.template shape<2>();
  CHECK(rows * 10 + columns == 34);
  CHECK_SAYS("[sizes] shape (3, 4), expected 1 dimensions", x.template shape<1>());
  CHECK(printed(x.dtype()) == "float32");
  CHECK(printed(x.device()) == (std::is_same_v<D, Cpu> ? "cpu" : "cuda:0"));
  CHECK(printed(x.shape()) == "(3, 4)");
  CHECK(printed(x.strides()) == "(4, 1)");
  CHECK(printed(sum(x)).substr(0, 11) == "tensor(66.,");
  const StateDict state{{"b", cast<bfloat16>(x)}, {"x", x}};
  CHECK(state.find("b")->dtype() == Dtype::bfloat16);
}

TEST_CASE_TEMPLATE("Var has what Tensor has", D, TEST_DEVICES) {
  const Var v = parameter(counted(D{}));
  CHECK(v.numel() == 12);
  CHECK(v.dtype() == Dtype::float32);
  CHECK(v.to_vector()[11] == 11);
  CHECK(v.reshape(4, 3).permute(1, 0).is_contiguous() == false);
  CHECK(v.t().contiguous().is_contiguous());
  CHECK(v.mean().item() == 5.5F);
  CHECK((v * 2)(0).shape() == Shape{4});
  CHECK(v[tensor<std::int64_t>({0, 0}, D{})].shape() == Shape{2, 4});
  const Tensor mask = v > 5;
  CHECK(mask.dtype() == Dtype::boolean);
  const Tensor best = argmax(v, axis(1));
  CHECK(best(0).item() == 3);
  CHECK(printed(v(0, 0)).find("requires_grad") != std::string::npos);
  const auto halves = v.chunk(2, 1);
  Var loss = sum(halves[0] * halves[1]) + sum(v.clone() * (v > 5));
  for (auto row : v) loss += sum(row);
  loss.backward();
  CHECK(v.grad()(0, 0).item() == 3);
  CHECK(v.grad()(2, 3).item() == 11);
  v.zero_grad();
  const auto [values, indices] = max(v, axis(1));
  sum(values).eval().backward();
  CHECK(sum(v.grad()).item() == 3);
  CHECK(indices(2).item() == 3);
  CHECK(cat({v, v}, axis(0)).shape() == Shape{6, 4});
}

TEST_CASE("one element compared with a number is true or false") {
  const auto x = tensor({{1.0F, 2}, {3, 4}});
  int larger = 0;
  if (x(0, 1) > 1) ++larger;
  if (3 < x(1, 0)) ++larger;
  const bool equal = x(1, 1) == 4;
  CHECK((larger == 1 && equal));
  CHECK_THROWS_WITH_AS(static_cast<void>(static_cast<bool>(x > 0)),
                       "[gt] a comparison of shape (2, 2) is not true or false, expected one "
                       "element: write all(e).item() or any(e).item()",
                       ShapeError);
}

TEST_CASE("indices behind the axis, as in PyTorch, or before it") {
  const auto x = arange<float>(6).reshape(2, 3);
  const auto columns = tensor<int64_t>({{2, 0}, {1, 1}});
  CHECK(equal(gather(x, axis(1), columns), gather(x, columns, axis(1))));
  CHECK(index_select(x, axis(1), tensor<int64_t>({2})).eval().to_vector() ==
        std::vector<float>{2, 5});
  CHECK((x + 1).dtype() == Dtype::float32);
}
