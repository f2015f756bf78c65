#include "weft/nn/losses/loss.hpp"

#include <weft/nn/losses/probability.hpp>

#include "training.hpp"
#include "weft/nn/losses/criteria.hpp"

using namespace weft;
using test::pytorch;

namespace {

/// The value and the gradient of sum(value^2) are PyTorch's, for each reduction.
template <class D, class F>
void compare(const std::string& name, const char* start, const F& loss) {
  const auto each = [&](const char* reduction, auto tag) {
    CAPTURE(name);
    CAPTURE(reduction);
    const std::string key = "loss." + name + "." + reduction;
    const Var x = parameter(pytorch<double, D>(start));
    const Var value = loss(x, tag);
    CHECK(allclose(value.detach(), pytorch<double, D>(key), {1e-10, 1e-10}));
    const Var total = sum(value * value);
    total.backward();
    CHECK(allclose(x.grad(), pytorch<double, D>(key + ".grad"), {1e-9, 1e-9}));
  };
  each("mean", nn::reduce::mean);
  each("sum", nn::reduce::sum);
  each("none", nn::reduce::none);
}

}  // namespace

TEST_CASE_TEMPLATE("losses of numbers are PyTorch's", D, TEST_DEVICES) {
  const auto y = pytorch<double, D>("loss.y");
  compare<D>("mse", "loss.x", [&](const auto& x, auto r) { return nn::MSELoss{}(x, y, r); });
  compare<D>("l1", "loss.x", [&](const auto& x, auto r) { return nn::L1Loss{}(x, y, r); });
  compare<D>("smooth_l1", "loss.x",
             [&](const auto& x, auto r) { return nn::SmoothL1Loss{0.7}(x, y, r); });
  compare<D>("huber", "loss.x", [&](const auto& x, auto r) { return nn::HuberLoss{0.7}(x, y, r); });
}

TEST_CASE_TEMPLATE("losses of probabilities are PyTorch's", D, TEST_DEVICES) {
  const auto q = pytorch<double, D>("loss.q");
  const auto weight = pytorch<double, D>("loss.weight");
  const auto others = pytorch<double, D>("loss.others");
  compare<D>("bce", "loss.p", [&](const auto& x, auto r) { return nn::BCELoss{}(x, q, r); });
  compare<D>("bce_logits", "loss.x",
             [&](const auto& x, auto r) { return nn::binary_cross_entropy_with_logits(x, q, r); });
  compare<D>("bce_weighted", "loss.x", [&](const auto& x, auto r) {
    return nn::BCEWithLogitsLoss<D, double>{weight}(x, q, r);
  });
  compare<D>("kl", "loss.logs",
             [&](const auto& x, auto r) { return nn::KLDivLoss{}(x, others, r); });
  const Tensor logs = log(others);
  compare<D>("kl_log", "loss.logs",
             [&](const auto& x, auto r) { return nn::kl_div_log_target(x, logs, r); });
}

TEST_CASE_TEMPLATE("losses of classes are PyTorch's", D, TEST_DEVICES) {
  const auto classes = pytorch<int64_t, D>("loss.classes");
  const auto weight = pytorch<double, D>("loss.weight");
  compare<D>("nll", "loss.logs",
             [&](const auto& x, auto r) { return nn::NLLLoss<D, double>{weight}(x, classes, r); });
  compare<D>("ce", "loss.x",
             [&](const auto& x, auto r) { return nn::cross_entropy(x, classes, {}, r); });
  compare<D>("ce_weighted", "loss.x", [&](const auto& x, auto r) {
    return nn::cross_entropy(x, classes, {.weight = weight}, r);
  });
  compare<D>("ce_smooth", "loss.x", [&](const auto& x, auto r) {
    return nn::cross_entropy(x, classes, {.weight = weight, .label_smoothing = 0.1}, r);
  });
  const auto x = pytorch<double, D>("loss.x");
  CHECK(nn::cross_entropy(x, softmax(x)).item() ==
        doctest::Approx(nn::cross_entropy(x, softmax(x), {}).item()));
}

