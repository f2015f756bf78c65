// init: the group of all processes started by mpirun, torchrun, srun or another program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "weft/dist/mpi.hpp"
#include "weft/dist/start.hpp"

namespace weft::dist {

namespace detail {
/// What rank 0 tells the others: its addresses, port and token, in 256 characters.
struct Address {
  static constexpr int bytes = 256;
  char text[bytes] = {};
};

inline Group group_of(const Launch& launch, std::unique_ptr<StoreServer> server,
                      const std::vector<std::string>& hosts, int port, const std::string& token,
                      GroupOptions options) {
  return Group(std::make_shared<World>(launch, std::move(server), hosts, port, token, options));
}
}  // namespace detail

/// The group of `size` processes that connect to launch.host and launch.port, where rank 0 listens;
/// this process is number `rank`. All of them must call it.
inline Group init(const Launch& launch, GroupOptions options = {}) {
  detail::check(launch);
  if (launch.size == 1) {
    return detail::group_of(launch, nullptr, {}, 0, "", options);
  }
  const std::string token = detail::variable("WEFT_TOKEN");
  std::unique_ptr<StoreServer> server;
  if (launch.rank == 0) server = std::make_unique<StoreServer>(launch.port, token);
  const std::vector<std::string> hosts{launch.rank == 0 ? "127.0.0.1" : launch.host};
  return detail::group_of(launch, std::move(server), hosts, launch.port, token, options);
}

/// The same for processes that already have a way to communicate: broadcast(bytes, count), called
/// once by all, copies rank 0's `count` bytes (256) to the others. Rank 0 uses a free port, or
/// WEFT_PORT, and the addresses of its host, or WEFT_HOST.
template <class Broadcast>
  requires std::is_invocable_v<Broadcast&, void*, int> Group init(Launch launch,
                                                                  Broadcast&& broadcast,
                                                                  GroupOptions options = {}) {
    detail::check(launch);
    detail::Address address;
    std::unique_ptr<StoreServer> server;
    if (launch.rank == 0 && launch.size > 1) {
      std::random_device random;
      const std::string token = std::to_string(random()) + std::to_string(random());
      server = std::make_unique<StoreServer>(detail::number("WEFT_PORT", 0), token);
      std::string text = token + " " + std::to_string(server->port());
      const std::string host = detail::variable("WEFT_HOST");
      for (const auto& own : host.empty() ? detail::own_addresses() : std::vector{host}) {
        if (text.size() + own.size() + 2 < sizeof address.text) text += " " + own;
      }
      std::memcpy(address.text, text.c_str(), text.size());
    }
    broadcast(static_cast<void*>(address.text), detail::Address::bytes);
    std::istringstream in(address.text);
    std::string token;
    in >> token >> launch.port;
    std::vector<std::string> hosts;
    for (std::string host; in >> host;) hosts.push_back(host);
    if (launch.rank == 0) hosts = {"127.0.0.1"};
    return detail::group_of(launch, std::move(server), hosts, launch.port, token, options);
  }

/// The group of all processes that were started with this one: by mpirun or srun if the program is
/// linked with weft::mpi, otherwise as launch_from_environment() determines. A process that was
/// started on its own is a group of one. To be called once, by all:
///   auto world = dist::init();
inline Group init(GroupOptions options = {}) {
#ifdef WEFT_MPI
  if (started_by_mpi()) {
    detail::start_mpi();
    Launch launch;
    MPI_Comm host;
    MPI_Comm_rank(MPI_COMM_WORLD, &launch.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &launch.size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &launch.local_rank);
    MPI_Comm_free(&host);
    return init(
        launch,
        [](void* bytes, int count) {
          detail::check_mpi(MPI_Bcast(bytes, count, MPI_BYTE, 0, MPI_COMM_WORLD), "dist::init");
        },
        options);
  }
#endif
  return init(launch_from_environment(), options);
}

}  // namespace weft::dist
