// Group: processes that compute together, and the collectives between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/dist/work.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/tensor/factory.hpp"

namespace weft::dist {

/// A handle to a group of processes, each with a rank. All members make the same calls in the same
/// order, on tensors of the same type; views are read and written in place. On Cpu a call returns
/// when it is done; on Cuda it is a statement on the current stream. With `async` as the last
/// argument it overlaps with what follows, on a GPU on a separate stream, and returns a Work.
/// Tensors on Cpu use MPI, on Cuda NCCL; a group of one process needs neither. Throws
/// DistributedError if a rank is missing or calls something else.
class Group {
 public:
  /// A group of one process.
  Group()
      : Group(std::make_shared<World>(Launch{}, nullptr, std::vector<std::string>{}, 0, "",
                                      GroupOptions{})) {}
  /// All processes of the world.
  explicit Group(const std::shared_ptr<World>& world) {
    std::vector<int> all(static_cast<std::size_t>(world->launch().size));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    circle_ = std::make_shared<Circle>(world, "world", std::move(all));
  }

  int rank() const { return circle_->rank(); }
  int size() const { return circle_->size(); }
  /// The rank among the processes of this host.
  int local_rank() const { return circle_->world().launch().local_rank; }
  /// The device of kind D that this rank uses: the GPU of the host whose index is the local rank,
  /// which becomes the current one (for a single process, the GPU that is current). Throws
  /// DeviceError if there are fewer GPUs.
  template <class D>
  D device() const {
    if constexpr (!is_cuda<D>) {
      return {};
    } else if constexpr (has_transport<D>()) {
      return Transport<D>::device(circle_->world().launch());
    } else {
      return {};
    }
  }

