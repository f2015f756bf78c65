#include "weft/dist/error.hpp"

#include "test.hpp"

TEST_CASE("a DistributedError is weft's Error") {
  CHECK_SAYS("[all_reduce] rank 2", weft::fail<weft::DistributedError>("all_reduce", "rank ", 2));
  CHECK_THROWS_AS(weft::fail<weft::DistributedError>("x", "y"), weft::Error);
}
