#include "weft/optim/lbfgs.hpp"

#include "training.hpp"

using namespace weft;
using test::pytorch;

namespace {
/// Rosenbrock's function.
template <class D>
struct Problem {
  // Two parameters of different shapes, as a network has them.
  Var<double, D> first;   // (3,)
  Var<double, D> second;  // ()

  explicit Problem(const Tensor<double, D>& x)
      : first(parameter(x.narrow(0, 0, 3).clone())),
        second(parameter(x.narrow(0, 3, 1).clone().reshape({}))) {}
  std::vector<Var<double, D>> parameters() const { return {first, second}; }
  Var<double, D> operator()() const {
    const Var low = cat(first, second.reshape({1}), axis(0));
    const Var<double, D> a = low.narrow(0, 0, 3);
    const Var<double, D> b = low.narrow(0, 1, 3);
    return sum(square(b - square(a)) * 100.0 + square(1.0 - a));
  }
};

template <class D>
void compare(const char* name, optim::LBFGSOptions options, double tolerance) {
  CAPTURE(name);
  const std::string key = std::string("lbfgs.") + name;
  const auto losses = pytorch<double, Cpu>(key + ".losses");
  Problem<D> f(pytorch<double, D>("lbfgs.start"));
  optim::LBFGS optimizer(f.parameters(), options);
  StateDict saved;
  const auto run = [&](auto& solver, const auto& problem, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      CAPTURE(i);
      const Var loss = solver.step([&] {
        solver.zero_grad();
        const Var value = problem();
        value.backward();
        return value;
      });
      CHECK(loss.item() == doctest::Approx(losses.at(i)).epsilon(tolerance));
    }
  };
  run(optimizer, f, 0, 7);
  for (const auto& entry : optimizer.state_dict()) saved.add(entry.first, entry.second);
  Problem<D> g(pytorch<double, D>("lbfgs.start"));
  g.first.detach().assign(f.first.detach());
  g.second.detach().assign(f.second.detach());
  optim::LBFGS resumed(g.parameters(), options);
  resumed.load_state_dict(saved);
  run(resumed, g, 7, 20);
  run(optimizer, f, 7, 20);
  const auto x = pytorch<double, Cpu>(key + ".x");
  CHECK(f.second.item() == doctest::Approx(x.at(3)).epsilon(1e-6));
  CHECK(f.first.detach().to(Cpu{}).at(0) == doctest::Approx(x.at(0)).epsilon(1e-6));
  CHECK(optimizer.iterations() == resumed.iterations());
  CHECK(equal(f.first.detach(), g.first.detach()));
}
}  // namespace

TEST_CASE_TEMPLATE("LBFGS is PyTorch's", D, TEST_DEVICES) {
  compare<D>("plain", {.lr = 1e-3, .max_iter = 5, .history_size = 3}, 1e-8);
  compare<D>("wolfe",
             {.max_iter = 4, .history_size = 3, .line_search = optim::LineSearch::strong_wolfe},
             1e-6);
}

TEST_CASE("LBFGS stops where there is nothing to do, and refuses what does not fit") {
  const Var x = parameter(zeros<double>({2}));
  optim::LBFGS optimizer(std::vector{x});
  int calls = 0;
  const auto loss = optimizer.step([&] {
    ++calls;
    optimizer.zero_grad();
    const Var value = sum(x * x);
    value.backward();
    return value;
  });
  CHECK(loss.item() == 0);
  CHECK(calls == 1);
  CHECK(optimizer.iterations() == 0);
  CHECK_SAYS("max_iter 0", optim::LBFGS(std::vector{x}, {.max_iter = 0}));
  CHECK_SAYS("no parameters", optim::LBFGS(std::vector<Var<double>>{}));
  StateDict other{{"counts", tensor(std::vector<int64_t>{1, 1, 0}, {3})},
                  {"numbers", tensor({1.0, 1.0})},
                  {"direction", ones<double>({3})},
                  {"before", ones<double>({3})}};
  CHECK_SAYS("'direction' is of shape (3,), expected (2,)", optimizer.load_state_dict(other));
}
