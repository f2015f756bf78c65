// SPDX-License-Identifier: Apache-2.0
#include <weft/io/dlpack.hpp>

#include "test.hpp"

using namespace weft;

template <class T>
static void there_and_back() {
  const Tensor x = cast<T>(arange<std::int32_t>(6).reshape({2, 3}) % 2);
  const Tensor y = from_dlpack(to_dlpack(x.t()).release()).template get<T>();
  CHECK(y.data() == x.data());
  CHECK(y.shape() == Shape{3, 2});
  CHECK(equal(y, x.t()));
  const Tensor z = from_dlpack(to_dlpack_legacy(x).release()).template get<T>();
  CHECK(equal(z, x));
}

TEST_CASE("[nogpu] every element type goes there and back") {
  there_and_back<bool>();
  there_and_back<std::int8_t>();
  there_and_back<std::uint64_t>();
  there_and_back<weft::half>();
  there_and_back<bfloat16>();
  there_and_back<double>();
}

TEST_CASE("[nogpu] complex numbers") {
  const Tensor x = full({2}, complex<double>(1, 2));
  CHECK(equal(from_dlpack(to_dlpack(x).release()).get<complex<double>>(), x));
}
