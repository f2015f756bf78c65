// SPDX-License-Identifier: Apache-2.0
#include <weft/track/value.hpp>

#include <cmath>

#include "test.hpp"

using weft::track::Value;
using Kind = Value::Kind;

TEST_CASE("numbers with the fewest digits, truth values, texts") {
  CHECK((Value(0.1F).text() == "0.1"));
  CHECK((Value(0.1).text() == "0.1"));
  CHECK((Value(1.0 / 3).text() == "0.3333333333333333"));
  CHECK((Value(-7).text() == "-7"));
  CHECK((Value(std::uint64_t{18446744073709551615U}).text() == "18446744073709551615"));
  CHECK((Value(INFINITY).text() == "inf"));
  CHECK((Value(true).text() == "true"));
  CHECK((Value("a text").text() == "a text"));
  CHECK((Value(1).kind() == Kind::integer));
  CHECK((Value(1.0).kind() == Kind::number));
  CHECK((Value(false).kind() == Kind::boolean));
  CHECK((Value("x").kind() == Kind::text));
  CHECK(Value(0.25F).number() == 0.25);
  CHECK(Value(true).number() == 1);
}

TEST_CASE("what holds one element") {
  const weft::Tensor x = weft::tensor({1.0F, 2.0F});
  CHECK((Value(sum(x)).text() == "3"));
  CHECK((Value(x[1]).text() == "2"));
  CHECK((Value(weft::full({}, weft::half(0.5F))).text() == "0.5"));
  CHECK((Value(count_nonzero(x)).kind() == Kind::integer));
  CHECK_SAYS("[item] a tensor of shape (2,), expected one element", Value(x));
}
