#include "weft/autograd/rows/compose.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("softmax and log_softmax", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 5}));
  const auto rows = [](const auto& v) { return softmax(v * 2.0); };
  CHECK(gradcheck(rows, x));
  CHECK(allclose(rows(x).detach(), softmax(x.detach() * 2.0)));
  const auto columns = [](const auto& v) { return log_softmax(v, axis(0)); };
  CHECK(gradcheck(columns, x));
  CHECK(allclose(columns(x).detach(), log_softmax(x.detach(), axis(0))));
  // The same in its own notation.
  const auto formula = [](const auto& v) {
    const auto e = exp(v - max(v, axis(-1), keepdims));
    return Var(e / sum(e, axis(-1), keepdims));
  };
  CHECK(gradcheck(formula, x));
}

TEST_CASE_TEMPLATE("layer_norm and rms_norm", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 6}));
  const Var w = parameter(numbers<D>({6}, 1));
  const Var b = parameter(numbers<D>({6}, 2));
  const auto norm = [](const auto&... v) { return layer_norm(v...); };
  CHECK(gradcheck(norm, x, w, b));
  CHECK(allclose(norm(x, w, b).detach(), layer_norm(x.detach(), w.detach(), b.detach())));
  const auto fixed = [&](const auto& v) { return layer_norm(v, w.detach(), b.detach()); };
  CHECK(gradcheck(fixed, x));
  const auto rms = [](const auto&... v) { return rms_norm(v...); };
  CHECK(gradcheck(rms, x, w));
  CHECK(allclose(rms(x, w).detach(), rms_norm(x.detach(), w.detach())));
}

TEST_CASE_TEMPLATE("cross_entropy", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 5}));
  const auto targets = tensor<std::int64_t>({0, 4, 2, 1}).to(D{});
  const auto loss = [&](const auto& v) { return cross_entropy(v, targets); };
  CHECK(gradcheck(loss, x));
  CHECK(gradcheck([&](const auto& v) { return cross_entropy_rows(v * 2.0, targets); }, x));
  CHECK(loss(x).item() == doctest::Approx(cross_entropy(x.detach(), targets).item()));
}