  /// Replaces x by the sum (or `op`) of all ranks' x, bitwise identical on all of them.
  template <class T, class D, class... A>
  auto all_reduce(const Tensor<T, D>& x, Reduce op = Reduce::sum, A... a) const {
    return run(call<T>(Kind::all_reduce, x.shape(), x.size(), 0, op), &x, &x, a...);
  }
  template <class T, class D>
  Work all_reduce(const Tensor<T, D>& x, Async a) const {
    return all_reduce(x, Reduce::sum, a);
  }
  /// The same on rank `root` only; x is unspecified on other ranks afterwards.
  template <class T, class D, class... A>
  auto reduce(const Tensor<T, D>& x, int root = 0, Reduce op = Reduce::sum, A... a) const {
    return run(call<T>(Kind::reduce, x.shape(), x.size(), checked("reduce", root), op), &x, &x,
               a...);
  }
  /// Replaces x by rank `root`'s x.
  template <class T, class D, class... A>
  auto broadcast(const Tensor<T, D>& x, int root = 0, A... a) const {
    return run(call<T>(Kind::broadcast, x.shape(), x.size(), checked("broadcast", root)), &x, &x,
               a...);
  }
  /// Writes every rank's x, concatenated in rank order, to out, which has size() times as many
  /// elements.
  template <class T, class D, class... A>
  auto all_gather(const Tensor<T, D>& out, const Tensor<T, D>& x, A... a) const {
    check_sizes("all_gather", out, x, "x");
    return run(call<T>(Kind::all_gather, x.shape(), x.size()), &x, &out, a...);
  }
  /// The same as a new tensor, (rank, shape of x).
  template <class T, class D>
  Tensor<T, D> all_gather(const Tensor<T, D>& x) const {
    Shape shape{size()};
    for (const int64_t n : x.shape()) shape.push_back(n);
    const Tensor<T, D> out = empty<T>(shape, device_of(x));
    all_gather(out, x);
    return out;
  }
  /// x has size() consecutive parts; writes this rank's part, reduced over all ranks, to out.
  template <class T, class D, class... A>
  auto reduce_scatter(const Tensor<T, D>& out, const Tensor<T, D>& x, Reduce op = Reduce::sum,
                      A... a) const {
    check_sizes("reduce_scatter", x, out, "out");
    return run(call<T>(Kind::reduce_scatter, x.shape(), out.size(), 0, op), &x, &out, a...);
  }
  /// Sends part r of the size() parts of x to rank r; out receives the parts from all ranks, in
  /// rank order.
  template <class T, class D, class... A>
  auto all_to_all(const Tensor<T, D>& out, const Tensor<T, D>& x, A... a) const {
    if (x.size() != out.size() || x.size() % size() != 0) {
      fail<ShapeError>("all_to_all", "shapes ", x.shape(), " and ", out.shape(),
                       ", expected as many elements in both, a multiple of ", size());
    }
    return run(call<T>(Kind::all_to_all, x.shape(), x.size() / size()), &x, &out, a...);
  }
  /// Writes every rank's x, concatenated in rank order, to rank `root`'s out; out is ignored on
  /// other ranks.
  template <class T, class D, class... A>
  auto gather(const Tensor<T, D>& out, const Tensor<T, D>& x, int root = 0, A... a) const {
    const bool mine = checked("gather", root) == rank();
    if (mine) check_sizes("gather", out, x, "x");
    return run(call<T>(Kind::gather, x.shape(), x.size(), root), &x, mine ? &out : nullptr, a...);
  }
  /// Writes this rank's part of the size() parts of rank `root`'s x to out; x is ignored on other
  /// ranks.
  template <class T, class D, class... A>
  auto scatter(const Tensor<T, D>& out, const Tensor<T, D>& x, int root = 0, A... a) const {
    const bool mine = checked("scatter", root) == rank();
    if (mine) check_sizes("scatter", x, out, "out");
    return run(call<T>(Kind::scatter, out.shape(), out.size(), root), mine ? &x : nullptr, &out,
               a...);
  }
  /// Sends x to another rank, which receives it with recv. Calls that could deadlock belong in a
  /// batch.
  template <class T, class D, class... A>
  auto send(const Tensor<T, D>& x, int to, A... a) const {
    return run(call<T>(Kind::send, x.shape(), x.size(), other("send", to)), &x,
               static_cast<const Tensor<T, D>*>(nullptr), a...);
  }
  template <class T, class D, class... A>
  auto recv(const Tensor<T, D>& out, int from, A... a) const {
    return run(call<T>(Kind::recv, out.shape(), out.size(), other("recv", from)),
               static_cast<const Tensor<T, D>*>(nullptr), &out, a...);
  }
  /// Returns when all ranks have called it. On a GPU, pass the device: all earlier work on its
  /// current stream is then done on all ranks.
  template <class D = Cpu>
  void barrier(D device = {}) const {
    if constexpr (is_cuda<D> || requires { sizeof(Transport<Loops<D>>); }) {
      // MPI may be linked to a program that it has not started.
      if (is_cuda<D> || started_by_mpi()) {
        const Tensor<float, D> x = empty<float>({1}, device);
        all_reduce(x, Reduce::maximum);
        if constexpr (is_cuda<D> && has_transport<D>()) Transport<Loops<D>>::settle(device);
        return check();
      }
    }
    Call call;
    circle_->begin(call);
    circle_->exchange("barrier", "barrier" + std::to_string(circle_->sequence()), "here");
  }

  /// What is started with `async` from now on runs after all work already on the GPU's current
  /// stream: for memory whose uses weft does not track. Does nothing on the CPU.
  template <class D>
  void fence([[maybe_unused]] D device) const {
    if constexpr (is_cuda<D>) {
      if (size() > 1 && has_transport<D>()) Transport<Loops<D>>::fence(engine(device), device);
    }
  }

  /// x was read by an `async` call whose Work has been waited for: later uses of its memory need
  /// not wait for later calls too. Does nothing on the CPU.
  template <class T, class D>
  void waited([[maybe_unused]] const Tensor<T, D>& x) const {
    if constexpr (is_cuda<D>) {
      if (size() > 1 && has_transport<D>() && x.storage() != nullptr) {
        Transport<Loops<D>>::waited(engine(x.device()), x.device(), x.storage());
      }
    }
  }

