// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/primitive/lanes.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"
#include "weft/cuda.hpp"
#include "weft/cuda/reduce.hpp"

using weft::axis;
using weft::Cuda;
namespace detail = weft::cuda::detail;

namespace {

/// What `count` adjacent lanes make of states of one number each.
template <class R>
__global__ void merge_all(float* out, const float* in, unsigned count) {
  typename R::template State<float> state{};
  if (threadIdx.x % 5 != 4) R::add(state, in[threadIdx.x], 0);  // some have none
  detail::merge_adjacent(R{}, state, count);
  out[threadIdx.x] = R{}.finish(state, count);
}

double log_of_sum(const std::vector<float>& x) {
  double most = -INFINITY;
  for (const float v : x) {
    if (std::isnan(v)) return NAN;
    most = v > most ? v : most;
  }
  if (std::isinf(most)) return most;
  double sum = 0;
  for (const float v : x) sum += std::exp(double{v} - most);
  return most + std::log(sum);
}

void check_close(float found, double exact) {
  if (std::isnan(exact)) {
    CHECK(std::isnan(found));
  } else if (std::isinf(exact)) {
    CHECK(double{found} == exact);
  } else {
    CHECK(std::fabs(found - exact) <= 2e-6 * (1 + std::fabs(exact)));
  }
}

}  // namespace

TEST_CASE("states of adjacent lanes become one in each of them [gpu]") {
  static_assert(
      detail::merges_at_once<weft::reducer::logsumexp, weft::reducer::logsumexp::State<float>>);
  static_assert(detail::merges_at_once<weft::reducer::var, weft::reducer::var::State<float>>);
  static_assert(!detail::merges_at_once<weft::reducer::logsumexp,
                                        weft::reducer::logsumexp::State<weft::Dual<float>>>);
  std::vector<float> numbers(32);
  for (int i = 0; i < 32; ++i)
    numbers[static_cast<std::size_t>(i)] = static_cast<float>(i * 11 % 32) - 9;
  for (const float special : {0.F, INFINITY, -INFINITY, NAN}) {
    for (const unsigned count : {1U, 2U, 8U, 32U}) {
      CAPTURE(special);
      CAPTURE(count);
      std::vector<float> values = numbers;
      for (std::size_t i = 3; i < 32 && special != 0; i += 17) values[i] = special;
      const auto in = weft::tensor<float>(values).to(Cuda{});
      const auto out = weft::zeros<float>({32}, Cuda{});
      merge_all<weft::reducer::logsumexp><<<1, 32>>>(out.data(), in.data(), count);
      const auto found = out.to_vector();
      for (std::size_t first = 0; first < 32; first += count) {
        std::vector<float> group;
        for (std::size_t i = first; i < first + count; ++i) {
          if (i % 5 != 4) group.push_back(values[i]);
        }
        for (std::size_t i = first; i < first + count; ++i)
          check_close(found[i], log_of_sum(group));
      }
    }
  }
}

TEST_CASE("logsumexp and var of rows of any length, with numbers that are none [gpu]") {
  for (const int n :
       {1, 2, 3, 5, 8, 17, 31, 32, 33, 64, 100, 127, 160, 200, 257, 640, 1000, 1280, 5000}) {
    for (const float special : {0.F, INFINITY, -INFINITY, NAN}) {
      CAPTURE(n);
      CAPTURE(special);
      const int rows = 70;
      std::vector<float> values(static_cast<std::size_t>(rows * n));
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] =
            static_cast<float>(i * 2654435761U % 1000) / 37 - 15 * static_cast<float>(i % 3);
      }
      for (int r = 0; r < rows && special != 0; r += 2) {
        values[static_cast<std::size_t>(r * n + r % n)] = special;
      }
      const auto x = weft::tensor<float>(values).reshape({rows, n}).to(Cuda{});
      const auto found = logsumexp(x, axis(1)).eval().to_vector();
      const auto spread = var(x, axis(1), weft::correction(0)).eval().to_vector();
      for (int r = 0; r < rows; ++r) {
        const auto begin = values.begin() + r * n;
        const std::vector<float> row(begin, begin + n);
        check_close(found[static_cast<std::size_t>(r)], log_of_sum(row));
        double mean = 0;
        for (const float v : row) mean += v / double(n);
        double all = 0;
        for (const float v : row) all += (v - mean) * (v - mean);
        if (special == 0) check_close(spread[static_cast<std::size_t>(r)], all / n);
      }
    }
  }
  const auto none = weft::full<float>({3, 40}, -INFINITY, Cuda{});
  CHECK(logsumexp(none, axis(1)).eval().to_vector() == std::vector<float>(3, -INFINITY));
}
