// SPDX-License-Identifier: Apache-2.0
#include <weft/io/to_dlpack.hpp>

#include "test.hpp"

using namespace weft;

TEST_CASE("[nogpu] a view is lent as it lies, and the lender sees what is written") {
  Tensor x = arange<float>(24).reshape({4, 6});
  const auto lent = to_dlpack(x(slice(1, 4, 2), slice(0, 6)).t());
  CHECK(lent->major == 1);
  CHECK(lent->flags == 0);
  const dlpack::Tensor& t = lent->tensor;
  REQUIRE(t.ndim == 2);
  CHECK(t.shape[0] == 6);
  CHECK(t.shape[1] == 2);
  CHECK(t.strides[0] == 1);
  CHECK(t.strides[1] == 12);
  CHECK(t.byte_offset == 0);
  CHECK(t.device.type == dlpack::cpu);
  CHECK(t.dtype.code == dlpack::floating);
  CHECK(t.dtype.bits == 32);
  auto* const data = static_cast<float*>(t.data);
  CHECK(data == x.data() + 6);
  data[0] = 100;
  CHECK(x.at(1, 0) == 100);
}

TEST_CASE("[nogpu] a lent tensor is not written over by a rebinding, and lives while it is lent") {
  Tensor x = ones({3});
  auto lent = to_dlpack(x);
  const float* const before = x.data();
  x = x + 1.0F;
  CHECK(x.data() != before);
  CHECK(static_cast<float*>(lent->tensor.data)[2] == 1);
  const int64_t held = cpu::memory_allocated();
  lent.reset();
  CHECK(cpu::memory_allocated() < held);
}

TEST_CASE("[nogpu] expressions are evaluated; read-only elements are marked; legacy records") {
  const auto sum = to_dlpack(ones({2}) + 2.0F);
  CHECK(static_cast<float*>(sum->tensor.data)[1] == 3);
  const Tensor<const double> fixed = ones<double>({2});
  CHECK(to_dlpack(fixed)->flags == dlpack::read_only);
  const auto old = to_dlpack_legacy(full({}, std::int16_t{7}));
  CHECK(old->tensor.ndim == 0);
  CHECK(*static_cast<std::int16_t*>(old->tensor.data) == 7);
  CHECK(old->tensor.dtype.bits == 16);
  CHECK(to_dlpack(zeros({0, 3}))->tensor.shape[1] == 3);
}
