// Launch: the rank of this process and the number of processes, from torchrun, srun or mpirun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <cstdlib>
#include <vector>

#include "weft/dist/socket.hpp"

namespace weft::dist {

/// A process among those that were started together, and the address of rank 0.
struct Launch {
  int rank = 0;
  int size = 1;
  int local_rank = 0;              ///< among the processes of this host
  std::string host = "127.0.0.1";  ///< of rank 0
  int port = 0;
};

namespace detail {
inline std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}
/// A number from the environment; `otherwise` if it is not set. Throws if it is not a number.
inline int number(const char* name, int otherwise) {
  const std::string value = variable(name);
  if (value.empty()) return otherwise;
  char* end = nullptr;
  const long out = std::strtol(value.c_str(), &end, 10);
  if (*end != '\0' || out < 0 || out > 1'000'000'000) {
    fail<ValueError>("dist::init", name, " is '", value.c_str(), "', expected a number");
  }
  return static_cast<int>(out);
}

/// The first host of Slurm's "node[03-07,9],other".
inline std::string first_host(const std::string& list) {
  const auto stop = list.find_first_of(",[");
  std::string out = list.substr(0, stop);
  if (stop == std::string::npos || list[stop] == ',') return out;
  const auto end = list.find_first_of(",-]", stop);
  return out + list.substr(stop + 1, end - stop - 1);
}

/// The addresses under which other hosts may reach this one; 127.0.0.1 is the last of them.
inline std::vector<std::string> own_addresses() {
  std::vector<std::string> out;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) == 0) {
    for (const ifaddrs* a = all; a != nullptr; a = a->ifa_next) {
      if (a->ifa_addr == nullptr || a->ifa_addr->sa_family != AF_INET ||
          (a->ifa_flags & IFF_LOOPBACK) != 0 || (a->ifa_flags & IFF_UP) == 0) {
        continue;
      }
      char text[INET_ADDRSTRLEN] = {};
      const auto* in = reinterpret_cast<const sockaddr_in*>(a->ifa_addr);
      ::inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
      if (out.size() < 4) out.emplace_back(text);
    }
    ::freeifaddrs(all);
  }
  out.emplace_back("127.0.0.1");
  return out;
}

inline void check(const Launch& launch) {
  if (launch.size < 1 || launch.rank >= launch.size) {
    fail<ValueError>("dist::init", "rank ", launch.rank, " of ", launch.size,
                     ", expected a rank below the size");
  }
}
}  // namespace detail

/// True where mpirun (Open MPI, MPICH, Intel MPI) or srun with PMI has started the process.
inline bool started_by_mpi() {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MV2_COMM_WORLD_SIZE"}) {
    if (!detail::variable(name).empty()) return true;
  }
  return false;
}

/// The launch described by the environment: torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK,
/// MASTER_ADDR, MASTER_PORT), otherwise mpirun's, otherwise Slurm's; a single process if there are
/// none. Under torchrun, whose own server uses MASTER_PORT, the next port is used, or WEFT_PORT.
inline Launch launch_from_environment() {
  using detail::number;
  using detail::variable;
  Launch out;
  // In a Slurm job mpirun starts its own processes as a step, whose variables its ranks inherit.
  const std::string slurm = variable("SLURM_STEP_NUM_TASKS");
  if (!variable("RANK").empty() && !variable("WORLD_SIZE").empty()) {
    out.rank = number("RANK", 0);
    out.size = number("WORLD_SIZE", 1);
    out.local_rank = number("LOCAL_RANK", out.rank);
  } else if (!variable("OMPI_COMM_WORLD_SIZE").empty()) {
    out.rank = number("OMPI_COMM_WORLD_RANK", 0);
    out.size = number("OMPI_COMM_WORLD_SIZE", 1);
    out.local_rank = number("OMPI_COMM_WORLD_LOCAL_RANK", 0);
    // All ranks of one host have the same mpirun above them.
    if (number("OMPI_COMM_WORLD_LOCAL_SIZE", 0) == out.size) out.port = 20000 + getppid() % 10000;
  } else if (!variable("PMI_SIZE").empty() && variable("PMI_SIZE") != slurm) {
    out.rank = number("PMI_RANK", 0);
    out.size = number("PMI_SIZE", 1);
    out.local_rank = number("MPI_LOCALRANKID", out.rank);
    out.port = 20000 + getppid() % 10000;
  } else if (!variable("SLURM_PROCID").empty() && !slurm.empty()) {
    out.rank = number("SLURM_PROCID", 0);
    out.size = number("SLURM_STEP_NUM_TASKS", 1);
    out.local_rank = number("SLURM_LOCALID", 0);
    out.host = detail::first_host(variable("SLURM_STEP_NODELIST"));
    out.port = 20000 + number("SLURM_JOB_ID", 0) % 10000;
  }
  if (!variable("MASTER_ADDR").empty()) out.host = variable("MASTER_ADDR");
  const bool agent = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (!variable("MASTER_PORT").empty()) out.port = number("MASTER_PORT", 0) + (agent ? 1 : 0);
  out.port = number("WEFT_PORT", out.port);
  detail::check(out);
  if (out.size > 1 && out.port == 0) {
    fail<ValueError>("dist::init", out.size, " processes and no port of rank 0, expected ",
                     "MASTER_ADDR and MASTER_PORT in the environment of all");
  }
  return out;
}

}  // namespace weft::dist
