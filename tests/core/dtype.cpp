// SPDX-License-Identifier: Apache-2.0
#include <weft/core/dtype.hpp>

#include <string>

#include "test.hpp"

using namespace weft;

static_assert(dtype_of<bool> == Dtype::boolean && dtype_of<std::int8_t> == Dtype::int8 &&
              dtype_of<std::uint64_t> == Dtype::uint64 && dtype_of<weft::half> == Dtype::float16 &&
              dtype_of<bfloat16> == Dtype::bfloat16 && dtype_of<float> == Dtype::float32 &&
              dtype_of<double> == Dtype::float64 && dtype_of<complex<float>> == Dtype::complex64 &&
              dtype_of<complex<double>> == Dtype::complex128);
static_assert(Element<int> && !Element<const int> && !Element<char> && !Element<long double>);
static_assert(!Element<int*> && !Element<complex<int*>*> && !Element<void>);
static_assert(Number<long long> && Number<unsigned long long> && Number<long> && !Number<char>);
static_assert(std::is_same_v<compute_t<weft::half>, float> &&
              std::is_same_v<compute_t<bfloat16>, float>);
static_assert(std::is_same_v<compute_t<std::int8_t>, std::int8_t> &&
              std::is_same_v<compute_t<double>, double>);
static_assert(std::is_same_v<real_t<complex<double>>, double> && std::is_same_v<real_t<int>, int>);
static_assert(is_integer<std::uint8_t> && !is_integer<bool> && !is_integer<float>);
static_assert(is_floating<weft::half> && is_floating<double> && !is_floating<complex<float>>);
static_assert(is_complex<complex<float>> && !is_complex<float>);

TEST_CASE("names are NumPy's") {
  const char* names[] = {"bool",     "int8",    "int16",   "int32",     "int64",
                         "uint8",    "uint16",  "uint32",  "uint64",    "float16",
                         "bfloat16", "float32", "float64", "complex64", "complex128"};
  for (int i = 0; i < 15; ++i) CHECK(std::string(name(static_cast<Dtype>(i))) == names[i]);
  CHECK(std::string(text(dtype_of<bfloat16>)) == "bfloat16");
  CHECK(Tensor<const weft::half>::dtype() == Dtype::float16);
}

TEST_CASE("elements enter expressions in their compute type") {
  CHECK(load_element(weft::half(1.5F)) == 1.5F);
  CHECK(load_element(std::int8_t{-3}) == -3);
  CHECK(load_element(true));
}

namespace {
template <class... Ts>
bool sizes_are_those_of(weft::detail::TypeList<Ts...>) {
  return ((element_size(weft::dtype_of<Ts>) == sizeof(Ts)) && ...);
}
}  // namespace

TEST_CASE("the bytes of an element") { CHECK(sizes_are_those_of(weft::detail::ElementTypes{})); }
