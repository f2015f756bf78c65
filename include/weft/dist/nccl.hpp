// Groups on GPUs over NCCL; empty unless WEFT_NCCL is defined, as by the target weft::nccl.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef WEFT_NCCL
#include <condition_variable>
#include <deque>
#include <thread>

#include "weft/cuda/memory.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/synchronize.hpp"
#include "weft/dist/nccl_elements.hpp"
#include "weft/dist/start.hpp"

namespace weft::dist {

namespace detail {
class NcclEngine final : public Engine {
 public:
  NcclEngine(Circle& circle, ncclComm_t comm, int ordinal)
      : stream(Cuda{ordinal}, on_cuda::Priority::high),
        circle_(circle),
        comm_(comm),
        ordinal_(ordinal) {}
  ~NcclEngine() override {
    if (on_cuda::detail::leaving()) return;
    for (const cudaEvent_t event : marks_) on_cuda::detail::put_event(ordinal_, event);
    // NCCL would wait for a graph that has its calls in it, which may live on.
    if (!aborted_.exchange(true) && !captured_) ncclCommDestroy(comm_);
  }

  /// The call goes to the current stream.
  std::unique_ptr<Ticket> start(const Call& call) override {
    const on_cuda::Stream now = on_cuda::current_stream(Cuda{ordinal_});
    const on_cuda::DeviceGuard guard(Cuda{ordinal_});
    check_nccl(begin(call, now), name(call.kind));
    if (!batch_) mark(now);
    return nullptr;
  }
  void begin_batch() override {
    check_nccl(ncclGroupStart(), "batch");
    batch_ = true;
  }
  void end_batch() override {
    batch_ = false;
    check_nccl(ncclGroupEnd(), "batch");
    mark(on_cuda::current_stream(Cuda{ordinal_}));
  }

  std::string poll(Seconds limit, bool& late) override {
    if (aborted_ || on_cuda::detail::leaving()) return {};
    on_cuda::detail::quiet(cudaSetDevice(ordinal_));  // else CUDA would start the first GPU as well
    ncclResult_t status = ncclSuccess;
    if (ncclCommGetAsyncError(comm_, &status) != ncclSuccess ||
        (status != ncclSuccess && status != ncclInProgress)) {
      return std::string("NCCL: ") + ncclGetErrorString(status);
    }
    const std::lock_guard lock(marking_);
    while (!marks_.empty() && on_cuda::detail::quiet(cudaEventQuery(marks_.front()))) {
      on_cuda::detail::put_event(ordinal_, marks_.front());
      marks_.pop_front();
      progress_ = Clock::now();
    }
    late = !marks_.empty() && Clock::now() - progress_ > limit;
    return {};
  }
  void abort() noexcept override {
    if (!aborted_.exchange(true)) ncclCommAbort(comm_);
  }

  void check_device(Cuda device) const {
    if (device.ordinal != ordinal_) {
      fail<DeviceError>("dist", "a tensor on ", device, ", expected ", Cuda{ordinal_},
                        ", on which this rank began: one GPU a process");
    }
  }

  const on_cuda::Stream stream;  ///< of what runs beside the current one

 private:
  /// Lets the watching thread see when the work so far is done; a capture runs nothing.
  void mark(const on_cuda::Stream& now) {
    if (on_cuda::is_capturing(now)) {
      captured_ = true;
      return;
    }
    const std::lock_guard lock(marking_);
    if (marks_.empty()) progress_ = Clock::now();
    if (marks_.size() < 32) marks_.push_back(on_cuda::detail::take_event(ordinal_));
    on_cuda::check(cudaEventRecord(marks_.back(), now.handle()), "dist");
  }

