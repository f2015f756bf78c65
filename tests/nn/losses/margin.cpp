#include "weft/nn/losses/margin.hpp"

#include "training.hpp"
#include "weft/nn/losses/criteria.hpp"

using namespace weft;
using test::compare_loss;
using test::pytorch;

TEST_CASE_TEMPLATE("margin losses of numbers are PyTorch's", D, TEST_DEVICES) {
  const auto signs = pytorch<double, D>("more.signs");
  const auto weight = pytorch<double, D>("more.weight");
  const auto zero_one = pytorch<double, D>("more.zero_one");
  compare_loss<D>("more.ranking", {"more.x", "more.z"}, [&](const auto& x, auto r) {
    return nn::MarginRankingLoss{0.3}(x[0], x[1], signs, r);
  });
  compare_loss<D>("more.hinge", {"more.x"}, [&](const auto& x, auto r) {
    return nn::HingeEmbeddingLoss{0.7}(x[0], signs, r);
  });
  compare_loss<D>("more.soft_margin", {"more.x"},
                  [&](const auto& x, auto r) { return nn::SoftMarginLoss{}(x[0], signs, r); });
  compare_loss<D>("more.multilabel_soft", {"more.x"}, [&](const auto& x, auto r) {
    return nn::multilabel_soft_margin_loss(x[0], zero_one, weight, r);
  });
}

TEST_CASE_TEMPLATE("margin losses of labels are PyTorch's", D, TEST_DEVICES) {
  const auto classes = pytorch<int64_t, D>("more.classes");
  const auto labels = pytorch<int64_t, D>("more.labels");
  const auto weight = pytorch<double, D>("more.weight");
  compare_loss<D>("more.multi_margin", {"more.x"}, [&](const auto& x, auto r) {
    return nn::MultiMarginLoss<D, double>{}(x[0], classes, r);
  });
  compare_loss<D>("more.multi_margin2", {"more.x"}, [&](const auto& x, auto r) {
    return nn::multi_margin_loss(x[0], classes, {.margin = 0.5, .p = 2, .weight = weight}, r);
  });
  compare_loss<D>("more.multilabel", {"more.x"}, [&](const auto& x, auto r) {
    return nn::MultiLabelMarginLoss{}(x[0], labels, r);
  });
}

TEST_CASE_TEMPLATE("losses of embeddings are PyTorch's", D, TEST_DEVICES) {
  const auto signs = pytorch<double, D>("more.row_signs");
  const std::vector<const char*> three{"more.x", "more.z", "more.n"};
  compare_loss<D>("more.triplet", three, [&](const auto& x, auto r) {
    return nn::TripletMarginLoss{}(x[0], x[1], x[2], r);
  });
  compare_loss<D>("more.triplet_swap", three, [&](const auto& x, auto r) {
    return nn::TripletMarginLoss{.margin = 3, .p = 3, .swap = true}(x[0], x[1], x[2], r);
  });
  compare_loss<D>("more.cosine", {"more.x", "more.z"}, [&](const auto& x, auto r) {
    return nn::CosineEmbeddingLoss{-0.2}(x[0], x[1], signs, r);
  });
  const auto x = pytorch<double, D>("more.x");
  const Tensor<double, D> far = sum(abs(x + 2.0 - x), axis(1));
  CHECK(allclose(nn::pairwise_distance(x + 2.0, x, 1, 0).detach(), far));
}

TEST_CASE("margin losses refuse what does not fit") {
  const Var x = parameter(ones<double>({2, 3}));
  CHECK_SAYS("[multi_margin_loss] label 3 for 3 classes",
             nn::multi_margin_loss(x, tensor<int64_t>({0, 3})).item());
  CHECK_SAYS("[multi_margin_loss] an input of shape (2, 3) and targets of shape (1,)",
             nn::multi_margin_loss(x, tensor<int64_t>({0})));
  CHECK_SAYS("p 3, expected 1 or 2", nn::multi_margin_loss(x, tensor<int64_t>({0, 1}), {.p = 3}));
  CHECK_SAYS("targets of shape (2, 3), expected (..., classes) and (...)",
             nn::multi_margin_loss(x, zeros<int64_t>({2, 3})));
  CHECK_SAYS("[multilabel_margin_loss] label 5 for 3 classes",
             nn::multilabel_margin_loss(x, full<int64_t>({2, 3}, 5)).item());
  CHECK_SAYS("[triplet_margin_loss] an input of shape (2, 3) and a target of shape (2,)",
             nn::triplet_margin_loss(x, ones<double>({2}), x));
  CHECK_SAYS("[cosine_embedding_loss] an input of shape (2,) and a target of shape (2, 1)",
             nn::cosine_embedding_loss(x, x, ones<double>({2, 1})));
  CHECK_SAYS("p 0", nn::pairwise_distance(x, x, 0));
}
