#include "weft/nn/losses/criteria.hpp"

#include "training.hpp"
#include "weft/nn/state.hpp"

using namespace weft;

static_assert(nn::Module<nn::MSELoss> && nn::Module<nn::HuberLoss> &&
              nn::Module<nn::TripletMarginLoss> && nn::Module<nn::CTCLoss> &&
              nn::Module<nn::CrossEntropyLoss<>> && nn::Module<nn::MultiMarginLoss<>>);
using test::pytorch;

// The tests of the functions call most of these modules in their place.
TEST_CASE_TEMPLATE("losses as modules have options and buffers", D, TEST_DEVICES) {
  const auto x = pytorch<double, D>("more.x");
  const auto p = pytorch<double, D>("more.probabilities");
  const auto weight = pytorch<double, D>("more.weight");
  const auto classes = pytorch<int64_t, D>("more.classes");
  nn::CrossEntropyLoss<D, double> entropy{.weight = weight, .label_smoothing = 0.25};
  CHECK(entropy(x, classes).item() ==
        doctest::Approx(nn::cross_entropy(x, classes, {weight, -100, 0.25}).item()));
  CHECK(entropy(x, p, nn::reduce::sum).item() ==
        doctest::Approx(nn::cross_entropy(x, p, {weight, -100, 0.25}, nn::reduce::sum).item()));
  CHECK(nn::state_dict(entropy).contains("weight"));
  CHECK(nn::state_dict(nn::BCEWithLogitsLoss<D, double>{}).empty());
  CHECK(nn::MultiLabelSoftMarginLoss<D, double>{}(x, p).item() ==
        doctest::Approx(nn::multilabel_soft_margin_loss(x, p).item()));
}
