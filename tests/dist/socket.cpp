#include "weft/dist/socket.hpp"

#include <string>
#include <thread>

#include "test.hpp"

using namespace weft;
using dist::Socket;

TEST_CASE("bytes go through a connection") {
  const Socket listening = Socket::listen(0);
  CHECK(listening.port() > 0);
  std::string got(5, ' ');
  std::thread other([&] {
    const Socket there = listening.accept();
    there.receive(got.data(), 5);
    there.send("pong", 4);
  });
  Socket here = Socket::connect("127.0.0.1", listening.port(), dist::Seconds(2));
  REQUIRE(static_cast<bool>(here));
  CHECK(here.send("hello", 5));
  std::string back(4, ' ');
  CHECK(here.receive(back.data(), 4));
  other.join();
  CHECK(got == "hello");
  CHECK(back == "pong");
  CHECK(!here.receive(back.data(), 1));  // the other side has closed
  Socket moved(std::move(here));
  CHECK(!here);
  CHECK(static_cast<bool>(moved));
}

TEST_CASE("nobody listens, or somebody else does") {
  const Socket taken = Socket::listen(0);
  CHECK_SAYS("expected a free one: set MASTER_PORT", Socket::listen(taken.port()));
  int free = 0;
  {
    const Socket gone = Socket::listen(0);
    free = gone.port();
  }
  CHECK(!Socket::connect("127.0.0.1", free, dist::Seconds(0.2)));
}
