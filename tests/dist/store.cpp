#include "weft/dist/store.hpp"

#include "test.hpp"

using namespace weft;
using dist::Seconds;
using dist::Store;
using dist::StoreServer;

TEST_CASE("what one rank sets, another gets") {
  StoreServer server(0, "token");
  Store a({"127.0.0.1"}, server.port(), "token", 0, Seconds(2));
  Store b({"127.0.0.1"}, server.port(), "token", 1, Seconds(2));
  CHECK(!b.get("x"));
  a.set("x", "1 2");
  CHECK(b.get("x").value() == "1 2");
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    a.set("y", std::string(100000, 'y'));
  });
  CHECK(b.wait("y", Seconds(5)).value().size() == 100000);
  later.join();
  CHECK(!b.wait("never", Seconds(0.05)));
  b.set("x", "");
  CHECK(!a.get("x"));
  b.leave();
  a.leave();
}

TEST_CASE("a rank that goes without its leave is dead") {
  StoreServer server(0, "");
  Store a({"127.0.0.1"}, server.port(), "", 0, Seconds(2));
  {
    const Store b({"127.0.0.1"}, server.port(), "", 7, Seconds(2));
    Store c({"127.0.0.1"}, server.port(), "", 8, Seconds(2));
    c.leave();
  }
  CHECK(a.wait("dead", Seconds(2)).value() == "7 ");
  CHECK(a.get("left").value() == "8 ");
  a.leave();
}

TEST_CASE("who is not let in") {
  StoreServer server(0, "secret");
  CHECK_SAYS("found another program instead of rank 0 at 127.0.0.1:",
             Store({"127.0.0.1"}, server.port(), "guess", 1, Seconds(0.1)));
  int free = 0;
  {
    const dist::Socket gone = dist::Socket::listen(0);
    free = gone.port();
  }
  CHECK_SAYS("found nobody at 127.0.0.1", Store({"127.0.0.1"}, free, "", 1, Seconds(0.1)));
}

TEST_CASE("without its server a store is lost") {
  auto server = std::make_unique<StoreServer>(0, "");
  Store a({"127.0.0.1"}, server->port(), "", 1, Seconds(2));
  server.reset();  // waits for a while for rank 1, which stays
  CHECK_SAYS("rank 0 is gone", a.get("x"));
}
