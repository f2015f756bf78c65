// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/graph.hpp>

#include <atomic>
#include <sstream>
#include <thread>
#include <vector>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;
using weft::Cpu;
using weft::Cuda;
using weft::Generator;
using weft::ones;
using weft::StorageHandle;
using weft::Tensor;

namespace {

using Gpu = Tensor<float, Cuda>;
constexpr std::int64_t n = 1000;

Gpu ramp() { return weft::linspace(0, 1, n, Cuda{}); }

/// What one step of z = z * 0.5 + x gives, as often as wanted.
std::vector<float> halved(std::vector<float> z, const std::vector<float>& x, int steps) {
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = z[i] * 0.5f + x[i];
  }
  return z;
}

struct SyncRequested {
  SyncRequested() { weft::detail::sync_flag() = true; }
  ~SyncRequested() { weft::detail::sync_flag() = false; }
};

}  // namespace

TEST_CASE("an empty graph") {
  Graph g;
  CHECK_FALSE(g);
  CHECK(g.kernels() + g.memsets() + g.copies() == 0);
  CHECK(g.memory() == 0);
  CHECK(g.handle() == nullptr);
  CHECK_SAYS("[Graph::replay] an empty graph, expected a captured one", g.replay());
}

TEST_CASE("[nogpu] without a GPU there is no capture") {
  CHECK_SAYS("[cuda] no CUDA device is available", capture([] {}));
}

TEST_CASE("[gpu] a capture records, and a replay runs") {
  const Gpu x = ramp();
  const Gpu y = weft::full({n}, 3.f, Cuda{});
  Gpu z = ones({n}, Cuda{});
  Gpu loss;
  const float* const before = z.data();
  Graph g = capture([&] {
    z = x * y + z;
    loss = weft::sum(z);
  });
  CHECK(g);
  CHECK(g.kernels() == 2);
  CHECK(g.memsets() + g.copies() == 0);
  CHECK(z.data() == before);
  CHECK(z.to_vector() == std::vector<float>(n, 1));
  for (int k = 1; k <= 3; ++k) {
    g.replay();
    const auto xs = x.to_vector();
    const auto zs = z.to_vector();
    double total = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      CHECK(zs[i] == doctest::Approx(1 + k * 3.0 * xs[i]).epsilon(1e-6));
      total += zs[i];
    }
    CHECK(loss.item() == doctest::Approx(total).epsilon(1e-5));
  }

  Graph moved = std::move(g);
  CHECK_FALSE(g);
  moved.replay();
  CHECK(z(n - 1).item() == doctest::Approx(13));
  g = std::move(moved);
  g.replay();
  CHECK(z(n - 1).item() == doctest::Approx(16));
  Graph nothing = capture([] {});
  CHECK(nothing.kernels() == 0);
  CHECK_NOTHROW(nothing.replay());
}

TEST_CASE("[gpu] a tensor that is rebound in place goes on from replay to replay, as when eager") {
  const Gpu x = ramp();
  Gpu z = ones({n}, Cuda{});
  auto step = [&] { z = z * 0.5f + x; };
  const auto expected = halved(z.to_vector(), x.to_vector(), 10);
  Graph g = capture([&] {
    step();
    step();
  });
  CHECK(g.memory() == 0);
  for (int k = 0; k < 5; ++k) g.replay();
  CHECK(z.to_vector() == expected);
  step();  // the graph can see z's memory, so that this rebinds z and leaves the graph's alone
  CHECK(z.to_vector() == halved(expected, x.to_vector(), 1));
  const auto mine = z.to_vector();
  g.replay();
  CHECK(z.to_vector() == mine);
}

