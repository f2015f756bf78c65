// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/tune.hpp>

#include <cstring>
#include <sstream>
#include <thread>
#include <vector>

#include "test.hpp"
#include "weft/cuda/algorithms.hpp"
#include "weft/explain.hpp"

using weft::axis;
using weft::Cuda;
using weft::keepdims;
using weft::cuda::Tuned;
namespace detail = weft::cuda::detail;
using Gpu = weft::Tensor<float, Cuda>;

namespace {

/// A file of tuned choices and WEFT_TUNE, for a scope.
struct Environment {
  std::string path;
  Environment(const char* tune, const std::string& content = "") {
    static int count = 0;
    path = (std::filesystem::temp_directory_path() /
            ("weft_tune_" + std::to_string(::getpid()) + "_" + std::to_string(count++)))
               .string();
    if (!content.empty()) std::ofstream(path) << content;
    setenv("WEFT_TUNE_FILE", path.c_str(), 1);
    tune != nullptr ? setenv("WEFT_TUNE", tune, 1) : unsetenv("WEFT_TUNE");
    detail::restart_tuning();
  }
  ~Environment() {
    unsetenv("WEFT_TUNE");
    setenv("WEFT_TUNE_FILE", "", 1);
    detail::restart_tuning();
    std::filesystem::remove(path);
  }
  std::string content() const {
    std::stringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  int lines() const {
    int n = 0;
    for (const char c : content()) n += c == '\n';
    return n;
  }
};

#if defined(__CUDACC__)

/// A tuner that takes a certain choice wherever there are so many.
int forced = 0;
int taken = 0;
template <class Plan>
void* force(weft::cuda::PlannedLaunch& launch, Plan plan) {
  const detail::ChoiceList choices = plan.choices();
  if (forced > 0 && forced < choices.n) {
    launch.chosen = choices.at[forced];
    plan.apply(launch.chosen);
    taken += launch.runs;
  }
  return nullptr;
}
constexpr weft::cuda::Tuner forcing{
    [](weft::cuda::PlannedLaunch& launch, const detail::Loops& loops, const detail::Operand* x,
       weft::cuda::CopyLaunch& plan, weft::cuda::TurnedCopy& turned, weft::cuda::TiledCopy& tiled,
       weft::cuda::FlatCopy& flat) {
      return force(launch, detail::CopyChoices{loops, x, plan, turned, tiled, flat});
    },
    [](weft::cuda::PlannedLaunch& launch, const detail::Loops& loops, const detail::Operand* x,
       int n, const weft::cuda::ForEachKernels& kernels, detail::ForEachLaunch& plan,
       weft::cuda::ElementwiseLoops& grid, int* transposed) {
      return force(launch, detail::ForEachPlan{loops, x, n, kernels, plan, grid, transposed});
    },
    [](weft::cuda::PlannedLaunch& launch, const weft::cuda::RowKernel& kernel,
       weft::cuda::RowLaunch& plan, weft::cuda::RowLoops& grid, const weft::cuda::RowOperand*) {
      return force(launch, detail::RowChoices{kernel, plan, grid, 100 * 1024});
    },
    [](weft::cuda::PlannedLaunch& launch, int lanes, weft::cuda::ReduceLoops& grid) {
      return force(launch, detail::ReduceChoices{grid, lanes});
    },
    [](weft::cuda::PlannedLaunch& launch, const weft::cuda::ThreadGroups&, unsigned& threads) {
      return force(launch, detail::GroupChoices{threads});
    },
    [](void*) noexcept {},
    detail::text_of};

/// Each choice for the statement's kernels gives the planner's bits; returns how many there are.
template <class F>
int same_bits(const F& statement) {
  const weft::cuda::Tuner* const before = detail::tuner;
  detail::tuner = &forcing;
  forced = 0;
  const auto expected = statement().to(weft::Cpu{});
  int choices = 0;
  for (forced = 1; forced < detail::ChoiceList::most; ++forced) {
    taken = 0;
    const auto got = statement().to(weft::Cpu{});
    if (taken == 0) break;
    CAPTURE(forced);
    REQUIRE(got.size() == expected.size());
    const auto bytes = static_cast<std::size_t>(got.size()) * sizeof(*got.data());
    CHECK(std::memcmp(got.data(), expected.data(), bytes) == 0);
    ++choices;
  }
  forced = 0;
  detail::tuner = before;
  return choices;
}

Gpu values(const weft::Shape& shape) {
  const Gpu x = weft::linspace(0, 40, shape.size(), Cuda{}).reshape(shape);
  return sin(x * x) * 3;
}

#endif

}  // namespace

#if defined(__CUDACC__)

TEST_CASE("element-wise statements have the same bits with each choice [gpu]") {
  const Gpu x = values({300, 197});
  const Gpu wide = values({2048, 64});
  const Gpu row = values({197});
  const Gpu wide_row = values({64});
  CHECK(same_bits([&] { return Gpu(tanh(x) * row + 1); }) >= 2);
  CHECK(same_bits([&] { return Gpu(wide * wide_row - 1); }) >= 2);
  CHECK(same_bits([&] { return Gpu(x.transpose(0, 1) * 2 + values({197, 300})); }) >= 1);
  CHECK(same_bits([&] {
          auto [a, b] = fuse(x * row, x - row);
          return Gpu(a + b);
        }) >= 2);
}

TEST_CASE("copies have the same bits with each choice [gpu]") {
  const Gpu x = values({300, 5, 80});
  CHECK(same_bits([&] { return Gpu(x.permute(2, 1, 0).contiguous()); }) >= 1);
  CHECK(same_bits([&] { return Gpu(x.permute(1, 0, 2).contiguous()); }) >= 0);
  CHECK(same_bits([&] { return Gpu(x.reshape({300, 400}).transpose(0, 1).contiguous()); }) >= 1);
}

TEST_CASE("row programs have the same bits with each choice [gpu]") {
  int choices = 0;
  for (const int length : {3, 8, 33, 64, 100, 256, 700}) {
    CAPTURE(length);
    const Gpu x = values({513, length});
    const Gpu w = values({length});
    choices += same_bits([&] { return Gpu(softmax(x, axis(-1))); });
    choices +=
        same_bits([&] { return Gpu(x * rsqrt(mean(x * x, axis(-1), keepdims) + 1e-5F) * w); });
    choices += same_bits([&] { return Gpu(x - mean(x, axis(0), keepdims)); });
    choices += same_bits([&] { return Gpu(max(x * x, axis(-1)) / (sum(abs(x), axis(-1)) + 1)); });
  }
  CHECK(choices > 40);
}

TEST_CASE("reductions have the same bits with each choice [gpu]") {
  int choices = 0;
  for (const int length : {3, 64, 100, 700}) {
    CAPTURE(length);
    const Gpu x = values({600, length});
    choices += same_bits([&] { return Gpu(sum(x * x, axis(-1))); });
    choices += same_bits([&] { return Gpu(sum(x, axis(0))); });
    choices += same_bits([&] { return Gpu(weft::max(x, axis(0))); });
  }
  CHECK(choices > 10);
}

TEST_CASE("scans have the same bits with each choice [gpu]") {
  for (const weft::Shape& shape : {weft::Shape{300, 5}, {300, 40}, {300, 100}, {64, 700}}) {
    const Gpu x = values(shape);
    CHECK(same_bits([&] { return Gpu(cumsum(x, axis(-1))); }) >= 3);
    CHECK(same_bits([&] { return Gpu(cumsum(x * x + 1, axis(-1))); }) >= 2);
  }
  const Gpu x = values({12, 80'000});
  CHECK(same_bits([&] { return Gpu(cumsum(x, axis(0))); }) >= 0);
}

TEST_CASE("tune times each choice of each kernel, and results keep their bits [gpu]") {
  const Environment environment(nullptr);
  CHECK(detail::tuner == nullptr);  // nothing wanted, nothing known
  const Gpu x = values({500, 40});
  const auto expected = Gpu(softmax(x, axis(-1))).to(weft::Cpu{});
  Gpu z;
  Gpu s;
  const Tuned tuned = weft::cuda::tune(
      [&] {
        z = softmax(x, axis(-1));
        s = x * 2 + 1;
      },
      {.runs = 3});
  REQUIRE(tuned.kernels.size() == 2);
  CHECK(tuned.kernels[0].kind == "rows");
  CHECK(tuned.kernels[1].kind == "element-wise");
  CHECK(tuned.file == environment.path);
  for (const Tuned::Kernel& kernel : tuned.kernels) {
    CHECK(kernel.candidates.size() > 1);
    CHECK(kernel.candidates[0].choice == "as planned");
    CHECK(kernel.chosen < kernel.candidates.size());
    CHECK_FALSE(kernel.known);
    for (const auto& candidate : kernel.candidates) CHECK(candidate.seconds < 1);
  }
  CHECK(environment.lines() == 3);
  std::ostringstream text;
  text << tuned;
  MESSAGE(text.str());
  CHECK(text.str().find("as planned") != std::string::npos);
  z = softmax(x, axis(-1));
  const auto got = z.to(weft::Cpu{});
  CHECK(std::memcmp(got.data(), expected.data(), 500 * 40 * sizeof(float)) == 0);
  const Tuned known = weft::cuda::tune(x * 2 + 1, {.runs = 1});
  REQUIRE(known.kernels.size() == 1);
  CHECK(known.kernels[0].known);
  CHECK(known.kernels[0].candidates.size() == known.kernels[0].chosen + 1);
  CHECK(environment.lines() == 3);
  const Tuned again = weft::cuda::tune(x * 2 + 1, {.runs = 1, .again = true});
  CHECK_FALSE(again.kernels[0].known);
  CHECK(environment.lines() == 4);
}

TEST_CASE("a later run takes what the file says, and explain says so [gpu]") {
  const Gpu x = values({500, 40});
  std::string content;
  {
    const Environment environment(nullptr);
    const Tuned tuned = weft::cuda::tune(x * 3 - 1, {.runs = 1});
    REQUIRE(tuned.kernels.size() == 1);
    content = environment.content();
  }
  for (std::size_t at = 0; (at = content.find('\t', at + 1)) != std::string::npos;) {
    for (const char* was : {"\tplanned\t", "\tthreads=128\t", "\tvectors=2\t", "\tvectors=4\t"}) {
      if (content.compare(at, std::strlen(was), was) == 0) {
        content.replace(at, std::strlen(was), "\tthreads=64\t");
      }
    }
  }
  REQUIRE(content.find("threads=64") != std::string::npos);
  {
    const Environment environment(nullptr, content);
    CHECK(detail::tuner != nullptr);
    const weft::Explanation e = explain(x * 3 - 1);
    CHECK(e.kernels[0].tuned == "64 threads a block");
    CHECK(e.kernels[0].threads == 64);
    CHECK(std::string(to_string(e)).find("tuned: 64 threads a block") != std::string::npos);
    CHECK(explain(x * 3 - 1 + x).kernels[0].tuned.empty());
    Gpu z = x * 3 - 1;
    CHECK(z(7, 3).item() == doctest::Approx(x(7, 3).item() * 3 - 1));
    CHECK(environment.content() == content);  // nothing is measured
  }
  const Environment off("0", content);
  CHECK(detail::tuner == nullptr);
  CHECK(explain(x * 3 - 1).kernels[0].tuned.empty());
}

TEST_CASE("WEFT_TUNE=1 runs no statement more often than the program does [gpu]") {
  const Environment environment("1");
  Gpu x = weft::zeros({1000}, Cuda{});
  for (int i = 0; i < 100; ++i) {
    x += 1;
    if (i % 10 == 0) weft::cuda::synchronize();
  }
  CHECK(x(17).item() == 100);
  CHECK(environment.lines() >= 2);
  const std::string before = environment.content();
  for (int i = 0; i < 100; ++i) x += 1;
  weft::cuda::synchronize();
  CHECK(x(17).item() == 200);
  CHECK(environment.content() == before);  // known by now
}

TEST_CASE("threads measure the same kernels at once [gpu]") {
  const Environment environment("1");
  float results[4] = {};
  std::vector<std::thread> threads;
  for (float& result : results) {
    threads.emplace_back([&result] {
      Gpu x = weft::zeros({3000}, Cuda{});
      for (int i = 0; i < 60; ++i) {
        x += 1;
        if (i % 8 == 0) weft::cuda::current_stream().synchronize();
      }
      result = x(2999).item();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const float result : results) CHECK(result == 60);
}

TEST_CASE("nothing is measured in a capture [gpu]") {
  const Environment environment("1");
  const Gpu x = values({500, 40});
  CHECK_SAYS("[tune] the stream is being captured",
             weft::cuda::capture([&] { (void)weft::cuda::tune(x + 1); }));
  Gpu z = weft::zeros({500, 40}, Cuda{});
  auto graph = weft::cuda::capture([&] { z.assign(x * 5); });
  for (int i = 0; i < 100; ++i) graph.replay();
  weft::cuda::synchronize();
  CHECK(environment.content().empty());
  CHECK(z(3, 3).item() == 5 * x(3, 3).item());
}

TEST_CASE("what cannot be tuned says so [gpu]") {
  const Environment environment(nullptr);
  const Gpu x = values({8});
  CHECK_SAYS("[tune] 0 runs", weft::cuda::tune(x + 1, {.runs = 0}));
  CHECK_SAYS("[tune] tune() within", weft::cuda::tune([&] { (void)weft::cuda::tune(x + 1); }));
  const Tuned nothing = weft::cuda::tune([] {});
  CHECK(nothing.kernels.empty());
  CHECK(std::string(to_string(nothing)).find("no kernel has a choice") != std::string::npos);
}

#endif

TEST_CASE("a report has a line for each choice, and marks the one that won") {
  Tuned tuned;
  tuned.device = "GPU";
  tuned.file = "/a/b";
  tuned.kernels.push_back(
      {"add(float)", "element-wise", "100 c.c", {{"as planned", 2e-6}, {"64 threads", 1e-6}}, 1});
  CHECK(std::string(to_string(tuned)) ==
        "tuned on GPU, remembered in /a/b\n"
        "  add(float), element-wise 100 c.c\n"
        "        2.00 us   as planned\n"
        "        1.00 us * 64 threads\n");
}
