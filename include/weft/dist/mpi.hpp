// Groups on the CPU over MPI; empty unless WEFT_MPI is defined, as by the target weft::mpi.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef WEFT_MPI
#pragma GCC diagnostic push  // Open MPI's old C++ interface
#pragma GCC diagnostic ignored "-Wcast-function-type"
#include <mpi.h>
#pragma GCC diagnostic pop

#include <climits>
#include <map>

#include "weft/dist/mpi_reduce.hpp"
#include "weft/dist/start.hpp"

namespace weft::dist {

namespace detail {
inline void check_mpi(int status, const char* operation) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  int kind = 0;
  MPI_Error_class(status, &kind);
  fail<DistributedError>(operation, "MPI: ", static_cast<const char*>(text),
                         kind == MPI_ERR_TRUNCATE
                             ? "; the ranks' tensors differ in size: WEFT_CHECK=1 names them"
                             : "");
}

/// The MPI types and functions that were created, to be freed.
inline std::map<int, MPI_Datatype>& mpi_types() {
  static std::map<int, MPI_Datatype> types;
  return types;
}
inline std::map<std::pair<Reduce, Dtype>, MPI_Op>& mpi_ops() {
  static std::map<std::pair<Reduce, Dtype>, MPI_Op> ops;
  return ops;
}

/// MPI, started once per process and finalised at its end.
inline void start_mpi() {
  static const bool started = [] {
    mpi_types();  // made before the function below is registered, they outlive it
    mpi_ops();
    int running = 0;
    MPI_Initialized(&running);
    if (running == 0) {
      int level = 0;
      check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "dist::init");
      std::atexit([] {
        int over = 0;
        MPI_Finalized(&over);
        if (over != 0 || ranks_are_missing()) return;
        for (auto& [bytes, type] : mpi_types()) MPI_Type_free(&type);
        for (auto& [key, op] : mpi_ops()) MPI_Op_free(&op);
        MPI_Finalize();
      });
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return true;
  }();
  (void)started;
}

/// An element of so many bytes.
inline MPI_Datatype mpi_type(Dtype dtype) {
  const int bytes = element_size(dtype);
  const auto [at, added] = mpi_types().try_emplace(bytes, MPI_DATATYPE_NULL);
  if (added) {
    MPI_Type_contiguous(bytes, MPI_BYTE, &at->second);
    MPI_Type_commit(&at->second);
  }
  return at->second;
}
inline MPI_Op mpi_op(Reduce op, Dtype dtype) {
  const auto [at, added] = mpi_ops().try_emplace({op, dtype}, MPI_OP_NULL);
  if (added) {
    auto* const f = mpi_function(op, dtype);
    if (f == nullptr) {
      mpi_ops().erase(at);
      fail<ValueError>("all_reduce", "the ", name(op), " of ", dtype, ", which has no order");
    }
    MPI_Op_create(reinterpret_cast<MPI_User_function*>(f), 1, &at->second);
  }
  return at->second;
}

class MpiEngine final : public Engine {
 public:
  MpiEngine(Circle& circle, MPI_Comm comm) : circle_(circle), comm_(comm) {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~MpiEngine() override {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0 && !ranks_are_missing()) MPI_Comm_free(&comm_);
  }

  std::unique_ptr<Ticket> start(const Call& call) override {
    if (call.count > INT_MAX) {
      fail<ValueError>(name(call.kind), call.count, " elements a rank, expected at most ", INT_MAX);
    }
    const std::lock_guard lock(mutex());
    auto out = std::make_unique<Pending>(*this, call, circle_.sequence());
    check_mpi(begin(call, &out->request), name(call.kind));
    return out;
  }

  /// MPI calls of all threads, whatever MPI's level of threads is.
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }

 private:
  struct Pending final : Ticket {
    MpiEngine& engine;
    Kind kind;
    long number;
    MPI_Request request = MPI_REQUEST_NULL;

    int peer;

