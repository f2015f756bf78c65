#include "weft/dist/engine.hpp"

#include "test.hpp"

using namespace weft;

namespace {
struct Nothing final : dist::Engine {
  std::unique_ptr<dist::Ticket> start(const dist::Call&) override { return nullptr; }
};
}  // namespace

TEST_CASE("an engine need not watch or abort") {
  Nothing engine;
  bool late = false;
  engine.begin_batch();
  engine.end_batch();
  engine.abort();
  CHECK(engine.poll(dist::Seconds(1), late).empty());
  CHECK(!late);
}