TEST_CASE_TEMPLATE("losses at the ends", D, TEST_DEVICES) {
  // Logarithms of binary_cross_entropy end at -100, and its gradient stays finite.
  const Var p = parameter(tensor({0.0, 1.0}).to(D{}));
  const Var loss = nn::binary_cross_entropy(p, tensor({1.0, 0.0}).to(D{}), nn::reduce::sum);
  CHECK(loss.item() == 200);
  loss.backward();
  CHECK(allclose(p.grad(), tensor({-1e12, 1e12}).to(D{})));
  // What is no probability is an error; NaN stays NaN.
  const auto all_true = ones<double>({2}, D{});
  const auto bad = [&](double q) {
    static_cast<void>(nn::binary_cross_entropy(tensor({0.5, q}).to(D{}), all_true));
    synchronize(D{});
  };
  CHECK_SAYS("[binary_cross_entropy] an element is 1.5", bad(1.5));
  CHECK_SAYS("expected 0 to 1", bad(-0.25));
  CHECK_SAYS("[binary_cross_entropy] an element is inf", bad(math::infinity<double>));
  const auto nan = tensor({0.5, math::nan<double>}).to(D{});
  CHECK(std::isnan(nn::binary_cross_entropy(nan, all_true).item()));
  // The gradient at a logit of 0 is sigmoid(0) - y.
  const Var x = parameter(zeros<double>({1}, D{}));
  nn::binary_cross_entropy_with_logits(x, ones<double>({1}, D{})).backward();
  CHECK(x.grad().item() == doctest::Approx(-0.5));
  // Where all targets are ignored there is no mean.
  const Var logits = parameter(ones<double>({2, 3}, D{}));
  const auto ignored = full<int64_t>({2}, -100, D{});
  CHECK(std::isnan(nn::cross_entropy(logits, ignored, {}).item()));
  CHECK(nn::cross_entropy(logits, ignored, {}, nn::reduce::sum).item() == 0);
  CHECK(nn::smooth_l1_loss(x, ones<double>({1}, D{}), nn::reduce::mean, 0).item() == 1);
}

TEST_CASE("losses refuse what does not fit") {
  const Var x = parameter(ones({4, 1}));
  CHECK_SAYS("(4, 1) and a target of shape (4,)", nn::mse_loss(x, ones({4})));
  CHECK_SAYS("delta 0", nn::huber_loss(x, ones({4, 1}), nn::reduce::mean, 0));
  const auto classes = zeros<int64_t>({4});
  CHECK_SAYS("weights of shape (2,)", nn::cross_entropy(x, classes, {.weight = ones({2})}));
  CHECK_SAYS("label_smoothing 2", nn::cross_entropy(x, classes, {.label_smoothing = 2}));
  CHECK_SAYS("targets of shape (4, 1)",
             nn::cross_entropy(x, zeros<int64_t>({4, 1}), {.label_smoothing = 0.5}));
  CHECK_SAYS("targets of shape (3,)", nn::cross_entropy(x, zeros<int64_t>({3}), {}));
  CHECK_SAYS("[nll_loss] an input of shape (4, 1) and targets of shape (5,), expected (...,",
             nn::nll_loss(x, zeros<int64_t>({5})));
}

TEST_CASE_TEMPLATE("a label that is no class is an error, but for the ignored one", D,
                   TEST_DEVICES) {
  const Var logits = parameter(ones<double>({2, 3}, D{}));
  const auto labels = [](std::int64_t second) {
    return tensor(std::vector<std::int64_t>{1, second}).to(D{});
  };
  const std::string where = is_cuda<D> ? " on cuda:0 for 3 classes" : " for 3 classes";
  for (const int bad : {-1, -3, 3}) {
    const std::string text = "] label " + std::to_string(bad) + where + ", expected 0 to 2";
    CHECK_SAYS(("[cross_entropy" + text).c_str(), cross_entropy(logits, labels(bad)).item());
    CHECK_SAYS(("[cross_entropy" + text).c_str(),
               nn::cross_entropy(logits, labels(bad), {.label_smoothing = 0.1}).item());
    CHECK_SAYS(("[nll_loss" + text).c_str(), nn::nll_loss(logits, labels(bad)).item());
    CHECK(std::isfinite(nn::nll_loss(logits, labels(bad), {.ignore_index = bad}).item()));
  }
  CHECK(nn::nll_loss(logits, labels(-100)).item() == -1);
}

TEST_CASE_TEMPLATE("cross entropy with probabilities is PyTorch's", D, TEST_DEVICES) {
  const auto y = pytorch<double, D>("more.probabilities");
  const auto weight = pytorch<double, D>("more.weight");
  test::compare_loss<D>("more.probabilities", {"more.x"}, [&](const auto& x, auto r) {
    return nn::cross_entropy(x[0], y, {.weight = weight, .label_smoothing = 0.2}, r);
  });
  const Var x = parameter(pytorch<double, D>("more.x"));
  const double by_hand = -mean(sum(y * log_softmax(x.detach()), axis(1)).eval()).item();
  CHECK(cross_entropy(x, y).item() == doctest::Approx(by_hand));
  CHECK(cross_entropy(x.detach(), y).item() == doctest::Approx(by_hand));
  CHECK_SAYS("[cross_entropy] an input of shape (5, 4) and a target of shape (4,)",
             cross_entropy(x, ones<double>({4}, D{})));
}

TEST_CASE_TEMPLATE("batch_mean divides by the batch", D, TEST_DEVICES) {
  const auto logs = pytorch<double, D>("more.logs");
  const auto y = pytorch<double, D>("more.probabilities");
  CHECK(nn::kl_div(logs, y, nn::reduce::batch_mean).item() ==
        doctest::Approx(pytorch<double, Cpu>("more.kl").item()));
  const auto labels = pytorch<int64_t, D>("more.classes");
  CHECK(nn::nll_loss(logs, labels, {}, nn::reduce::batch_mean).item() ==
        doctest::Approx(nn::nll_loss(logs, labels).item()));
}