  ncclResult_t begin(const Call& c, cudaStream_t s) {
    const auto [type, each] = nccl_elements(c);
    const std::size_t n = static_cast<std::size_t>(c.count) * each;
    switch (c.kind) {
      case Kind::all_reduce:
        return ncclAllReduce(c.in, c.out, n, type, nccl_op(c), comm_, s);
      case Kind::reduce:
        return ncclReduce(c.in, c.out, n, type, nccl_op(c), c.peer, comm_, s);
      case Kind::broadcast:
        return ncclBroadcast(c.in, c.out, n, type, c.peer, comm_, s);
      case Kind::all_gather:
        return ncclAllGather(c.in, c.out, n, type, comm_, s);
      case Kind::reduce_scatter:
        return ncclReduceScatter(c.in, c.out, n, type, nccl_op(c), comm_, s);
      case Kind::send:
        return ncclSend(c.in, n, type, c.peer, comm_, s);
      case Kind::recv:
        return ncclRecv(c.out, n, type, c.peer, comm_, s);
      case Kind::barrier:
        return ncclSuccess;
      default:
        return exchange(c, type, n, s);
    }
  }
  /// all_to_all, gather and scatter, as sends and receives that run at once: NCCL before 2.28 has
  /// no calls for them.
  ncclResult_t exchange(const Call& c, ncclDataType_t type, std::size_t n, cudaStream_t s) {
    const std::size_t bytes =
        static_cast<std::size_t>(c.count) * static_cast<std::size_t>(element_size(c.dtype));
    const char* const in = static_cast<const char*>(c.in);
    char* const out = static_cast<char*>(c.out);
    const bool all = c.kind == Kind::all_to_all;
    const bool root = c.peer == circle_.rank();
    ncclResult_t status = ncclGroupStart();
    for (int r = 0; r < circle_.size() && status == ncclSuccess; ++r) {
      const auto part = static_cast<std::size_t>(r) * bytes;
      const bool mine = r == c.peer;
      if (all || (c.kind == Kind::scatter && root)) {
        status = ncclSend(in + part, n, type, r, comm_, s);
      } else if (c.kind == Kind::gather && mine) {
        status = ncclSend(in, n, type, r, comm_, s);
      }
      if (status != ncclSuccess) break;
      if (all || (c.kind == Kind::gather && root)) {
        status = ncclRecv(out + part, n, type, r, comm_, s);
      } else if (c.kind == Kind::scatter && mine) {
        status = ncclRecv(out, n, type, r, comm_, s);
      }
    }
    const ncclResult_t end = ncclGroupEnd();
    return status != ncclSuccess ? status : end;
  }

  Circle& circle_;
  ncclComm_t comm_;
  int ordinal_;
  bool batch_ = false;
  bool captured_ = false;
  std::atomic<bool> aborted_ = false;
  std::mutex marking_;
  std::deque<cudaEvent_t> marks_;
  Clock::time_point progress_;
};

/// The communicator of all members, made by a thread that may be left behind: NCCL waits forever
/// for one that has died on the way.
inline ncclComm_t join(Circle& circle, const ncclUniqueId& id, Cuda device) {
  struct Start {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    ncclComm_t comm = nullptr;
    ncclResult_t status = ncclSuccess;
  };
  const auto start = std::make_shared<Start>();
  std::thread([start, id, device, size = circle.size(), rank = circle.rank()] {
    ncclComm_t comm = nullptr;
    on_cuda::detail::quiet(cudaSetDevice(device.ordinal));
    const ncclResult_t status = ncclCommInitRank(&comm, size, id, rank);
    const std::lock_guard lock(start->mutex);
    start->comm = comm;
    start->status = status;
    start->done = true;
    start->changed.notify_all();
  }).detach();
  const auto limit = circle.world().timeout();
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  std::unique_lock lock(start->mutex);
  while (
      !start->changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return start->done; })) {
    circle.check("dist");
    if (Clock::now() > end) {
      ranks_are_missing() = true;
      fail<DistributedError>("dist", "NCCL has not joined ", circle.size(), " ranks in ",
                             limit.count(), " s: NCCL_DEBUG=INFO shows where it waits");
    }
  }
  check_nccl(start->status, "dist");
  return start->comm;
}

