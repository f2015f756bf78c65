// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/small_format.hpp>

#include "test.hpp"

namespace {

using namespace weft;
using Byte = std::uint8_t;

TEST_CASE_TEMPLATE("encode and decode, fused with what stands around them", D, TEST_DEVICES) {
  const auto x = tensor({0.3F, -1000.0F, 3.1F, 464.0F}).to(D{});
  const Tensor<Byte, D> codes = encode<float8_e4m3>(x);
  const Tensor<float, D> back = decode<float8_e4m3>(codes) * 2;
  CHECK(back.to_vector() == std::vector<float>{0.625F, -896, 6, 896});
  CHECK(isnan(decode<float8_e4m3>(encode<float8_e4m3>(x, Overflow::natural))).eval().to_vector() ==
        std::vector<bool>{false, true, false, false});

  const auto scale = tensor({{0.5F}, {2.0F}}).to(D{});
  const Tensor<Byte, D> quantised = encode<weft::int4>(round(x / scale));
  const Tensor<float, D> values = decode<weft::int4>(quantised) * scale;
  CHECK(values.to_vector() == std::vector<float>{0.5F, -4, 3, 3.5F, 0, -16, 4, 14});
}

TEST_CASE_TEMPLATE("double and half are rounded once", D, TEST_DEVICES) {
  // Just above the middle of 1 and 1.125, by less than a float can tell.
  const auto x = tensor({1.0625 + 1e-12, 1.0625}).to(D{});
  CHECK(decode<float8_e4m3>(encode<float8_e4m3>(x)).eval().to_vector() ==
        std::vector<float>{1.125F, 1});
  const Tensor<weft::half, D> h = cast<weft::half>(x);
  CHECK(decode<float8_e5m2>(encode<float8_e5m2>(h)).eval().to_vector() == std::vector<float>{1, 1});
}

TEST_CASE_TEMPLATE("codes side by side in bytes", D, TEST_DEVICES) {
  const auto x = tensor({{1.0F, -2.0F, 7.0F, -8.0F}, {0.0F, 3.0F, -1.0F, 5.0F}}).to(D{});
  const Tensor<Byte, D> codes = encode<weft::int4>(x);
  const Tensor<Byte, D> bytes = pack_codes<weft::int4>(codes);
  CHECK(bytes.shape() == Shape{2, 2});
  CHECK(bytes.to_vector() == std::vector<Byte>{0xE1, 0x87, 0x30, 0x5F});
  CHECK(unpack_codes<weft::int4>(bytes).to_vector() == codes.to_vector());

  const auto two = tensor<Byte>({0, 1, 2, 3, 3, 2, 1, 0}).to(D{});
  const Tensor<Byte, D> packed = pack_codes<weft::uint2>(two);
  CHECK(packed.to_vector() == std::vector<Byte>{0xE4, 0x1B});
  CHECK(unpack_codes<weft::uint2>(packed).to_vector() == two.to_vector());
  CHECK_SAYS("[pack_codes] shape (3,)", pack_codes<weft::int4>(zeros<Byte>({3}, D{})));
}

}  // namespace