  /// Gives f()'s statements to the stream of the GPU that `async` calls run on, behind them; the
  /// Work is for what follows. On the CPU runs f() now.
  template <class D, class F>
  Work beside(D device, const F& f) const;

  /// Runs f() and issues its calls, such as a send and a recv, together; they are done when batch
  /// returns.
  template <class F>
  void batch(F&& f) const {
    if (batch_open()) fail<ValueError>("batch", "a batch in a batch, expected one after the other");
    Batch open{*this};
    static_cast<F&&>(f)();
    open.close();
  }

  /// The group of the ranks that pass the same color, ordered by (key, rank); all ranks must call
  /// it.
  Group split(int color, int key = 0) const;

  /// Throws DistributedError if the watching thread has found a rank gone or a call late.
  void check() const { circle_->check("dist::Group"); }
  const std::shared_ptr<Circle>& circle() const { return circle_; }

 private:
  explicit Group(std::shared_ptr<Circle> circle) : circle_(std::move(circle)) {}

  /// Calls of the calling thread that end together.
  struct Batch {
    const Group& group;
    std::vector<Engine*> engines = {};
    std::vector<Work> works = {};
    explicit Batch(const Group& g) : group(g) { current() = this; }
    Batch(const Batch&) = delete;
    ~Batch() { current() = nullptr; }
    void close() {
      current() = nullptr;
      for (Engine* e : engines) e->end_batch();
      for (const Work& w : works) w.wait();
    }
    static Batch*& current() {
      static thread_local Batch* open = nullptr;
      return open;
    }
  };
  static bool batch_open() { return Batch::current() != nullptr; }

  template <class D>
  using Loops = std::conditional_t<is_cuda<D>, Cuda, Cpu>;
  template <class D>
  static constexpr bool has_transport() {
    constexpr bool there = requires { sizeof(Transport<Loops<D>>); };
    if constexpr (is_cuda<D>) {
      static_assert(there,
                    "weft: groups on Cuda use NCCL: link weft::nccl (which defines WEFT_NCCL) and "
                    "include <weft/dist.hpp> in a file that nvcc compiles");
    }
    return there;
  }
  template <class T>
  Call call(Kind kind, const Shape& shape, int64_t count, int peer = 0,
            Reduce op = Reduce::sum) const {
    Call out;
    out.kind = kind;
    out.op = op;
    out.dtype = dtype_of<std::remove_const_t<T>>;
    out.count = count;
    out.peer = peer;
    out.shape = shape;
    return out;
  }
  int checked(const char* operation, int root) const {
    if (root < 0 || root >= size()) {
      fail<IndexError>(operation, "rank ", root, " of ", size());
    }
    return root;
  }
  int other(const char* operation, int peer) const {
    if (checked(operation, peer) == rank()) {
      fail<IndexError>(operation, "rank ", peer, " is this one, expected another");
    }
    return peer;
  }
  template <class X>
  void check_sizes(const char* operation, const X& all, const X& part, const char* what) const {
    if (all.size() != part.size() * size()) {
      fail<ShapeError>(operation, "shape ", all.shape(), " for ", size(), " ranks with ", what,
                       " of shape ", part.shape(), ", expected ", size() * part.size(),
                       " elements");
    }
  }
  template <class T, class D>
  static D device_of(const Tensor<T, D>& x) {
    return x.device();
  }

  template <class D>
  Engine& engine(D device) const;
  template <class T, class D>
  void run(const Call& call, const Tensor<T, D>* in, const Tensor<T, D>* out) const;
  template <class T, class D>
  Work run(const Call& call, const Tensor<T, D>* in, const Tensor<T, D>* out, Async) const;
  template <class T, class D>
  Work start(Call call, const Tensor<T, D>* in, const Tensor<T, D>* out, bool beside) const;

  std::shared_ptr<Circle> circle_;
};

}  // namespace weft::dist
