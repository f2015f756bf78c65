// Socket: TCP connections for the ranks' messages outside of collectives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "weft/dist/error.hpp"

namespace weft::dist {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// A connection, or a listening one; closed by the destructor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket() { close(); }

  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

  /// Listens on all interfaces; port 0 takes a free one. Throws if the port is taken.
  static Socket listen(int port) {
    for (const int family : {AF_INET6, AF_INET}) {
      Socket out(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (!out) continue;
      const int on = 1;
      const int off = 0;
      ::setsockopt(out.descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      sockaddr_storage address = {};
      socklen_t size = 0;
      if (family == AF_INET6) {
        ::setsockopt(out.descriptor_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        auto& in = reinterpret_cast<sockaddr_in6&>(address);
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(static_cast<std::uint16_t>(port));
        size = sizeof in;
      } else {
        auto& in = reinterpret_cast<sockaddr_in&>(address);
        in.sin_family = AF_INET;
        in.sin_port = htons(static_cast<std::uint16_t>(port));
        size = sizeof in;
      }
      if (::bind(out.descriptor_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
          ::listen(out.descriptor_, 1024) == 0) {
        return out;
      }
      if (errno == EADDRINUSE) break;
    }
    fail<DistributedError>("dist::init", "port ", port, " of this host: ", std::strerror(errno),
                           ", expected a free one: set MASTER_PORT (WEFT_PORT under torchrun)");
  }

  /// The port that it listens on.
  int port() const {
    sockaddr_storage address = {};
    socklen_t size = sizeof address;
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                               : reinterpret_cast<sockaddr_in&>(address).sin_port);
  }

  Socket accept() const {
    Socket out(::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
    if (out) out.prepare();
    return out;
  }

  /// One attempt to connect; empty where nobody listens there within `limit`.
  static Socket connect(const std::string& host, int port, Seconds limit) {
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
    Socket out;
    for (const addrinfo* a = found; a != nullptr && !out; a = a->ai_next) {
      Socket one(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      if (!one) continue;
      int error = ::connect(one.descriptor_, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
      if (error == EINPROGRESS) {
        pollfd ready = {one.descriptor_, POLLOUT, 0};
        socklen_t size = sizeof error;
        if (::poll(&ready, 1, static_cast<int>(limit.count() * 1000)) != 1 ||
            ::getsockopt(one.descriptor_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
          error = ETIMEDOUT;
        }
      }
      if (error != 0) continue;
      out = std::move(one);
    }
    ::freeaddrinfo(found);
    if (out) out.prepare();
    return out;
  }

  /// All bytes, or false where the other side is gone or too slow.
  bool send(const void* data, std::size_t size) const {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t n = ::send(descriptor_, at, size, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      at += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }
  bool receive(void* data, std::size_t size) const {
    char* at = static_cast<char*>(data);
    while (size > 0) {
      const ssize_t n = ::recv(descriptor_, at, size, 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      at += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }

 private:
  /// Blocking, without delay, and never waiting forever for one message.
  void prepare() const {
    const int on = 1;
    const timeval limit = {10, 0};
    const int flags = ::fcntl(descriptor_, F_GETFL);
    ::fcntl(descriptor_, F_SETFL, flags & ~O_NONBLOCK);
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }

  int descriptor_ = -1;
};

}  // namespace weft::dist