TEST_CASE("[gpu] temporaries, split reductions and results have memory of the graph's") {
  const std::int64_t before = memory_allocated();
  const std::int64_t large = 1 << 20;
  {
    const Gpu x = weft::linspace(-1, 1, large, Cuda{});
    Gpu rows;
    Gpu p;
    Gpu far;
    auto f = [&] {
      Gpu a = x * 2;  // one block
      Gpu b = a + x;  // another
      Gpu c = a * b;  // in the place of nothing: both live
      a = Gpu();
      Gpu d = c + 1;  // where a was
      p = d / weft::sum(d * d);
      far = weft::max(d, weft::axis(0), weft::keepdims);
    };
    f();
    const auto p0 = p.to_vector();
    const auto far0 = far.to_vector();
    p = far = Gpu();
    synchronize();
    Graph g = capture(f);
    CHECK(g.memory() >= 4 * large * 4);
    CHECK(g.memory() < 5 * large * 4);
    CHECK(memory_allocated() >= before + g.memory());
    Gpu disturb = weft::full({large}, 99.f, Cuda{});  // its memory is none of the graph's
    for (int k = 0; k < 3; ++k) {
      g.replay();
      disturb = disturb + 1;
      CHECK(p.to_vector() == p0);
      CHECK(far.to_vector() == far0);
    }
    CHECK(disturb(0).item() == 102);
    g = Graph();
    CHECK(p.to_vector() == p0);  // results outlive their graph
    disturb = disturb * 2;
    CHECK(p.to_vector() == p0);
  }
  CHECK(memory_allocated() == before);
}

TEST_CASE("[gpu] a graph keeps what it reads") {
  const std::int64_t before = memory_allocated();
  {
    Gpu x = ramp();
    Gpu z;
    Graph g = capture([&] { z = x * 4; });
    const auto xs = x.to_vector();
    x = Gpu();
    empty_cache();
    std::vector<Gpu> others;
    for (int k = 0; k < 50; ++k) others.push_back(weft::full({n}, -1.f, Cuda{}));
    g.replay();
    const auto zs = z.to_vector();
    for (std::size_t i = 0; i < xs.size(); ++i) CHECK(zs[i] == 4 * xs[i]);

    Gpu y = ramp();
    Graph h = capture([&] { y.assign(y * 0 + 5); });
    y = weft::full({n}, 1.f, Cuda{});  // rebinds: the graph has the other memory
    h.replay();
    CHECK(y(0).item() == 1);
  }
  CHECK(memory_allocated() == before);
}

TEST_CASE("[gpu] large tensors from before a capture may be released in it") {
  constexpr int64_t n = 1 << 20;  // more than what is kept in lists of small blocks
  std::vector<Gpu> old(40, Gpu());
  for (auto& x : old) x = ones({n}, Cuda{});
  const Gpu x = ones({n}, Cuda{});
  Gpu y;
  auto graph = capture([&] {
    old.clear();
    y = x + 1.0F;
  });
  graph.replay();
  CHECK(sum(y).item() == 2.0F * n);
}

TEST_CASE("[gpu] numbers are baked in, tensors of rank 0 are read at each replay") {
  const Gpu x = ones({n}, Cuda{});
  const Gpu rate = weft::full({}, 2.f, Cuda{});
  float number = 3;
  Gpu z;
  Graph g = capture([&] { z = x * rate + number; });
  g.replay();
  CHECK(z(7).item() == 5);
  number = 100;
  rate.assign(10.f);
  g.replay();
  CHECK(z(7).item() == 13);
}

