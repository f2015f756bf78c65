#include "weft/dist/work.hpp"

#include "test.hpp"

using namespace weft;

namespace {
struct Slow final : dist::Ticket {
  int* waits;
  explicit Slow(int* w) : waits(w) {}
  void wait() override { ++*waits; }
  bool is_done() override { return *waits > 0; }
};
}  // namespace

TEST_CASE("work is waited for once, at the latest when it is dropped") {
  int waits = 0;
  int finished = 0;
  const auto make = [&] {
    auto state = std::make_shared<dist::Work::State>();
    state->ticket = std::make_unique<Slow>(&waits);
    state->finish = [&] { ++finished; };
    return dist::Work(state);
  };
  {
    const dist::Work work = make();
    const dist::Work same = work;
    CHECK(!work.is_done());
    work.wait();
    same.wait();
    CHECK(same.is_done());
    CHECK(waits == 1);
    CHECK(finished == 1);
  }
  { const dist::Work dropped = make(); }
  CHECK(waits == 2);
  CHECK(finished == 2);
  CHECK(dist::Work().is_done());
}
