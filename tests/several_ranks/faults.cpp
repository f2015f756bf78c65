// A rank that dies, hangs or never comes, also in training: `faults CASE` for mpirun, which each
// other rank must leave with the right sentence. `faults resume FILE` counts to 10 with a
// checkpoint each step; of four ranks one dies on the way, and fewer go on when it is started
// again. SPDX-License-Identifier: Apache-2.0
#ifdef __CUDACC__
#include "weft/cuda.hpp"
#else
#include "weft/weft.hpp"
#endif

#include "weft/dist.hpp"
#ifndef __CUDACC__
#include "weft/nn.hpp"
#include "weft/optim.hpp"
#endif

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

using namespace weft;

namespace {
/// Whether f throws within `seconds` what has all the parts in it.
template <class F>
int expect(double seconds, std::initializer_list<std::string> parts, const F& f) {
  const auto start = dist::Clock::now();
  std::string said = "nothing";
  try {
    f();
  } catch (const DistributedError& error) {
    said = error.what();
  }
  const double took = dist::Seconds(dist::Clock::now() - start).count();
  bool good = took < seconds;
  for (const std::string& part : parts) good = good && said.find(part) != std::string::npos;
  std::printf("%s: after %.1f s: %s\n", good ? "ok" : "WRONG", took, said.c_str());
  std::fflush(stdout);
  return good ? 0 : 1;
}

#ifdef __CUDACC__
using D = Cuda;
#else
using D = Cpu;
#endif

#ifndef __CUDACC__
/// 20 steps; the last rank dies in the fourth.
template <class M, class O>
void train(const dist::Group& g, const M& model, O&& optimizer) {
  for (int i = 0; i < 20; ++i) {
    optimizer.zero_grad();
    const Var loss = mean(square(model(Var<float>(ones({8, 30})))));
    if (i == 3 && g.rank() == g.size() - 1) std::raise(SIGKILL);
    loss.backward();
    optimizer.step();
  }
}
#endif

/// Each step adds the average of all ranks' ones.
int resume(const dist::Group& g, const std::string& file) {
  int first = 0;
  float value = 0;
  if (std::ifstream in(file); in) in >> first >> value;
  g.barrier();  // all have read it
  for (int step = first + 1; step <= 10; ++step) {
    if (g.size() == 4 && g.rank() == 3 && step == 5) std::raise(SIGKILL);
    const Tensor<float, D> one = ones({4}, g.device<D>());
    g.all_reduce(one, dist::Reduce::average);
    value += one.to(Cpu{}).at(3);
    if (g.rank() > 0) continue;
    std::ofstream(file + ".new") << step << " " << value << "\n";
    std::filesystem::rename(file + ".new", file);
  }
  if (g.rank() == 0) {
    std::printf("%d ranks went on from step %d: %g after step 10\n", g.size(), first,
                static_cast<double>(value));
  }
  return 0;
}
}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  dist::Group g = dist::init({.timeout = 2});
  if (what == "resume" && argc > 2) {
    try {
      return resume(g, argv[2]);
    } catch (const DistributedError& error) {
      std::printf("%s\n", error.what());
      std::fflush(stdout);
      _exit(3);
    }
  }
  const Tensor<float, D> x = ones({1000}, g.device<D>());
  const auto call = [&] {
    g.all_reduce(x);
    (void)x.to(Cpu{});  // on a GPU waits for it
  };
  call();
#ifndef __CUDACC__
  if (what == "recv") {  // a message that is never sent
    if (g.rank() == g.size() - 1) std::this_thread::sleep_for(std::chrono::seconds(5));
    if (g.rank() == g.size() - 1) _exit(0);
    const int last = g.size() - 1;
    return expect(4, {"[recv] rank " + std::to_string(last) + " has not sent within the timeout"},
                  [&] { g.recv(x, last); });
  }
#endif
#ifndef __CUDACC__
  if (what == "ddp" || what == "sharded" || what == "parts") {
    const std::string gone = "rank " + std::to_string(g.size() - 1) + " is gone";
    nn::Sequential net{dist::Unit{nn::Linear<>(30, 99)}, nn::ReLU{}, nn::Linear<>(99, 2)};
    return expect(8, {gone, "call ", " of the group was "}, [&] {
      if (what == "ddp") {
        const dist::DistributedDataParallel model(net, g, {.first_bucket_bytes = 500});
        train(g, model, optim::AdamW(nn::parameters(net)));
      } else if (what == "sharded") {
        train(g, net, dist::sharded<optim::AdamW>(net, g));
      } else {
        const dist::FullyShardedDataParallel model(net, g);
        train(g, model, optim::AdamW(model.parameters()));
      }
    });
  }
#endif
  const int odd = what == "kill0" ? 0 : g.size() - 1;
  const std::string rank = "rank " + std::to_string(odd);
  if (g.rank() == odd) {
    if (what == "hang") {
      std::this_thread::sleep_for(std::chrono::seconds(9));
      _exit(0);
    }
    if (what == "leave") {
      g = dist::Group();
      _exit(0);  // MPI_Finalize would wait for the others
    }
    std::raise(SIGKILL);
  }
  const auto calls = [&] {
    for (int i = 0; i < 10; ++i) call();
  };
  if (what == "hang") {
    return expect(8,
                  {"[all_reduce] call 2 of the group was not done in 2.0 s",
                   rank + " has not started it, its last was call 1, all_reduce"},
                  calls);
  }
  if (what == "leave") return expect(8, {"[all_reduce]", rank + " has "}, calls);
  return expect(8, {"[all_reduce]", rank + " is gone"}, calls);
}
