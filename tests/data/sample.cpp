// SPDX-License-Identifier: Apache-2.0
#include <weft/data/sample.hpp>

#include <array>

#include "test.hpp"

using weft::Shape;
using weft::Tensor;
using namespace weft::data;

namespace {
struct Labelled {
  Tensor<float> image;
  std::uint8_t label;
};
struct Four {
  int a;
  double b;
  bool c;
  Tensor<const float> d;
};
struct One {
  float x;
};
template <class A, class B>
constexpr bool same = std::is_same_v<A, B>;
}  // namespace

TEST_CASE("the parts of a sample") {
  const Tensor<float> x = weft::ones({2});
  CHECK(std::get<0>(parts(x)).data() == x.data());
  CHECK(std::get<0>(parts(5)) == 5);
  CHECK(std::get<1>(parts(std::pair(x, 7L))) == 7);
  CHECK(std::get<2>(parts(std::array<int, 3>{1, 2, 3})) == 3);
  CHECK(std::get<0>(parts(std::tuple(x * 2, 1))).at(1) == 2);
  CHECK(std::get<0>(parts(x + 1)).at(1) == 2);
  const auto [image, label] = parts(Labelled{x, 3});
  CHECK(image.data() == x.data());
  CHECK(label == 3);
  CHECK(std::get<1>(parts(Four{1, 2.5, true, x})) == 2.5);
  CHECK(std::get<0>(parts(One{2.5F})) == 2.5F);
}

static_assert(same<batch_of<Tensor<float>>, std::tuple<Tensor<float>>>);
static_assert(same<batch_of<Labelled>, std::tuple<Tensor<float>, Tensor<std::uint8_t>>>);
static_assert(same<batch_of<Four>,
                   std::tuple<Tensor<std::int32_t>, Tensor<double>, Tensor<bool>, Tensor<float>>>);
static_assert(same<batch_of<long long>, std::tuple<Tensor<std::int64_t>>>);

TEST_CASE("memory of one's own choice") {
  static int calls = 0;
  const HostMemory memory{[](std::int64_t bytes) {
    ++calls;
    return weft::Memory<weft::Cpu>::allocate(weft::Cpu{}, bytes);
  }};
  CHECK(memory.empty<double>({3, 4}).shape() == Shape{3, 4});
  CHECK(calls == 1);
  CHECK(memory.empty<float>({0}).size() == 0);
  CHECK(HostMemory{}.empty<float>({2, 2}).is_contiguous());
  CHECK(calls == 2);
}
