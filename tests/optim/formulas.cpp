#include "weft/optim/formulas.hpp"

#include "training.hpp"
#include "weft/optim/schedule.hpp"

using namespace weft;

TEST_CASE("rates of further formulas are PyTorch's") {
  const auto compare = [](const char* name, const auto& formula) {
    CAPTURE(name);
    const auto rates = test::pytorch<double, Cpu>(name);
    for (int64_t i = 0; i < rates.size(); ++i) {
      CAPTURE(i);
      CHECK(formula(i, 0.1) == doctest::Approx(rates.at(i)).epsilon(1e-9));
    }
  };
  using namespace optim;
  compare("rate.multi_step", MultiStepLR{{3, 8, 9}, 0.5});
  compare("rate.exponential", ExponentialLR{0.9});
  compare("rate.lambda",
          LambdaLR{[](int64_t step) { return 1.0 / static_cast<double>(1 + step); }});
  compare("rate.linear_lr", LinearLR{0.25, 0.75, 6});
  compare("rate.constant", ConstantLR{0.25, 4});
  compare("rate.polynomial", PolynomialLR{12, 2});
  compare("rate.triangular", CyclicLR{0.1, 0.9, 3, 5});
  compare("rate.triangular2", CyclicLR{0.1, 0.9, 4, 0, Cycle::triangular2});
  compare("rate.exp_range", CyclicLR{0.1, 0.9, 4, 0, Cycle::exp_range, 0.9});
  compare("rate.restarts", CosineAnnealingWarmRestarts{4, 2, 0.01});
  compare("rate.restarts1", CosineAnnealingWarmRestarts{5});
  compare("rate.chained", ChainedScheduler(ExponentialLR{0.9}, ConstantLR{0.5, 4}));
  compare("rate.sequential",
          SequentialLR({3, 10}, ConstantLR{0.1, 3}, ExponentialLR{0.9}, StepLR{2, 0.5}));
  CHECK_SAYS("[SequentialLR] 1 milestones for 3 formulas",
             SequentialLR({3}, ConstantLR{}, ConstantLR{}, ConstantLR{}));
  CHECK_SAYS("in order", SequentialLR({3, 2}, ConstantLR{}, ConstantLR{}, ConstantLR{}));
}
