#include "weft/dist/circle.hpp"

#include <thread>

#include "test.hpp"

using namespace weft;
using namespace weft::dist;

namespace {
/// Three processes' worth of worlds in one, each in a thread of its own.
template <class F>
void three(double timeout, const F& f) {
  auto server = std::make_unique<StoreServer>(0, "");
  const int port = server->port();
  std::vector<std::thread> threads;
  for (int r = 0; r < 3; ++r) {
    threads.emplace_back([&, r, mine = r == 0 ? std::move(server) : nullptr]() mutable {
      const auto world = std::make_shared<World>(
          Launch{r, 3, r, "127.0.0.1", port}, std::move(mine),
          std::vector<std::string>{"127.0.0.1"}, port, "", GroupOptions{timeout});
      Circle circle(world, "world", {0, 1, 2});
      f(circle, r);
    });
  }
  for (auto& t : threads) t.join();
}
}  // namespace

TEST_CASE("members exchange lines, and hear who did not") {
  std::vector<std::string> found[3];
  doctest::String said[3];
  three(0.4, [&](Circle& circle, int r) {
    found[r] = circle.exchange("test", "a", "from " + std::to_string(r));
    said[r] = test::message([&] {
      if (r != 1) circle.exchange("test", "b", "x");
      if (r == 1) std::this_thread::sleep_for(std::chrono::milliseconds(900));
    });
  });
  for (const auto& each : found) {
    CHECK(each == std::vector<std::string>{"from 0", "from 1", "from 2"});
  }
  CHECK(said[0] == doctest::Contains("[test] rank 1 did not come in 0.4 s"));
  CHECK(said[2] == doctest::Contains("[test] rank 1 did not come in 0.4 s"));
}

TEST_CASE("who is late is named with what it did last") {
  std::string said;
  std::atomic<int> done = 0;
  three(0.5, [&](Circle& circle, int r) {
    Call call;
    call.kind = Kind::broadcast;
    circle.begin(call);
    call.kind = Kind::all_reduce;
    if (r != 2) circle.begin(call);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (r == 0) said = circle.late(2);
    ++done;
    while (done < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  CHECK(said ==
        "call 2 of the group was not done in 0.5 s; rank 2 has not started it, its last was "
        "call 1, broadcast");
  // One that has ended without it is to blame, one that has started it and given up is not.
  three(0.5, [&](Circle& circle, int r) {
    circle.begin({});
    if (r > 0) circle.late(1, false);  // tells the others
    circle.exchange("test", "a", "here");
    circle.begin({});
    if (r == 1) circle.late(2, false);
    circle.exchange("test", "b", "here");
    if (r > 0) circle.world().store().leave();
    if (r > 0) return;
    while (circle.world().store().get("left").value_or("").size() < 4) std::this_thread::yield();
    said = circle.late(2);
    CHECK(circle.late(1).ends_with("rank 1 has ended; rank 2 has ended"));
  });
  CHECK(said == "call 2 of the group was not done in 0.5 s; rank 2 has ended");
  three(0.5, [&](Circle& circle, int r) {
    circle.begin({});
    circle.exchange("test", "a", "here");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (r == 0) said = circle.late(1);
    circle.exchange("test", "b", "here");
  });
  CHECK(said ==
        "call 1 of the group was not done in 0.5 s; all ranks have started it: WEFT_CHECK=1 "
        "compares their calls");
}

TEST_CASE("with WEFT_CHECK=1 a send and its recv are compared by the second of them") {
  weft::detail::check_flag() = true;
  doctest::String said[3];
  three(2, [&](Circle& circle, int r) {
    const auto message = [&](Kind kind, int peer, const Shape& shape) {
      Call call;
      call.kind = kind;
      call.dtype = Dtype::float32;
      call.peer = peer;
      call.shape = shape;
      circle.begin(call);
    };
    if (r == 0) message(Kind::send, 1, {2, 3});
    if (r == 1) message(Kind::recv, 0, {2, 3});
    if (r == 0) message(Kind::send, 1, {2, 3});
    if (r == 2) message(Kind::recv, 0, {4});
    circle.exchange("test", "first", "here");
    said[r] = test::message([&] {
      if (r == 1) message(Kind::recv, 0, {3, 2});
      if (r == 0) message(Kind::send, 2, {5});
    });
  });
  weft::detail::check_flag() = false;
  CHECK(said[1] == doctest::Contains("[recv] message 2 from rank 0 to rank 1 is sent as float32 "
                                     "(2, 3) and received as float32 (3, 2)"));
  CHECK(said[0] == doctest::Contains("[send] message 1 from rank 0 to rank 2 is sent as float32 "
                                     "(5,) and received as float32 (4,)"));
}

TEST_CASE("what has ended throws at the next call") {
  const auto world = std::make_shared<World>(Launch{}, nullptr, std::vector<std::string>{}, 0, "",
                                             GroupOptions{1});
  Circle circle(world, "world", {0});
  circle.check("x");
  circle.end("rank 5 is gone");
  circle.end("a second reason");
  CHECK(circle.has_failed());
  CHECK_SAYS("[all_reduce] rank 5 is gone", circle.check("all_reduce"));
  CHECK(Circle::lists("1 15 ", 15));
  CHECK(!Circle::lists("1 15 ", 5));
}
