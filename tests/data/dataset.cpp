// SPDX-License-Identifier: Apache-2.0
#include <weft/data/dataset.hpp>

#include <set>

#include "test.hpp"

using weft::Shape;
using weft::Tensor;
using namespace weft::data;

namespace {
/// Squares, as a user's own data set of plain numbers.
struct Squares {
  std::int64_t count;
  std::int64_t size() const { return count; }
  std::int64_t get(std::int64_t i) const { return i * i; }
};
static_assert(Dataset<Squares> && !RandomDataset<Squares> && !BatchedDataset<Squares>);
static_assert(Dataset<TensorDataset<Tensor<float>>> &&
              BatchedDataset<TensorDataset<Tensor<float>>>);
static_assert(BatchedDataset<Subset<TensorDataset<Tensor<float>>>>);
static_assert(Dataset<Subset<Squares>> && !BatchedDataset<Subset<Squares>>);
static_assert(!Loadable<int> && !Loadable<Tensor<float>>);
}  // namespace

TEST_CASE_TEMPLATE("rows of tensors", D, TEST_DEVICES) {
  const auto x = weft::arange<float>(12, D{}).reshape({4, 3});
  const auto y = weft::arange<std::int64_t>(4, D{});
  const TensorDataset data(x, y);
  CHECK(data.size() == 4);
  const auto [row, label] = data.get(2);
  CHECK(row.to_vector() == std::vector<float>{6, 7, 8});
  CHECK(row.data() == x(2).data());
  CHECK(label.item() == 2);
  const std::int64_t indices[] = {3, 0, 3};
  const auto [rows, labels] = data.batch(indices, 3);
  CHECK(rows.shape() == Shape{3, 3});
  CHECK(rows.to_vector() == std::vector<float>{9, 10, 11, 0, 1, 2, 9, 10, 11});
  CHECK(labels.to_vector() == std::vector<std::int64_t>{3, 0, 3});
  CHECK(std::get<0>(data.tensors()).data() == x.data());
  CHECK_SAYS("[TensorDataset::get] sample 4 of 4, expected 0 to 3", data.get(4));
  CHECK_SAYS("sample -1 of 4", data.get(-1));
}

TEST_CASE("views, read-only tensors, rows without elements") {
  const Tensor<float> x = weft::arange<float>(6).reshape({2, 3});
  const std::int64_t indices[] = {2, 1};
  CHECK(std::get<0>(TensorDataset(x.t()).batch(indices, 2)).to_vector() ==
        std::vector<float>{2, 5, 1, 4});
  const auto [rows] = TensorDataset(Tensor<const float>(x.t())).batch(indices, 2);
  static_assert(std::is_same_v<decltype(rows), const Tensor<float>>);
  CHECK(rows.to_vector() == std::vector<float>{2, 5, 1, 4});
  CHECK(std::get<0>(TensorDataset(weft::empty<float>({3, 0})).batch(indices, 2)).shape() ==
        Shape{2, 0});
  CHECK(TensorDataset(weft::empty<float>({0, 3})).size() == 0);
}

TEST_CASE("many large rows") {
  const Tensor<float> x = weft::rand({100, 1000});
  std::vector<std::int64_t> indices(1000);
  for (int i = 0; i < 1000; ++i) indices[static_cast<std::size_t>(i)] = i * 37 % 100;
  const auto [rows] = TensorDataset(x).batch(indices.data(), 1000);
  for (int i = 0; i < 1000; i += 77) CHECK(equal(rows(i), x(i * 37 % 100)));
}

TEST_CASE("tensors that are no data set") {
  CHECK_SAYS("[TensorDataset] tensors of 3 and of 2 rows",
             TensorDataset(weft::ones({3}), weft::ones({2, 3})));
  CHECK_SAYS("[TensorDataset] a tensor of rank 0", TensorDataset(weft::full({}, 1.0F)));
}

TEST_CASE("subsets") {
  const Subset odd(Squares{6}, weft::tensor<std::int64_t>({1, 3, 5}));
  CHECK(odd.size() == 3);
  CHECK(odd.get(2) == 25);
  CHECK(Subset(odd, weft::tensor<std::int64_t>({2, 2, 0})).get(1) == 25);
  CHECK(Subset(odd, std::vector<std::int64_t>{2, 0}).get(1) == 1);
  const TensorDataset data(weft::arange<float>(6));
  const Subset some(data, weft::tensor<std::int64_t>({5, 1}));
  const std::int64_t indices[] = {1, 0, 0};
  CHECK(std::get<0>(some.batch(indices, 3)).to_vector() == std::vector<float>{1, 5, 5});
  CHECK_SAYS("[Subset] sample 6 of 6", Subset(data, weft::tensor<std::int64_t>({6})));
  CHECK_SAYS("[Subset] sample -1 of 6", Subset(data, weft::tensor<std::int64_t>({-1})));
  CHECK_SAYS("[Subset] indices of shape (1, 1)", Subset(data, weft::zeros<std::int64_t>({1, 1})));
  CHECK_SAYS("[Subset::get] sample 2 of 2", some.get(2));
}

TEST_CASE("random splits share no sample and leave none out") {
  weft::Generator generator(3);
  const auto [train, test, rest] = random_split(Squares{101}, {0.8, 0.15, 0.05}, generator);
  CHECK(train.size() == 81);
  CHECK(test.size() == 15);
  CHECK(rest.size() == 5);
  std::set<std::int64_t> seen;
  for (const auto* part : {&train, &test, &rest}) {
    for (std::int64_t i = 0; i < part->size(); ++i) seen.insert(part->get(i));
  }
  CHECK(seen.size() == 101);
  CHECK(*seen.rbegin() == 10000);

  weft::Generator same(3);
  const auto again = random_split(Squares{101}, {90, 11}, same);
  CHECK(again[0].get(7) == train.get(7));
  weft::Generator other(4);
  CHECK_FALSE(equal(random_split(Squares{101}, {101}, other)[0].indices(),
                    random_split(Squares{101}, {101}, same)[0].indices()));
  CHECK(random_split(Squares{0}, {0, 0})[1].size() == 0);
}

TEST_CASE("splits that do not add up") {
  CHECK_SAYS("[random_split] fractions that add up to 0.9, expected 1",
             random_split(Squares{10}, {0.5, 0.4}));
  CHECK_SAYS("[random_split] parts of 11 samples in all, expected 10",
             random_split(Squares{10}, {5, 6}));
  CHECK_SAYS("a part of -1", random_split(Squares{10}, {11, -1}));
  CHECK_SAYS("a part of nan", random_split(Squares{10}, {1.0, double(NAN)}));
}
