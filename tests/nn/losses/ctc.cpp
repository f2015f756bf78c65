#include "weft/nn/losses/ctc.hpp"

#include "training.hpp"
#include "weft/nn/losses/criteria.hpp"

using namespace weft;
using test::compare_loss;
using test::pytorch;

TEST_CASE_TEMPLATE("ctc_loss is PyTorch's", D, TEST_DEVICES) {
  const auto targets = pytorch<int64_t, D>("ctc.targets");
  const auto inputs = pytorch<int64_t, D>("ctc.inputs");
  const auto shorter = pytorch<int64_t, D>("ctc.short");
  const auto lengths = pytorch<int64_t, D>("ctc.lengths");
  compare_loss<D>("ctc.plain", {"ctc.logits"}, [&](const auto& x, auto r) {
    return nn::ctc_loss(log_softmax(x[0]), targets, inputs, lengths, {}, r);
  });
  compare_loss<D>("ctc.zero", {"ctc.logits"}, [&](const auto& x, auto r) {
    return nn::CTCLoss{.zero_infinity = true}(log_softmax(x[0]), targets, shorter, lengths, r);
  });
  const Var x = parameter(pytorch<double, D>("ctc.logits"));
  const Var loss = nn::ctc_loss(log_softmax(x), targets, shorter, lengths, {}, nn::reduce::none);
  CHECK(std::isinf(loss.detach().to(Cpu{}).at(1)));
  CHECK(std::isfinite(loss.detach().to(Cpu{}).at(0)));
  // The gradient is that of the logarithms as they are.
  const auto f = [&](const auto& v) {
    return nn::ctc_loss(v, targets, inputs, lengths, {}, nn::reduce::sum);
  };
  CHECK(gradcheck(f, parameter(log_softmax(x.detach()).eval())));
}

TEST_CASE_TEMPLATE("ctc_loss sums over all paths", D, TEST_DEVICES) {
  // Two frames spell "1" by 1 1, 1 - and - 1; no frame spells nothing.
  const Tensor<double, D> p = tensor({{{0.6, 0.3, 0.1}}, {{0.2, 0.5, 0.3}}}).to(D{});
  const auto one = [](int64_t v) { return full<int64_t>({1}, v, D{}); };
  const auto loss = [&](int64_t frames, int64_t length) {
    return nn::ctc_loss(log(p), full<int64_t>({1, 1}, 1, D{}), one(frames), one(length), {},
                        nn::reduce::sum)
        .item();
  };
  CHECK(loss(2, 1) == doctest::Approx(-std::log(0.3 * 0.5 + 0.3 * 0.2 + 0.6 * 0.5)));
  CHECK(loss(1, 1) == doctest::Approx(-std::log(0.3)));
  CHECK(loss(2, 0) == doctest::Approx(-std::log(0.6 * 0.2)));
  CHECK(loss(0, 0) == 0);
  CHECK(std::isinf(loss(0, 1)));
  const Tensor<double, D> no_rows = zeros<double>({2, 0, 3}, D{});
  const auto empty = zeros<int64_t>({0}, D{});
  CHECK(nn::ctc_loss(no_rows, zeros<int64_t>({0, 1}, D{}), empty, empty, {}, nn::reduce::sum)
            .item() == 0);
}

TEST_CASE_TEMPLATE("ctc_loss refuses what does not fit", D, TEST_DEVICES) {
  const Tensor<double, D> x = log_softmax(ones<double>({4, 2, 3}, D{}));
  const auto targets = full<int64_t>({2, 2}, 1, D{});
  const auto two = [](int64_t v) { return full<int64_t>({2}, v, D{}); };
  CHECK_SAYS("[ctc_loss] logarithms of shape (4, 2, 3), targets of shape (2,)",
             nn::ctc_loss(x, two(1), two(4), two(1)));
  CHECK_SAYS("[ctc_loss] blank 3 of 3 classes",
             nn::ctc_loss(x, targets, two(4), two(1), {.blank = 3}));
  CHECK_SAYS("[ctc_loss] label 7",
             nn::ctc_loss(x, full<int64_t>({2, 2}, 7, D{}), two(4), two(2)).item());
  CHECK_SAYS(is_cuda<D> ? "[take] index" : "[ctc_loss] an input length of 5, expected 0 to 4",
             nn::ctc_loss(x, targets, two(5), two(2)).item());
  CHECK_SAYS(is_cuda<D> ? "[ctc_loss]" : "[ctc_loss] a target length of 3, expected 0 to 2",
             nn::ctc_loss(x, targets, two(4), two(3)).item());
}