/// A mark in the stream that a call went to.
struct EventTicket final : Ticket {
  on_cuda::Event event;
  Cuda device;
  EventTicket(const on_cuda::Stream& stream) : event(stream.record()), device(stream.device()) {}
  void wait() override { on_cuda::current_stream(device).wait(event); }
  bool is_done() override { return event.query(); }
};
}  // namespace detail

template <>
struct Transport<Cuda> {
  static constexpr bool is_host = false;
  static constexpr bool averages = true;

  static Cuda device(const Launch& launch) {
    if (launch.size == 1) return Cuda{cuda::resolve(Cuda{})};
    const int local_rank = launch.local_rank;
    const int count = on_cuda::device_count();
    // Slurm may show each process its own GPU alone.
    const bool own = count == 1 &&
                     detail::variable("CUDA_VISIBLE_DEVICES").find(',') == std::string::npos &&
                     !detail::variable("CUDA_VISIBLE_DEVICES").empty();
    if (local_rank >= count && !own) {
      fail<DeviceError>("dist", "local rank ", local_rank, " has no GPU, this host shows ", count,
                        ": start at most so many processes a host");
    }
    const Cuda mine{own ? 0 : local_rank};
    on_cuda::set_device(mine);
    return mine;
  }

  static std::unique_ptr<Engine> make(Circle& circle, Cuda device) {
    const on_cuda::DeviceGuard guard(device);
    on_cuda::refuse_capture(on_cuda::current_stream(device), "dist");
    ncclUniqueId id = {};
    std::string line = "-";
    if (circle.rank() == 0) {
      detail::check_nccl(ncclGetUniqueId(&id), "dist");
      line.clear();
      for (const char c : id.internal) {
        line += static_cast<char>('a' + (static_cast<unsigned char>(c) >> 4));
        line += static_cast<char>('a' + (static_cast<unsigned char>(c) & 15));
      }
    }
    // By then all members are present, so that NCCL, which would wait forever, finds them.
    const std::string spread = circle.exchange("dist", "nccl", line)[0];
    for (std::size_t i = 0; i < sizeof id.internal; ++i) {
      id.internal[i] = static_cast<char>((spread[2 * i] - 'a') << 4 | (spread[2 * i + 1] - 'a'));
    }
    return std::make_unique<detail::NcclEngine>(circle, detail::join(circle, id, device),
                                                device.ordinal);
  }

  static void settle(Cuda device) { on_cuda::current_stream(device).synchronize(); }
  static void waited(Engine& engine, Cuda device, Storage* storage) {
    on_cuda::forget_reader(storage, static_cast<detail::NcclEngine&>(engine).stream,
                           on_cuda::current_stream(device));
  }
  static void fence(Engine& engine, Cuda device) {
    static_cast<detail::NcclEngine&>(engine).stream.wait(on_cuda::current_stream(device));
  }

  class Lane {
   public:
    Lane(Engine& engine, Cuda device, bool beside)
        : stream_(chosen(static_cast<detail::NcclEngine&>(engine), device, beside)),
          guard_(stream_) {}
    template <class X>
    void reads(const X& x) {
      on_cuda::order_read(x, stream_);
    }
    template <class X>
    void writes(const X& x) {
      on_cuda::order_write(x, stream_);
    }
    std::unique_ptr<Ticket> ticket() { return std::make_unique<detail::EventTicket>(stream_); }

   private:
    static on_cuda::Stream chosen(const detail::NcclEngine& engine, Cuda device, bool beside) {
      engine.check_device(device);
      const on_cuda::Stream now = on_cuda::current_stream(device);
      if (!beside) return now;
      if (on_cuda::is_capturing(now)) engine.stream.wait(now);  // it joins the capture
      return engine.stream;
    }
    on_cuda::Stream stream_;
    on_cuda::StreamGuard guard_;
  };
};

}  // namespace weft::dist
#endif
