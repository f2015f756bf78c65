// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/parallel.hpp>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "test.hpp"

namespace {
bool in_parallel_region = false;
}
/// Stands for OpenMP's runtime.
extern "C" int omp_in_parallel() { return in_parallel_region ? 1 : 0; }

namespace {

/// How often each item was visited, and in how many pieces.
std::vector<int> visits(std::int64_t items, std::int64_t elements, int& pieces) {
  std::vector<int> seen(static_cast<std::size_t>(items));
  std::mutex mutex;
  pieces = 0;
  weft::cpu::parallel(items, elements, [&](std::int64_t first, std::int64_t last) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++pieces;
    for (std::int64_t i = first; i < last; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  return seen;
}

}  // namespace

TEST_CASE("each item is visited once") {
  int pieces = 0;
  for (std::int64_t items : {1, 2, 3, 7, 64, 1001}) {
    for (std::int64_t elements : {std::int64_t{1}, weft::cpu::parallel_threshold}) {
      CHECK(visits(items, elements, pieces) ==
            std::vector<int>(static_cast<std::size_t>(items), 1));
    }
  }
}

TEST_CASE("small work stays on the calling thread") {
  int pieces = 0;
  visits(1000, weft::cpu::parallel_threshold - 1, pieces);
  CHECK(pieces == 1);
  visits(1, weft::cpu::parallel_threshold, pieces);
  CHECK(pieces == 1);
}

TEST_CASE("what a loop has reported is thrown when it is over, once") {
  weft::Failure* record = weft::cpu::failure_flag();
  auto fails = [&] {
    weft::cpu::parallel(100, weft::cpu::parallel_threshold, [&](std::int64_t first, std::int64_t) {
      weft::report_failure(record, "take", -1, first < 0 ? 0 : 9, -3, 2);
    });
  };
  CHECK_SAYS("[take] index 9 is out of range, expected -3 to 2", fails());
  CHECK_NOTHROW(weft::cpu::check_failures());
  weft::report_failure(record, "take", -1, 9, -3, 2);
  weft::cpu::failure_flag();  // what is left from before does not count
  CHECK_NOTHROW(weft::cpu::check_failures());
}

TEST_CASE("work of many elements gives what a loop gives") {
  const std::int64_t n = 3 * weft::cpu::parallel_threshold + 17;
  std::vector<float> values(static_cast<std::size_t>(n));
  std::vector<float> expected(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 101);
    expected[i] = values[i] * values[i] - 1;
  }
  const auto x = weft::tensor(values);
  CHECK((x * x - 1).eval().to_vector() == expected);
}

TEST_CASE("the number of threads can be set") {
  CHECK(weft::num_threads() >= 1);
  CHECK_SAYS("[set_num_threads] -1, expected at least 0", weft::set_num_threads(-1));
  CHECK_SAYS("[set_num_threads] 1000, expected at least 0 and at most 256",
             weft::set_num_threads(1000));
  int pieces = 0;
  for (int threads : {1, 2, 3}) {
    weft::set_num_threads(threads);
    CHECK(weft::num_threads() == threads);
    visits(1000, weft::cpu::parallel_threshold, pieces);
    CHECK(pieces == threads);
  }
  weft::set_num_threads(0);
}

TEST_CASE("results have the same bits for any number of threads") {
  using weft::axis;
  using weft::keepdims;
  const auto x = sin(weft::arange<float>(300'000.F) * 0.37F).eval();
  const auto table = x.reshape({300, 1000});
  const auto tall = x.reshape({50000, 6});
  const auto few = x.reshape({3, 100000});
  const auto cube = x.reshape({100, 30, 100}).permute({1, 0, 2});
  const auto results = [&] {
    const auto e = [](const auto& m) { return exp(m - max(m, axis(-1), keepdims)); };
    std::vector<weft::Tensor<float>> all;
    all.push_back((x * 2 + 1).eval());
    all.push_back(sum(x));
    all.push_back(sum(table, axis(1)));
    all.push_back(sum(table, axis(0)));
    all.push_back(var(tall, axis(0)));
    all.push_back(var(few, axis(1)));
    all.push_back(mean(cube, axis(0, 2)));
    all.push_back(sum(cube, axis(1)));
    all.push_back(e(table) / sum(e(table), axis(-1), keepdims));
    all.push_back(e(few) / sum(e(few), axis(-1), keepdims));
    all.push_back(weft::cast<float>(argmax(few, axis(1))));
    all.push_back((table.t() + 1).eval());
    std::vector<float> values;
    for (const auto& t : all) {
      for (float v : t.to_vector()) values.push_back(v);
    }
    return values;
  };
  weft::set_num_threads(1);
  const auto one = results();
  for (int threads : {2, 3, 7}) {
    weft::set_num_threads(threads);
    CHECK(results() == one);
  }
  weft::set_num_threads(0);
}

TEST_CASE("large work is shared, but not inside a parallel region of OpenMP's") {
  weft::set_num_threads(3);
  int pieces = 0;
  visits(1000, weft::cpu::parallel_threshold, pieces);
  CHECK(pieces == 3);
  in_parallel_region = true;
  visits(1000, weft::cpu::parallel_threshold, pieces);
  in_parallel_region = false;
  CHECK(pieces == 1);
  weft::set_num_threads(0);
}

TEST_CASE("small work wakes no more threads than have something to do") {
  using weft::cpu::elements_a_thread;
  weft::set_num_threads(16);
  CHECK(weft::cpu::threads_for(1000, 5 * elements_a_thread) == 5);
  CHECK(weft::cpu::threads_for(1000, 100 * elements_a_thread) == 16);
  CHECK(weft::cpu::threads_for(7, 100 * elements_a_thread) == 7);
  CHECK(weft::cpu::threads_for(1, 100 * elements_a_thread) == 1);
  weft::set_num_threads(0);
}

TEST_CASE("long work is cut finer than the threads are many") {
  weft::set_num_threads(2);
  int pieces = 0;
  visits(1000, 1 << 24, pieces);
  CHECK(pieces == 8);
  visits(5, 1 << 24, pieces);
  CHECK(pieces == 5);
  weft::set_num_threads(0);
}

TEST_CASE("what a shared loop throws reaches the one who called it") {
  weft::set_num_threads(3);
  const auto work = [](std::int64_t first, std::int64_t) {
    if (first > 0) throw std::runtime_error("from a thread");
  };
  CHECK_THROWS_WITH_AS(weft::cpu::parallel(1000, weft::cpu::parallel_threshold, work),
                       "from a thread", std::runtime_error);
  weft::set_num_threads(0);
}

TEST_CASE("a loop inside a shared loop, and one under SingleThreaded, stay on their thread") {
  weft::set_num_threads(3);
  int most = 0;
  std::mutex mutex;
  weft::cpu::parallel(3, weft::cpu::parallel_threshold, [&](std::int64_t, std::int64_t) {
    int mine = 0;
    visits(1000, weft::cpu::parallel_threshold, mine);
    const std::lock_guard<std::mutex> lock(mutex);
    most = std::max(most, mine);
  });
  CHECK(most == 1);
  int pieces = 0;
  {
    const weft::cpu::SingleThreaded here;
    visits(1000, weft::cpu::parallel_threshold, pieces);
  }
  CHECK(pieces == 1);
  visits(1000, weft::cpu::parallel_threshold, pieces);
  CHECK(pieces == 3);
  weft::set_num_threads(0);
}
