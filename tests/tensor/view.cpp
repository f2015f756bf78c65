// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/view.hpp>

#include "array.hpp"

static_assert(std::is_trivially_copyable_v<weft::View<float>>);

TEST_CASE("a view indexes strided memory") {
  test::Random r(1);
  for (int n = 0; n < 50; ++n) {
    auto a = r.array<float>({r.between(1, 5), r.between(1, 5), r.between(1, 5)});
    auto x = a.on(weft::Cpu{});
    for (int times = 3; times > 0; --times) {
      r.vary(x, a);
      while (x.rank() > 3) {
        x = x[0];
        a = a.pick(x.shape(), [](test::Index i) { return i.insert(i.begin(), 0), i; });
      }
    }
    const weft::View<float> v = x.view();
    CHECK(v.rank() == 3);
    CHECK(v.size() == x.size());
    bool all_equal = true;
    test::each_index(a.shape, [&](const test::Index& i) {
      all_equal = all_equal && v(i[0], i[1], i[2]) == a.at(i);
    });
    CHECK(all_equal);
    for (int d = 0; d < 3; ++d) {
      CHECK(v.extent(d) == x.shape()[d]);
      CHECK(v.stride(d) == x.strides()[d]);
    }
  }
}

TEST_CASE("a view writes") {
  auto x = weft::zeros({2, 2});
  x.view()(1, 0) = 3;
  CHECK(x.to_vector() == std::vector<float>{0, 0, 3, 0});
  CHECK(x.view().data_handle() == x.data());
  const weft::Tensor<const float> read = x;
  static_assert(std::is_same_v<decltype(read.view())::element_type, const float>);
  CHECK(weft::View<float>().size() == 1);
}
