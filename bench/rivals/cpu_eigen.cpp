// Rival of the CPU benchmark: Eigen's arrays, as one would write it and with a loop over the rows.
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>

#include "../cpu.hpp"

namespace bench {
namespace {
using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Array<float, Eigen::Dynamic, 1>;
using Row = Eigen::Array<float, 1, Eigen::Dynamic>;
}  // namespace

void add_eigen(const std::string& name, const Operands& o, Contenders& all) {
  const Eigen::Map<Vector> x(o.x, o.n);
  const Eigen::Map<Vector> y(o.y, o.n);
  const Eigen::Map<Matrix> m(o.x, o.rows, o.width);
  const Eigen::Map<Row> mean(o.mean, o.width);
  const Eigen::Map<Row> deviation(o.deviation, o.width);
  const Eigen::Map<Row> bias(o.bias, o.width);
  const auto out = [&o] { return Eigen::Map<Vector>(o.out, o.n); };
  const auto table = [&o] { return Eigen::Map<Matrix>(o.out, o.rows, o.width); };
  const auto add = [&](const char* who, std::function<void()> run) {
    all.push_back({who, 1, std::move(run)});
  };
  if (name == "chain") {
    add("Eigen", [=] { out() = (x * y + 0.3F).tanh() * (-x * x).exp() + 0.5F; });
  } else if (name == "axpy") {
    add("Eigen", [=] { out() = 0.75F * x + out(); });
  } else if (name == "softmax") {
    add("Eigen", [=] {
      auto e = table();
      e = (m.colwise() - m.rowwise().maxCoeff()).exp();
      e.colwise() /= e.rowwise().sum().eval();
    });
    add("Eigen, rows", [=, &o] {
      auto t = table();
      for (Eigen::Index r = 0; r < o.rows; ++r) {
        auto row = t.row(r);
        row = (m.row(r) - m.row(r).maxCoeff()).exp();
        row *= 1 / row.sum();
      }
    });
  } else if (name == "layernorm") {
    add("Eigen", [=, &o] {
      auto t = table();
      t = m.colwise() - m.rowwise().mean();
      const Vector scale = (t.square().rowwise().mean() + 1e-5F).rsqrt();
      t = ((t.colwise() * scale).rowwise() * deviation).rowwise() + bias;
    });
    add("Eigen, rows", [=, &o] {
      auto t = table();
      for (Eigen::Index r = 0; r < o.rows; ++r) {
        auto row = t.row(r);
        row = m.row(r) - m.row(r).mean();
        row = row * (1 / std::sqrt(row.square().mean() + 1e-5F)) * deviation + bias;
      }
    });
  } else if (name == "sumexp") {
    add("Eigen", [=, &o] { o.out[0] = x.exp().sum(); });
  } else if (name == "sum") {
    add("Eigen", [=, &o] { o.out[0] = x.sum(); });
  } else if (name == "rowsum") {
    add("Eigen", [=, &o] { Eigen::Map<Vector>(o.out, o.rows) = m.rowwise().sum(); });
    add("Eigen, rows", [=, &o] {
      for (Eigen::Index r = 0; r < o.rows; ++r) o.out[r] = m.row(r).sum();
    });
  } else if (name == "colsum") {
    add("Eigen", [=, &o] { Eigen::Map<Row>(o.out, o.width) = m.colwise().sum(); });
    add("Eigen, rows", [=, &o] {
      Eigen::Map<Row> sums(o.out, o.width);
      sums = m.row(0);
      for (Eigen::Index r = 1; r < o.rows; ++r) sums += m.row(r);
    });
  } else if (name == "bnorm") {
    add("Eigen", [=] { table() = (m.rowwise() - mean).rowwise() * deviation; });
    add("Eigen, rows", [=, &o] {
      auto t = table();
      for (Eigen::Index r = 0; r < o.rows; ++r) t.row(r) = (m.row(r) - mean) * deviation;
    });
  } else if (name == "transpose_add") {
    add("Eigen", [=, &o] {
      const Eigen::Map<Matrix> square(o.x, o.width, o.rows);
      const Eigen::Map<Matrix> other(o.y, o.rows, o.width);
      table() = square.transpose() + other;
    });
  } else if (name == "argmax") {
    add("Eigen", [=, &o] {
      Eigen::Index at = 0;
      static_cast<void>(x.maxCoeff(&at));
      o.out[0] = static_cast<float>(at % 1000003);
    });
  }
}

}  // namespace bench
