#include "weft/optim/schedule.hpp"

#include "training.hpp"
#include "weft/optim/sgd.hpp"

using namespace weft;
using test::pytorch;

namespace {
auto optimizer() { return optim::SGD(std::vector{parameter(ones({1}))}, {.lr = 0.1}); }

/// Rates are PyTorch's, and a schedule that is loaded in the middle goes on.
template <class F>
void compare(const char* name, F formula) {
  CAPTURE(name);
  const auto expected = pytorch<double, Cpu>(name);
  auto sgd = optimizer();
  optim::Schedule schedule(sgd, formula);
  for (int64_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(schedule.lr() == doctest::Approx(expected.at(i)).epsilon(1e-9));
    if (i == 7) {
      optim::Schedule fresh(sgd, formula);
      fresh.load_state_dict(schedule.state_dict());
      schedule = fresh;
    }
    schedule.step();
  }
}
}  // namespace

TEST_CASE("rates are PyTorch's") {
  compare("rate.step", optim::StepLR{.step_size = 3, .gamma = 0.5});
  compare("rate.cosine", optim::CosineAnnealingLR{.t_max = 10, .eta_min = 0.01});
  compare("rate.one_cycle", optim::OneCycleLR{.max_lr = 0.5, .total_steps = 20});
  compare("rate.linear", optim::WarmUp{4, optim::CosineAnnealingLR{10}, 0.25});
}

TEST_CASE("any function is a formula") {
  auto sgd = optimizer();
  optim::Schedule schedule(sgd, [](int64_t step, double lr) { return lr / double(step + 1); });
  schedule.step();
  CHECK(sgd.lr() == doctest::Approx(0.05));
}

TEST_CASE("a schedule sets the rate of each group from its own") {
  auto sgd = optimizer();
  sgd.add_group({parameter(ones({2}))}, {.lr = 0.4});
  optim::Schedule schedule(sgd, optim::StepLR{.step_size = 1, .gamma = 0.5});
  schedule.step();
  CHECK(schedule.lr() == doctest::Approx(0.05));
  CHECK(schedule.lr(1) == doctest::Approx(0.2));
  sgd.add_group({parameter(ones({3}))}, {.lr = 7});
  const auto saved = schedule.state_dict();
  schedule.step();
  CHECK(sgd.lr(1) == doctest::Approx(0.1));
  CHECK(sgd.lr(2) == 7);
  schedule.load_state_dict(saved);
  CHECK(sgd.lr(1) == doctest::Approx(0.2));
  optim::Schedule later(sgd, optim::ConstantLR{.factor = 1});
  CHECK(optim::ConstantLR{}(4, 0.3) == doctest::Approx(0.1));  // PyTorch's factor
  CHECK_SAYS("rates of 2 groups, expected 3", later.load_state_dict(saved));
  optim::ReduceLROnPlateau plateau(sgd, {.factor = 0.5, .patience = 0});
  plateau.step(1);
  plateau.step(2);
  CHECK(plateau.lr(1) == doctest::Approx(0.1));
  CHECK(plateau.lr(2) == doctest::Approx(3.5));
}

TEST_CASE("ReduceLROnPlateau is PyTorch's") {
  auto sgd = optimizer();
  const auto measures = pytorch<double, Cpu>("rate.measures");
  const auto rates = pytorch<double, Cpu>("rate.plateau");
  optim::ReduceLROnPlateau plateau(sgd, {.factor = 0.5, .patience = 2, .cooldown = 1});
  for (int64_t i = 0; i < rates.size(); ++i) {
    CAPTURE(i);
    if (i == 6) {
      optim::ReduceLROnPlateau fresh(sgd, {.factor = 0.5, .patience = 2, .cooldown = 1});
      fresh.load_state_dict(plateau.state_dict());
      plateau = fresh;
    }
    plateau.step(measures.at(i));
    CHECK(plateau.lr() == doctest::Approx(rates.at(i)));
  }
  CHECK_SAYS("factor 1", optim::ReduceLROnPlateau(sgd, {.factor = 1}));
  CHECK_SAYS("[OneCycleLR] total_steps 0", optim::Schedule(sgd, optim::OneCycleLR{1, 0}));
}
