#include "weft/dist/nccl_elements.hpp"

#include "test.hpp"
#include "weft/dist/call.hpp"

#ifdef WEFT_NCCL
using namespace weft;

TEST_CASE("what NCCL has no type for moves as bytes") {
  dist::Call call;
  call.kind = dist::Kind::broadcast;
  call.dtype = Dtype::int16;
  CHECK(dist::detail::nccl_elements(call).type == ncclUint8);
  CHECK(dist::detail::nccl_elements(call).each == 2);
  call.kind = dist::Kind::all_reduce;
  CHECK_SAYS("NCCL does not reduce int16", dist::detail::nccl_elements(call));
  call.dtype = Dtype::complex128;
  CHECK(dist::detail::nccl_elements(call).each == 2);
  call.op = dist::Reduce::product;
  CHECK_SAYS("NCCL has no product of complex128", dist::detail::nccl_op(call));
  call.dtype = Dtype::boolean;
  CHECK(dist::detail::nccl_op(call) == ncclMin);
}
#else
TEST_CASE("without NCCL nothing of it is included") {
#ifdef NCCL_MAJOR
  FAIL("nccl.h");
#endif
  CHECK(weft::dist::reduces(weft::dist::Kind::reduce));
}
#endif
