#include "weft/dist/call.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("calls are named by what must agree") {
  dist::Call call;
  CHECK(dist::described(call) == "barrier");
  call.kind = dist::Kind::all_reduce;
  call.op = dist::Reduce::maximum;
  call.dtype = Dtype::float16;
  call.shape = {3, 4};
  CHECK(dist::described(call) == "all_reduce (maximum) of float16 (3, 4)");
  call.kind = dist::Kind::broadcast;
  call.peer = 2;
  CHECK(dist::described(call) == "broadcast with root 2 of float16 (3, 4)");
  CHECK(std::string(dist::name(dist::Kind::barrier)) == "barrier");
  CHECK(std::string(dist::name(dist::Reduce::average)) == "average");
  CHECK(dist::reduces(dist::Kind::reduce_scatter));
  CHECK(!dist::has_root(dist::Kind::all_to_all));
}
