// SPDX-License-Identifier: Apache-2.0
#include <weft/io/dlpack_types.hpp>

#include "test.hpp"

using namespace weft::dlpack;
using weft::Dtype;

TEST_CASE("the codes of dlpack.h") {
  const auto is = [](Dtype dtype, int code, int bits) {
    const DataType type = type_of(dtype);
    return type.code == code && type.bits == bits && type.lanes == 1;
  };
  CHECK(is(Dtype::boolean, 6, 8));
  CHECK(is(Dtype::int8, 0, 8));
  CHECK(is(Dtype::int64, 0, 64));
  CHECK(is(Dtype::uint16, 1, 16));
  CHECK(is(Dtype::float16, 2, 16));
  CHECK(is(Dtype::float32, 2, 32));
  CHECK(is(Dtype::bfloat16, 4, 16));
  CHECK(is(Dtype::complex64, 5, 64));
  CHECK(is(Dtype::complex128, 5, 128));
  CHECK(type_of(Dtype::dual64).code == 255);
}

TEST_CASE("an owner runs the deleter once, unless it was handed over or there is none") {
  int runs = 0;
  Managed managed{{}, &runs, [](Managed* self) { ++*static_cast<int*>(self->context); }};
  { const OwnedLegacy owner(&managed); }
  CHECK(runs == 1);
  OwnedLegacy owner(&managed);
  CHECK(owner.release() == &managed);
  owner.reset();
  managed.deleter = nullptr;
  { const OwnedLegacy none(&managed); }
  CHECK(runs == 1);
}
