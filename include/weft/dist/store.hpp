// Store: a small table that rank 0 keeps and all ranks read and write over TCP.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "weft/dist/socket.hpp"

namespace weft::dist {

namespace detail {
/// What goes over the wire, followed by the key's and the value's bytes.
struct Message {
  enum Kind : std::uint32_t { hello, set, get, leave, found, missing };
  static constexpr std::uint32_t magic = 0x77656674;  // "weft"
  std::uint32_t mark = magic;
  std::uint32_t kind = 0;
  std::uint32_t key_size = 0;
  std::uint32_t value_size = 0;
};
inline constexpr std::uint32_t longest_message = 1u << 24;

inline bool send_message(const Socket& to, Message::Kind kind, const std::string& key,
                         const std::string& value) {
  const Message head{Message::magic, kind, static_cast<std::uint32_t>(key.size()),
                     static_cast<std::uint32_t>(value.size())};
  std::string all(reinterpret_cast<const char*>(&head), sizeof head);
  all += key;
  all += value;
  return to.send(all.data(), all.size());
}
inline bool receive_message(const Socket& from, Message& head, std::string& key,
                            std::string& value) {
  if (!from.receive(&head, sizeof head) || head.mark != Message::magic ||
      head.key_size > longest_message || head.value_size > longest_message) {
    return false;
  }
  key.resize(head.key_size);
  value.resize(head.value_size);
  return from.receive(key.data(), key.size()) && from.receive(value.data(), value.size());
}
}  // namespace detail

/// The table itself, served by a thread. A rank whose connection ends before it says goodbye is
/// recorded in the entry "dead"; one that starts with another token is rejected.
class StoreServer {
 public:
  StoreServer(int port, std::string token)
      : token_(std::move(token)), socket_(Socket::listen(port)) {
    port_ = socket_.port();
    thread_ = std::thread([this] { serve(); });
  }
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;
  /// Waits briefly until all ranks have left, so that none takes this one for dead.
  ~StoreServer() {
    closing_ = true;
    thread_.join();
  }

  int port() const { return port_; }

 private:
  struct Client {
    Socket socket;
    std::string rank;  // empty until it has said hello
  };

  void serve() {
    Clock::time_point end = Clock::time_point::max();
    while (Clock::now() < end) {
      if (closing_ && end == Clock::time_point::max()) {
        table_["closing"] = "1";
        end = Clock::now() + std::chrono::seconds(3);
      }
      if (closing_ && clients_.empty()) return;
      std::vector<pollfd> ready;
      for (const Client& c : clients_) ready.push_back({c.socket.descriptor(), POLLIN, 0});
      ready.push_back({socket_.descriptor(), POLLIN, 0});
      if (::poll(ready.data(), ready.size(), 20) <= 0) continue;
      for (std::size_t i = clients_.size(); i-- > 0;) {
        if (ready[i].revents != 0 && !answer(clients_[i])) {
          clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      if (ready.back().revents != 0) {
        if (Socket made = socket_.accept()) clients_.push_back({std::move(made), {}});
      }
    }
  }

  /// False where the connection is to be closed.
  bool answer(Client& client) {
    using detail::Message;
    Message head;
    std::string key;
    std::string value;
    if (!detail::receive_message(client.socket, head, key, value)) {
      if (!client.rank.empty()) table_["dead"] += client.rank + " ";
      return false;
    }
    Message::Kind reply = Message::found;
    std::string found;
    if (head.kind == Message::hello) {
      if (value != token_) return false;
      client.rank = key;
    } else if (head.kind == Message::leave) {
      table_["left"] += client.rank + " ";
      detail::send_message(client.socket, reply, "", "");
      return false;
    } else if (head.kind == Message::set) {
      if (value.empty()) {
        table_.erase(key);
      } else {
        table_[key] = value;
      }
    } else {
      const auto at = table_.find(key);
      if (at == table_.end()) {
        reply = Message::missing;
      } else {
        found = at->second;
      }
    }
    if (detail::send_message(client.socket, reply, "", found)) return true;
    if (!client.rank.empty()) table_["dead"] += client.rank + " ";
    return false;
  }

  std::string token_;
  Socket socket_;
  int port_ = 0;
  std::map<std::string, std::string> table_;
  std::vector<Client> clients_;
  std::atomic<bool> closing_ = false;
  std::thread thread_;
};

/// A rank's connection to the table. Any thread may use it; each call is one round trip.
class Store {
 public:
  /// Connects to the first of `hosts` that answers with this token, trying until `limit` is over.
  Store(const std::vector<std::string>& hosts, int port, const std::string& token, int rank,
        Seconds limit) {
    const auto end = Clock::now() + limit;
    bool strange = false;
    for (;;) {
      for (const std::string& host : hosts) {
        socket_ = Socket::connect(host, port, Seconds(1));
        if (!socket_) continue;
        if (exchange(detail::Message::hello, std::to_string(rank), token)) return;
        strange = true;
        socket_.close();
      }
      if (Clock::now() > end) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::string all;
    for (const std::string& host : hosts) all += (all.empty() ? "" : " or ") + host;
    fail<DistributedError>(
        "dist::init", "rank ", rank,
        strange ? " found another program instead of rank 0 at " : " found nobody at ", all.c_str(),
        ":", port, " in ", limit.count(),
        " s, expected rank 0 there: see MASTER_ADDR and MASTER_PORT, and firewalls");
  }

  /// Sets an entry; an empty value removes it.
  void set(const std::string& key, const std::string& value) {
    if (!exchange(detail::Message::set, key, value)) lost();
  }
  /// The entry, if it is there.
  std::optional<std::string> get(const std::string& key) {
    std::string value;
    const auto reply = exchange(detail::Message::get, key, "", &value);
    if (!reply) lost();
    if (*reply == detail::Message::missing) return std::nullopt;
    return value;
  }
  /// The entry once it is there; none where `limit` is over before.
  std::optional<std::string> wait(const std::string& key, Seconds limit) {
    const auto end = Clock::now() + limit;
    for (auto pause = std::chrono::microseconds(200);; pause = std::min(2 * pause, longest_pause)) {
      if (auto value = get(key)) return value;
      if (Clock::now() > end) return std::nullopt;
      std::this_thread::sleep_for(pause);
    }
  }
  /// Says goodbye: this rank leaves on purpose.
  void leave() { exchange(detail::Message::leave, "", ""); }

 private:
  static constexpr std::chrono::microseconds longest_pause{20000};

  [[noreturn]] static void lost() {
    fail<DistributedError>("dist", "rank 0 is gone: its process has ended or cannot be reached");
  }
  std::optional<std::uint32_t> exchange(detail::Message::Kind kind, const std::string& key,
                                        const std::string& value, std::string* found = nullptr) {
    const std::lock_guard lock(mutex_);
    detail::Message head;
    std::string ignored;
    std::string answer;
    if (!socket_ || !detail::send_message(socket_, kind, key, value) ||
        !detail::receive_message(socket_, head, ignored, answer)) {
      socket_.close();
      return std::nullopt;
    }
    if (found != nullptr) *found = std::move(answer);
    return head.kind;
  }

  std::mutex mutex_;
  Socket socket_;
};

}  // namespace weft::dist