    Pending(MpiEngine& e, const Call& call, long n)
        : engine(e), kind(call.kind), number(n), peer(call.peer) {}
    std::string unanswered() const {
      return "rank " + std::to_string(engine.circle_.members()[static_cast<std::size_t>(peer)]) +
             (kind == Kind::send ? " has not received" : " has not sent") + " within the timeout";
    }
    bool is_done() override {
      const std::lock_guard lock(mutex());
      int flag = 0;
      check_mpi(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), name(kind));
      return flag != 0;
    }
    void wait() override {
      Circle& circle = engine.circle_;
      const auto end = Clock::now() + circle.world().timeout();
      for (int round = 0; !is_done(); ++round) {
        circle.check(name(kind));
        if (Clock::now() > end) {
          circle.end(kind == Kind::send || kind == Kind::recv ? unanswered() : circle.late(number));
          circle.check(name(kind));
        }
        if (round < 2000) {
          std::this_thread::yield();
        } else {
          std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
      }
    }
  };

  int begin(const Call& c, MPI_Request* r) {
    const int n = static_cast<int>(c.count);
    const MPI_Datatype type = mpi_type(c.dtype);
    const void* in = c.in;
    if (c.kind == Kind::all_reduce && c.in == c.out) in = MPI_IN_PLACE;
    if (c.kind == Kind::reduce && c.peer == circle_.rank()) in = MPI_IN_PLACE;
    if (c.kind == Kind::all_gather &&
        c.in == static_cast<char*>(c.out) + c.count * circle_.rank() * element_size(c.dtype)) {
      in = MPI_IN_PLACE;
    }
    switch (c.kind) {
      case Kind::all_reduce:
        return MPI_Iallreduce(in, c.out, n, type, mpi_op(c.op, c.dtype), comm_, r);
      case Kind::reduce:
        return MPI_Ireduce(in, c.out, n, type, mpi_op(c.op, c.dtype), c.peer, comm_, r);
      case Kind::broadcast:
        return MPI_Ibcast(c.out, n, type, c.peer, comm_, r);
      case Kind::all_gather:
        return MPI_Iallgather(in, n, type, c.out, n, type, comm_, r);
      case Kind::reduce_scatter:
        return MPI_Ireduce_scatter_block(in, c.out, n, type, mpi_op(c.op, c.dtype), comm_, r);
      case Kind::all_to_all:
        return MPI_Ialltoall(in, n, type, c.out, n, type, comm_, r);
      case Kind::gather:
        return MPI_Igather(in, n, type, c.out, n, type, c.peer, comm_, r);
      case Kind::scatter:
        return MPI_Iscatter(in, n, type, c.out, n, type, c.peer, comm_, r);
      case Kind::send:
        return MPI_Isend(in, n, type, c.peer, 0, comm_, r);
      case Kind::recv:
        return MPI_Irecv(c.out, n, type, c.peer, 0, comm_, r);
      case Kind::barrier:
        break;
    }
    return MPI_Ibarrier(comm_, r);
  }

  Circle& circle_;
  MPI_Comm comm_;
};
}  // namespace detail

template <>
struct Transport<Cpu> {
  static constexpr bool is_host = true;
  static constexpr bool averages = false;
  static Cpu device(const Launch&) { return {}; }

  static std::unique_ptr<Engine> make(Circle& circle, Cpu) {
#ifdef OPEN_MPI  // which ends the process there, with a page of advice
    if (!started_by_mpi() && !detail::variable("SLURM_PROCID").empty()) {
      fail<DistributedError>("dist", "srun has not told Open MPI its ranks, expected ",
                             "srun --mpi=pmix for tensors on cpu (srun --mpi=list shows what "
                             "there is)");
    }
#endif
    detail::start_mpi();
    int size = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const Launch& world = circle.world().launch();
    if (size != world.size || rank != world.rank) {
      fail<DistributedError>("dist", "MPI counts this process as ", rank, " of ", size,
                             ", the group as ", world.rank, " of ", world.size,
                             ", expected to be started by mpirun or srun for tensors on cpu");
    }
    // All members are present, or one error says who is not; MPI itself would wait.
    circle.exchange("dist", "mpi", "here");
    MPI_Group all;
    MPI_Group some;
    MPI_Comm comm;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, circle.size(), circle.members().data(), &some);
    detail::check_mpi(MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &comm), "dist");
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return std::make_unique<detail::MpiEngine>(circle, comm);
  }

  struct Lane {
    Lane(Engine&, Cpu, bool) {}
    template <class X>
    void reads(const X&) {}
    template <class X>
    void writes(const X&) {}
    std::unique_ptr<Ticket> ticket() { return nullptr; }
  };
};

}  // namespace weft::dist
#endif