TEST_CASE("[gpu] replays draw the random numbers that as many runs draw") {
  constexpr int runs = 4;
  Generator a(7, 1);
  Generator b(8);
  weft::manual_seed(3);
  const auto fixed = weft::uniform({n});
  Gpu x;
  Gpu y;
  Tensor<std::int64_t, Cuda> order;
  Gpu noise = weft::zeros({n}, Cuda{});
  auto f = [&] {
    x = weft::rand({n}, Cuda{}, a);
    order = weft::permutation(n, Cuda{}, b);
    noise += weft::normal({n}) * weft::uniform({n}, a);
    Generator local(5);
    y = weft::rand({n}, Cuda{}, local) + fixed;
  };
  auto values = [&] {
    std::vector<std::vector<float>> all = {x.to_vector(), y.to_vector(), noise.to_vector(), {}};
    for (std::int64_t i : order.to_vector()) all[3].push_back(static_cast<float>(i));
    return all;
  };
  auto between = [&](int k) {
    if (k == 1) weft::rand({2}, Cpu{}, a);
    if (k == 2) b.manual_seed(99);
  };
  std::vector<std::vector<std::vector<float>>> eager;
  for (int k = 0; k < runs; ++k) {
    f();
    eager.push_back(values());
    between(k);
  }
  const std::uint64_t offsets[] = {a.offset(), b.offset(), weft::default_generator().offset()};

  a = Generator(7, 1);
  b = Generator(8);
  weft::manual_seed(3);
  weft::default_generator().skip(1);
  noise.fill(0);
  Graph g = capture(f);
  CHECK(a.offset() == 1);
  CHECK(b.offset() == 0);
  CHECK(g.kernels() == 5);
  for (int k = 0; k < runs; ++k) {
    g.replay();
    CAPTURE(k);
    CHECK(values() == eager[static_cast<std::size_t>(k)]);
    between(k);
  }
  CHECK(a.offset() == offsets[0]);
  CHECK(b.offset() == offsets[1]);
  CHECK(weft::default_generator().offset() == offsets[2]);
  CHECK_FALSE(eager[0][0] == eager[1][0]);
  CHECK(eager[0][1] == eager[1][1]);
  weft::manual_seed(0);
}

TEST_CASE("[gpu] random expressions that leave their capture, and generators that it refuses") {
  Generator a(7);
  Generator same(7, 1);
  auto kept = weft::uniform({n}, a);
  std::vector<float> on_cpu;
  Gpu z;
  Graph g = capture([&] {
    kept = weft::uniform({n}, a);
    on_cpu = Tensor<float>(kept).to_vector();  // runs now, with the first replay's numbers
    z = kept * 1;
  });
  const auto first = weft::rand({n}, Cpu{}, same).to_vector();
  CHECK(on_cpu == first);
  g.replay();
  CHECK(z.to_vector() == first);
  g.replay();
  CHECK(z.to_vector() == weft::rand({n}, Cpu{}, same).to_vector());
  g = Graph();
  Gpu later = kept * 1 + weft::zeros({n}, Cuda{});
  CHECK(later.to_vector() == first);

  CHECK_SAYS("[manual_seed] a generator is seeded while statements are captured",
             capture([&] { a.manual_seed(1); }));
  CHECK_SAYS("[manual_seed] a generator is seeded", capture([&] { a = Generator(1); }));
  std::vector<Generator> many(17);
  CHECK_SAYS("[capture] more than 16 generators are drawn from", capture([&] {
               for (Generator& each : many) weft::rand({4}, Cuda{}, each);
             }));
  CHECK(a.offset() == 3);
}

TEST_CASE("[gpu] what a capture refuses ends it, and leaves everything usable") {
  const std::int64_t before = memory_allocated();
  {
    Gpu x = ramp();
    Gpu z = ones({n}, Cuda{});
    const auto host = weft::linspace(0, 1, n);
    std::ostringstream out;
    CHECK_SAYS(
        "[to] the stream is being captured into a graph, where nothing runs that could be "
        "waited for, expected the call before or after the capture",
        capture([&] { z(0).item(); }));
    CHECK_SAYS("[to] the stream is being captured", capture([&] { out << x; }));
    CHECK_SAYS("[to] the stream is being captured", capture([&] { (x * 2).eval().to_vector(); }));
    CHECK_SAYS("[to] the stream is being captured", capture([&] { z = host.to(Cuda{}); }));
    CHECK_SAYS("[synchronize] the stream is being captured", capture([&] { synchronize(); }));
    CHECK_SAYS("[Stream::synchronize] the stream is being captured",
               capture([&] { current_stream().synchronize(); }));
    CHECK_SAYS("[capture] a capture in a capture", capture([&] { capture([] {}); }));
    Graph g = capture([&] { x += 1; });
    CHECK_SAYS("[Graph::replay] the stream is being captured", capture([&] { g.replay(); }));
    CHECK_SAYS("[capture] a statement on a stream of cuda:0 that takes no part", capture([&] {
                 const StreamGuard guard{Stream()};
                 x += 1;
               }));
    CHECK_SAYS("[capture] cudaErrorStreamCaptureUnjoined", capture([&] {
                 const Stream side;
                 side.wait(current_stream());
                 const StreamGuard guard(side);
                 x += 1;
               }));
    CHECK_THROWS_AS(capture([&] {
                      Gpu temporary = x * z;
                      z = temporary + 1;
                      throw 7;
                    }),
                    int);
    CHECK(current_stream() == default_stream());
    CHECK(cudaGetLastError() == cudaSuccess);
    x = ones({n}, Cuda{});
    z = x * 2;
    CHECK(z(1).item() == 2);
    Graph again = capture([&] { z = z + x; });
    again.replay();
    CHECK(z(1).item() == 3);

    const Stream mine;
    cudaGraphDestroy(test::captured(
        mine, [&] { CHECK_SAYS("[capture] the stream is being captured", capture([] {})); }));
  }
  CHECK(memory_allocated() == before);
}

