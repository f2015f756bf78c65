#include "weft/dist/group.hpp"

#include "test.hpp"
#include "weft/dist/start.hpp"

using namespace weft;

TEST_CASE("a group of one needs no library") {
  const dist::Group g;
  CHECK(g.rank() == 0);
  CHECK(g.size() == 1);
  const Tensor x = tensor({1.0F, 2.0F});
  g.all_reduce(x, dist::Reduce::average);
  g.broadcast(x);
  g.barrier();
  CHECK(equal(x, tensor({1.0F, 2.0F})));
  const Tensor y = zeros({2, 1});
  const auto work = g.all_gather(y, x, dist::async);
  work.wait();
  CHECK(equal(y.flatten(), x));
  CHECK(g.all_gather(x).shape() == Shape{1, 2});
  const Tensor z = zeros({2});
  g.batch([&] { g.scatter(z.flip(0), x); });
  CHECK(equal(z, tensor({2.0F, 1.0F})));
  CHECK(g.split(3).size() == 1);
  g.check();
  CHECK_SAYS("is this one, expected another", g.send(x, 0));
  CHECK_SAYS("[reduce] rank -1 of 1", g.reduce(x, -1));
  CHECK_SAYS("[all_to_all] shapes (2,) and (3,)", g.all_to_all(zeros({3}), x));
}
