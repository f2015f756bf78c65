// ONNX's losses over classes.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

Int classes(Call& c) {
  if (c.dtype(1) == weft::Dtype::int32) return cast<int64_t>(c.get<int32_t>(1));
  return c.get<int64_t>(1);
}

/// The loss of log probabilities (batch, class, ...) at classes (batch, ...).
void loss(Call& c, const Float& chances) {
  const Int labels = classes(c);
  const bool skips = c.given("ignore_index");
  const int64_t skipped = c.integer("ignore_index");
  const Tensor<bool> counts =
      skips ? Tensor<bool>(labels != skipped) : Tensor<bool>(labels == labels);
  const Int safe = where(counts, labels, 0);
  Float weight = cast<float>(counts);
  if (c.has(2)) weight = weight * take(c.f32(2), safe);
  const Float picked = take_along_axis(chances, safe.unsqueeze(1), axis(1)).eval().squeeze(1);
  const Float each = where(counts, -picked * weight, 0);
  const std::string how = c.word("reduction", "mean");
  if (how == "none") return c.out(each);
  if (how == "sum") return c.out(sum(each));
  c.out(sum(each) / sum(weight));
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["NegativeLogLikelihoodLoss"] = [](Call& c) { loss(c, c.f32(0)); };
  table["SoftmaxCrossEntropyLoss"] = [](Call& c) {
    const Float chances = log_softmax(c.f32(0), axis(1));
    loss(c, chances);
    c.out(chances);
  };
});

}  // namespace conformance