TEST_CASE("[gpu] replays are ordered with work on other streams") {
  const Stream a;
  const Stream b;
  const StorageHandle x = test::zeroed();
  const StorageHandle y = test::zeroed();
  const StorageHandle z = test::zeroed();
  Graph g = capture([&] { test::copy(y, x, 20, current_stream()); });
  CHECK(g.kernels() == 1);
  test::fill(x, 4, 50, a);  // the replay waits for it
  {
    const StreamGuard guard(b);
    g.replay();
  }
  test::copy(z, y, 0, a);  // and this for the replay
  CHECK(test::value_of(z) == 4);
  {
    const StreamGuard guard(a);
    g.replay();
  }
  test::fill(x, 5, 0, b);  // writes after the replay has read
  CHECK(test::value_of(y) == 4);
  g.replay();
  CHECK(test::value_of(y) == 5);
}

TEST_CASE("[gpu] replays on several streams follow each other") {
  Generator a(1);
  Generator b(1);
  const Stream streams[3];
  Gpu total = weft::zeros({n}, Cuda{});
  Graph g = capture([&] { total += weft::uniform({n}, a) * weft::rand({n}, Cuda{}, a); });
  for (int k = 0; k < 12; ++k) {
    const StreamGuard guard(streams[k % 3]);
    g.replay();
  }
  Gpu expected = weft::zeros({n}, Cuda{});
  for (int k = 0; k < 12; ++k) {
    const auto left = weft::uniform({n}, b);
    expected += left * weft::rand({n}, Cuda{}, b);
  }
  CHECK(a.offset() == b.offset());
}

TEST_CASE("[gpu] a graph may go while a replay is running") {
  StorageHandle out = test::zeroed();
  StorageHandle middle;
  {
    StorageHandle in = test::zeroed();
    Graph g = capture([&] {
      const Stream stream = current_stream();
      StorageHandle first(weft::Memory<Cuda>::allocate({}, test::bytes));
      test::fill(first, 6, 50, stream);
      middle = StorageHandle(weft::Memory<Cuda>::allocate({}, test::bytes));
      test::copy(middle, first, 20, stream);
      test::copy(out, middle, 20, stream);
      test::copy(in, middle, 0, stream);
    });
    const StreamGuard guard{Stream()};
    g.replay();
  }
  for (int k = 0; k < 8; ++k) {  // would be overwritten if its memory were free too early
    const StorageHandle next = test::zeroed();
    test::fill(next, 2, 0, default_stream());
  }
  CHECK(test::value_of(out) == 6);
  CHECK(test::value_of(middle) == 6);
}

TEST_CASE("[gpu] a second stream in a capture") {
  const Gpu x = ramp();
  Gpu left;
  Gpu right;
  Gpu both;
  Graph g = capture([&] {
    const Stream main = current_stream();
    const Stream side;
    side.wait(main);
    left = x * 2;
    {
      const StreamGuard guard(side);
      Gpu temporary = x * 3;
      right = temporary + 1;
    }
    both = left + right;  // waits for side
  });
  CHECK(g.kernels() == 4);
  g.replay();
  const auto xs = x.to_vector();
  const auto sums = both.to_vector();
  for (std::size_t i = 0; i < xs.size(); ++i) CHECK(sums[i] == doctest::Approx(xs[i] * 5 + 1));
}

