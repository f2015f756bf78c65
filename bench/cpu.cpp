// weft on the CPU beside hand-written loops, Eigen and xtensor: interleaved, least time, checked.
// SPDX-License-Identifier: Apache-2.0
#include "cpu.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "weft/weft.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

using std::int64_t;
using weft::axis;
using weft::keepdims;
using weft::Tensor;

namespace {

struct Case {
  const char* name;
  int64_t rows;  // of the large size
  int64_t width;
  double bytes;  // an element must move
};

constexpr Case cases[] = {
    {"chain", 1, 1 << 25, 12},         {"axpy", 1, 1 << 25, 12},  {"softmax", 4096, 1024, 8},
    {"layernorm", 4096, 1024, 8},      {"sumexp", 1, 1 << 25, 4}, {"sum", 1, 1 << 25, 4},
    {"rowsum", 4096, 4096, 4},         {"colsum", 4096, 4096, 4}, {"bnorm", 32768, 1024, 8},
    {"transpose_add", 4096, 4096, 12}, {"argmax", 1, 1 << 25, 4},
};

/// The operands as tensors, whose memory the rivals use too.
struct Data {
  Tensor<float> x, y, mean, deviation, bias, out, row_out, single;
  bench::Operands operands;

  Data(int64_t rows, int64_t width) {
    const weft::Shape shape = rows == 1 ? weft::Shape{width} : weft::Shape{rows, width};
    const auto wave = [](const weft::Shape& s, float step, float scale) {
      const Tensor<float> flat =
          sin(weft::arange<float>(static_cast<float>(s.size())) * step) * scale;
      return flat.reshape(s);
    };
    x = wave(shape, 0.37F, 2);
    y = wave(shape, 0.11F, 1);
    mean = wave({width}, 0.05F, 1);
    deviation = wave({width}, 0.07F, 0.3F);
    deviation += 1.0F;
    bias = wave({width}, 0.03F, 1);
    out = weft::zeros(shape);
    operands = {x.size(),         rows,        width,     x.data(), y.data(), mean.data(),
                deviation.data(), bias.data(), out.data()};
  }
};

void add_weft(const std::string& name, Data& d, bench::Contenders& all) {
  const auto add = [&](std::function<void()> run) { all.push_back({"weft", 64, std::move(run)}); };
  float* const first = d.out.data();
  // Results that are smaller than the operands go to the front of the same memory.
  const auto front = [first](const weft::Shape& shape) { return weft::borrow(first, shape); };
  const int64_t rows = d.operands.rows;
  const int64_t width = d.operands.width;
  if (name == "chain") {
    add([&d] { d.out = tanh(d.x * d.y + 0.3F) * exp(-d.x * d.x) + 0.5F; });
  } else if (name == "axpy") {
    add([&d] { d.out = 0.75F * d.x + d.out; });
  } else if (name == "softmax") {
    add([&d] {
      auto e = exp(d.x - max(d.x, axis(-1), keepdims));
      d.out = e / sum(e, axis(-1), keepdims);
    });
  } else if (name == "layernorm") {
    add([&d] {
      auto c = d.x - mean(d.x, axis(-1), keepdims);
      d.out = c * rsqrt(mean(c * c, axis(-1), keepdims) + 1e-5F) * d.deviation + d.bias;
    });
  } else if (name == "sumexp") {
    add([&d, z = front({})] { z.assign(sum(exp(d.x))); });
  } else if (name == "sum") {
    add([&d, z = front({})] { z.assign(sum(d.x)); });
  } else if (name == "rowsum") {
    add([&d, z = front({rows})] { z.assign(sum(d.x, axis(1))); });
  } else if (name == "colsum") {
    add([&d, z = front({width})] { z.assign(sum(d.x, axis(0))); });
  } else if (name == "bnorm") {
    add([&d] { d.out = (d.x - d.mean) * d.deviation; });
  } else if (name == "transpose_add") {
    add([&d] { d.out = d.x.t() + d.y; });
  } else if (name == "argmax") {
    add([&d, first] { first[0] = static_cast<float>(argmax(d.x).item() % 1000003); });
  }
}

/// The result in double precision, up to 4096 elements of it in even steps.
std::vector<double> expected(const std::string& name, const Data& d, std::vector<int64_t>& at) {
  const bench::Operands& o = d.operands;
  const bool one = name == "sum" || name == "sumexp" || name == "argmax";
  const int64_t n = one ? 1 : name == "rowsum" ? o.rows : name == "colsum" ? o.width : o.n;
  const int64_t step = std::max<int64_t>(1, n / 4093);
  std::vector<double> out;
  const auto row_of = [&](int64_t i) { return o.x + i / o.width * o.width; };
  for (int64_t i = 0; i < n; i += step) {
    at.push_back(i);
    const double x = o.x[i];
    const double y = o.y[i];
    double v = 0;
    if (name == "chain") {
      v = std::tanh(x * y + 0.3F) * std::exp(-x * x) + 0.5;
    } else if (name == "axpy") {
      v = 0.75 * x + 1;  // `out` is 1 before
    } else if (name == "softmax") {
      double sum = 0;
      for (int64_t j = 0; j < o.width; ++j) sum += std::exp(static_cast<double>(row_of(i)[j]));
      v = std::exp(x) / sum;
    } else if (name == "layernorm") {
      double sum = 0;
      double squares = 0;
      const auto w = static_cast<double>(o.width);
      for (int64_t j = 0; j < o.width; ++j) sum += static_cast<double>(row_of(i)[j]);
      for (int64_t j = 0; j < o.width; ++j) squares += std::pow(row_of(i)[j] - sum / w, 2);
      v = (x - sum / w) / std::sqrt(squares / w + 1e-5) * o.deviation[i % o.width] +
          o.bias[i % o.width];
    } else if (name == "sumexp") {
      for (int64_t j = 0; j < o.n; ++j) v += std::exp(static_cast<double>(o.x[j]));
    } else if (name == "sum") {
      for (int64_t j = 0; j < o.n; ++j) v += static_cast<double>(o.x[j]);
    } else if (name == "rowsum") {
      for (int64_t j = 0; j < o.width; ++j) v += static_cast<double>(o.x[i * o.width + j]);
    } else if (name == "colsum") {
      for (int64_t j = 0; j < o.rows; ++j) v += static_cast<double>(o.x[j * o.width + i]);
    } else if (name == "bnorm") {
      v = (x - o.mean[i % o.width]) * o.deviation[i % o.width];
    } else if (name == "transpose_add") {
      v = static_cast<double>(o.x[i % o.width * o.rows + i / o.width]) + y;
    } else if (name == "argmax") {
      v = static_cast<double>((std::max_element(o.x, o.x + o.n) - o.x) % 1000003);
    }
    out.push_back(v);
  }
  return out;
}

double seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void run_case(const Case& c, bool small, int threads, double budget) {
  const int64_t rows = !small ? c.rows : c.rows == 1 ? 1 : 32;
  const int64_t width = !small ? c.width : c.rows == 1 ? 1024 : 32;
  Data data(rows, width);
  bench::Contenders all;
  add_weft(c.name, data, all);
  bench::add_hand(c.name, data.operands, all);
#if defined(WEFT_BENCH_EIGEN)
  bench::add_eigen(c.name, data.operands, all);
  bench::add_eigen_tensor(c.name, data.operands, threads, all);
#endif
#if defined(WEFT_BENCH_XTENSOR)
  bench::add_xtensor(c.name, data.operands, all);
#endif
  std::vector<int64_t> at;
  const std::vector<double> right = expected(c.name, data, at);
  double magnitude = 0;  // what errors are relative to: sums cancel
  for (double v : right) magnitude = std::max(magnitude, std::abs(v));

  std::vector<double> error(all.size());
  std::vector<double> least(all.size(), 1e30);
  std::vector<int> calls(all.size(), 1);
  for (std::size_t k = 0; k < all.size(); ++k) {
    data.out.fill(1);
    all[k].run();
    for (std::size_t i = 0; i < at.size(); ++i) {
      error[k] = std::max(
          error[k], std::abs(static_cast<double>(data.operands.out[at[i]]) - right[i]) / magnitude);
    }
    const double start = seconds();
    all[k].run();
    calls[k] = std::clamp(static_cast<int>(20e-6 / (seconds() - start + 1e-9)), 1, 1000);
  }
  const double end = seconds() + budget;
  const std::size_t n = all.size();
  for (std::size_t r = 0; r < 2 * n || (seconds() < end && r < 2000); ++r) {
    data.out.fill(1);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t k = (r + j) % n;  // what ran before leaves the caches otherwise to each
      // OpenMP's threads wait actively after a region, on the cores that the next one needs.
      if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const double start = seconds();
      for (int i = 0; i < calls[k]; ++i) all[k].run();
      least[k] = std::min(least[k], (seconds() - start) / calls[k]);
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool checked = error[k] < 2e-4;
    std::printf(
        "{\"case\": \"%s%s\", \"threads\": %d, \"who\": \"%s\", \"uses\": %d, \"ms\": %.7f, "
        "\"gbps\": "
        "%.2f, \"error\": %.3g, \"checked\": %s}\n",
        c.name, small ? "_1024" : "", threads, all[k].who.c_str(),
        std::min(threads, all[k].threads), least[k] * 1e3,
        c.bytes * static_cast<double>(rows * width) / least[k] * 1e-9, error[k],
        checked ? "true" : "false");
  }
  std::fflush(stdout);
}

}  // namespace

/// bench_cpu [--threads N] [--seconds S] [--cases a,b] [--small | --large]
int main(int argc, char** argv) {
  int threads = 1;
  double budget = 2;
  std::string wanted;
  bool small = true;
  bool large = true;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--threads") threads = std::max(1, std::atoi(value));
    if (option == "--seconds") budget = std::atof(value);
    if (option == "--cases") wanted = std::string(",") + value + ",";
    if (option == "--small") large = false;
    if (option == "--large") small = false;
  }
#if defined(_OPENMP)
  omp_set_num_threads(threads);  // the loops written by hand
#endif
  weft::set_num_threads(threads);
  for (const Case& c : cases) {
    if (!wanted.empty() && wanted.find(std::string(",") + c.name + ",") == std::string::npos)
      continue;
    if (large) run_case(c, false, threads, budget);
    if (small) run_case(c, true, threads, budget / 4);
  }
  return 0;
}
