// Rival of the CPU benchmark: Eigen's Tensor module with its thread pool.
// SPDX-License-Identifier: Apache-2.0
#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/Tensor>

#include "../cpu.hpp"

namespace bench {
namespace {
template <int Rank>
using Map = Eigen::TensorMap<Eigen::Tensor<float, Rank, Eigen::RowMajor>>;

struct Pool {
  explicit Pool(int threads) : pool(threads), device(&pool, threads) {}
  Eigen::ThreadPool pool;
  Eigen::ThreadPoolDevice device;
};
}  // namespace

void add_eigen_tensor(const std::string& name, const Operands& o, int threads, Contenders& all) {
  using Index = Eigen::Index;
  using Axes = Eigen::array<Index, 1>;
  using Sizes = Eigen::array<Index, 2>;
  const auto pool = threads > 1 ? std::make_shared<Pool>(threads) : nullptr;
  const auto add = [&](auto run) {
    if (threads == 1) {
      all.push_back({"Eigen Tensor", 1, [run] {
                       const Eigen::DefaultDevice device;
                       run(device);
                     }});
    } else {
      all.push_back({"Eigen Tensor", threads, [run, pool] { run(pool->device); }});
    }
  };
  const Map<1> x(o.x, o.n);
  const Map<1> y(o.y, o.n);
  const Map<2> m(o.x, o.rows, o.width);
  const Map<2> mean(o.mean, 1, o.width);
  const Map<2> deviation(o.deviation, 1, o.width);
  const Sizes down{o.rows, 1};
  const Sizes across{1, o.width};
  const Sizes column{o.rows, 1};
  const Axes last{1};
  const Axes first{0};
  if (name == "chain") {
    add([=, &o](const auto& device) {
      Map<1> out(o.out, o.n);
      out.device(device) = (x * y + 0.3F).tanh() * (-x * x).exp() + 0.5F;
    });
  } else if (name == "axpy") {
    add([=, &o](const auto& device) {
      Map<1> out(o.out, o.n);
      out.device(device) = 0.75F * x + out;
    });
  } else if (name == "softmax") {
    add([=, &o](const auto& device) {
      Map<2> out(o.out, o.rows, o.width);
      out.device(device) = (m - m.maximum(last).eval().reshape(column).broadcast(across)).exp();
      out.device(device) = out / out.sum(last).eval().reshape(column).broadcast(across);
    });
  } else if (name == "sumexp") {
    add([=, &o](const auto& device) {
      Eigen::TensorMap<Eigen::Tensor<float, 0, Eigen::RowMajor>> out(o.out);
      out.device(device) = x.exp().sum();
    });
  } else if (name == "sum") {
    add([=, &o](const auto& device) {
      Eigen::TensorMap<Eigen::Tensor<float, 0, Eigen::RowMajor>> out(o.out);
      out.device(device) = x.sum();
    });
  } else if (name == "rowsum") {
    add([=, &o](const auto& device) { Map<1>(o.out, o.rows).device(device) = m.sum(last); });
  } else if (name == "colsum") {
    add([=, &o](const auto& device) { Map<1>(o.out, o.width).device(device) = m.sum(first); });
  } else if (name == "bnorm") {
    add([=, &o](const auto& device) {
      Map<2> out(o.out, o.rows, o.width);
      out.device(device) = (m - mean.broadcast(down)) * deviation.broadcast(down);
    });
  } else if (name == "transpose_add") {
    add([=, &o](const auto& device) {
      const Map<2> square(o.x, o.width, o.rows);
      const Map<2> other(o.y, o.rows, o.width);
      Map<2> out(o.out, o.rows, o.width);
      out.device(device) = square.shuffle(Sizes{1, 0}) + other;
    });
  }
}

}  // namespace bench
