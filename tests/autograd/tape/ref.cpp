#include "weft/autograd/tape/ref.hpp"

#include "test.hpp"

using namespace weft;
using autograd::Ref;

namespace {
struct Sentinel : autograd::Counted {
  int& ends;
  explicit Sentinel(int& counter) : ends(counter) {}
  ~Sentinel() override { ++ends; }
};
}  // namespace

TEST_CASE("a handle counts, and the last one ends what it holds") {
  int ends = 0;
  {
    Ref<Sentinel> a(new Sentinel(ends));
    const Ref<Sentinel> b = a;
    CHECK(a->owners == 2);
    a = {};
    CHECK_FALSE(a);
    CHECK(ends == 0);
  }
  CHECK(ends == 1);
}
