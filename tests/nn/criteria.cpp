#include "weft/nn/criteria.hpp"

#include "training.hpp"
#include "weft/nn/state.hpp"

using namespace weft;
using test::pytorch;

TEST_CASE_TEMPLATE("losses as modules are the functions with their options", D, TEST_DEVICES) {
  const Var x = pytorch<double, D>("more.x");
  const auto z = pytorch<double, D>("more.z");
  const auto n = pytorch<double, D>("more.n");
  const auto signs = pytorch<double, D>("more.signs");
  const auto weight = pytorch<double, D>("more.weight");
  const auto classes = pytorch<int64_t, D>("more.classes");
  const auto p = pytorch<double, D>("more.probabilities");
  const auto sum_of = nn::reduce::sum;
  const auto same = [](const Var<double, D>& a, const Var<double, D>& b) {
    CHECK(a.item() == doctest::Approx(b.item()).epsilon(1e-12));
  };
  same(nn::MSELoss{}(x, z), nn::mse_loss(x, z));
  same(nn::L1Loss{}(x, z, sum_of), nn::l1_loss(x, z, sum_of));
  same(nn::SmoothL1Loss{0.5}(x, z), nn::smooth_l1_loss(x, z, {}, 0.5));
  same(nn::HuberLoss{.delta = 2}(x, z), nn::huber_loss(x, z, {}, 2));
  same(nn::BCELoss{}(p, p), nn::binary_cross_entropy(p, p));
  same(nn::KLDivLoss{}(x, p, nn::reduce::batch_mean), nn::kl_div(x, p, nn::reduce::batch_mean));
  same(nn::SoftMarginLoss{}(x, signs), nn::soft_margin_loss(x, signs));
  same(nn::HingeEmbeddingLoss{3}(x, signs), nn::hinge_embedding_loss(x, signs, {}, 3));
  same(nn::MarginRankingLoss{0.3}(x, z, signs), nn::margin_ranking_loss(x, z, signs, {}, 0.3));
  same(nn::TripletMarginLoss{{.margin = 3}}(x, z, n), nn::triplet_margin_loss(x, z, n, {3}));
  same(nn::GaussianNLLLoss{}(x, z, p), nn::gaussian_nll_loss(x, z, p));
  same(nn::PoissonNLLLoss{{.full = true}}(x, p), nn::poisson_nll_loss(x, p, {.full = true}));
  nn::CrossEntropyLoss<D, double> entropy{.weight = weight, .label_smoothing = 0.25};
  same(entropy(x, classes), nn::cross_entropy(x, classes, {weight, -100, 0.25}));
  same(entropy(x, p), nn::cross_entropy(x, p, {weight, -100, 0.25}));
  CHECK(nn::state_dict(entropy).contains("weight"));
  same(nn::NLLLoss<D, double>{weight}(x, classes), nn::nll_loss(x, classes, {weight}));
  same(nn::BCEWithLogitsLoss<D, double>{weight}(x, p),
       nn::binary_cross_entropy_with_logits(x, p, nn::reduce::mean, weight));
  same(nn::MultiMarginLoss<D, double>{.p = 2}(x, classes),
       nn::multi_margin_loss(x, classes, {1, 2}));
  same(nn::MultiLabelSoftMarginLoss<D, double>{}(x, p), nn::multilabel_soft_margin_loss(x, p));
  const auto labels = pytorch<int64_t, D>("more.labels");
  same(nn::MultiLabelMarginLoss{}(x, labels), nn::multilabel_margin_loss(x, labels));
  const auto rows = pytorch<double, D>("more.row_signs");
  same(nn::CosineEmbeddingLoss{0.1}(x, z, rows), nn::cosine_embedding_loss(x, z, rows, {}, 0.1));
}
