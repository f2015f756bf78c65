// Engine and Transport: how weft uses a library of collectives, such as MPI or NCCL.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "weft/core/device.hpp"
#include "weft/dist/call.hpp"
#include "weft/dist/socket.hpp"

namespace weft::dist {

class Circle;  // in dist/circle.hpp

/// A call that was started.
struct Ticket {
  virtual ~Ticket() = default;
  /// On the CPU returns when it is done; on a GPU later work of the current stream waits for it.
  virtual void wait() = 0;
  virtual bool is_done() = 0;
};

/// The collectives of one group on one kind of device.
struct Engine {
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// Starts a call; returns null if its stream stands for it.
  virtual std::unique_ptr<Ticket> start(const Call& call) = 0;
  /// Calls between the two are issued together: none waits for another.
  virtual void begin_batch() {}
  virtual void end_batch() {}
  /// From the watching thread: a sentence about what went wrong, or empty. A call that has run for
  /// longer than `limit` sets `late` to true.
  virtual std::string poll(Seconds /*limit*/, bool& /*late*/) { return {}; }
  /// From the watching thread: ends calls that wait for ranks that will not come.
  virtual void abort() noexcept {}
};

/// The engine for a kind of device; Transport<Cpu> is in dist/mpi.hpp, Transport<Cuda> in
/// dist/nccl.hpp:
///   static constexpr bool is_host;                       // calls are waited for by the host
///   static constexpr bool averages;                      // knows Reduce::average
///   static D device(const Launch&);                      // the one that a rank works on
///   static std::unique_ptr<Engine> make(Circle&, D);     // called by all ranks of the group
///   struct Lane;  // made by (Engine&, D, async): the stream that a call goes to, current while it
///                 // lives; reads(x), writes(x) order it after other uses; ticket() marks its end
template <class D>
struct Transport;

}  // namespace weft::dist
