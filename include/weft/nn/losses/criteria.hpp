// The losses as modules: MSELoss, CrossEntropyLoss, TripletMarginLoss, CTCLoss and others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/fields.hpp"
#include "weft/nn/losses/ctc.hpp"
#include "weft/nn/losses/likelihood.hpp"
#include "weft/nn/losses/loss.hpp"
#include "weft/nn/losses/margin.hpp"

// Options are fields, and the reduction comes with the call: loss(x, y, nn::reduce::sum).

namespace weft::nn {

/// mse_loss as a module.
struct MSELoss {
  auto fields() { return nn::fields(); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return mse_loss(x, y, reduction);
  }
};
/// l1_loss as a module.
struct L1Loss {
  auto fields() { return nn::fields(); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return l1_loss(x, y, reduction);
  }
};
/// smooth_l1_loss as a module.
struct SmoothL1Loss {
  double beta = 1;
  auto fields() { return nn::fields("beta", beta); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return smooth_l1_loss(x, y, reduction, beta);
  }
};
/// huber_loss as a module.
struct HuberLoss {
  double delta = 1;
  auto fields() { return nn::fields("delta", delta); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return huber_loss(x, y, reduction, delta);
  }
};
/// binary_cross_entropy as a module.
struct BCELoss {
  auto fields() { return nn::fields(); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return binary_cross_entropy(x, y, reduction);
  }
};
/// kl_div as a module.
struct KLDivLoss {
  auto fields() { return nn::fields(); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return kl_div(x, y, reduction);
  }
};
/// soft_margin_loss as a module.
struct SoftMarginLoss {
  auto fields() { return nn::fields(); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return soft_margin_loss(x, y, reduction);
  }
};
/// hinge_embedding_loss as a module.
struct HingeEmbeddingLoss {
  double margin = 1;
  auto fields() { return nn::fields("margin", margin); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return hinge_embedding_loss(x, y, reduction, margin);
  }
};
/// margin_ranking_loss as a module.
struct MarginRankingLoss {
  double margin = 0;
  auto fields() { return nn::fields("margin", margin); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& a, const ExpressionLike auto& b,
                  const ExpressionLike auto& y, R reduction = {}) const {
    return margin_ranking_loss(a, b, y, reduction, margin);
  }
};
/// cosine_embedding_loss as a module.
struct CosineEmbeddingLoss {
  double margin = 0;
  auto fields() { return nn::fields("margin", margin); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& a, const ExpressionLike auto& b,
                  const ExpressionLike auto& y, R reduction = {}) const {
    return cosine_embedding_loss(a, b, y, reduction, margin);
  }
};
/// triplet_margin_loss as a module.
struct TripletMarginLoss {
  double margin = 1;
  double p = 2;
  double epsilon = 1e-6;
  bool swap = false;
  auto fields() { return nn::fields("margin", margin, "p", p, "epsilon", epsilon, "swap", swap); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& a, const ExpressionLike auto& positive,
                  const ExpressionLike auto& n, R reduction = {}) const {
    return triplet_margin_loss(a, positive, n, {margin, p, epsilon, swap}, reduction);
  }
};
/// multilabel_margin_loss as a module.
struct MultiLabelMarginLoss {
  auto fields() { return nn::fields(); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return multilabel_margin_loss(x, y, reduction);
  }
};
/// gaussian_nll_loss as a module.
struct GaussianNLLLoss {
  bool full = false;
  double epsilon = 1e-6;
  auto fields() { return nn::fields("full", full, "epsilon", epsilon); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  const ExpressionLike auto& variance, R reduction = {}) const {
    return gaussian_nll_loss(x, y, variance, {full, epsilon}, reduction);
  }
};
/// poisson_nll_loss as a module.
struct PoissonNLLLoss {
  bool log_input = true;
  bool full = false;
  double epsilon = 1e-8;
  auto fields() { return nn::fields("log_input", log_input, "full", full, "epsilon", epsilon); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    return poisson_nll_loss(x, y, {log_input, full, epsilon}, reduction);
  }
};

/// cross_entropy as a module, of class indices or probabilities.
template <Device D = Cpu, class T = float>
struct CrossEntropyLoss {
  std::optional<Tensor<T, D>> weight = {};  ///< of each class
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  auto fields() {
    return nn::fields("weight", weight, "ignore_index", ignore_index, "label_smoothing",
                      label_smoothing);
  }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const TensorLike auto& y, R reduction = {}) const {
    return nn::cross_entropy(x, y, {weight, ignore_index, label_smoothing}, reduction);
  }
};
/// nll_loss as a module.
template <Device D = Cpu, class T = float>
struct NLLLoss {
  std::optional<Tensor<T, D>> weight = {};  ///< of each class
  int64_t ignore_index = -100;
  auto fields() { return nn::fields("weight", weight, "ignore_index", ignore_index); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const TensorLike auto& y, R reduction = {}) const {
    return nll_loss(x, y, {weight, ignore_index, 0}, reduction);
  }
};
/// binary_cross_entropy_with_logits as a module.
template <Device D = Cpu, class T = float>
struct BCEWithLogitsLoss {
  std::optional<Tensor<T, D>> pos_weight = {};  ///< of the positive cases
  auto fields() { return nn::fields("pos_weight", pos_weight); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    if (pos_weight) return binary_cross_entropy_with_logits(x, y, reduction, *pos_weight);
    return binary_cross_entropy_with_logits(x, y, reduction);
  }
};
/// multi_margin_loss as a module.
template <Device D = Cpu, class T = float>
struct MultiMarginLoss {
  double margin = 1;
  int p = 1;
  std::optional<Tensor<T, D>> weight = {};  ///< of each class
  auto fields() { return nn::fields("margin", margin, "p", p, "weight", weight); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const TensorLike auto& y, R reduction = {}) const {
    return multi_margin_loss(x, y, {margin, p, weight}, reduction);
  }
};
/// multilabel_soft_margin_loss as a module.
template <Device D = Cpu, class T = float>
struct MultiLabelSoftMarginLoss {
  std::optional<Tensor<T, D>> weight = {};  ///< of each class
  auto fields() { return nn::fields("weight", weight); }
  template <class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const ExpressionLike auto& y,
                  R reduction = {}) const {
    if (weight) return multilabel_soft_margin_loss(x, y, *weight, reduction);
    return multilabel_soft_margin_loss(x, y, reduction);
  }
};
/// ctc_loss as a module.
struct CTCLoss {
  int64_t blank = 0;
  bool zero_infinity = false;
  auto fields() { return nn::fields("blank", blank, "zero_infinity", zero_infinity); }
  template <class D, class R = reduce::Mean>
  auto operator()(const ExpressionLike auto& x, const Tensor<int64_t, D>& targets,
                  const Tensor<int64_t, D>& input_lengths, const Tensor<int64_t, D>& target_lengths,
                  R reduction = {}) const {
    return ctc_loss(x, targets, input_lengths, target_lengths, {blank, zero_infinity}, reduction);
  }
};

WEFT_MODEL(
    Module<MSELoss>&& Module<L1Loss>&& Module<SmoothL1Loss>&& Module<HuberLoss>&& Module<BCELoss>&&
        Module<KLDivLoss>&& Module<SoftMarginLoss>&& Module<HingeEmbeddingLoss>&&
            Module<MarginRankingLoss>&& Module<CosineEmbeddingLoss>&& Module<TripletMarginLoss>&&
                Module<MultiLabelMarginLoss>&& Module<GaussianNLLLoss>&& Module<PoissonNLLLoss>&&
                    Module<CrossEntropyLoss<>>&& Module<NLLLoss<>>&& Module<BCEWithLogitsLoss<>>&&
                        Module<MultiMarginLoss<>>&& Module<MultiLabelSoftMarginLoss<>>&&
                            Module<CTCLoss>);

}  // namespace weft::nn