TEST_CASE("[gpu] copies from and to pinned memory are part of a graph") {
  const auto in = pin(weft::linspace(0, 1, n));
  Tensor<float> out;
  Graph g = capture([&] {
    auto x = in.to(Cuda{}, {.non_blocking = true});
    Gpu y = x * 8;
    out = y.to(Cpu{}, {.non_blocking = true});
  });
  CHECK(g.copies() == 2);
  CHECK(g.kernels() == 1);
  for (int k = 0; k < 3; ++k) {
    synchronize();
    in.fill(static_cast<float>(k));
    g.replay();
    synchronize();
    CHECK(out.to_vector() == std::vector<float>(n, static_cast<float>(8 * k)));
  }
}

TEST_CASE("[gpu] threads capture, allocate and run statements at once") {
  constexpr int count = 4;
  std::atomic<int> right{0};
  std::atomic<bool> done{false};
  const Gpu shared = ramp();
  const auto xs = shared.to_vector();
  std::thread busy([&] {
    while (!done) {
      Gpu a = ones({n}, Cuda{});
      Gpu b = a + shared;
      if (b(0).item() != 1) break;
      const StorageHandle block(weft::Memory<Cuda>::allocate({}, 3 << 20));
    }
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 20; ++k) {
        Gpu z = weft::full({n}, static_cast<float>(t), Cuda{});
        Gpu sum;
        Graph g = capture([&] {
          Gpu temporary = shared * 2;
          z = z + temporary;
          sum = weft::sum(z);
        });
        g.replay();
        g.replay();
        const auto zs = z.to_vector();
        bool all = sum.item() > 0;
        for (std::size_t i = 0; i < zs.size(); ++i) {
          all = all && zs[i] == static_cast<float>(t) + 2 * xs[i] + 2 * xs[i];
        }
        right += all;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  busy.join();
  CHECK(right == 20 * count);
}

TEST_CASE("[gpu] graphs and the memory statistics") {
  empty_cache();
  const std::int64_t before = memory_allocated();
  const std::int64_t large = 1 << 24;
  Gpu z;
  Graph g = capture([&] {
    Gpu temporary = weft::full({large}, 2.f, Cuda{});
    z = temporary * 2;
  });
  CHECK(g.memory() == 8 * large);
  CHECK(memory_allocated() == before + 8 * large);
  CHECK(memory_reserved() >= memory_allocated());
  empty_cache();
  g.replay();
  CHECK(z(large - 1).item() == 4);
  g = Graph();
  CHECK(memory_allocated() == before + 4 * large);
  z = Gpu();
  CHECK(memory_allocated() == before);
}

TEST_CASE("[gpu] WEFT_SYNC and WEFT_CHECK") {
  const Gpu x = ramp();
  Gpu z = ones({n}, Cuda{});
  Graph g;
  {
    const SyncRequested sync;
    g = capture([&] { z = z + x; });
    g.replay();
    CHECK(default_stream().query());
  }
  const auto stored = z * 2;
  weft::detail::check_flag() = true;
  CHECK_NOTHROW(stored.eval());
  g.replay();
  CHECK_SAYS("was written after the expression that reads it was built", stored.eval());
  weft::detail::check_flag() = false;
}

TEST_CASE("[gpu] another thread may wait for its own work while statements are captured") {
  Gpu z = ones({n}, Cuda{});
  Graph g = capture([&] {
    z = z * 3;
    std::thread([] {
      const Stream mine;
      const StreamGuard guard(mine);
      Gpu x = ramp();
      CHECK(x(n - 1).item() == 1);
      mine.synchronize();
      synchronize();
      empty_cache();
    }).join();
    z = z + 1;
  });
  g.replay();
  CHECK(z(0).item() == 4);
}
