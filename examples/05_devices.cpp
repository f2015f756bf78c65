// Devices, streams, pinned memory: properties of the machine, copies that overlap with computation.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <vector>

using namespace weft;

template <class X>
auto work(const X& x) {
  return tanh(sqrt(abs(x)) + 0.5) * exp(-x * x);
}

int run(Cpu) {
  auto x = linspace(-3, 3, 1000);
  auto same = x.to(Cpu{});
  std::cout << "the CPU: " << cpu::memory_allocated() << " bytes in tensors, at most "
            << cpu::max_memory_allocated() << " so far\n";
  bool right = example::check("to(Cpu{}) copies nothing when the elements are there already",
                              same.storage() == x.storage());
  Tensor y = work(x);
  right &= example::check("the work is symmetric", allclose(y, y.flip(0)));
  return right ? 0 : 1;
}

#ifdef __CUDACC__
int run(Cuda) {
  for (int i = 0; i < weft::cuda::device_count(); ++i) {
    const weft::cuda::Properties& gpu = weft::cuda::properties(Cuda{i});
    std::cout << "cuda:" << i << ": " << gpu.name << ", compute capability " << gpu.major << "."
              << gpu.minor << ", " << gpu.multiprocessors << " multiprocessors, "
              << (gpu.total_memory >> 30) << " GiB\n";
  }

  // Copies between pinned memory and a GPU run in the background, on the current stream.
  const auto input = weft::cuda::pin(linspace(-3, 3, 1 << 22));
  std::vector<Tensor<float>> results;

  // Four pieces on four streams: while one is computed, others are on their way in or out.
  for (const auto& piece : input.chunk(4)) {
    const weft::cuda::StreamGuard guard{weft::cuda::Stream()};
    auto x = piece.to(Cuda{}, {.non_blocking = true});
    auto y = work(x).eval();
    results.push_back(y.to(Cpu{}, {.non_blocking = true}));
  }  // x and y may be destroyed: their memory is not reused before the stream is done with it
  weft::cuda::synchronize();

  bool right = true;
  for (int i = 0; i < 4; ++i) {
    right &= weft::cuda::is_pinned(results[i]) &&
             allclose(results[i], work(input.chunk(4)[i]), {.rtol = 1e-4});
  }
  right = example::check("four streams compute what the CPU does", right);

  // A stream waits when it uses a tensor that another stream wrote.
  const weft::cuda::Stream side;
  auto a = ones({1 << 22}, Cuda{});
  {
    const weft::cuda::StreamGuard guard(side);
    a += 1;
  }
  weft::cuda::Event begin(true);
  weft::cuda::Event end(true);
  begin.record();
  Tensor b = a * 2;
  end.record();
  end.synchronize();
  std::cout << "a * 2, 4 Mi elements: " << end.milliseconds_since(begin) << " ms\n";
  right &= example::check("the other stream's work came first", allclose(b, 4));

  // Memory that no tensor holds is kept for the next one, until it is released.
  const auto peak = weft::cuda::max_memory_allocated();
  a = b = Tensor<float, Cuda>();
  std::cout << "at most " << peak << " bytes in tensors so far, " << weft::cuda::memory_allocated()
            << " now, " << weft::cuda::memory_reserved() << " kept\n";
  weft::cuda::empty_cache();
  right &= example::check("nothing is in use any more", weft::cuda::memory_allocated() == 0);
  return right ? 0 : 1;
}
#endif

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
