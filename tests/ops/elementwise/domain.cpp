// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/domain.hpp>

#include <cstdint>
#include <string>

#include "test.hpp"

using namespace weft;

namespace {
/// One letter for each of bool, int8, uint64, half, float, complex<double> that is taken.
template <class Domain>
std::string taken() {
  std::string s;
  if (Domain::template accepts<bool>) s += 'b';
  if (Domain::template accepts<std::int8_t>) s += 'i';
  if (Domain::template accepts<std::uint64_t>) s += 'u';
  if (Domain::template accepts<weft::half>) s += 'h';
  if (Domain::template accepts<float>) s += 'f';
  if (Domain::template accepts<complex<double>>) s += 'c';
  return s;
}
}  // namespace

TEST_CASE("what each domain takes") {
  CHECK(taken<op::Any>() == "biuhfc");
  CHECK(taken<op::Numeric>() == "iuhfc");
  CHECK(taken<op::Real>() == "iuhf");
  CHECK(taken<op::Ordered>() == "biuhf");
  CHECK(taken<op::Floating>() == "hf");
  CHECK(taken<op::FloatingOrComplex>() == "hfc");
  CHECK(taken<op::Complex>() == "c");
  CHECK(taken<op::Integer>() == "iu");
  CHECK(taken<op::IntegerOrBool>() == "biu");
  CHECK(taken<op::Bool>() == "b");
}
