// SPDX-License-Identifier: Apache-2.0
#include <weft/data/transform.hpp>

#include <weft/data/loader.hpp>

#include "test.hpp"

using weft::Generator;
using weft::Tensor;
using namespace weft::data;

namespace {
struct Pairs {
  std::int64_t size() const { return 10; }
  std::pair<Tensor<float>, int> get(std::int64_t i) const {
    return {weft::full({2}, static_cast<float>(i)), static_cast<int>(i)};
  }
};
struct AddNoise {
  template <class T>
  Tensor<T> operator()(const Tensor<T>& x, Generator& generator) const {
    return x + static_cast<float>(generator.draw().bits32(0) % 1000);
  }
};
}  // namespace

TEST_CASE("a function of all parts") {
  const auto data = transform(
      Pairs{}, [](const Tensor<float>& x, int y) { return std::tuple(x * 2, y + 0.5, y); });
  CHECK(data.size() == 10);
  CHECK(data.dataset().size() == 10);
  Generator generator;
  const auto [x, half, y] = data.get(3, generator);
  static_assert(std::is_same_v<decltype(x), const Tensor<float>>);
  CHECK(x.at(1) == 6);
  CHECK(half == 3.5);
  CHECK(y == 3);
  DataLoader loader(data, {.batch_size = 4});
  const auto [xs, halves, ys] = loader.batch(0, 1);
  CHECK(xs.to_vector() == std::vector<float>{8, 8, 10, 10, 12, 12, 14, 14});
  CHECK(halves.to_vector() == std::vector<double>{4.5, 5.5, 6.5, 7.5});
  const auto single = transform(Pairs{}, [](auto x1, int) { return x1 + 1; });
  CHECK(std::get<0>(DataLoader(single, {}).batch(0, 2)).to_vector() == std::vector<float>{3, 3});
}

TEST_CASE("functions of one part, in turn") {
  const auto data = transform<0>(
      Pairs{}, [](const auto& x) { return x + 1; }, [](const auto& x) { return x * 10; });
  Generator generator;
  CHECK(std::get<0>(data.get(2, generator)).at(0) == 30);
  CHECK(std::get<1>(data.get(2, generator)) == 2);
  const auto labels = transform<1>(data, [](int y) { return -y; });
  CHECK(std::get<1>(labels.get(2, generator)) == -2);
  CHECK(std::get<0>(labels.get(2, generator)).at(0) == 30);
}

TEST_CASE("functions that draw do so from the sample's generator") {
  const auto data = transform<0>(TensorDataset(weft::zeros({50, 2})), AddNoise{});
  DataLoader loader(data, {.batch_size = 50, .seed = 9});
  const auto [first] = loader.batch(0, 0);
  const auto [again] = loader.batch(0, 0);
  const auto [next] = loader.batch(1, 0);
  CHECK(equal(first, again));
  CHECK_FALSE(equal(first, next));
  CHECK(first.at(0, 0) != first.at(1, 0));
  const auto twice = transform<0>(data, AddNoise{});
  Generator a(4), b(4);
  CHECK(std::get<0>(twice.get(3, a)).at(0) != std::get<0>(data.get(3, b)).at(0));
  CHECK(a.offset() == 2);
}
